# SPDX-License-Identifier: BSD-3-Clause
"""Does every read return the last completed write, whatever happens in between?"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
import tpcc
from designs import CHOICES, PAGES, Design
from hmsim import InputError, System
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from messages import naming
from random_systems import stored
from shadow import LINE, PAGE, SMALL, Shadow


class Machine(RuleBasedStateMachine):
    """Requests of one line or less to DRAM and NVDIMM, floods, power failures, checkpoints."""

    @initialize(drawn=st.fixed_dictionaries({k: st.sampled_from(v) for k, v in CHOICES.items()}))
    def build(self, drawn: dict[str, Any]) -> None:
        self.design = Design(drawn)
        self.shadow, self.blocks = self.design.shadow, self.design.blocks
        self.address = self.design.address
        self.folder = tempfile.TemporaryDirectory()

    @rule(
        page=st.integers(0, 2 * PAGES - 1),
        line=st.integers(0, 63),
        first=st.integers(0, LINE - 1),
        data=st.binary(min_size=1, max_size=LINE),
    )
    def write(self, page: int, line: int, first: int, data: bytes) -> None:
        data = data[: LINE - first]
        self.shadow.send(self.address(page, line) + first, len(data), data)

    @rule(page=st.integers(0, 2 * PAGES - 1), line=st.integers(0, 63), count=st.integers(1, 64))
    def read(self, page: int, line: int, count: int) -> None:
        lines = min(count, 64 - line) if self.blocks else 1
        self.shadow.send(self.address(page, line), lines * LINE)

    @rule(line=st.integers(0, 100), data=st.none() | st.binary(min_size=LINE, max_size=LINE))
    def dram(self, line: int, data: bytes | None) -> None:
        self.shadow.send(line * LINE, LINE, data)

    @rule(page=st.integers(0, 2 * PAGES - 1), count=st.integers(1, 4), seed=st.integers(0, 255))
    def write_pages(self, page: int, count: int, seed: int) -> None:
        for index in range(count if self.blocks else 0):
            line = seed % 64 if index == 0 else 0
            data = bytes([seed, index] * 32) * (64 - line)
            self.shadow.send(self.address(page + index, line), len(data), data)
        for index in range(0 if self.blocks else count * PAGE // LINE):
            data = bytes([seed, index % 256] * 32)
            self.shadow.send(self.address(page, 0) // PAGE * PAGE + index * LINE % PAGE, LINE, data)
            page += index % 64 == 63

    @rule(seed=st.integers(0, 2**16), count=st.integers(50, 300))
    def flood(self, seed: int, count: int) -> None:
        numbers = random.Random(seed)
        for _ in range(count):
            address = self.address(numbers.randrange(2 * PAGES), numbers.randrange(64))
            data = numbers.randbytes(LINE) if numbers.random() < 0.8 else None
            self.shadow.send(address, LINE, data)

    @rule(time=st.integers(1, 10**6) | st.integers(10**6, 10**10))
    def advance(self, time: int) -> None:
        self.shadow.run(self.shadow.system.now + time)

    @rule(time=st.integers(0, 10**9), off=st.sampled_from([0, 1, 10**12]))
    def power_failure(self, time: int, off: int) -> None:
        self.shadow.run(self.shadow.system.now + time)
        self.shadow.power_cycle(off)

    @rule(
        time=st.integers(0, 10**9),
        cuts=st.lists(
            st.tuples(
                st.none() | st.integers(0, 2 * 10**9), st.integers(0, 10**10) | st.just(10**12)
            ),
            min_size=1,
            max_size=5,
        ),
        alone=st.none() | st.integers(0, 2),
    )
    def interrupted_power_failures(
        self, time: int, cuts: list[tuple[int | None, int]], alone: int | None
    ) -> None:
        self.shadow.run(self.shadow.system.now + time)
        only = None if alone is None else alone % self.design.nvdimms
        self.shadow.power_cycle(cuts=cuts, only=only)

    @rule(
        page=st.integers(0, PAGES - 8),
        offset=st.sampled_from([0, 1, 4095]),
        size=st.integers(0, 5 * PAGE),
    )
    def trim(self, page: int, offset: int, size: int) -> None:
        address = self.address(page, 0) + offset
        end = self.shadow.nvdimm + self.shadow.pages * PAGE
        self.shadow.trim(address, min(size, end - address))

    @rule()
    def flush(self) -> None:
        self.shadow.flush()

    @rule()
    def checkpoint(self) -> None:
        self.shadow.save_and_load(Path(self.folder.name) / "state")

    @rule()
    def settle(self) -> None:
        self.shadow.settle()

    @invariant()
    def what_a_reader_would_get_is_right(self) -> None:
        self.shadow.check()

    def teardown(self) -> None:
        if hasattr(self, "shadow"):
            self.shadow.settle()
            self.shadow.check()
            self.folder.cleanup()


def test_writes_on_credit_are_durable_before_they_have_a_frame() -> None:
    shadow = Shadow(
        **{
            "controller.ack": "nvdimm_p",
            "controller.nvdimm_p.credits": 8,
            "nvdimm.buffer.write_size": "4KiB",
        }
    )
    for page in range(4):
        for number in range(2):
            shadow.send(
                shadow.nvdimm + page * PAGE + 8 * number, 8, bytes([16 * page + number] * 8)
            )
    shadow.run(10**6)  # 1 us: one page has a frame, and no program has ended
    assert len(shadow.bytes) == 4
    assert shadow.system.stats["nvdimm.nand.programs"] == 0
    shadow.check()
    shadow.system.trim(shadow.nvdimm + 3 * PAGE, PAGE)
    shadow.bytes[shadow.nvdimm + 3 * PAGE] = bytes(LINE)
    shadow.check()
    shadow.power_cycle()
    assert shadow.system.stats["nvdimm.power.flushed_pages"] == 4
    shadow.check()


TestMachine = pytest.mark.slow(Machine.TestCase)
TestMachine.settings = settings(
    settings.default,
    max_examples=200 if settings.default.derandomize else 10_000,
    stateful_step_count=30,
)


@pytest.mark.parametrize("kind", [pytest.param("flash", marks=pytest.mark.slow), "cached", "pcm"])
def test_a_database_survives_power_failures(kind: str) -> None:
    failures = 100 if kind == "flash" else 10
    shadow = tpcc.replay(tpcc.like_tpcc(40 * failures), failures, None, kind)
    stats = shadow.system.stats
    saved = stats["nvdimm.power.saved_lines" if kind == "pcm" else "nvdimm.power.flushed_pages"]
    assert stats["nvdimm.power.failures"] == failures
    assert saved > (failures if kind != "pcm" else 0)  # its write queue is soon empty
    assert shadow.reads > 1000


def test_a_power_failure_keeps_completed_writes_and_loses_others() -> None:
    shadow = Shadow()
    shadow.send(shadow.nvdimm, LINE, bytes(range(64)))
    shadow.send(0, LINE, b"d" * LINE)
    shadow.settle()
    system = shadow.system
    system.enqueue(shadow.nvdimm + LINE, write=True, data=b"x" * LINE)  # not done
    now = system.now
    system.power_fail()
    assert system.peek(shadow.nvdimm) == bytes(range(64))
    assert system.peek(shadow.nvdimm + LINE) == bytes(LINE)
    assert system.peek(0) == bytes(LINE)
    with pytest.raises(InputError, match="power is off"):
        system.enqueue(0)
    system.advance(now + 10**12)
    system.power_on()
    assert system.now == now + 10**12
    assert system.peek(shadow.nvdimm + 8, 4) == bytes([8, 9, 10, 11])
    assert system.enqueue(shadow.nvdimm) is not None
    system.advance(system.now + 10**9)
    (done,) = system.completions()
    assert done.data == bytes(range(64))
    assert done.arrival == now + 10**12
    stats = system.stats
    assert stats["nvdimm.power.failures"] == stats["nvdimm.power.flushed_pages"] == 1
    assert stats["nvdimm.power.hold_up_us"] == 650
    assert stats["nvdimm.power.energy_mj"] == 650 * 2.5 / 1000
    assert stats["nvdimm.power.recovery_us"] > 0


def test_a_trim_is_kept_at_a_power_failure() -> None:
    shadow = Shadow()
    for page in range(100):  # more than the buffer holds
        for line in range(2):
            address = shadow.nvdimm + page * PAGE + line * LINE
            shadow.send(address, LINE, bytes([page + 1] * LINE))
    shadow.trim(shadow.nvdimm + 2 * PAGE - 1, 50 * PAGE)
    assert shadow.bytes[shadow.nvdimm + 2 * PAGE] == bytes(LINE)
    assert shadow.bytes[shadow.nvdimm + PAGE] == bytes([2] * LINE)
    assert shadow.system.stats["nvdimm.ftl.trimmed_pages"] > 40
    shadow.power_cycle()
    shadow.send(shadow.nvdimm + 3 * PAGE, LINE, b"w" * LINE)
    shadow.settle()
    shadow.power_cycle()
    assert shadow.system.peek(shadow.nvdimm + 3 * PAGE) == b"w" * LINE


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_designs_keep_their_data(first: int) -> None:
    for seed in range(first, first + 10):
        stored(seed)


def test_an_interrupted_save_continues_after_a_checkpoint(tmp_path: Path) -> None:
    shadow = Shadow()
    for page in range(4):
        shadow.send(shadow.nvdimm + page * PAGE, LINE, bytes([page + 1] * LINE))
    shadow.settle()
    shadow.power_fail(10**9, 1)  # two programs of 650 us at once, and then two that are torn
    assert shadow.system.stats["nvdimm.power.flushed_pages"] == 2
    assert shadow.system.stats["nvdimm.power.hold_up_us"] == 1000
    assert shadow.system.stats["nvdimm.power.torn_pages"] == 2
    shadow.save_and_load(tmp_path / "state")
    shadow.check()
    assert not shadow.system.power_on("1us")
    with pytest.raises(InputError, match="recovery"):
        shadow.system.enqueue(shadow.nvdimm)
    with pytest.raises(InputError, match="already on"):
        shadow.system.power_on()
    shadow.save_and_load(tmp_path / "state")
    shadow.check()
    shadow.power_cycle()
    assert shadow.system.stats["nvdimm.power.flushed_pages"] == 4
    with pytest.raises(InputError, match="must be a time"):
        shadow.system.power_fail(-1)


def test_invalid_use_is_rejected() -> None:
    plain = System("quick")
    for call in (plain.power_fail, lambda: plain.peek(0), lambda: plain.enqueue(0, data=b"")):
        with pytest.raises(InputError, match="store_data"):
            call()
    system = System("mascots16", SMALL)
    with pytest.raises(InputError, match=naming("64 bytes", "3")):
        system.enqueue(0, write=True, data=b"abc")
    with pytest.raises(InputError, match=naming("read", "data")):
        system.enqueue(0, data=bytes(LINE))
    with pytest.raises(InputError, match="already on"):
        system.power_on()
    end = 2 * 1024**3 + int(system.config.resolved()["nvdimm.capacity"].rstrip("MiB")) * 1024**2
    for address, size in ((0, PAGE), (2 * 1024**3, -1), (end, 1), (2**63, 1), (2 * 1024**3, 2**63)):
        with pytest.raises(
            InputError, match=naming(f"{size} bytes", f"address {address} ", "NVDIMM")
        ):
            system.trim(address, size)
    assert system.trim(2 * 1024**3 + 1, PAGE) == 0
    system.power_fail()
    with pytest.raises(InputError, match="off"):
        system.trim(2 * 1024**3, PAGE)
    with pytest.raises(InputError, match="already off"):
        system.power_fail()


def test_too_little_energy_is_rejected_before_the_run() -> None:
    frames = {**SMALL, "frontend.node.persistence": "module"}  # and nothing of the queue
    with pytest.raises(InputError, match=naming("nvdimm.power.energy:", "1 mJ", "4 mJ")):
        System("mascots16", {**frames, "nvdimm.power.energy": 1})
    System("mascots16", {**frames, "nvdimm.power.energy": 4})


def test_requests_without_data_write_their_number() -> None:
    system = System("mascots16", SMALL)
    system.enqueue(0, write=True)
    system.enqueue(64, size=4, write=True)
    system.advance("1us")
    assert system.peek(0) == bytes(LINE)
    assert system.peek(64, 8) == bytes([1, 0, 0, 0, 0, 0, 0, 0])
