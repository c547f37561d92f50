# SPDX-License-Identifier: BSD-3-Clause
"""Do requests by hand to HBF have its sizes, and do answers state what became of them?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hmsim
import pytest
from hmsim import InputError, System
from messages import naming

LINE = 64
PAGE = 4096
DATA = {"system.store_data": True}
# 4 banks of 64 blocks of 16 pages, half of them for the host's FTL.
RAW: dict[str, Any] = {
    "hbf.banks": 4,
    "nvdimm.capacity": "16MiB",
    "nvdimm.nand.pages_per_block": 16,
}
HOST: dict[str, Any] = {**RAW, "hbf.ftl": "host", "nvdimm.ftl.over_provisioning": 100}
FTLS = pytest.mark.parametrize("keys", [RAW, HOST], ids=["raw", "host"])


def flash_of(system: System) -> int:
    return system.config.capacities()["dram"]


def finish(system: System) -> list[hmsim.Completion]:
    system.advance(system.now + 20_000_000_000)  # 20 ms
    return system.completions()


def pattern(number: int, size: int = PAGE) -> bytes:
    return bytes((number + at * 7) % 251 for at in range(size))


def test_failed_writes_differ_from_good_ones() -> None:
    """Page 1 of a bank before page 0, then 60 of the 64 lines of page 0, then all."""
    system = System("hbm3_hbf", RAW)
    flash = flash_of(system)
    for page, lines in ((1, 64), (0, 60)):
        for line in range(lines):
            address = flash + 4 * PAGE * page + line * LINE
            assert system.enqueue(address, write=True) is not None
        done = finish(system)
        assert len(done) == lines and all(each.failed for each in done)
        assert {each.status for each in done} == {"out_of_order" if page else "late"}
    assert system.stats["hbf.status.out_of_order"] == 64
    assert system.stats["hbf.status.late"] == 60
    assert system.stats["hbf.status.done"] == 0
    system.enqueue(flash, size=PAGE, write=True)
    (whole,) = finish(system)
    assert whole.status == "done" and not whole.failed


def test_reads_report_their_outcome() -> None:
    keys = {**RAW, "hbf.refresh_reads": 2, "hbf.cache_pages": 0, "hbf.merge": False}
    system = System("hbm3_hbf", keys)
    flash = flash_of(system)
    assert system.enqueue(flash, size=PAGE, write=True) is not None
    finish(system)
    reads = []
    for address in (flash + PAGE, flash, flash):
        system.enqueue(address, size=PAGE)
        reads += finish(system)
    assert [each.status for each in reads] == ["erased_page", "done", "refresh_due"]
    assert [each.failed for each in reads] == [True, False, False]
    system.enqueue(flash + 4 * PAGE, write=True)
    system.advance(system.now + 500_000)  # 500 ns: it has arrived
    system.enqueue(flash + 4 * PAGE + LINE)
    write, read = sorted(finish(system))
    assert (write.status, read.status, read.failed) == ("late", "pending_part", True)


@FTLS
@pytest.mark.parametrize("first", [0, 3, 63])
def test_requests_are_of_whole_lines_within_a_page(keys: Mapping[str, Any], first: int) -> None:
    system = System("hbm3_hbf", keys)
    flash = flash_of(system)
    address = flash + 5 * PAGE + first * LINE
    assert system.enqueue(address, size=PAGE - first * LINE) is not None
    assert system.enqueue(address + 60, size=4) is not None
    assert len(finish(system)) == 2
    assert system.stats["nvdimm.reads"] == 2
    for wrong, size in ((0, 0), (0, PAGE - first * LINE + LINE), (0, 100), (32, 64), (1, 64)):
        where = naming(f"{size} bytes", f"{address + wrong}", "64-byte line", "page of 4096")
        with pytest.raises(InputError, match=where):
            system.enqueue(address + wrong, size=size)
    with pytest.raises(InputError, match="outside"):
        system.enqueue(address, size=1 << 70)


@pytest.mark.parametrize("name", ["mascots16", "pcm", "ddr5_cxl_flash", "hbm3_hbf"])
def test_other_memories_take_at_most_a_line(name: str) -> None:
    system = System(name)
    addresses = [0] if name == "hbm3_hbf" else [0, flash_of(system)]
    for address in addresses:
        with pytest.raises(InputError, match=r"within one 64-byte line$"):
            system.enqueue(address, size=2 * LINE)


@FTLS
def test_large_requests_carry_their_data(keys: Mapping[str, Any], tmp_path: Path) -> None:
    system = System("hbm3_hbf", {**keys, **DATA})
    flash = flash_of(system)
    for page in range(8):
        data = pattern(page)
        assert system.enqueue(flash + page * PAGE, PAGE, write=True, data=data) is not None
    system.advance("300ns")  # some are under way
    path = tmp_path / "under_way.hmsim"
    system.save(path)
    for each in (system, System.load(path)):
        assert {done.status for done in finish(each)} == {"done"}
        for page in range(8):
            for first, lines in ((0, 64), (0, 1), (17, 3), (63, 1)):
                address = flash + page * PAGE + first * LINE
                each.enqueue(address, size=lines * LINE)
                (read,) = finish(each)
                part = pattern(page)[first * LINE : (first + lines) * LINE]
                assert read.data == part and each.peek(address) == part[:LINE]


def test_lines_of_a_page_gather_with_their_data() -> None:
    system = System("hbm3_hbf", {**HOST, **DATA})
    flash = flash_of(system)
    parts = ((0, 5), (5, 1), (10, 54))
    for first, lines in parts:
        data = pattern(first, lines * LINE)
        assert system.enqueue(flash + first * LINE, lines * LINE, write=True, data=data) is not None
    assert Counter(done.status for done in finish(system)) == {"done": 3}
    system.enqueue(flash, size=PAGE)
    (read,) = finish(system)
    expected = bytearray(PAGE)
    for first, lines in parts:
        expected[first * LINE : (first + lines) * LINE] = pattern(first, lines * LINE)
    assert read.data == bytes(expected)


# Attachment: configuration, keys, whether a write that is done survives a power failure.
SURVIVES: dict[str, tuple[str, dict[str, Any], bool]] = {
    "flash": ("quick", {}, True),
    "flash, nvdimm_p": ("quick", {"controller.ack": "nvdimm_p"}, True),
    "pcm": ("pcm", {}, True),
    "cxl": ("ddr5_cxl_flash", {}, True),
    "hbf, raw": ("hbm3_hbf", RAW, True),
    "hbf, host": ("hbm3_hbf", HOST, False),
}


@pytest.mark.parametrize("persistence", ["controller", "module"])
@pytest.mark.parametrize("attachment", SURVIVES)
def test_a_completed_write_survives_if_completion_implies_persistence(
    attachment: str, persistence: str
) -> None:
    name, keys, survives = SURVIVES[attachment]
    system = System(name, {**keys, **DATA, "frontend.node.persistence": persistence})
    at = flash_of(system)
    size = PAGE if name == "hbm3_hbf" else LINE
    assert system.enqueue(at, size, write=True, data=pattern(1, size)) is not None
    done: list[hmsim.Completion] = []
    while not done:
        system.advance(system.now + 1_000)  # 1 ns: power fails right after the write is done
        done = system.completions()
    assert done[0].status == "done" and system.peek(at) == pattern(1, LINE)
    system.power_fail()
    assert system.power_on()
    assert system.peek(at) == (pattern(1, LINE) if survives else bytes(LINE))


def test_a_write_that_failed_is_not_stored() -> None:
    system = System("hbm3_hbf", {**RAW, **DATA})
    at = flash_of(system) + 4 * PAGE  # page 1 of bank 0
    system.enqueue(at, PAGE, write=True, data=pattern(1))
    (done,) = finish(system)
    assert done.status == "out_of_order" and system.peek(at) == bytes(LINE)
