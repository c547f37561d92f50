# SPDX-License-Identifier: BSD-3-Clause
"""What figures run: the paper's system and mixes, at two sizes, every run made once and kept.

Headline runs are mixes whose block requests come when the capture had them (``timed``): that is
the reading under which our programs fill the queue as the paper's Fig. 8a says. A run is the block
requests of a window of some milliseconds, the same under every policy; cores run beside it, and IPC
is what they do until the last block is served. Three windows, drawn anew for every seed, stand for
all of a capture: their IPCs are averaged by the share of the capture that is like them. The closed
loop, other numbers of lines outstanding and other hardware are in the figure ``sensitivity``.
"""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import zstandard

from hmsim import Bundle, InputError
from hmsim.clones.files import materialised
from hmsim.clones.profile_file import load
from hmsim.common.directories import new_file
from hmsim.common.paths import data_directory
from hmsim.config import write_modes
from hmsim.config.configuration import AnyBundle, Config, load_config
from hmsim.config.settings import from_mapping
from hmsim.figures.gains import SHARE
from hmsim.running.mixes import PROGRAMS, Mix, agents
from hmsim.running.points import Point, Runner, point, run_points
from hmsim.running.workload import Agent, Workload, load_agent

CONFIG = "mascots16"
BASELINES = ("par_bs", "tcm", "nvm_duet", "firm")
# The write mode that decides claims about schedulers: that of FIRM and NVM Duet, which drain. It
# was chosen before any run; the other mode is shown beside it.
VERDICT, BESIDE = write_modes.DRAINED, write_modes.MIXED
ONE_QUEUE = "unified_fcfs"
SPLIT_FCFS = Bundle(
    "split_fcfs", "split", {"controller.scheduler": "fcfs", "controller.nvdimm_scheduler": "fcfs"}
)
UNIFIED_256 = Bundle("unified_256_fcfs", ONE_QUEUE, {"controller.queue_depth": 256})
POLICIES: dict[str, AnyBundle] = {each.name: each for each in (SPLIT_FCFS, UNIFIED_256)}
WINDOW_NS = 8_000_000  # of arrivals in a full run
# Instructions that cores are given: more than they do in a window.
INSTRUCTIONS = {"mcf": 40_000_000, "lbm": 60_000_000, "milc": 120_000_000}
PROGRAM_INSTRUCTIONS = 150_000_000
READERS = tuple(name for name in PROGRAMS if name != "dfsioe_w")
WRITERS = ("dfsioe_w", "nutchindexing")
OUTSIDE = 1 << 24  # a sector that no program touches


@dataclass(frozen=True)
class Runs:
    """How much is run, and where results are kept.

    Attributes:
        folder: of results and generated traces.
        quick: shorter runs, and one seed.
        jobs: processes.
        progress: show bars.
    """

    folder: Path
    quick: bool = False
    jobs: int | None = None
    progress: bool = False

    @property
    def seeds(self) -> Sequence[int]:
        """Of simulations and of twins: every seed has traces of its own."""
        return (1,) if self.quick else (1, 2, 3)

    def scaled(self, full: int, quick: float = 0.1) -> int:
        return int(full * quick) if self.quick else full

    def table(self, points: Iterable[Point]) -> pd.DataFrame:
        """Return the results, a row each, running what is missing. Raises InputError."""
        table = run_points(points, self.folder, jobs=self.jobs, progress=self.progress)
        wrong = table[table["error"] != ""]
        if len(wrong):
            raise InputError(f"{wrong['workload'].iloc[0]}: {wrong['error'].iloc[0]}")
        return table

    def file(self, name: str, text: str) -> Path:
        """Return a file of this content among the results; made if need be."""
        path = self.folder / "inputs" / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            with new_file(path, force=True) as scratch:
                scratch.write_text(text, encoding="utf-8")
        return path


