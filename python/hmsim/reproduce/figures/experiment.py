# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the figures: the paper's system and mixes, at two sizes, each run once and cached.

A mix is a job (docs/jobs.md) on three cores and a partner on the fourth. The job replays all
threads of a program's capture, including the program's four tasks. The threads wait for each other
and for their I/O. A run is one pass over a window of the capture; all policies run the same window.
Three windows represent the capture, and each seed draws its own three.
`hmsim.reproduce.figures.regimes` defines the machine and the initial state of the buffer.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hmsim import Bundle, InputError
from hmsim.common.directories import new_file
from hmsim.config import write_modes, write_variants
from hmsim.config.configuration import AnyBundle, Config, load_config
from hmsim.config.settings import from_mapping
from hmsim.points.point import Point, Runner, point
from hmsim.points.run import run_points
from hmsim.reproduce.figures import firm, regimes
from hmsim.reproduce.figures.changes import Change
from hmsim.reproduce.figures.gains import SHARE, whole
from hmsim.traces.columns import columns
from hmsim.traces.file import TraceFile
from hmsim.workloads.mixes import PROGRAMS, WINDOW, Mix, agents, capture
from hmsim.workloads.workload import Agent, Workload, load_agent

CONFIG = "mascots16"
BASELINES = ("par_bs", "tcm", "nvm_duet", "firm")
# The write mode that decides claims about schedulers: that of FIRM and NVM Duet, which drain. It
# was chosen before any run; the other mode is shown beside it.
VERDICT, BESIDE = write_modes.DRAINED, write_modes.MIXED
ONE_QUEUE = "unified_fcfs"
SPLIT_FCFS = Bundle(
    "split_fcfs", "split", {"controller.scheduler": "fcfs", "controller.nvdimm_scheduler": "fcfs"}
)
# Page-aware scheduling over the same, by the paper's rule.
SPLIT_PAS = Bundle(
    "split_pas",
    "split",
    {
        "controller.scheduler": "fcfs",
        "controller.nvdimm_scheduler": "pas",
        "policies.pas.trigger": "any_miss",
    },
)
UNIFIED_256 = Bundle("unified_256_fcfs", ONE_QUEUE, {"controller.queue_depth": 256})
# Harmonic scheduling as the paper evaluates it, and all techniques over it. `hms` and `all`, which
# compare the rates of equation 1 themselves, are shown beside them.
HMS, ALL = "paper_hms", "paper_all"
POLICIES: dict[str, AnyBundle] = {
    each.name: each for each in (SPLIT_FCFS, SPLIT_PAS, UNIFIED_256, *firm.OTHERS)
}
INSTRUCTIONS = 1_000_000_000  # of a partner: more than it does in a run
# Limit of a run's simulated time, needed because the paper's rule may starve a class for ever. The
# IPC of tasks counts their progress until then.
TIME_LIMIT = "100ms"
WRITERS = ("dfsioe_w", "nutchindexing")
READERS = tuple(name for name in PROGRAMS if name != "dfsioe_w")


