# SPDX-License-Identifier: BSD-3-Clause
"""Plug-in and trace handling shared by captures of programs and of whole machines under QEMU."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Optional

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.traces.reader import compressed

PLUGIN = Path(__file__).resolve().parents[1] / "_capture" / "hmsim_capture.so"
BROKE_OFF = 121  # exit status of the plug-in's own failures
UNITS = {"KiB": 10, "MiB": 20, "GiB": 30}  # powers of 2


class CaptureError(InputError):
    """The program cannot be captured; the message is meant for the user."""


def check_name_of(what: str, name: str, known: Sequence[str]) -> None:
    """Raise CaptureError if ``name`` is not in ``known``. ``what``: kind of thing it names."""
    if name not in known:
        raise CaptureError(f"unknown {what} '{name}'; {hint(name, known)}")


def size_in_bytes(name: str, text: str) -> int:
    """Return a size such as ``32KiB`` in bytes. Raises CaptureError."""
    match = re.fullmatch(r"(\d+)\s*(KiB|MiB|GiB)", text.strip())
    if not match:
        raise CaptureError(
            f"{name}: '{text}' is not a size: must be written as 32KiB, 2MiB or 1GiB"
        )
    return int(match[1]) << UNITS[match[2]]


@dataclass(frozen=True)
class Caches:
    """Sizes and ways of the data caches that the plug-in models: LRU, lines of 64 bytes."""

    l1: str = "32KiB"
    l2: str = "2MiB"
    l3: str = "8MiB"
    ways: tuple[int, int, int] = (4, 4, 4)

    @property
    def kib(self) -> tuple[int, int, int]:
        """Sizes in KiB. Raises CaptureError."""
        levels = (("l1", self.l1), ("l2", self.l2), ("l3", self.l3))
        first, second, third = (size_in_bytes(name, text) >> 10 for name, text in levels)
        if first >= 1 << 16 or second >= 1 << 16 or third >= 1 << 32:
            raise CaptureError("l1 and l2 must be smaller than 64MiB, l3 smaller than 4TiB")
        return first, second, third

    def options(self) -> dict[str, int]:
        """Return them as options of the plug-in. Raises CaptureError."""
        sizes = {f"l{level}": kib for level, kib in enumerate(self.kib, 1)}
        return sizes | {f"l{level}_ways": ways for level, ways in enumerate(self.ways, 1)}


def window_options(skip: Optional[int], limit: Optional[int]) -> dict[str, int]:
    """Return the window's bounds, in instructions, as options of the plug-in."""
    for name, count, least in (("skip", skip, 0), ("limit", limit, 1)):
        if count is not None and not least <= count < 1 << 62:
            raise CaptureError(f"{name}: must be at least {least} instructions, got {count}")
    return {"skip": skip or 0, "limit": limit or 0}


def find_program(qemu: str, package: str) -> str:
    """Return QEMU's path. Raises CaptureError."""
    path = shutil.which(qemu)
    if path is None:
        raise CaptureError(f"{qemu} is not installed; on Debian: apt-get install {package}")
    return path


def find_emulator(qemu: str, package: str) -> str:
    """Return QEMU's path, if the plug-in is built and QEMU fits it. Raises CaptureError."""
    path = find_program(qemu, package)
    if not PLUGIN.is_file():
        raise CaptureError(f"{PLUGIN} is not built; run 'scons capture'")
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"version (\d+)", done.stdout)
    if not version or not 6 <= int(version[1]) <= 8:
        found = done.stdout.strip().partition("\n")[0]
        raise CaptureError(f"{path}: must be QEMU 6 to 8 (plug-in interface 1), got '{found}'")
    return path


def plugin_option(options: Mapping[str, object]) -> str:
    """Return the argument of QEMU's option ``-plugin``."""
    arguments = [f"file={PLUGIN}", *(f"{name}={value}" for name, value in options.items())]
    return ",".join(text.replace(",", ",,") for text in arguments)


def read_totals(text: str, summary: type) -> dict[str, Any]:
    """Return the plug-in's final totals for the fields of the dataclass ``summary``."""
    wanted = {field.name for field in fields(summary)}
    totals = {name: value for name, value in json.loads(text).items() if name in wanted}
    return totals | {"limited": bool(totals["limited"])}


def kill_group(group: int) -> None:
    """End all processes of a group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def pack_text(source: Path, target: Path, suffix: str, level: int) -> None:
    """Write a text to a file, compressed as the suffix says."""
    size = source.stat().st_size
    with source.open("rb") as content, compressed(target, suffix, level, size) as packed:
        shutil.copyfileobj(content, packed, 1 << 20)
