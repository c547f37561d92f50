# SPDX-License-Identifier: BSD-3-Clause
"""Does a policy in Python decide as the same one in C++, keep its state, and fail cleanly?"""

from __future__ import annotations

import collections
import random
from pathlib import Path
from typing import Any, ClassVar

import hmsim
import pytest
from hmsim import (
    Bundle,
    BusArbiter,
    InputError,
    MapReplacement,
    PagePlacement,
    TransactionScheduler,
    WearLeveler,
)
from hmsim.config import policies
from messages import naming
from support import write

MIX = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, read_ratio: 0.7, footprint: 1MiB,
     requests: 3000}
  - {kind: synthetic, core: 1, target: nvdimm, pattern: sequential, footprint: 256KiB,
     requests: 3000}
"""
SCHEDULERS = ("controller.scheduler", "controller.nvdimm_scheduler")


class FrFcfs(TransactionScheduler):
    def key(self, request: Any) -> int:
        return 1 if request.row_hit else 0


class Fcfs(TransactionScheduler):
    def key(self, request: Any) -> int:
        return 0


class OldestFirst(BusArbiter):
    def choose(self, view: Any) -> str:
        return hmsim.DRAM if view.dram.id < view.nvdimm.id else hmsim.NVDIMM


class InTurn(BusArbiter):
    """The same decisions as round_robin, and a count of them."""

    def __init__(self) -> None:
        self.last = hmsim.NVDIMM
        self.seen = collections.Counter[str]()

    def on_issue(self, request: Any, now: int) -> None:
        self.seen[request.memory] += 1

    def choose(self, view: Any) -> str:
        self.last = hmsim.NVDIMM if self.last == hmsim.DRAM else hmsim.DRAM
        return self.last


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    return write(tmp_path / "mix.yaml", MIX)


def same_as(workload: Path, cpp: dict[str, Any], base: str, objects: dict[str, Any]) -> None:
    config = hmsim.load_config("quick").with_policy(base)
    expected = hmsim.run(hmsim.load_config("quick", cpp), workload, policy=base)
    found = hmsim.run(config, workload, policy=Bundle("mine", base, {}, objects), check=True)
    assert found.stats == expected.stats


def test_schedulers_match_cpp(workload: Path) -> None:
    same_as(workload, {}, "split", dict.fromkeys(SCHEDULERS, FrFcfs))
    same_as(workload, {}, "unified_fcfs", {"controller.scheduler": Fcfs})


def test_arbiters_match_cpp(workload: Path) -> None:
    same_as(workload, {}, "split", {"controller.arbiter": OldestFirst})
    turns = Bundle("turns", "split", {"controller.arbiter": "round_robin"})
    mine = Bundle("mine", "split", {}, {"controller.arbiter": InTurn})
    expected = hmsim.run("quick", workload, policy=turns).stats
    assert hmsim.run("quick", workload, policy=mine).stats == expected
    assert expected["arbiter.dram_wins"] > 10


class Frequency(PagePlacement):
    """policies/placement/hot_cold_frequency.cc with its default parameters and two streams."""

    def connect(self, pages: int, streams: int, parts: int) -> None:
        assert streams == 2
        self.pages = pages
        self.counts: dict[int, tuple[int, int]] = {}

    def writes(self, page: int, time: int) -> int:
        writes, period = self.counts.get(page, (0, 0))
        return writes >> (time // self.pages - period)

    def host(self, page: int, handle: int, time: int) -> int:
        return 0 if self.writes(page, time) + 1 >= 4 else 1

    def on_write(self, page: int, handle: int, time: int) -> None:
        self.counts[page] = min(self.writes(page, time) + 1, 255), time // self.pages

    def copy(self, page: int, stream: int, time: int) -> int:
        assert stream in (0, 1)
        return 0 if self.writes(page, time) >= 4 else 1


class Handled(Frequency):
    seen: ClassVar[set[tuple[bool, int]]] = set()  # whether a page is agent 0's, and its handle

    def host(self, page: int, handle: int, time: int) -> int:
        self.seen.add((page < 256, handle))
        return super().host(page, handle, time)


class Outside(Frequency):
    def host(self, page: int, handle: int, time: int) -> int:
        return 2


@pytest.mark.parametrize(
    ("owner", "page_size"), [("nvdimm", "4KiB"), ("nvdimm", "16KiB"), ("storage.flash", "4KiB")]
)
def test_placements_match_cpp(tmp_path: Path, owner: str, page_size: str) -> None:
    flash = f"""\
  capacity: 8MiB
  ftl: {{over_provisioning: 60}}
  nand: {{channels: 1, chips: 1, pages_per_block: 8, page_size: {page_size}}}
  buffer: {{read_size: 64KiB, write_size: 256KiB}}
  precondition: {{fill: 1, overwrite: 1, pattern: zipf}}
