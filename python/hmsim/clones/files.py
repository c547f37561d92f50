# SPDX-License-Identifier: BSD-3-Clause
"""The twins that workloads ask for by name; the cache keeps them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hmsim._core import InputError, parse_integer, version
from hmsim.clones import LONGEST_TWIN
from hmsim.common.cache import set_aside
from hmsim.common.digests import file_digest
from hmsim.common.directories import new_file
from hmsim.common.hints import hint
from hmsim.common.paths import cache_directory, shipped
from hmsim.config import settings
from hmsim.traces.records import FORMATS

NAME = re.compile(
    r"(?P<profile>.+\.yaml|[^@:]+)(@(?P<seed>[0-9]{1,9}))?(:(?P<part>[a-z_]+))?", re.DOTALL
)
TWINS = ("hmsim", "mqsim")  # formats of twins
TWIN_PARTS = ("dram", "whole")
MOST_TWINS = 9999
BLOCK_PAGES = 1 << 14  # 64 MiB: more than buffers hold, should the trace start over
MOST_TIMES = 64


def materialised(
    path: Path, blocks: bool, instructions: int = 0, seed: int = 1, dram_only: bool = False
) -> Path:
    """Return a trace of a profile's twin, from the cache or generated and then cached.

    Args:
        path: the profile.
        blocks: generate a block trace instead; twins of seeds other than 1 use separate devices.
        instructions: length of the trace; 0: the length that the profile was measured over. A
            block trace then has a multiple of it, enough to touch `BLOCK_PAGES`.
        seed: selects the twin.
        dram_only: omit the accesses of the NVDIMM.

    Raises:
        InputError: the profile is at fault, or the cache cannot be written.
    """
    content = settings.read_text_file(path)
    choice = f"{instructions} {blocks} {seed} {dram_only}"
    parts = (content, version.encode(), choice.encode())
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    name = f"{path.stem}-{key}" + (".mqsim.zst" if blocks else ".hmsim.zst")
    target = cache_directory() / "twins" / name
    if _is_whole(target):  # so the profile was found to be in order
        return target

    # Imported only here, because most runs find their twins in the cache and numpy takes longer to
    # import than such a run.
    from hmsim.clones.profile_file import load
    from hmsim.clones.synthesis import synthesise

    profile = load(path)
    wanted = "dram" if dram_only else "nvdimm" if blocks else ""
    streams = {name: s for name, s in profile.streams.items() if name.startswith(wanted)}
    if not streams or (blocks and dram_only):
        raise InputError(
            f"{path}: has no accesses of {wanted.upper()}, so no such trace can be made"
        )
    profile = replace(profile, streams=streams)
    if dram_only:
        profile.nvdimm_pages = 0
    length = instructions or profile.instructions
    if blocks and not instructions:
        length *= min(MOST_TIMES, max(1, BLOCK_PAGES // max(1, profile.nvdimm_pages)))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{os.fspath(target.parent)}: {error.strerror}") from error
    synthesise(profile, target, length, seed=seed, blocks=blocks, force=True)
    with new_file(_digest_of(target), force=True) as scratch:
        scratch.write_text(file_digest(target), encoding="ascii")
    return target


def _digest_of(twin: Path) -> Path:
    """Return the file that holds the SHA-256 of a twin in the cache."""
    return twin.with_name(f"{twin.name}.sha256")


def _is_whole(twin: Path) -> bool:
    """Whether the cache holds a twin, with the content that was written."""
    digest = _digest_of(twin)
    if not (twin.is_file() and digest.is_file()):
        return False
    try:
        if settings.read_text_file(digest).decode("ascii", "replace") != file_digest(twin):
            raise InputError(f"{twin}: damaged: its SHA-256 differs from {digest.name}")
    except InputError as damage:
        set_aside(damage)
        return False
    return True


def resolve(name: str, folder: Path, keys: Mapping[str, str]) -> Path:
    """Return the trace of the twin that an agent with such keys asks for.

    ``PROFILE`` is the name of a shipped profile, or a path that ends in ``.yaml``, relative to a
    folder. ``PROFILE@N`` is its N-th twin, ``PROFILE:dram`` a twin without accesses of the NVDIMM.
    A twin covers the agent's ``instructions``, ``PROFILE:whole`` those that the profile was
    measured over. Raises InputError.
    """
    match = NAME.fullmatch(name)
    if match is None:
        raise InputError(f"'{name}' is not a twin, expected PROFILE[@N][:{'|'.join(TWIN_PARTS)}]")
    limit = _instructions(keys)
    format_name = keys.get("format", "")
    seed = int(match["seed"] or 1)
    part = match["part"]
    if format_name in FORMATS and format_name not in TWINS:
        raise InputError(f"a twin has format {' or '.join(TWINS)}, not {format_name}")
    if not 1 <= seed <= MOST_TWINS:
        raise InputError(f"unknown twin {seed}: must be 1 to {MOST_TWINS}")
    if part not in (None, *TWIN_PARTS):
        raise InputError(f"unknown part '{part}': must be one of {', '.join(TWIN_PARTS)}")
    limited = part != "whole" and 0 <= limit <= LONGEST_TWIN
    return materialised(
        _profile(match["profile"], folder),
        format_name == "mqsim",
        limit if limited else 0,
        seed,
        part == "dram",
    )


def _profile(name: str, folder: Path) -> Path:
    """Return the file of a profile: a path below a folder, or the name of a shipped one."""
    if name.endswith(".yaml"):
        path = folder / name
        if not path.is_file():
            raise InputError(f"{path}: no such profile")
        return path
    known = shipped("workloads/profiles")
    if name not in known:
        raise InputError(f"unknown profile '{name}'; {hint(name, known, 'shipped')}")
    return known[name]


def _instructions(keys: Mapping[str, str]) -> int:
    """Return an agent's limit. 0: no limit, or an invalid one, which the agent reports."""
    try:
        return parse_integer(keys.get("instructions", "0"))
    except InputError:
        return 0
