# SPDX-License-Identifier: BSD-3-Clause
"""Do requests of `System.submit` equal those of agents, and does misuse end in a text?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import hmsim
import pytest

HBF = ("hbm3_hbf", {"hbf.ftl": "host"})
DRIVE = ("storage/mqsim_ssd", {"storage.path.driver": "nvme_poll"})
OPEN = {"kind": "io_pattern", "access": "random", "size": "8KiB", "threads": 500, "read_share": 0.5}
OPEN |= {"requests": 500, "arrivals": "poisson", "arrival_rate": 50_000}
LINES = {"kind": "synthetic", "read_ratio": 0.7, "interval": "23011ps", "outstanding": 1000}
LINES |= {"requests": 2000, "pattern": "random"}
LOADS = [
    (*DRIVE, OPEN),
    ("quick", {"frontend.block.threads": 500}, OPEN),
    ("quick", {}, LINES | {"target": "dram"}),
    ("ddr5_cxl_flash", {}, LINES | {"target": "nvdimm"}),
]


@pytest.mark.parametrize(("config", "overrides", "agent"), LOADS)
def test_a_session_equals_a_run(config: str, overrides: dict[str, Any], agent: Any) -> None:
    system = hmsim.System(config, overrides)
    result = hmsim.run(system.config, {"agents": [agent]}, request_log=True)
    if agent["kind"] == "io_pattern":
        for row in result.io_requests.sort_values("submitted_ps").itertuples():
            where = ("storage", row.offset, row.bytes, row.kind)
            system.submit(*where, source=row.thread, at=row.submitted_ps)
    else:
        for number, row in enumerate(result.requests.sort_values("id").itertuples()):
            operation = "write" if row.write else "read"
            system.submit(agent["target"], row.address, 64, operation, at=23_011 * number)
    system.advance(result.stats["sim.ticks"])
    differing = {
        name: (value, result.stats[name])
        for name, value in system.stats.items()
        if name in result.stats and value != result.stats[name]
        if name not in ("sim.requests", "sim.absorbed")  # agents' lines, and their steadiness
    }
    assert not differing and not system.futures()


def drive(system: hmsim.System, seed: int, steps: int) -> list[hmsim.Receipt]:
    """Submit requests at random; return the receipts, which add up."""
    draw, futures, sent = random.Random(seed), [], []
    for _ in range(steps):
        memory = draw.choice(("dram", "nvdimm", "storage"))
        place = draw.randrange(system.capacity(memory) // 65536) * 65536
        kinds = ("read", "write") if memory == "dram" else ("read", "write", "trim", "flush")
        after = draw.sample(futures, min(len(futures), draw.randrange(3)))
        future = system.submit(memory, place, 4096, draw.choice(kinds), after=after)
        futures.append(future)
        future.add_done_callback(lambda done: sent.append(done.receipt))
        if draw.random() < 0.5:
            system.advance(system.now + draw.randrange(10_000_000))
    return sent


@pytest.mark.parametrize(("config", "overrides"), [HBF, DRIVE, ("quick", {})])
def test_saved_sessions_continue(tmp_path: Path, config: str, overrides: dict[str, Any]) -> None:
    overrides = overrides | ({} if config == DRIVE[0] else {"storage.kind": "array"})
    system = hmsim.System(config, {**overrides, "nvdimm.present": True})
    sent = drive(system, 1, 60)
    system.save(tmp_path / "half.hmsim")
    under_way = system.futures()
    again = hmsim.System.load(tmp_path / "half.hmsim")
    assert [*again.futures()] == [*under_way] != []
    rest = [future.result() for future in again.futures().values()]
    assert rest == [future.result() for future in under_way.values()]
    assert drive(system, 2, 30) == drive(again, 2, 30)
    system.advance("1s")
    again.advance("1s")
    assert system.stats == again.stats and not system.futures()
    assert len({receipt.id for receipt in sent}) == 60 == len(sent)
    assert all(sum(each.parts.values()) == each.ended - each.submitted for each in sent)
    assert system.stats["sim.requests"] == 90


def test_futures_call_back_at_the_end_of_their_request() -> None:
    system = hmsim.System("quick")
    seen: list[tuple[int, int]] = []

    def next_one(done: hmsim.Future) -> None:
        seen.append((done.id, system.now))
        if done.id < 6:
            system.submit("dram", 64 * done.id).add_done_callback(next_one)
        for refused in (lambda: system.advance("1s"), lambda: system.save("x")):
            with pytest.raises(hmsim.InputError, match="within a callback"):
                refused()

    trim = system.submit("nvdimm", 0, 4096, "trim")
    assert trim.done() and trim.receipt == trim.result()
    system.submit("dram").add_done_callback(next_one)
    system.advance("1ms")
    assert [id for id, _ in seen] == [1, 2, 3, 4, 5, 6] and seen == sorted(seen)
    failing = system.submit("dram")
    failing.add_done_callback(lambda done: 1 / 0)
    failing.add_done_callback(next_one)
    with pytest.raises(ZeroDivisionError):
        failing.result()
    system.advance("2ms")
    assert seen[-1][0] == failing.id


def test_a_wait_ends_with_the_first_future_or_at_its_time() -> None:
    system = hmsim.System("quick")
    slow, fast = system.submit("nvdimm"), system.submit("dram")
    system.wait([slow, fast])
    assert fast.receipt is not None and system.now == fast.receipt.ended and not slow.done()
    system.wait([slow], "100ns")
    assert system.now == 100_000 and not slow.done()
    system.wait([slow], "1s")
    assert slow.receipt is not None and system.now == slow.receipt.ended


HUGE = 1 << 63
WRONG: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    (
        ("drams",),
        {},
        "memory: must be one of dram, nvdimm, storage, got 'drams'; did you mean 'dram'",
    ),
    (("dram", 0, 64, "reed"), {}, "did you mean 'read'"),
    (("dram", 0, 64, "trim"), {}, "flushes and trims need"),
    (("dram", HUGE), {}, f"address: must be in 0 .. {HUGE - 1}, got {HUGE}"),
    (("dram", 0, HUGE), {}, "size: must be in 0"),
    (("dram", HUGE - 1, HUGE - 1), {}, "is outside the memory"),
    (("storage", 512, HUGE - 512), {}, "is beyond the end"),
    (("dram", -1), {}, "address: must be in 0"),
    (("dram", "0"), {}, "address: must be in 0"),
    (("dram", 0, 0), {}, "size: must be at least 1"),
    (("storage", 1, 512), {}, "must consist of sectors"),
    (("dram",), {"after": [99]}, "after: no request has the id 99"),
    (("dram",), {"after": [-1]}, "after: must be in 0"),
    (("dram",), {"source": 65536}, "source: must be in 0"),
    (("dram",), {"stream": -1}, "stream: must be in 0"),
    (("dram",), {"at": 5}, "at: must not be before now, 1000 ps, got 5"),
    (("dram",), {"at": 1 << 70}, "must be a time"),
]


@pytest.mark.parametrize(("args", "more", "text"), WRONG)
def test_misuse_is_an_error(args: tuple[Any, ...], more: dict[str, Any], text: str) -> None:
    system = hmsim.System("quick", {"storage.kind": "array"})
    system.advance(1000)
    with pytest.raises(hmsim.InputError) as error:
        system.submit(*args, **more)
    assert text in str(error.value)
    assert not system.futures() and system.submit("dram").id == 0


def test_a_session_without_power_is_rejected() -> None:
    system = hmsim.System("quick", {"system.store_data": True, "storage.kind": "array"})
    read = system.submit("nvdimm")
    with pytest.raises(hmsim.InputError, match="under way"):
        system.power_fail()
    read.result()
    system.power_fail()
    with pytest.raises(hmsim.InputError, match="the power is off"):
        system.submit("dram")
    assert system.power_on() and system.submit("dram").result().status == "done"
    with pytest.raises(hmsim.InputError, match="memory: there is neither"):
        system.submit("storage", 0, 512)
