# SPDX-License-Identifier: BSD-3-Clause
"""Keys of fio's job files: supported, ignored, or refused (keys.yaml)."""

from __future__ import annotations

from pathlib import Path

import yaml

from hmsim._core import nearest_name
from hmsim.config.composer import PARSER

_TABLES = yaml.load(Path(__file__).with_name("keys.yaml").read_bytes(), PARSER)
ALIASES: dict[str, str] = _TABLES["aliases"]
FOLLOWED = frozenset(_TABLES["followed"])
QUIET = frozenset(_TABLES["quiet"])
DETAILS: tuple[str, ...] = tuple(_TABLES["details"])
NOTED: dict[str, str] = _TABLES["noted"]
REFUSED: dict[str, str] = _TABLES["refused"]
SYNCHRONOUS = frozenset(_TABLES["synchronous"])
ENGINES = SYNCHRONOUS.union(_TABLES["asynchronous"])


def problem(written: str, key: str, text: str) -> str:
    """Return why a key with this value is refused, with the nearest supported key; or ''."""
    if key in REFUSED and text not in ("0", "none"):
        return f"is not supported, and without it the job would differ; {REFUSED[key]}"
    if key == "ioengine" and text not in ENGINES:
        near = nearest_name(text, sorted(ENGINES))
        hint = f"did you mean '{near}'?" if near else "use libaio, io_uring or psync"
        return f"'{text}' is not an engine of files or block devices; {hint}"
    known = FOLLOWED | REFUSED.keys() | QUIET | NOTED.keys()
    if key in known or key.startswith(DETAILS):
        return ""
    near = nearest_name(written, sorted({*FOLLOWED, *ALIASES, *NOTED}))
    return f"unknown key; did you mean '{near}'?" if near else "unknown key; delete it"
