# SPDX-License-Identifier: BSD-3-Clause
"""Hatchling's hook: SCons compiles in the source tree, the wheel carries what a user needs.

The environment variable HMSIM_SCONS holds variables for SCons (``compiler=clang mode=debug``).
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
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


class Compiled(BuildHookInterface):
    """Compiles the extension, the plug-ins of QEMU and the parts of policies."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the native parts, and name the files that the wheel adds to the package."""
        root = Path(self.root)
        variables = shlex.split(os.environ.get("HMSIM_SCONS", ""))
        targets = ("extension", "policy_parts", "capture", "library")
        command = [sys.executable, "-m", "SCons", "-Q", *targets, *variables]
        subprocess.run(command, cwd=root, check=True)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        # A checkout may hold the modules of several Pythons.
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        build_data["artifacts"].append(f"python/hmsim/_core{suffix}")
        if version == "standard":
            shipped = [*root.glob(HEADERS), *map(root.joinpath, FILES)]
            for folder in FOLDERS:
                shipped += [path for path in (root / folder).rglob("*") if _is_data(root, path)]
            build_data["force_include"].update(
                {str(path): f"hmsim/data/{path.relative_to(root).as_posix()}" for path in shipped}
            )


def _is_data(root: Path, path: Path) -> bool:
    parts = path.relative_to(root).parts
    if not path.is_file() or any(part.startswith(".") or part == "__pycache__" for part in parts):
        return False
    with path.open("rb") as file:
        program = file.read(4) == b"\x7fELF"
    return not program and path.suffix not in BUILT and path.stat().st_size <= LIMIT
