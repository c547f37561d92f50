# SPDX-License-Identifier: BSD-3-Clause
"""Profiles with causes, for tests of twins."""

from __future__ import annotations

import random
from pathlib import Path

from hmsim import Workload
from hmsim.clones.causes import FOURS, REQUESTS, SLEEP, Causes, Copy, Request, Role, Step
from hmsim.clones.profile import PHASES, POWERS, Bins, Profile, Stream
from hmsim.config.settings import from_mapping
from hmsim.running.workload import load_agent


def some_bins(numbers: random.Random, starts: tuple[int, ...], most: int) -> Bins:
    usable = [start for start in starts if start <= most]
    chosen = sorted(numbers.sample(usable, numbers.randint(1, min(4, len(usable)))))
    shares = [numbers.random() + 0.01 for _ in chosen]
    bins = {}
    for low, share in zip(chosen, shares):
        after = starts.index(low) + 1
        bins[low] = [share / sum(shares), numbers.uniform(low, starts[after] - 1)]
    return bins


def some_profile(seed: int) -> Profile:
    """Return a profile of 200,000 instructions, of any roles that wait for each other at random."""
    numbers = random.Random(seed)
    names = [f"role{place}" for place in range(numbers.randint(1, 4))] + ["[kernel]"]

    def steps(of: list[str], first: bool) -> dict[str, Step]:
        return {
            name: Step(
                numbers.randint(1, 50),
                {} if first else some_bins(numbers, FOURS, 10_000),
                some_bins(numbers, FOURS, 100_000),
            )
            for name in of
            if numbers.random() < 0.5
        }

    def requests() -> dict[str, Request]:
        return {
            kind: Request(
                cases=1,
                phases=[numbers.choice((0, 0, 1)) for _ in range(PHASES)],
                sizes={} if kind in ("flush", "discard") else some_bins(numbers, POWERS, 4),
                after=some_bins(numbers, FOURS, 10_000),
                rows=some_bins(numbers, POWERS, 8),
                again=numbers.random(),
                used=numbers.random() if "read" in kind else 0.0,
                depth=some_bins(numbers, POWERS, 8),
                uses=some_bins(numbers, FOURS, 1000),
            )
            for kind in REQUESTS
            if numbers.random() < 0.3
        }

    def copy() -> Copy:
        lines = numbers.choice((0.0, 64.0, numbers.uniform(0, 64)))
        gaps = [numbers.uniform(0, 30) for _ in range(5)]
        return Copy(lines, *gaps, cold=numbers.random(), lead=numbers.randint(0, 20))

    roles = {}
    for name in names:
        threads = numbers.randint(1, 12)
        roles[name] = Role(
            threads=threads,
            work=[numbers.randint(0, 40_000) for _ in range(min(8, threads))],
            phases=[numbers.randint(0, 60) for _ in range(PHASES)],
            ended=numbers.choice((0.0, 1.0, numbers.random())),
            rpki=numbers.uniform(0, 20),
            begin=steps(names, first=True),
            steps=steps([*names, SLEEP], first=False),
            requests=requests(),
        )
    causes = Causes(
        turn=numbers.randint(1, 50_000),
        read=copy(),
        write=copy(),
        non_temporal=numbers.random(),
        fences=numbers.random(),
        roles=roles,
    )
    one = Stream(
        accesses=320,
        pages=10,
        visits=10,
        phases=[10] * PHASES,
        jumped={33: [1, 40, 1, 0, 0]},
        mixes={0: {33: [1, 0, 0]}},
        reuse={0: [1, 0]},
    )
    return Profile(200_000, 10, 0, {"dram_fills": one}, causes=causes)


def job(path: Path, **keys: object) -> Workload:
    agent = {"kind": "job", "path": str(path), "format": "hmsim", "cores": "0-1", **keys}
    return Workload("job", (load_agent(from_mapping(agent, "test")),))