@dataclass(frozen=True)
class Case:
    """A mix, and all that may differ from the headline's."""

    program: str
    partner: str = "mcf"
    online: bool = False
    timed: bool = True
    blocks: Mapping[str, Any] = field(default_factory=dict)  # keys of the block agents

    @property
    def environment(self) -> str:
        return "online" if self.online else "offline"


def system(name: str, overrides: Mapping[str, Any] | None = None, config: str = CONFIG) -> Config:
    """Return a configuration under a policy bundle of this page or a shipped one, in any mode."""
    bundle, mode = write_modes.split(name)
    found = load_config(config, overrides).with_policy(POLICIES.get(bundle, bundle))
    return found if mode is None else found.with_writes(mode)


def in_modes(names: Iterable[str], writes: str = write_modes.BOTH) -> list[str]:
    """Return the names of policies in a write mode, or in both; `gains.in_mode` parts their rows.

    Those that set the direction themselves stay as they are.
    """
    expanded = write_modes.expanded([system(name) for name in names], writes)
    return [str(each.policy) for each in expanded]


def workload(name: str, keys: Iterable[Mapping[str, Any]]) -> Workload:
    """Return a workload of agents given by their keys."""
    return Workload(name, tuple(_agent(name, tuple(each.items())) for each in keys))


@lru_cache(maxsize=1024)
def _agent(name: str, keys: tuple[tuple[str, Any], ...]) -> Agent:
    """Reading a profile takes longer than a short run."""
    return load_agent(from_mapping(dict(keys), name))


def twin(path: str, number: int) -> str:
    """Return the path of another twin of a mix's agent."""
    file, yaml, part = path.partition(".yaml")
    return f"{file}{yaml}@{number}{':dram' if part.endswith(':dram') else ''}"


@dataclass(frozen=True)
class Window:
    """A part of a capture.

    Attributes:
        begin: nanoseconds from the capture's first instruction.
        length: nanoseconds.
        share: of the capture that it stands for.
    """

    begin: int
    length: int
    share: float = 1.0


def profile_path(profile: str) -> Path:
    """Return the file of a shipped profile."""
    return data_directory() / "workloads" / "profiles" / f"{profile}.yaml"


@lru_cache(maxsize=64)
def captured(profile: str) -> int:
    """Return the length of a profile's capture in nanoseconds: one an instruction."""
    return load(profile_path(profile)).instructions


