# SPDX-License-Identifier: BSD-3-Clause
"""Profiles as YAML files of a few kilobytes (docs/workloads.md)."""

from __future__ import annotations

from pathlib import Path

import yaml

from hmsim._core import InputError
from hmsim.clones.profile import STREAMS, VERSION, Profile
from hmsim.clones.profile_parts import MOST, MOST_PAGES, Reader, short, stream_lines
from hmsim.config import settings
from hmsim.traces.records import AnyPath

MARK = "hmsim_profile"  # first key of every such file
MOST_PER_INSTRUCTION = 8  # accesses


def dump(profile: Profile) -> str:
    """Return a profile's text."""
    lines = [f"{MARK}: {VERSION}"]
    for key in ("description", "calibrated"):
        if text := getattr(profile, key):
            lines.append(
                f"{key}: {yaml.safe_dump(text, default_style=chr(34), width=10**6).strip()}"
            )
    for key in ("instructions", "dram_pages", "nvdimm_pages"):
        lines.append(f"{key}: {getattr(profile, key)}")
    lines.append("figures:  # for readers; twins are made of the streams")
    lines += [f"  {name}: {short(figure)}" for name, figure in profile.figures().items()]
    lines.append("streams:")
    for name, stream in profile.streams.items():
        lines += stream_lines(name, stream, "  ")
    return "\n".join(lines) + "\n"


def load(path: AnyPath) -> Profile:
    """Return the profile in a file. Raises InputError that names file, line and key."""
    file = Path(path)
    reader = Reader(file)
    root = settings.read_mapping(file)
    known = [
        *(MARK, "description", "calibrated", "instructions", "dram_pages", "nvdimm_pages"),
        *("figures", "streams"),
    ]
    found = reader.keys(root, "", known)
    for key in (MARK, "instructions", "dram_pages", "nvdimm_pages", "streams"):
        if key not in found:
            raise InputError(f"{file}: {key}: is required in a profile")
    if reader.whole(found[MARK], MARK, 0, 1 << 20) != VERSION:
        reader.refuse(found[MARK], MARK, f"must be version {VERSION}")
    instructions = reader.whole(found["instructions"], "instructions", 1, MOST)
    streams = {
        name: reader.stream(node, name)
        for name, node in reader.keys(found["streams"], "streams: ", list(STREAMS)).items()
    }
    accesses = sum(stream.accesses for stream in streams.values())
    if not accesses or accesses > MOST_PER_INSTRUCTION * instructions:
        reader.refuse(
            found["streams"],
            "streams",
            f"must have 1 to {MOST_PER_INSTRUCTION} accesses per instruction, got "
            f"{accesses} in {instructions}",
        )

    def text(key: str) -> str:
        return settings.scalar(file, found[key], key) if key in found else ""

    return Profile(
        instructions,
        reader.whole(found["dram_pages"], "dram_pages", 0, MOST_PAGES),
        reader.whole(found["nvdimm_pages"], "nvdimm_pages", 0, MOST_PAGES),
        {name: streams[name] for name in STREAMS if name in streams},
        text("description"),
        text("calibrated"),
    )
