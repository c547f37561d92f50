# SPDX-License-Identifier: BSD-3-Clause
"""Do the three views of runs agree, and can each of the ten checks fail?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hmsim.cli.application import app
from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.running.runner import run
from hmsim.running.views import Views
from hmsim.validate import view_checks as checks
from hmsim.validate.row import Row
from hmsim.validate.view_checks import LATENCIES, SLOW, Sample


class Models:
    """Right samples, and samples of wrong models."""

    def __init__(self, folder: Path) -> None:
        self.workload = checks.write_chase(folder)
        self.chase = checks.chase_sample("chase", self.workload, SLOW, 1)
        self.below = checks.loads("below", 8, 0)
        self.above = checks.loads("above", 128, 200)

    def chase_as(self, times: int, megahertz: int = SLOW, **settings: Any) -> Sample:
        return checks.chase_sample("chase", self.workload, megahertz, times, **settings)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    return Models(tmp_path_factory.mktemp("views"))


def changed(sample: Sample, **sums: int) -> Sample:
    """Return the sample with values added to some sums; ``__`` stands for a dot."""
    named = {name.replace("__", "."): value for name, value in sums.items()}
    views = {name: value + named.pop(name, 0) for name, value in sample.views.sums.items()}
    assert not named
    return replace(sample, views=Views(views))


Rows = Callable[[Models], Iterator[Row]]
RIGHT: dict[str, Rows] = {
    "counts": lambda m: checks.counts(m.above),
    "bytes": lambda m: checks.size(m.above),
    "constants": lambda m: checks.constants(m.chase),
    "bandwidth": lambda m: checks.bandwidth(m.above),
    "clock": lambda m: checks.clock(m.chase, m.chase_as(2, 2 * SLOW), 1.25),
    "order": lambda m: checks.order(m.above),
    "little": lambda m: checks.little(m.above, occupancy=True),
    "saturation": lambda m: checks.saturation(m.below, m.above),
    "chase": lambda m: checks.chase(m.chase, sum(LATENCIES) * 1.25),
    "fifo": lambda m: checks.fifo(
        checks.loads("fifo", 8, 200, controller__scheduler="fcfs_strict")
    ),
}
WRONG: dict[str, tuple[Rows, int]] = {
    "counts: a write is lost": (
        lambda m: checks.counts(changed(m.above, simulator__core_write__count=-1)),
        1,
    ),
    "counts: a prefetch counts twice": (
        lambda m: checks.counts(changed(m.above, interface__prefetch__count=1)),
        1,
    ),
    "bytes: a line of 32 bytes": (
        lambda m: checks.size(changed(m.above, interface__load__bytes=-32)),
        1,
    ),
    "constants: a latency in DRAM cycles": (
        lambda m: checks.constants(
            changed(
                m.chase, application__load__ps=-(m.chase.views.sums["application.load.ps"] // 5)
            )
        ),
        1,
    ),
    "constants: look-ups of another core": (
        lambda m: checks.constants(changed(m.chase, lookup_ps=1)),
        1,
    ),
    "bandwidth: a window of the core's clock": (
        lambda m: checks.bandwidth(changed(m.above, window_ps=m.above.views.sums["window_ps"])),
        3,
    ),
    "clock: the DRAM's clock follows the core's": (
        lambda m: checks.clock(m.chase, m.chase_as(2, 2 * SLOW, dram__timing__tCK=625), 1.25),
        3,
    ),
    "clock: the caches' cycles are not scaled": (
        lambda m: checks.clock(m.chase, m.chase_as(1, 2 * SLOW), 1.25),
        1,
    ),
    "order: a return before the data": (
        lambda m: checks.order(changed(m.above, residue__order=1)),
        1,
    ),
    "little: a latency in cycles": (
        lambda m: checks.little(
            changed(m.above, interface__load__ps=-(m.above.views.sums["interface.load.ps"] // 2)),
            occupancy=True,
        ),
        1,
    ),
    "little: an occupancy that forgets a request": (
        lambda m: checks.little(
            changed(m.above, simulator__area_ps=-m.above.views.sums["simulator.load.ps"] // 16_000),
            occupancy=True,
        ),
        2,
    ),
    "saturation: the queue's wait is in the simulator": (
        lambda m: checks.saturation(
            m.below, changed(m.above, simulator__load__ps=m.above.views.sums["admission_ps"])
        ),
        2,
    ),
    "saturation: a constant that grows with load": (
        lambda m: checks.saturation(m.below, changed(m.above, interface__load__ps=10_000)),
        2,
    ),
    "chase: the device's tRCD is a cycle longer": (
        lambda m: checks.chase(
            replace(m.chase_as(1, dram__timing__tRCD=12), timing=m.chase.timing),
            sum(LATENCIES) * 1.25,
        ),
        3,
    ),
    "fifo: row hits first": (
        lambda m: checks.fifo(checks.loads("hits first", 8, 200)),
        1,
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_check_holds(models: Models, name: str) -> None:
    rows = list(RIGHT[name](models))
    assert rows
    assert [row.complaint() for row in rows if not row.ok] == []


@pytest.mark.parametrize("name", WRONG)
def test_a_check_finds_its_wrong_model(models: Models, name: str) -> None:
    rows, failing = WRONG[name]
    assert sum(not row.ok for row in rows(models)) == failing


@pytest.mark.parametrize(
    ("workload", "options"),
    [
        ("demo", {}),
        ("readers", {}),
        ("demo", {"warmup": "20us", "policy": "split"}),
    ],
)
def test_views_agree_and_change_nothing(workload: str, options: dict[str, Any]) -> None:
    plain = run("quick", workload, **options)
    seen = run("quick", workload, **options, views=True, request_log=True)
    assert seen.views is not None and plain.views is None
    assert seen.views.residue == 0
    assert seen.stats == plain.stats
    assert seen.request_log is not None
    assert seen.views.total("simulator", "count") == seen.stats["sim.requests"]


def test_prefetches_and_merged_loads_are_named() -> None:
    system = load_config("quick")
    prefetching = from_mapping({"frontend.node.prefetch.degree": 4}, "test")
    views = run(replace(system, overrides=tuple(prefetching)), "readers", views=True).views
    assert views is not None
    assert views.residue == 0
    assert views.sums["interface.prefetch.count"] > 0
    assert views.sums["application.buffer_hits"] + views.sums["application.merged"] > 0


def test_a_run_prints_one_line_with_a_computed_residue(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "quick", "--workload", "demo", "--views"]
    with contextlib.suppress(SystemExit):
        app(words, prog_name="hmsim")
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("views: ")]
    assert len(lines) == 1
    assert "; residue 0" in lines[0]
    sums = run("quick", "demo", views=True).views
    assert sums is not None
    wrong = Views({**sums.sums, "interface.load.ps": sums.sums["interface.load.ps"] + 7})
    assert wrong.residue == 3 * 7, "Little's law, the admission, and the loads of the application"
