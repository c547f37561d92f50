# SPDX-License-Identifier: BSD-3-Clause
"""Makes workloads/profiles of a folder of captures: ``python analysis/make_profiles.py CAPTURES``.

Captures are named as in docs/workloads.md: bayes.hmsim.zst, ... mcf_like.hmsim.zst.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from hmsim.clones.profile import Profile, Stream
from hmsim.clones.profile_file import dump
from hmsim.clones.profile_meter import measure
from hmsim.workloads.mixes import PROGRAMS

FOLDER = Path(__file__).resolve().parents[1] / "workloads" / "profiles"
INSTRUCTIONS = 100_000_000  # of a calibrated profile: rates of two decimals are whole numbers
# Each partner's capture, the paper's program, and its reads and writes per 1000 instructions.
TABLE_IV = {
    "mcf": ("mcf_like", "429.mcf", 40.58, 15.42),
    "lbm": ("lbm_like", "470.lbm", 22.68, 13.28),
    "milc": ("milc_like", "433.milc", 1.82, 1.44),
}
# Descriptions of captures that run another program than the paper.
CAPTURES = {"nutchindexing": "Lucene's indexing in the place of Nutch's"}


def scaled(stream: Stream, accesses: int) -> Stream:
    """Return a stream with ``accesses`` accesses and the same distributions."""
    factor = accesses / stream.accesses
    ends = [0]
    for count in stream.phases:
        ends.append(ends[-1] + count)
    ends = [round(end * factor) for end in ends]
    visits = max(1, round(stream.visits * factor))
    return replace(
        stream,
        accesses=accesses,
        pages=max(1, min(visits, round(stream.pages * factor))),
        visits=visits,
        phases=[after - before for before, after in zip(ends, ends[1:])],
    )


def calibrated(profile: Profile, program: str, rpki: float, wpki: float) -> Profile:
    """Return the measured profile with the rates of Table IV."""
    fills = profile.streams["dram_fills"]
    writes = profile.streams["dram_write_backs"]
    streams = {
        "dram_fills": scaled(fills, round(rpki * INSTRUCTIONS / 1000)),
        "dram_write_backs": scaled(writes, round(wpki * INSTRUCTIONS / 1000)),
    }
    growth = streams["dram_fills"].pages / fills.pages
    return Profile(
        INSTRUCTIONS,
        max(round(profile.dram_pages * growth), *(s.pages for s in streams.values())),
        0,
        streams,
        f"{program} of the paper, Table IV: rates exactly, the rest of a program like it",
        "table4",
    )


def main() -> None:
    captures = Path(sys.argv[1])
    FOLDER.mkdir(exist_ok=True)
    for name, (capture, program, rpki, wpki) in TABLE_IV.items():
        profile = calibrated(measure(captures / f"{capture}.hmsim.zst"), program, rpki, wpki)
        (FOLDER / f"{name}.yaml").write_text(dump(profile), encoding="utf-8")
    for name in PROGRAMS:
        path = captures / f"{name}.hmsim.zst"
        if path.is_file():
            what = CAPTURES.get(name, f"{name} in the full guest")
            text = f"{what}, as captured (the paper gives no rates of it)"
            profile = replace(measure(path), description=text)
            (FOLDER / f"{name}.yaml").write_text(dump(profile), encoding="utf-8")


if __name__ == "__main__":
    main()
