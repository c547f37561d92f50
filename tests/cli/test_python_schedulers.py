# SPDX-License-Identifier: BSD-3-Clause
"""Do all hooks of a transaction scheduler work from Python as they do in C++?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import hmsim
import pytest
from hmsim import Bundle, TransactionScheduler
from messages import naming
from support import write

MIX = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, read_ratio: 0.6, footprint: 1MiB,
     outstanding: 40, requests: 2000}
  - {kind: synthetic, core: 1, target: nvdimm, pattern: random, read_ratio: 0.5, footprint: 256KiB,
     requests: 1000}
"""
BLOCKS = """\
agents:
  - {kind: block_trace, core: 0, path: io.trace, format: mqsim, threads: 2, window: 16}
"""
SCHEDULERS = ("controller.scheduler", "controller.nvdimm_scheduler")


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    return write(tmp_path / "mix.yaml", MIX)


class FrFcfs(TransactionScheduler):
    def key(self, request: Any) -> int:
        return 1 if request.row_hit else 0


class FcfsStrict(TransactionScheduler):
    """As policies/scheduler/fcfs_strict.cc: withholds() and rekey()."""

    def __init__(self) -> None:
        self.pending: dict[int, int] = {}  # slots by id, in order of arrival

    def key(self, request: Any) -> int:
        return 0

    def withholds(self, request: Any) -> bool:
        return bool(request.id != next(iter(self.pending)))

    def on_enqueue(self, request: Any, now: int) -> None:
        self.pending[request.id] = request.slot

    def on_issue(self, request: Any, now: int) -> None:
        del self.pending[request.id]
        if self.pending:
            self.rekey(next(iter(self.pending.values())))


class Impatient(FrFcfs):
    def patience(self) -> int:
        return 2_000_000


class Quantum(TransactionScheduler):
    """FR-FCFS that raises its epoch every 100 ns, as BLISS does. This alone must change nothing."""

    def __init__(self) -> None:
        self.next = 100_000

    def key(self, request: Any) -> int:
        return 1 if request.row_hit else 0

    def next_change(self) -> int:
        return self.next

    def change(self, now: int) -> None:
        self.next = now + 100_000
        self.raise_epoch()


@pytest.mark.parametrize(
    ("policy", "in_cpp"),
    [
        (FcfsStrict, dict.fromkeys(SCHEDULERS, "fcfs_strict")),
        (Impatient, {"controller.starvation_limit": "2us"}),
        (Quantum, {}),
    ],
)
@pytest.mark.parametrize("base", ["unified_fr_fcfs", "split"])
def test_hooks_match_cpp(workload: Path, policy: Any, in_cpp: Any, base: str) -> None:
    names = SCHEDULERS if base == "split" else SCHEDULERS[:1]
    mine = Bundle("mine", base, {}, dict.fromkeys(names, policy))
    expected = hmsim.run("quick", workload, policy=Bundle("cpp", base, in_cpp)).stats
    found = hmsim.run("quick", workload, policy=mine, check=True).stats
    if policy is FcfsStrict and base == "unified_fr_fcfs":
        assert found != hmsim.run("quick", workload, policy=base).stats
    assert found == expected


class Directed(FrFcfs):
    """Scheduler that prefers the direction `wanted`."""

    wanted: ClassVar[Any] = None

    def direction(self) -> Any:
        return self.wanted


class WritesFirst(Directed):
    wanted = hmsim.WRITES


class ReadsFirst(Directed):
    wanted = hmsim.READS


def test_the_policy_sets_the_direction(workload: Path) -> None:
    def run(policy: Any) -> dict[str, float]:
        bundle = Bundle("x", "split", {"controller.writes": "drained"}, {SCHEDULERS[0]: policy})
        return hmsim.run("quick", workload, policy=bundle, check=True).stats

    drained = Bundle("cpp", "split", {"controller.writes": "drained"})
    assert run(Directed) == hmsim.run("quick", workload, policy=drained).stats
    reads, writes = "dram.read_latency_ns.mean", "dram.write_latency_ns.mean"
    first, last = run(WritesFirst), run(ReadsFirst)
    assert first[writes] < first[reads]
    assert last[reads] < last[writes]


class Fenced(FrFcfs):
    """Withholds NVDIMM writes until all pending writes of earlier epochs have been issued."""

    order: ClassVar[list[int]] = []
    seen: ClassVar[set[int]] = set()

    def __init__(self) -> None:
        self.pending: dict[int, tuple[int, int]] = {}  # of writes: slot and epoch by id

    def oldest(self) -> int:
        return min(epoch for _, epoch in self.pending.values())

    def withholds(self, request: Any) -> bool:
        return bool(request.write and request.epoch > self.oldest())

    def on_enqueue(self, request: Any, now: int) -> None:
        if request.write:
            self.seen.add(request.epoch)
            self.pending[request.id] = (request.slot, request.epoch)

    def on_issue(self, request: Any, now: int) -> None:
        if request.write:
            self.order.append(request.epoch)
            del self.pending[request.id]
            for slot, epoch in self.pending.values():
                if epoch == self.oldest():
                    self.rekey(slot)


def test_schedulers_see_epochs(tmp_path: Path) -> None:
    lines = [f"{n * 1000} 0 {n * 7 % 50 * 8} 8 {n % 3 // 2}\n" for n in range(60)]
    write(tmp_path / "io.trace", "".join(lines))
    workload = write(tmp_path / "io.yaml", BLOCKS)
    Fenced.order.clear()
    Fenced.seen.clear()
    bundle = Bundle("fenced", "split", {}, {SCHEDULERS[1]: Fenced})
    quick = hmsim.load_config("quick", {"nvdimm.access": "line"})
    hmsim.run(quick, workload, policy=bundle, check=True)
    assert len(Fenced.seen) > 10
    assert len(Fenced.order) >= 40 * 64
    assert Fenced.order == sorted(Fenced.order)


class Lost(FrFcfs):
    def on_enqueue(self, request: Any, now: int) -> None:
        self.rekey(10**6)


class Backwards(FrFcfs):
    def patience(self) -> int:
        return -1


class Wordy(FrFcfs):
    def direction(self) -> str:
        return "up"


class Endless(FrFcfs):
    def next_change(self) -> int:
        return 1 << 80


@pytest.mark.parametrize(
    ("policy", "error", "parts"),
    [
        (Lost, IndexError, ("rekey:", "255", "1000000")),
        (Backwards, TypeError, ("patience:", "picoseconds", "None", "-1")),
        (Wordy, TypeError, ("direction:", "'reads'", "'writes'", "None", "'up'")),
        (Endless, TypeError, ("next_change:", "picoseconds", "None")),
    ],
)
def test_invalid_policies_are_rejected(
    workload: Path, policy: Any, error: type[Exception], parts: tuple[str, ...]
) -> None:
    overrides = {"controller.writes": "drained"}
    bundle = Bundle("bad", "split", overrides, {SCHEDULERS[0]: policy})
    with pytest.raises(error, match=naming(*parts)):
        hmsim.run("quick", workload, policy=bundle)