"""
    drive = "storage: {kind: flash, capacity: 4MiB}\n" if owner != "nvdimm" else ""
    config = write(tmp_path / "flash.yaml", f"base: mascots16\n{drive}{owner}:\n{flash}")
    agents = """\
agents:
  - {kind: io_pattern, core: 0, read_share: 0, footprint: 1MiB, requests: 3000, handle: 3}
  - {kind: io_pattern, core: 1, read_share: 0, offset: 1MiB, requests: 600}
"""
    workload = write(tmp_path / "writes.yaml", agents)
    name = f"{owner}.ftl.placement"

    def stats(policy: str | type[PagePlacement]) -> dict[str, float]:
        named = {name: policy} if isinstance(policy, str) else {}
        objects = {} if isinstance(policy, str) else {name: policy}
        bundle = Bundle("mine", "unified_fr_fcfs", named, objects)
        return hmsim.run(config, workload, policy=bundle, check=True).stats

    expected = stats("hot_cold_frequency")
    assert stats(Handled) == expected
    assert {(True, 3), (False, 0)} <= Handled.seen and (False, 3) not in Handled.seen
    device = "nvdimm" if owner == "nvdimm" else "storage.device.flash"
    assert expected[f"{device}.ftl.gc_pages"] > 100
    assert stats("single") != expected
    with pytest.raises(InputError, match="returned stream 2: must be below"):
        stats(Outside)


class Table(WearLeveler):
    """policies/wear/erase_table.cc with a threshold of 2 and sets of one block."""

    def connect(self, luns: int, blocks: int, gap: int) -> None:
        assert luns == 1
        self.blocks = blocks
        self.erased: set[int] = set()
        self.erases = self.next = 0

    def on_erase(self, lun: int, block: int) -> None:
        self.erases += 1
        self.erased.add(block)

    def choose(self, lun: int, most: int, least: int, blocks: list[Any]) -> int | None:
        if not self.erased or self.erases < 2 * len(self.erased):
            return None
        assert all(least <= erases <= most for _, _, erases, _ in blocks)
        unerased = [block for block, *_ in blocks if block not in self.erased]
        if not unerased:
            self.erases = 0
            self.erased.clear()
            return None
        block = min(unerased, key=lambda block: (block - self.next) % self.blocks)
        self.next = (block + 1) % self.blocks
        return block


class TwoLevels(MapReplacement):
    """policies/map/two_level_map.cc."""

    def connect(self, entries: int, pages: int, per_page: int) -> None:
        self.per_page = per_page
        self.number: dict[int, int] = {}  # slot -> translation page, least recently used first
        self.latest: dict[int, None] = {}  # translation pages, least recently used first
        self.dirty: set[int] = set()

    def entered(self, slot: int, page: int) -> None:
        self.touch(slot, page // self.per_page)

    def used(self, slot: int) -> None:
        self.touch(slot, self.number.pop(slot))

    def touch(self, slot: int, number: int) -> None:
        self.number[slot] = number
        self.latest.pop(number, None)
        self.latest[number] = None

    def marked(self, slot: int, dirty: bool) -> None:
        (self.dirty.add if dirty else self.dirty.discard)(slot)

    def left(self, slot: int) -> None:
        del self.number[slot]

    def victim(self) -> int:
        for number in self.latest:
            slots = [slot for slot, held in self.number.items() if held == number]
            if slots:
                return next((slot for slot in slots if slot not in self.dirty), slots[0])
        raise AssertionError("no entry")

    def loads(self, page: int, first: int, count: int) -> tuple[int, int]:
        return page, min(9, first + count - page)


class NoBlock(Table):
    def choose(self, lun: int, most: int, least: int, blocks: list[Any]) -> int | None:
        return self.blocks


class NoSlot(TwoLevels):
    def victim(self) -> int:
        return 1 << 20


CACHED = {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_cache": "512B", "nvdimm.ftl.map_entry": "64B"}


@pytest.mark.parametrize(
    ("key", "name", "policy", "wrong", "statistic", "keys"),
    [
        ("wear", "erase_table", Table, NoBlock, "levelled_blocks", {}),
        ("map_replacement", "two_level_map", TwoLevels, NoSlot, "map.dirty_evictions", CACHED),
    ],
)
def test_wear_and_map_policies_match_cpp(
    tmp_path: Path, key: str, name: str, policy: Any, wrong: Any, statistic: str, keys: Any
) -> None:
    config = hmsim.load_config(
        "mascots16",
        {
            "nvdimm.capacity": "8MiB",
            "nvdimm.ftl.over_provisioning": 60,
            "nvdimm.nand.channels": 1,
            "nvdimm.nand.chips": 1,
            "nvdimm.nand.pages_per_block": 8,
            "nvdimm.buffer.read_size": "64KiB",
            "nvdimm.buffer.write_size": "64KiB",
            "nvdimm.precondition.fill": 1,
            "policies.erase_table.threshold": 2,
            **keys,
        },
    )
    agents = """\
