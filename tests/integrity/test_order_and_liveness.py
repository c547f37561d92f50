# SPDX-License-Identifier: BSD-3-Clause
"""Is every request done once, in the order that lines and barriers require, and in time?"""

from __future__ import annotations

import itertools

import pytest
from hmsim import System
from hmsim._core import policies
from hypothesis import given, settings
from hypothesis import strategies as st

LINE = 64
LIMIT = 1_000_000  # of starvation, picoseconds
# docs/schedulers.md: L + S W + lookup + (refreshes on the way) (tRFC + W), in Table III's part.
CYCLE, W, REFRESH, INTERVAL, RANKS, LOOKUP = 1250, 119, 88, 6240, 4, 44
# They also wait in flash, for older requests or earlier epochs.
BY_AGE = ("fcfs_strict", "nvm_duet")


def bound(requests: int) -> int:
    """Return the longest wait of one of ``requests`` requests, in picoseconds."""
    cycles = requests * W + LOOKUP
    return LIMIT + CYCLE * (cycles + (cycles // INTERVAL + 1) * RANKS * (REFRESH + W))


def names(kind: str) -> list[str]:
    return [policy["name"] for policy in policies() if policy["kind"] == kind]


PAIRS = list(itertools.product(names("transaction_scheduler"), names("bus_arbiter")))
REQUESTS = st.lists(  # fewer than a queue has slots
    st.tuples(
        st.sampled_from(("read", "read", "write", "write", "flush")),
        st.booleans(),  # to the NVDIMM
        st.integers(0, 11),  # line
        st.sampled_from((0, 0, 0, 10_000, 300_000)),  # picoseconds before the next
    ),
    min_size=20,
    max_size=100,
)


@pytest.mark.parametrize(("scheduler", "arbiter"), PAIRS)
@settings(max_examples=4)
@given(
    requests=REQUESTS,
    queues=st.sampled_from(("unified", "split")),
    writes=st.sampled_from(("mixed", "drained")),
)
def test_requests_are_done_once_in_order_and_in_time(
    scheduler: str,
    arbiter: str,
    requests: list[tuple[str, bool, int, int]],
    queues: str,
    writes: str,
) -> None:
    system = System(
        "mascots16",
        {
            "system.store_data": True,
            # One scheduler orders one queue.
            "controller.queues": "unified" if arbiter == "scheduler_order" else queues,
            "controller.writes": writes,
            "controller.scheduler": scheduler,
            "controller.arbiter": arbiter,
            "controller.starvation_limit": f"{LIMIT}ps",
        },
    )
    nvdimm = int(system.config.resolved()["dram.ranks"]) * 2 * 1024**3
    lines: dict[int, bytes] = {}
    wanted: dict[int, tuple[str, bool, bytes | None]] = {}
    for number, (kind, flash, line, pause) in enumerate(requests):
        address = line * 8 * LINE + (nvdimm if flash else 0)
        if kind == "flush":
            sent, expected = system.flush(), None
        elif kind == "write":
            expected, lines[address] = None, number.to_bytes(LINE, "little")
            sent = system.enqueue(address, write=True, data=lines[address])
        else:
            expected = lines.get(address, bytes(LINE))
            sent = system.enqueue(address)
        assert sent is not None
        wanted[sent] = (kind, flash or kind == "flush", expected)
        system.advance(system.now + pause)
    system.advance(system.now + 10**11)
    done = system.completions()
    assert sorted(entry.id for entry in done) == sorted(wanted)
    finish = {entry.id: entry.finish for entry in done}
    for entry in done:
        kind, flash, expected = wanted[entry.id]
        if kind == "read":
            assert entry.data == expected, "a read overtook a write to its line, or was overtaken"
        if kind == "flush":
            for other, (_, to_flash, _) in wanted.items():
                if to_flash and other != entry.id:
                    assert (finish[other] <= entry.finish) == (other < entry.id), "a barrier"
        if not flash and scheduler not in BY_AGE:
            assert entry.finish - entry.arrival <= bound(len(requests))