@dataclass(frozen=True)
class Runs:
    """Extent of the runs, and the place of their results.

    Attributes:
        folder: folder of results and generated traces.
        quick: whether runs are shorter and use one seed.
        jobs: number of processes.
        progress: whether to show progress bars.
        changes: changes of every point, applied in this order: a reading, or a wrong model.
        choices: choices of figures, by name.
        one_seed: whether whole runs use one seed, too.
    """

    folder: Path
    quick: bool = False
    jobs: int | None = None
    progress: bool = False
    changes: tuple[Change, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    one_seed: bool = False

    def under(self, changes: Iterable[Change], choices: Iterable[tuple[str, str]] = ()) -> Runs:
        """Return the same runs with more changes and choices."""
        more = (*self.choices, *choices)
        return replace(self, changes=(*self.changes, *changes), choices=more)

    def choice(self, name: str, default: str) -> str:
        """Return what a figure should take for a choice."""
        return dict(self.choices).get(name, default)

    def changed(self, each: Point) -> Point:
        """Return a point with all changes. Raises InputError."""
        for change in self.changes:
            each = change.apply(each, POLICIES)
        return each

    @property
    def seeds(self) -> Sequence[int]:
        """Seeds of simulations, windows and twins; each seed has its own partner and windows."""
        return (1,) if self.quick or self.one_seed else (1, 2, 3)

    def scaled(self, full: int, quick: float = 0.1) -> int:
        return int(full * quick) if self.quick else full

    def table(self, points: Iterable[Point]) -> pd.DataFrame:
        """Return a row of results for each point; run missing points. Raises InputError."""
        changed = map(self.changed, points)
        table = run_points(changed, self.folder, jobs=self.jobs, progress=self.progress)
        wrong = table[table["error"] != ""]
        if len(wrong):
            raise InputError(f"{wrong['workload'].iloc[0]}: {wrong['error'].iloc[0]}")
        return table

    def file(self, name: str, text: str) -> Path:
        """Return the path of input file ``name``, after writing ``text`` to it if need be."""
        path = self.folder / "inputs" / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            with new_file(path, force=True) as scratch:
                scratch.write_text(text, encoding="utf-8")
        return path


@dataclass(frozen=True)
class Case:
    """Mix, with the settings in which it may differ from the headline's mixes.

    Attributes:
        program: one of the paper's eight programs.
        partner: program on the fourth core; "": none.
        regime: initial state of the buffer; "": the program's regime (`REGIMES`).
        machine: preset of the node.
        job: keys of the job.
    """

    program: str
    partner: str = "mcf"
    regime: str = ""
    machine: str = regimes.MACHINE
    job: tuple[tuple[str, Any], ...] = ()

    def overrides(self, config: str) -> dict[str, Any]:
        """Return the parameters that the mix sets in a configuration."""
        regime = self.regime or regimes.REGIMES[self.program]
        new = float(load_config(config).resolved()[regimes.FILL]) == 0
        return {
            regimes.MACHINE_KEY: self.machine,
            regimes.BUFFER: regime,
            **({regimes.FILL: regimes.FILLED} if new and regime == regimes.FULL else {}),
            "frontend.time_limit": TIME_LIMIT,
        }


# The headline's mixes, and mixes whose reads do not fit into the buffer.
MIXES = [Case(name) for name in PROGRAMS]
FLASH_MIXES = [
    Case(name, regime=regimes.FULL if name == "dfsioe_w" else regimes.FLASH) for name in PROGRAMS
]


def system(name: str, overrides: Mapping[str, Any] | None = None, config: str = CONFIG) -> Config:
    """Return a configuration under a policy bundle of this page or a shipped one, in any mode."""
    bundle, mode = write_modes.split(name)
    found = load_config(config, overrides).with_policy(POLICIES.get(bundle, bundle))
    return found if mode is None else found.with_writes(mode)


def in_modes(names: Iterable[str], writes: str = write_modes.BOTH) -> list[str]:
    """Return the names of policies with a write mode, or both modes, added to each.

    Policies that choose the direction themselves keep their names. `gains.in_mode` selects the rows
    of one mode from a table of results.
    """
    expanded = write_variants.expanded([system(name) for name in names], writes)
    return [str(each.policy) for each in expanded]


def workload(name: str, keys: Iterable[Mapping[str, Any]]) -> Workload:
    """Return a workload of agents given by their keys."""
    return Workload(name, tuple(_agent(name, tuple(each.items())) for each in keys))


@lru_cache(maxsize=1024)
def _agent(name: str, keys: tuple[tuple[str, Any], ...]) -> Agent:
    """Return an agent. Cached: checking the key of its twin takes longer than a short run."""
    return load_agent(from_mapping(dict(keys), name))


@dataclass(frozen=True)
class Window:
    """A part of a capture.

    Attributes:
        begin: instructions from the capture's first.
        length: instructions.
        share: share of the capture that it represents.
    """

    begin: int
    length: int
    share: float = 1.0


@lru_cache(maxsize=64)
def lines(program: str, length: int) -> tuple[int, ...]:
    """Return a capture's number of NVDIMM lines in each window of ``length`` instructions."""
    trace = capture(program)
    counts = np.zeros(TraceFile(trace).header.instructions // length, dtype=np.int64)
    for piece in columns(trace):
        windows_ = piece.time[piece.nvdimm] // length
        counts += np.bincount(windows_[windows_ < len(counts)], minlength=len(counts))
    return tuple(counts.tolist())


def windows(program: str, number: int, length: int) -> list[Window]:
    """Return windows that together represent a capture, each with its share of it.

    I/O occurs in phases, and most windows have no I/O. Therefore windows are sorted by their number
    of NVDIMM lines, and one is drawn from each of three groups: windows without such lines, and the
    lower and the upper half of the others.
    """
    counts = lines(program, length)
    every = range(len(counts))
    busy = sorted((index for index in every if counts[index]), key=lambda i: (counts[i], i))
    half = len(busy) // 2
    groups = ([index for index in every if not counts[index]], busy[:half], busy[half:])
    draw = random.Random(f"{program} {number}").choice
    return [Window(draw(each) * length, length, len(each) / len(every)) for each in groups if each]


def mixes(runs: Runs, case: Case, seed: int) -> list[tuple[Workload, float]]:
    """Return workloads that together stand for a mix, each with its share of the program's work.

    They are windows of the program's capture. A seed has a partner and windows of its own.
    """
    named = Mix(case.program, case.partner or "mcf")
    found = []
    for window in windows(case.program, seed, runs.scaled(WINDOW)):
        partner, job = agents(named)
        job |= {"skip": window.begin, "instructions": window.length, **dict(case.job)}
        twin = f"twin:{named.partner}@{seed}:whole"
        partner |= {"path": twin, "instructions": INSTRUCTIONS, "measured": False}
        name = named.name if case.partner else f"{case.program} alone"
        found.append((workload(name, [partner, job] if case.partner else [job]), window.share))
    return found


def mix_points(
    runs: Runs,
    cases: Iterable[Case],
    policies: Sequence[str],
    overrides: Mapping[str, Any] | None = None,
    axes: Mapping[str, Any] | None = None,
    config: str = CONFIG,
    seeds: Sequence[int] | None = None,
    runner: Runner | None = None,
) -> list[Point]:
    """Return points for each mix, policy and seed; `gains.whole` joins a mix's rows."""
    found = []
    for case in cases:
        own = {**case.overrides(config), **(overrides or {})}
        systems = [system(name, own, config) for name in policies]
        for seed in seeds or runs.seeds:
            for agents_, share in mixes(runs, case, seed):
                for each in systems:
                    labels = {
                        "program": case.program,
                        "partner": case.partner,
                        "machine": case.machine,
                        "regime": own[regimes.BUFFER],
                        **(axes or {}),
                        SHARE: share,
                    }
                    found.append(point(each, agents_, seed=seed, axes=labels, runner=runner))
    return found


def mix_table(
    runs: Runs, cases: Iterable[Case], policies: Sequence[str], **keys: Any
) -> pd.DataFrame:
    """Return a row of results for each mix, policy and seed; ``keys`` as for `mix_points`."""
    return whole(runs.table(mix_points(runs, cases, policies, **keys)))


def block_agent(program: str, requests: int, seed: int = 1, **keys: Any) -> dict[str, Any]:
    """Return the keys of an agent for a program's block I/O, replayed in a closed loop."""
    found = agents(Mix(program, "mcf", "closed"))[2]
    return {**found, "path": f"{found['path']}@{seed}", "requests": requests, **keys}


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
