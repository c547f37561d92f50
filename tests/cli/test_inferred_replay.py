# SPDX-License-Identifier: BSD-3-Clause
"""Block traces whose causes are inferred from their times: runs, errors, checkpoints, the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim._core import infer_causes
from hmsim.reproduce.validate import replay
from messages import naming
from support import fail, parsed, write

CHAIN = "".join(f"{7 + 3000 * i},h,0,Read,{4096 * (i * 7 % 50)},4096,2000\n" for i in range(40))


def workload(folder: Path, trace: str, name: str = "msr", **keys: object) -> Path:
    write(folder / "blocks", trace)
    more = "".join(f", {key}: {value}" for key, value in keys.items())
    agent = f"{{kind: block_trace, core: 0, path: blocks, format: {name}{more}}}"
    return write(folder / "w.yaml", f"agents:\n  - {agent}\n")


def ticks(folder: Path, trace: str, **keys: object) -> float:
    found = parsed("run", "quick", "--workload", workload(folder, trace, **keys))
    return float(found["sim.ticks"]) / 1e6  # microseconds


def test_think_times_are_kept_and_service_times_are_the_devices(tmp_path: Path) -> None:
    """In a chain of 40 reads, each took 200 us, with 100 us of thinking in between."""
    closed = ticks(tmp_path, CHAIN, replay="closed", threads=1)
    assert ticks(tmp_path, CHAIN, replay="inferred") == pytest.approx(closed + 39 * 100, abs=0.1)
    half = ticks(tmp_path, CHAIN, replay="inferred", think_scale=0.5)
    assert half == pytest.approx(closed + 39 * 50, abs=0.1)
    assert ticks(tmp_path, CHAIN, replay="timed") == pytest.approx(39 * 300, rel=0.05)


BLKPARSE = "8,0 1 1 0.000000001 9 Q R 8 + 8 [a]\n8,0 1 2 0.000000002 9 Q R 16 + 8 [a]\n"


@pytest.mark.parametrize(
    ("trace", "name", "keys", "wanted"),
    [
        ("5,0,8,0,7\n", "tencent", {}, ("w.yaml:2: replay:", "'tencent'", "'closed'", "'timed'")),
        ("0 0 0 8 1\n", "mqsim", {}, ("w.yaml:2: replay:", "'mqsim'", "'closed'", "old_response")),
        (CHAIN, "msr", {"windows": '"requests=5"'}, ("w.yaml:2: windows:", "closed", "timed")),
        (BLKPARSE, "blkparse", {}, ("blocks:", "'inferred'", "closed", "timed", "old_response")),
    ],
)
def test_traces_without_an_inferable_order_are_rejected(
    tmp_path: Path, trace: str, name: str, keys: dict[str, str], wanted: tuple[str, ...]
) -> None:
    path = workload(tmp_path, trace, name, replay="inferred", **keys)
    error = fail("run", "quick", "--workload", path)
    assert naming(*wanted).search(error), error
    assert len(error.splitlines()) == 1


def test_too_many_requests_in_flight_are_rejected(tmp_path: Path) -> None:
    crowd = "".join(f"{i},h,0,Read,0,4096,99999999\n" for i in range(1100))
    error = fail("run", "quick", "--workload", workload(tmp_path, crowd, replay="inferred"))
    assert naming("blocks:", "1024 requests").search(error), error


def test_trace_info_lists_the_modes_that_a_trace_supports(tmp_path: Path) -> None:
    reported = parsed("trace", "info", write(tmp_path / "a", CHAIN))
    assert (reported["completions"], reported["replay"]) == (40, "closed, timed, inferred")
    assert reported["duration"] == 39 * 300_000  # from the first request on
    coarse = parsed("trace", "info", write(tmp_path / "b", "5,0,8,0,7\n6,0,8,1,7\n"))
    assert coarse["format"] == "tencent" and coarse["replay"].startswith("closed, timed (")
    silent = parsed("trace", "info", write(tmp_path / "c", "7,R,0,4096,5\n7,W,0,4096,9\n"))
    assert silent["replay"] == "closed, timed, inferred with old_response"


def test_causes_reach_python() -> None:
    assert infer_causes([(0, 100), (150, 200), (150, None)]) == [([], 0), ([0], 50), ([], 0)]


def test_the_model_of_a_device_queues() -> None:
    """Nine requests at once on eight servers: the ninth waits for the first to be done."""

    def thread(world: replay.World) -> object:
        yield [world.send() for _ in range(9)]

    world = replay.World()
    world.start(thread(world))  # type: ignore[arg-type]
    requests = world.run()
    first = min(io.done or 0 for io in requests)
    assert 50 <= first <= 150
    assert (requests[8].done or 0) >= first + 50
