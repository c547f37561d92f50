# SPDX-License-Identifier: BSD-3-Clause
"""Does each list of Debian packages for the guest hold all that building and running it needs?"""

from __future__ import annotations

import re
from pathlib import Path

from hmsim.capture.guest_tools import FILE_PACKAGES, PACKAGE_OF

from tools import lanes

ROOT = Path(__file__).resolve().parents[2]
INSTALL = re.compile(r"apt-get install((?: [a-z0-9.+-]+)+)")
ESSENTIAL = {"apt", "dpkg", "gzip", "tar"}  # every Debian has them
COMPILER = {"binutils", "gcc", "libc6-dev"}
BRINGS = {"build-essential": {"g++", "make", *COMPILER}, "g++": COMPILER}  # by dependencies


def lists() -> dict[str, set[str]]:
    """Return the packages of each page and lane that installs QEMU's whole system."""
    pages = (ROOT / "docs").rglob("*.md")
    found = {page.name: INSTALL.findall(page.read_text(encoding="utf-8")) for page in pages}
    found["lane guest"] = [f"g++ {lanes.LANES['guest'].packages}"]  # tools/setup installs g++
    named = {where: set(" ".join(packages).split()) for where, packages in found.items()}
    return {where: names for where, names in named.items() if "qemu-system-x86" in names}


def test_lists_for_the_guest_are_complete() -> None:
    assert {"full-system-capture.md", "gem5-linux.md", "lane guest"} <= set(lists())
    needed = {*PACKAGE_OF.values(), *FILE_PACKAGES.values()} - ESSENTIAL
    for where, names in lists().items():
        brought = set().union(*(BRINGS.get(name, set()) for name in names))
        assert not needed - names - brought, where
