# SPDX-License-Identifier: BSD-3-Clause
"""Does a system driven by hand complete every request, and go on where it was saved?"""

from __future__ import annotations

import signal
from pathlib import Path

import hmsim
import pytest
from hmsim import System, _core
from hmsim._core import Simulation
from messages import naming
from support import write


def drive(system: System, count: int, first: int = 0) -> list[hmsim.Completion]:
    done = []
    for index in range(first, first + count):
        address = index * 7919 * 64 % (2 << 30)
        while system.enqueue(address, write=index % 3 == 0, source=index % 4) is None:
            system.advance(system.now + 10_000)
            done += system.completions()
    return done


def test_every_request_completes_once() -> None:
    system = System("quick")
    done = drive(system, 500)
    system.advance("1ms")
    done += system.completions()
    assert len({completion.id for completion in done}) == len(done) == 500
    assert all(completion.finish > completion.arrival for completion in done)
    assert system.now == 10**9
    assert system.completions() == []
    assert system.stats["dram.reads"] + system.stats["dram.writes"] == 500


def test_a_full_queue_refuses() -> None:
    system = System("quick", {"controller.queue_depth": 4})
    accepted = [system.enqueue(line * 64) for line in range(6)]
    assert accepted[:4] == [0, 1, 2, 3]
    assert accepted[4:] == [None, None]


def test_an_interrupt_ends_a_long_advance() -> None:
    def interrupt(_signal: int, _frame: object) -> None:
        raise TimeoutError

    system = System("quick", {"dram.refresh_postpone": 8})  # acts at every refresh
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(TimeoutError):
            system.advance("1000s")
    finally:
        signal.signal(signal.SIGALRM, before)
    assert 0 < system.now < 1000 * 10**12


def test_a_system_records_a_time_series() -> None:
    system = System("quick", {"frontend.series_interval": "1us"})
    drive(system, 200)
    system.advance("20us")
    series = system.series
    assert series is not None
    assert list(series.index) == [10**6 * (row + 1) for row in range(20)]
    assert series["dram.reads"].iloc[-1] == system.stats["dram.reads"]
    assert System("quick").series is None


def assert_saving_changes_nothing(straight: System, first: System, path: Path, number: int) -> None:
    """Drive two equal systems, save and load one of them, and drive both on."""
    begun = drive(straight, number)
    assert drive(first, number) == begun
    first.save(path)
    second = System.load(path)
    assert second.now == straight.now
    assert second.config.resolved() == straight.config.resolved()
    ends = []
    for system in (straight, second):
        done = drive(system, number, first=number)
        system.advance("1ms")
        ends.append((done + system.completions(), system.stats))
    assert ends[0] == ends[1]


def test_saving_and_loading_changes_nothing(tmp_path: Path) -> None:
    systems = (System("quick", seed=3), System("quick", seed=3))
    assert_saving_changes_nothing(*systems, tmp_path / "state", 300)


@pytest.mark.parametrize("scheduler", ["tcm", "atlas"])
def test_quanta_over_channels_continue_from_a_checkpoint(tmp_path: Path, scheduler: str) -> None:
    short = {f"policies.{scheduler}.quantum": "3us", "controller.scheduler": scheduler}
    config = hmsim.load_config("quick", {**short, "controller.channels": 4})
    systems = (System(config, check=True), System(config))
    assert_saving_changes_nothing(*systems, tmp_path / "state", 600)


@pytest.mark.parametrize("damage", ["cut", "flipped", "other", "empty", "header"])
def test_a_damaged_state_is_rejected(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "state"
    System("quick").save(path)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 1
    changed = {"cut": content[:-5], "other": b"x" * 100, "empty": b"", "header": content[:30]}
    write(path, bytes(changed.get(damage, content)))
    with pytest.raises(hmsim.InputError, match="state: "):
        System.load(path)


def test_wrong_requests_are_rejected() -> None:
    system = System("quick")
    for arguments in (
        {"address": -64},
        {"address": 1 << 62},
        {"address": 1 << 70},
        {"address": 0, "size": 65},
        {"address": 60, "size": 8},
        {"address": 0, "size": 0},
        {"address": 0, "source": -1},
        {"address": 0, "source": 1 << 16},
    ):
        with pytest.raises(hmsim.InputError):
            system.enqueue(**arguments)  # type: ignore[arg-type]
    with pytest.raises(hmsim.InputError, match=naming("'10'", "unit", "ns")):
        system.advance("10")
    with pytest.raises(hmsim.InputError):
        System("quick", {"dram.rank": 1})


def test_errors_of_a_trace_source_are_passed_on() -> None:
    config = hmsim.load_config("quick").flat()
    agent = [("kind", "llc_trace"), ("path", "x"), ("format", "ramulator")]

    def broken(_agent: int, _offset: int) -> bytes:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Simulation(config, [agent], 1, 0, 0, broken, [0]).run(1000)

    def later(_agent: int, offset: int) -> bytes:
        if offset:
            raise hmsim.InputError("mine")
        return b"1 64\n" * 1000

    with pytest.raises(hmsim.InputError, match="mine"):
        simulation = Simulation(config, [agent], 1, 0, 0, later, [0])
        while not simulation.run(1000):
            pass


def test_exceptions_have_their_promised_kinds() -> None:
    assert issubclass(hmsim.InputError, ValueError)
    assert issubclass(hmsim.SimulatorFault, RuntimeError)
    assert hmsim.InputError.__module__ == "hmsim"
    assert _core.version == hmsim.__version__