@lru_cache(maxsize=64)
def arrivals(profile: str, number: int) -> tuple[tuple[int, str], ...]:
    """Return when a twin of a profile has its block requests in its capture, and what they are."""
    found = []
    with materialised(profile_path(profile), blocks=True, seed=number).open("rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file)
        for line in io.TextIOWrapper(stream, encoding="ascii"):
            time, request = line.split(" ", 1)
            if int(time) >= captured(profile):
                break
            found.append((int(time), request))
    return tuple(found)


def windows(profile: str, number: int, length: int) -> list[Window]:
    """Return windows that together stand for the capture, each with its share of it.

    Block requests come in phases, and most windows have none. So the windows are sorted by how
    many they have, and one is drawn from each of three groups: those with none, and the lower and
    the upper half of the others.
    """
    every = range(captured(profile) // length)
    counts = Counter(time // length for time, _ in arrivals(profile, number))
    busy = sorted((index for index in every if counts[index]), key=lambda i: (counts[i], i))
    half = len(busy) // 2
    groups = ([index for index in every if not counts[index]], busy[:half], busy[half:])
    draw = random.Random(f"{profile} {number}").choice
    return [Window(draw(each) * length, length, len(each) / len(every)) for each in groups if each]


def window_file(runs: Runs, profile: str, number: int, window: Window) -> Path:
    """Return a block trace of what a twin requests in a window.

    Reads at time 0 and at the end, of a page of their own, keep the silence before and after.
    """
    lines = [
        f"{time - window.begin} {request}"
        for time, request in arrivals(profile, number)
        if 0 <= time - window.begin < window.length
    ]
    ends = [f"{time} 0 {OUTSIDE} 8 1\n" for time in (0, window.length)]
    name = f"{profile}-{number}-{window.begin}-{window.length}.mqsim"
    return runs.file(name, ends[0] + "".join(lines) + ends[1])


def mixes(runs: Runs, case: Case, seed: int) -> list[tuple[Workload, float]]:
    """Return workloads that together stand for a mix, each with its share of the time.

    They are windows of the program's capture; the other nodes of an online mix are at any place
    of theirs. A seed has twins and windows of its own. A closed loop is one workload, that of
    `hmsim.mixes`: some hundred block requests, as fast as served.
    """
    options = (("online",) if case.online else ()) + (("timed",) if case.timed else ())
    named = Mix(case.program, case.partner, options)
    profile = Path(agents(named)[2]["path"]).stem  # online that of a worker, where there is one
    length = runs.scaled(WINDOW_NS, 0.4)
    found = []
    for window in windows(profile, seed, length) if case.timed else [Window(0, length)]:
        keys = agents(named)
        if case.timed:
            for each, limit in zip(keys, (INSTRUCTIONS[case.partner], PROGRAM_INSTRUCTIONS)):
                each |= {"instructions": limit, "measured": False}
            keys[2]["measured"] = True
        for number, each in enumerate(keys):
            own = seed + 10 * max(0, number - 2)
            if number < 2 or not case.timed:
                each["path"] = twin(each["path"], own)
            else:
                draw = random.Random(f"{profile} {own} {window.begin}").randrange
                elsewhere = Window(draw(captured(profile) // length) * length, length)
                place = window if number == 2 else elsewhere
                each["path"] = str(window_file(runs, profile, own, place))
            if number >= 2:
                each.update(case.blocks)
        found.append((workload(named.name, keys), window.share))
    return found


def mix_points(
    runs: Runs,
    cases: Iterable[Case],
    policies: Iterable[str],
    overrides: Mapping[str, Any] | None = None,
    axes: Mapping[str, Any] | None = None,
    config: str = CONFIG,
    seeds: Sequence[int] | None = None,
) -> list[Point]:
    """Return points for each mix, policy and seed; `gains.whole` makes one row of their rows."""
    found = []
    systems = [system(name, overrides, config) for name in policies]
    for case in cases:
        for seed in seeds or runs.seeds:
            for agents_, share in mixes(runs, case, seed):
                for each in systems:
                    labels = {
                        "program": case.program,
                        "partner": case.partner,
                        "environment": case.environment,
                        "loop": "timed" if case.timed else "closed",
                        **(axes or {}),
                        SHARE: share,
                    }
                    found.append(point(each, agents_, seed=seed, axes=labels))
    return found


def block_agent(program: str, requests: int, seed: int = 1, **keys: Any) -> dict[str, Any]:
    """Return the keys of a program's block I/O, as fast as it is served."""
    found = agents(Mix(program, "mcf"))[2]
    return {**found, "path": twin(found["path"], seed), "requests": requests, **keys}


def block_workload(program: str, requests: int, seed: int, online: bool) -> Workload:
    """Return a program's block I/O alone; online, beside that of three more nodes."""
    keys = [block_agent(program, requests, seed)]
    for node in range(1, 4 if online else 1):
        keys.append(block_agent(program, requests, seed + 10 * node, core=2 + node, measured=False))
    return workload(f"{program} alone{', online' if online else ''}", keys)


def synthetic_point(
    name: str,
    keys: Iterable[Mapping[str, Any]],
    axes: Mapping[str, Any],
    seed: int = 1,
    overrides: Mapping[str, Any] | None = None,
    policy_: AnyBundle | None = None,
    config: str = CONFIG,
    runner: Runner | None = None,
) -> Point:
    """Return a point of agents given by their keys."""
    return point(
        load_config(config),
        workload(name, keys),
        policy=policy_,
        seed=seed,
        overrides=overrides,
        axes=axes,
        runner=runner,
    )
