# SPDX-License-Identifier: BSD-3-Clause
"""Finds DRAMsim3's source with cargo, and converts its .ini files to a C++ table."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

MANIFEST = Path(__file__).parent / "Cargo.toml"
PACKAGE = "dramsim3"
SOURCES = [
    "bankstate",
    "channel_state",
    "command_queue",
    "common",
    "configuration",
    "controller",
    "refresh",
    "simple_stats",
    "timing",
]
LITERAL = 8_000  # characters in one string literal


class Missing(Exception):
    """The source is not available; the text states the reason."""


def source_folder() -> Path:
    """Return the folder of DRAMsim3's source in cargo's cache, downloaded if need be.

    Raises:
        Missing: there is no cargo, or it cannot get the crate.
    """
    if shutil.which("cargo") is None:
        raise Missing("it is taken through cargo, which is not installed (https://rustup.rs)")
    command = ["cargo", "metadata", "--format-version=1", "--locked"]
    command += ["--manifest-path", str(MANIFEST)]
    for more in (["--offline"], []):
        done = subprocess.run([*command, *more], capture_output=True, text=True)
        if done.returncode == 0:
            packages = json.loads(done.stdout)["packages"]
            manifests = [p["manifest_path"] for p in packages if p["name"] == PACKAGE]
            return Path(manifests[0]).parent / "DRAMsim3"
    raise Missing("cargo could not fetch it:\n" + done.stderr.strip())


def licence_text(folder: Path) -> str:
    """Return the licences of DRAMsim3 and its bundled code, which redistributors must include."""
    headers = folder / "ext/headers"
    names = ["LICENSE", "ext/fmt/LICENSE.rst", "ext/headers/INIHLICENSE.txt"]
    parts = [(folder / name).read_text(encoding="utf-8") for name in names]
    opening, found, _ = (headers / "json.hpp").read_text(encoding="utf-8").partition("*/")
    if not found or "Permission is hereby" not in opening:
        raise Missing(f"{headers / 'json.hpp'} does not begin with its licence")
    parts.append(opening.lstrip("/*"))
    titles = ["DRAMsim3", "fmt", "inih", "JSON for Modern C++"]
    texts = (f"== {title}\n\n{part.strip()}\n" for title, part in zip(titles, parts))
    return "hmsim's extension module here contains what these licences are for.\n\n" + "\n".join(
        texts
    )


def preset_table(folder: Path) -> str:
    """Return C++ that defines the shipped .ini files by name, for dram/dramsim3/adapter.h."""
    lines = ['#include "dram/dramsim3/adapter.h"', "namespace hmsim {"]
    lines.append("const std::vector<Dramsim3Preset>& dramsim3_presets() {")
    lines.append("static const std::vector<Dramsim3Preset> presets{")
    for path in sorted((folder / "configs").glob("*.ini")):
        text = path.read_text(encoding="utf-8")
        if len(text) > LITERAL or ')ini"' in text:
            raise Missing(f"{path} is not what was expected")
        lines.append(f'{{"{path.stem}", R"ini({text})ini"}},')
    lines += ["};", "return presets;", "}", "}  // namespace hmsim", ""]
    return "\n".join(lines)
