# SPDX-License-Identifier: BSD-3-Clause
"""Does tools/setup report its progress from the beginning?"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The stub of sleep writes a tick to a pipe. The stub of apt-get fails after two ticks, so that
# setup reports progress before that.
STUBS = {
    "dpkg-query": "echo not-installed",
    "sudo": 'exec "$@"',
    "sleep": 'echo tick >"$TICKS"',
    "apt-get": 'exec 3<>"$TICKS"; read -r _ <&3; read -r _ <&3; exit 1',
}


def test_installing_packages_is_not_silent(tmp_path: Path) -> None:
    for name, body in STUBS.items():
        stub = tmp_path / "bin" / name
        stub.parent.mkdir(exist_ok=True)
        stub.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        stub.chmod(0o755)
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "setup", tmp_path / "tools")
    os.mkfifo(tmp_path / "ticks")
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "TICKS": str(tmp_path / "ticks"),
    }
    done = subprocess.run(
        [tmp_path / "tools" / "setup"],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "hmsim: installing Debian's packages, " in done.stderr
