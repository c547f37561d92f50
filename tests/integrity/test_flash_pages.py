# SPDX-License-Identifier: BSD-3-Clause
"""Flash pages of several pages: programs, whole devices, rejected configurations."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hmsim import InputError, System, load_config
from hmsim._core import untimed_amplification
from messages import naming
from shadow import LINE, PAGE, SMALL

NVDIMM = 2 * 1024**3
LARGE: dict[str, Any] = {
    **SMALL,
    "nvdimm.nand.page_size": "16KiB",
    "nvdimm.capacity": "4MiB",
    "nvdimm.ftl.over_provisioning": 110,
    "nvdimm.buffer.write_size": "64KiB",
    "nvdimm.buffer.read_size": "64KiB",
}


def written_back(pages: list[int], **overrides: Any) -> dict[str, Any]:
    """Return the statistics when these whole pages were written, and flushed out of the buffer."""
    system = System("mascots16", {**LARGE, "nvdimm.buffer.flush": "writeback", **overrides})
    for page in pages:
        for line in range(0, PAGE, LINE):
            while system.enqueue(NVDIMM + page * PAGE + line, write=True) is None:
                system.advance(system.now + 10**6)
    system.advance(system.now + 10**8)
    while system.flush() is None:
        system.advance(system.now + 10**6)
    system.advance(system.now + 10**11)
    return {name.removeprefix("nvdimm."): value for name, value in system.stats.items()}


@pytest.mark.parametrize(
    ("partial_writes", "programs", "merged", "padded"),
    [("combine", 2, 0, 0), ("pad", 8, 0, 24), ("merge", 8, 0, 24)],
)
def test_partial_writes_set_the_programs_of_eight_scattered_pages(
    partial_writes: str, programs: int, merged: int, padded: int
) -> None:
    pages = [16 * index for index in range(8)]
    stats = written_back(pages, **{"nvdimm.ftl.partial_writes": partial_writes})
    assert stats["ftl.host_pages"] == 8
    assert stats["nand.programs"] == programs
    assert stats["ftl.merged_pages"] == merged
    assert stats["ftl.padded_pages"] == padded
    assert stats["ftl.waf"] == (8 + merged + padded) / 8


def test_merged_pages_fetch_the_rest_of_their_flash_page() -> None:
    keys = {"nvdimm.ftl.partial_writes": "merge", "nvdimm.precondition.fill": 1}
    stats = written_back([4, 6, 41], **keys)
    assert stats["ftl.host_pages"] == 3
    assert stats["ftl.merged_pages"] == 2 + 3
    assert stats["nand.programs"] == 2
    assert stats["nand.reads"] == 2, "one read brings all that is missing of a flash page"


def greedy(blocks: int, pages: int, parts: int, padded: bool, seed: int) -> float:
    """Return the write amplification of a log that this function keeps on its own."""
    logical = blocks * pages * parts * 100 // 128
    numbers = random.Random(seed)
    place = [-1] * logical  # block
    valid = [0] * blocks
    content: list[list[int]] = [[] for _ in range(blocks)]
    free = list(range(blocks))
    block, room, programmed = free.pop(), pages, 0

    def program(group: list[int], source: int | None) -> None:
        nonlocal block, room, programmed
        if room == 0:
            block, room = free.pop(), pages
        room -= 1
        programmed += parts
        for page in group:
            if source is not None and place[page] != source:
                continue
            if place[page] >= 0:
                valid[place[page]] -= 1
            place[page] = block
            valid[block] += 1
            content[block].append(page)

    def collect() -> None:
        taken = {*free, block}
        victim = min((b for b in range(blocks) if b not in taken), key=lambda b: valid[b])
        kept = [page for page in dict.fromkeys(content[victim]) if place[page] == victim]
        for first in range(0, len(kept), parts):
            program(kept[first : first + parts], victim)
        content[victim] = []
        free.append(victim)

    group: list[int] = []
    count, mark = 0, 0
    size = 1 if padded else parts
    for index in range(5 * logical):
        page = index if index < logical else numbers.randrange(logical)
        group.append(page)
        if len(group) == size:
            program(list(dict.fromkeys(group)), None)
            group = []
            while len(free) < 2:
                collect()
        if index == 4 * logical:
            count, mark = index, programmed
    return (programmed - mark) / (5 * logical - count)


@pytest.mark.slow
@pytest.mark.parametrize(("parts", "partial_writes"), [(1, "combine"), (4, "combine"), (4, "pad")])
def test_greedy_amplification_is_that_of_a_log_in_python(parts: int, partial_writes: str) -> None:
    expected = greedy(64, 32, parts, partial_writes == "pad", 1)
    got = untimed_amplification(
        *("greedy", [], 64, 32, 28, 4, 1, 1), parts=parts, partial_writes=partial_writes
    )
    assert got == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(
    ("preset", "page", "planes", "pages"),
    [
        ("slc_32gb", "8KiB", "2", "128"),
        ("mlc_64gb", "8KiB", "2", "256"),
        ("tlc_512gb", "16KiB", "2", "768"),
        ("qlc_1tb", "16KiB", "2", "1472"),
        ("z_nand", "4KiB", "2", "192"),
        ("xl_flash", "4KiB", "16", "384"),
    ],
)
def test_a_device_is_chosen_by_one_key(preset: str, page: str, planes: str, pages: str) -> None:
    superblock = int(page[:-3]) * int(planes) * int(pages)
    keys = {"nvdimm.nand.preset": preset, "nvdimm.capacity": f"{8 * 512 * superblock}KiB"}
    values = load_config("mascots16", {**keys, "nvdimm.ftl.over_provisioning": 15}).resolved()
    assert values["nvdimm.nand.page_size"] == page
    assert values["nvdimm.nand.planes"] == planes
    assert values["nvdimm.nand.pages_per_block"] == pages
    assert values["nvdimm.nand.multi_plane"] == "true"
    kept = load_config(
        "mascots16", {**keys, "nvdimm.nand.endurance": 7, "nvdimm.ftl.gc_threshold": 0}
    )
    assert kept.resolved()["nvdimm.nand.endurance"] == "7"


@pytest.mark.parametrize(
    ("keys", "values"),
    [
        ({"nvdimm.nand.page_size": "12KiB"}, ("12KiB", "4KiB", "8KiB", "16KiB")),
        ({"nvdimm.nand.page_size": "2KiB"}, ("2KiB", "4KiB")),
        ({"nvdimm.nand.page_size": "32KiB"}, ("32KiB", "16KiB")),
        ({"nvdimm.page_size": "8KiB"}, ("'nvdimm.nand.page_size'?",)),
        (
            {"nvdimm.nand.page_size": "16KiB", "nvdimm.capacity": "1000MiB"},
            ("1000MiB", " 16MiB", "1008MiB"),
        ),
        (
            {"nvdimm.nand.page_size": "16KiB", "nvdimm.capacity": "64MiB"},
            ("64MiB", "4 blocks", "128MiB"),
        ),
        ({"nvdimm.ftl.partial_writes": "merged"}, ("'merged'", "'merge'?")),
        ({"nvdimm.nand.interface": "nv_ddr2", "nvdimm.nand.mode": 9}, ("9", "7", "nv_ddr2")),
    ],
)
def test_uneven_sizes_are_rejected(keys: dict[str, Any], values: tuple[str, ...]) -> None:
    *_, wrong = keys
    with pytest.raises(InputError, match=naming(f"{wrong}:", *values)):
        load_config("mascots16", keys)
