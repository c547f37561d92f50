# SPDX-License-Identifier: BSD-3-Clause
"""docs/report.svg: the head of a page that `hmsim report` makes, as a browser shows it."""

from __future__ import annotations

import base64
import io
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hmsim import InputError
from PIL import Image

from pages import DOCS, Documents

POLICIES = ("unified_fr_fcfs", "split", "firm")
WIDTH, HEIGHT = 1000, 1330  # pixels
COLOURS = 200
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" '
    'role="img"><title>A page about three policies</title><image width="{w}" height="{h}" '
    'href="data:image/png;base64,{data}"/></svg>\n'
)


def page(_: Path) -> Documents:
    """Compare three policies, make the page of the runs, and picture its head."""
    named = [part for policy in POLICIES for part in ("--policy", policy)]
    made = ["--request-log", "--out", "out/ab"]
    with TemporaryDirectory() as folder:
        for line in (
            ["compare", "quick", *named, "--workload", "demo", *made],
            ["report", "out/ab", "--out", "ab.html"],
        ):
            hmsim = [sys.executable, "-m", "hmsim", *line]
            subprocess.run(hmsim, cwd=folder, check=True, capture_output=True)
        data = base64.b64encode(screenshot(Path(folder, "ab.html"))).decode()
    yield DOCS / "report.svg", PICTURE.format(w=WIDTH, h=HEIGHT, data=data)


def screenshot(html: Path) -> bytes:
    """Return the head of a page as a PNG of few colours. Raises InputError without a browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise InputError(f"needs a browser: {' or '.join(BROWSERS)}")
    taken = html.with_suffix(".png")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    size = ["--force-device-scale-factor=1", f"--window-size={WIDTH},{HEIGHT}"]
    command = [browser, *options, *size, f"--screenshot={taken}", html.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    small = io.BytesIO()
    with Image.open(taken) as shown:
        shown.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(
            small, format="png", optimize=True
        )
    return small.getvalue()