agents:
  - {kind: io_pattern, core: 0, read_share: 0.3, footprint: 1MiB, requests: 6000}
"""
    workload = write(tmp_path / "writes.yaml", agents)
    parameter = f"nvdimm.ftl.{key}"

    def stats(named: dict[str, Any], objects: dict[str, Any]) -> dict[str, float]:
        bundle = Bundle("mine", "unified_fr_fcfs", named, objects)
        return hmsim.run(config, workload, policy=bundle, check=True).stats

    expected = stats({parameter: name}, {})
    assert expected[f"nvdimm.ftl.{statistic}"] > 100
    assert stats({}, {parameter: policy}) == expected
    assert stats({}, {}) != expected
    with pytest.raises(InputError, match=f"ftl.{key}: the policy returned"):
        stats({}, {parameter: wrong})
    if keys:
        full = Bundle("mine", "unified_fr_fcfs", objects={parameter: policy})
        with pytest.raises(InputError, match=r"mine: .*map_replacement: needs nvdimm.*map: cached"):
            hmsim.load_config("mascots16").with_policy(full)


def test_results_name_the_classes_that_took_part(workload: Path) -> None:
    mine = Bundle("mine", "split", objects={"controller.arbiter": InTurn})
    result = hmsim.run("quick", workload, policy=mine)
    assert result.config.policy == "mine"
    assert result.origin()["python_policies"] == {"controller.arbiter": f"{__name__}.InTurn"}


class Watcher(BusArbiter):
    """Notes the hooks that it is called for, and what it sees."""

    made: ClassVar[list[Watcher]] = []

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.order: dict[int, list[str]] = {}
        self.shape: Any = None
        Watcher.made.append(self)

    def connect(self, shape: Any, instructions: Any) -> None:
        self.shape = shape
        assert instructions(0) == 0

    def note(self, hook: str, request: Any) -> None:
        self.calls[hook] = self.calls.get(hook, 0) + 1
        if request.memory == "nvdimm":
            self.order.setdefault(request.id, []).append(hook)
            assert request.line // 64 == request.row

    def on_enqueue(self, request: Any, now: int) -> None:
        assert request.arrival <= now
        assert 0 <= request.slot < self.shape.slots
        self.note("enqueue", request)

    def on_command(self, request: Any, now: int) -> None:
        self.note("command", request)

    def on_ack(self, request: Any, now: int) -> None:
        self.note("ack", request)

    def on_issue(self, request: Any, now: int) -> None:
        self.note("issue", request)

    def on_complete(self, request: Any, now: int) -> None:
        self.note("complete", request)

    def choose(self, view: Any) -> str:
        assert view.dram.memory == "dram"
        assert view.nvdimm.memory == "nvdimm"
        assert view.dram_pending > 0
        assert view.nvdimm_pending > 0
        return "dram"


def test_every_hook_is_called_in_order(workload: Path) -> None:
    Watcher.made.clear()
    hmsim.run("quick", workload, policy=Bundle("w", "split", {}, {"controller.arbiter": Watcher}))
    (watcher,) = Watcher.made
    steps = ["enqueue", "command", "ack", "issue", "complete"]
    assert watcher.calls.keys() == set(steps)
    whole = [order for order in watcher.order.values() if order[-1] == "complete"]
    assert len(whole) >= 3000
    assert all(order == steps for order in whole)
    assert watcher.shape.dram_slots == 128
    assert watcher.shape.clock_period == 1250


class Keeper(TransactionScheduler):
    kept: ClassVar[list[Any]] = []

    def key(self, request: Any) -> int:
        self.kept.append(request)
        return 0


def test_a_view_is_valid_during_its_call_only(workload: Path) -> None:
    Keeper.kept.clear()
    bundle = Bundle("keeper", "split", {}, {"controller.scheduler": Keeper})
    hmsim.run("quick", workload, policy=bundle)
    assert len(Keeper.kept) > 1000
    for view in (Keeper.kept[0], Keeper.kept[-1]):
        with pytest.raises(RuntimeError, match="view"):
            _ = view.row_hit


class Broken(BusArbiter):
    def choose(self, view: Any) -> str:
        raise ZeroDivisionError("of my own")


class Wordy(BusArbiter):
    def choose(self, view: Any) -> str:
        return "both"


class Negative(TransactionScheduler):
    def key(self, request: Any) -> int:
        return -1


class Holder(BusArbiter):
    def __init__(self) -> None:
        self.view: Any = None

    def choose(self, view: Any) -> str:
        self.view = self.view or view
        return "dram" if self.view.dram.row_hit else "nvdimm"


@pytest.mark.parametrize(
    ("parameter", "policy", "error", "message"),
    [
        ("controller.arbiter", Broken, ZeroDivisionError, "of my own"),
        ("controller.arbiter", Wordy, TypeError, naming("choose:", "'dram'", "'nvdimm'", "'both'")),
        ("controller.arbiter", Holder, RuntimeError, "view"),
        (
            "controller.arbiter",
            lambda: FrFcfs(),
            InputError,
            naming("controller.arbiter:", "FrFcfs", "BusArbiter"),
        ),
        ("controller.scheduler", Negative, TypeError, naming("key:", "integer", "2^64", "-1")),
        (
            "controller.scheduler",
            lambda: TransactionScheduler(),
            TypeError,
            naming("abstract", "key"),
        ),
    ],
)
def test_errors_keep_their_type_and_text(
    workload: Path, parameter: str, policy: Any, error: type[Exception], message: str | None
) -> None:
    bundle = Bundle("bad", "split", {}, {parameter: policy})
    with pytest.raises(error, match=message):
        hmsim.run("quick", workload, policy=bundle)
    with pytest.raises(error, match=message):
        hmsim.compare("quick", ["split", bundle], [workload])


@pytest.mark.parametrize(
    ("base", "objects", "parts"),
    [
        ("split", {"controller.arbitr": InTurn}, ("controller.arbitr:", "controller.arbiter")),
        ("split", {"controller.arbiter": FrFcfs}, ("controller.arbiter:", "FrFcfs", "BusArbiter")),
        ("split", {"controller.arbiter": InTurn()}, ("controller.arbiter:", "class", "object")),
        ("split", {"nvdimm.ftl.wear": WearLeveler}, ("nvdimm.ftl.wear:", "not define choose")),
        ("unified_fcfs", {"controller.nvdimm_scheduler": Fcfs}, ("x:", "controller.queues: split")),
        ("no_such", {}, ("no_such:", "policy")),
    ],
)
def test_misplaced_objects_are_rejected(base: str, objects: Any, parts: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=naming(*parts)):
        hmsim.load_config("quick").with_policy(Bundle("x", base, {}, objects))


class Lottery(BusArbiter):
    """Has much state: a generator of its own, a deque, a dictionary."""

    def __init__(self) -> None:
        self.state = 12345
        self.latest: collections.deque[int] = collections.deque(maxlen=4)
        self.sums: dict[str, int] = {"dram": 0, "nvdimm": 0}

    def on_ack(self, request: Any, now: int) -> None:
        self.latest.append(request.row)

    def choose(self, view: Any) -> str:
        self.state = (self.state * 6364136223846793005 + sum(self.latest) + 1) % 2**64
        self.sums[view.dram.memory] += 1
        return "dram" if self.state >> 63 else "nvdimm"


class Fickle(TransactionScheduler):
    """Turns its order round every microsecond, and at once for every hundredth request."""

    def __init__(self) -> None:
        self.turned = False
        self.due = 1_000_000
        self.count = 0

    def key(self, request: Any) -> int:
        return (2 if request.write == self.turned else 0) + request.row_hit

    def next_change(self) -> int:
        return self.due

    def change(self, now: int) -> None:
        self.due = now + 1_000_000
        self.turned = not self.turned
        self.raise_epoch()

    def on_enqueue(self, request: Any, now: int) -> None:
        self.count += 1
        if self.count % 100 == 0:
            self.rekey(request.slot)


OBJECTS: dict[str, Any] = {
    "controller.arbiter": Lottery,
    "controller.scheduler": Fickle,
    "nvdimm.ftl.placement": Frequency,
}


def drive(system: hmsim.System, numbers: random.Random, count: int) -> None:
    nvdimm = 2 * 1024**3
    for _ in range(count):
        base = nvdimm if numbers.random() < 0.5 else 0
        address = base + numbers.randrange(2000) * 64
        while system.enqueue(address, write=numbers.random() < 0.3) is None:
            system.advance(system.now + 10**6)


def test_state_goes_into_checkpoints(tmp_path: Path) -> None:
    config = hmsim.load_config("quick").with_policy(Bundle("x", "split", {}, OBJECTS))
    system = hmsim.System(config, check=True)
    numbers = random.Random(4)
    drive(system, numbers, 2000)
    system.save(tmp_path / "saved")
    again = hmsim.System.load(tmp_path / "saved", OBJECTS)
    twin = random.Random()
    twin.setstate(numbers.getstate())
    drive(system, numbers, 2000)
    drive(again, twin, 2000)
    for each in (system, again):
        each.advance(each.now + 10**10)
    assert again.stats == system.stats
    assert again.completions()[-100:] == system.completions()[-100:]
    with pytest.raises(
        InputError, match=naming("saved:", "controller.arbiter", "controller.scheduler")
    ):
        hmsim.System.load(tmp_path / "saved")


def test_a_checkpoint_runs_no_code() -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return print, ("you should not read this",)

    lottery = Lottery()
    lottery.state = Evil()  # type: ignore[assignment]
    with pytest.raises(TypeError, match=naming("Lottery:", "builtins.print")):
        policies.save_state(lottery)
    import pickle

    for damaged in (b"", b"nonsense", pickle.dumps({"state": Evil()})):
        with pytest.raises(InputError, match=naming("Lottery", "damaged")):
            policies.load_state(lottery, damaged)
