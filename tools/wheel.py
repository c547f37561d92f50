# SPDX-License-Identifier: BSD-3-Clause
"""Hatchling's hook: SCons compiles in the source tree, the wheel carries what a user needs.

The environment variable HMSIM_SCONS holds variables for SCons (``compiler=clang mode=debug``).
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = (
    "analysis/artifact",
    "configs",
    "docs",
    "policies",
    "workloads",
)  # in the wheel: hmsim/data/FOLDER
HEADERS = "core/**/*.h"  # which policies include
FILES = ("CITATION.cff", "CHANGELOG.md", "README.md")
LIMIT = 4 << 20  # bytes; larger files are made by tools, not shipped
BUILT = (".a", ".o", ".pyc", ".so")
CAPTURES = Path("workloads/captures")
LOG = "build/wheel.log"


class Compiled(BuildHookInterface):
    """Compiles the extension, the plug-ins of QEMU and the parts of policies."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the native parts, and name the files that the wheel adds to the package."""
        root = Path(self.root)
        variables = shlex.split(os.environ.get("HMSIM_SCONS", ""))
        targets = ("extension", "policy_parts", "capture", "library")
        command = [sys.executable, "-m", "SCons", "-Q", *targets, *variables]
        run(command, root)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        # A checkout may hold the modules of several Pythons.
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        build_data["artifacts"].append(f"python/hmsim/_core{suffix}")
        if version == "standard":
            shipped = [*root.glob(HEADERS), *map(root.joinpath, FILES)]
            for folder in FOLDERS:
                shipped += [path for path in (root / folder).rglob("*") if _is_data(root, path)]
            left_out = _left_out(root)
            build_data["force_include"].update(
                {
                    str(path): f"hmsim/data/{path.relative_to(root).as_posix()}"
                    for path in shipped
                    if path not in left_out
                }
            )


def run(command: Sequence[str], root: Path) -> None:
    """Run a command, with a copy of its output in LOG. Name LOG on the terminal.

    pip discards what a backend prints, unless it fails or runs with --verbose.
    """
    log = root / LOG
    log.parent.mkdir(exist_ok=True)
    with contextlib.suppress(OSError), open("/dev/tty", "w") as terminal:  # absent in CI
        print(f"\nhmsim: compiling takes minutes; progress: tail -f {log}", file=terminal)
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=root, stdout=pipe, stderr=subprocess.STDOUT)
    with log.open("wb") as file, process:
        for line in process.stdout or ():
            for stream in (sys.stdout.buffer, file):
                stream.write(line)
                stream.flush()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def _left_out(root: Path) -> set[Path]:
    """Return the captures that no shipped workload names: 28 MB, which `tools/package` packs."""
    named = re.findall(
        r"captures/(\S+\.zst)", "".join(path.read_text() for path in root.glob("workloads/*.yaml"))
    )
    return {path for path in (root / CAPTURES).glob("*.zst") if path.name not in named}


def _is_data(root: Path, path: Path) -> bool:
    parts = path.relative_to(root).parts
    if not path.is_file() or any(part.startswith(".") or part == "__pycache__" for part in parts):
        return False
    with path.open("rb") as file:
        program = file.read(4) == b"\x7fELF"
    return not program and path.suffix not in BUILT and path.stat().st_size <= LIMIT
