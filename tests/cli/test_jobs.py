# SPDX-License-Identifier: BSD-3-Clause
"""Do programs wait for their I/O, as a user asks for it?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hmsim import load_config, run
from hmsim.config.settings import nested
from hmsim.traces import escapes
from hmsim.traces.file import CAUSES, TWO_MEMORIES
from messages import naming
from support import fail, parsed, write, write_records

PROGRAM = """\
thread main
compute 4000
read 7 2
wake helper
write 90
sync
thread helper 2
wait helper
load 0x1000
wake helper
"""
READ_TIME = "nvdimm.nand.read_time"


def job(folder: Path, keys: str = "cores: [1, 2]", program: str = PROGRAM) -> Path:
    write(folder / "x.job", program)
    text = f"agents:\n  - {{kind: job, path: x.job, format: job, {keys}}}\n"
    return write(folder / "job.yaml", text)


def stats(workload: object, policy: str = "split", **overrides: Any) -> dict[str, Any]:
    config = load_config(
        "quick", {name.replace("__", "."): each for name, each in overrides.items()}
    )
    return dict(run(config, workload, policy=policy).stats)  # type: ignore[arg-type]


def nested_run(*arguments: object) -> Any:
    return nested(parsed(*arguments).items())


def test_a_program_as_text_runs_from_end_to_end(tmp_path: Path) -> None:
    found = nested_run("run", "quick", "--workload", job(tmp_path))
    agent = found["agent"]["0"]
    assert agent["progress"] == 4000 + 2
    assert agent["finished"] == 1
    assert set(agent["thread"]) == {"0", "1", "2"}
    assert agent["thread"]["1"]["waiting"] > 50e6  # until the flash has been read
    core = found["core"]["1"]
    assert core["busy"] > 0
    cycles = core["busy"] * 2e-3  # of 2 GHz, in picoseconds
    assert core["busy_ipc"] == pytest.approx(core["instructions"] / cycles)
    assert core["busy_ipc"] > core["ipc"]
    assert "0" not in found["core"]


def test_a_thread_that_is_never_woken_is_an_error(tmp_path: Path) -> None:
    workload = job(tmp_path, program="thread main\ncompute 5\nwait never\n")
    result = fail("run", "quick", "--workload", workload, "--out", tmp_path / "out")
    assert naming("x.job:3:", "'main'", "task 0", "'never'").search(result)
    assert not (tmp_path / "out").exists()


def test_a_core_of_a_job_cannot_have_another_agent(tmp_path: Path) -> None:
    path = job(tmp_path)
    core = "  - {kind: synthetic_core, core: 2, instructions: 10}\n"
    result = fail("run", "quick", "--workload", write(path, path.read_text() + core))
    assert naming("job.yaml:3: core:", "core 2", "jobs").search(result), result


# Block requests next to a core cannot show this.
def test_slower_flash_reaches_the_program_and_not_its_partner() -> None:
    fast, slow = (
        stats("mix:dfsioe_r+mcf", **{READ_TIME: time, "nvdimm.precondition.overwrite": 0})
        for time in ("50us", "100us")
    )
    assert slow["agent.1.ipc"] < 0.9 * fast["agent.1.ipc"]
    assert slow["core.0.ipc"] > 0.98 * fast["core.0.ipc"]
    assert slow["agent.1.progress"] == pytest.approx(fast["agent.1.progress"], rel=0.01)


# Ten lines of each of three cores leave room in a queue of 128 entries; posted stores and an
# engine's lines do not.
def test_one_queue_slows_a_program_with_a_busy_partner() -> None:
    def gain(program: str, machine: str) -> float:
        workload = f"mix:{program}+mcf"
        one, two = (
            stats(workload, policy, nvdimm__access="line", frontend__node__machine=machine)[
                "core.0.ipc"
            ]
            for policy in ("unified_fr_fcfs,drained", "split,drained")
        )
        return float(two / one - 1)

    assert abs(gain("dfsioe_r", "table3")) < 0.02
    assert gain("dfsioe_r", "dma") > 1
    assert gain("dfsioe_w", "table3") > 1


def test_a_shuffle_of_four_nodes_sends_all_its_blocks() -> None:
    given = ("run", "quick", "--workload", "shuffle")
    found = nested_run(*given, "--set", "frontend.nodes.count=4")
    assert found["agent"]["0"]["finished"] == 1
    assert found["nvdimm"]["reads"] >= 4 * 8 * 32 * 64
    for node in found["node"].values():  # eight blocks of 32 KiB to each of three
        assert node["network"]["messages"] == 24
        assert node["network"]["bytes"] == 24 * 32 * 1024
        assert node["network"]["in_busy"] == node["network"]["out_busy"] > 24 * 26e6
    slow = nested_run(
        *given, "--set", "frontend.nodes.count=4", "--set", "frontend.network.rate=100Mb/s"
    )
    # The slow links need at least this time for the bytes that a node sends.
    assert slow["agent"]["0"]["makespan_us"] > 24 * 32 * 1024 * 8 / 100
    assert slow["agent"]["0"]["makespan_us"] > found["agent"]["0"]["makespan_us"]
    refused = fail(*given)
    assert naming("shuffle.yaml:4: nodes:", "node 1", "frontend.nodes.count").search(refused)
    assert len(refused.splitlines()) == 1


def test_a_message_to_no_task_is_an_error(tmp_path: Path) -> None:
    workload = job(tmp_path, "tasks: 2", "thread main\nsend 2 go 64B\n")
    result = fail("run", "quick", "--workload", workload, "--out", tmp_path / "out")
    assert naming("x.job:2:", "task 2", "1").search(result), result
    assert not (tmp_path / "out").exists()


def causal(folder: Path, records: list[int]) -> Path:
    end = (TWO_MEMORIES | CAUSES, 2, (1, 2, 3), b"job")
    write_records(folder / "t.hmsim.zst", records, *end)
    keys = "format: hmsim, cores: [0, 1]"
    return write(folder / "job.yaml", f"agents:\n  - {{kind: job, path: t.hmsim.zst, {keys}}}\n")


def escape(code: int, content: int = 0, vcpu: int = 0) -> int:
    return content | 3 << 40 | vcpu << 42 | code << 45


# Thread 7 reads a page, and wakes thread 9, which waits from the beginning.
CAUSAL = [
    escape(escapes.RUN, 7),
    escape(escapes.BIO, 1),
    1 << 39 | 64 | 100 << 45,
    escape(escapes.BIO_END),
    escape(escapes.WAKE, 9),
    escape(escapes.RUN, 9 | escapes.WAITS << 16),
    escape(escapes.ADD, 5000),
]


@pytest.mark.parametrize(("machine", "lines"), [("table3", 1), ("dma", 64)])
def test_a_trace_with_causes_brings_its_threads(machine: str, lines: int, tmp_path: Path) -> None:
    options = ("--set", f"frontend.node.machine={machine}", "--set", "nvdimm.precondition.fill=1")
    found = nested_run("run", "quick", "--workload", causal(tmp_path, CAUSAL), *options)
    agent = found["agent"]["0"]
    assert set(agent["thread"]) == {"0", "1"}
    assert found["nvdimm"]["reads"] == lines
    assert agent["progress"] in (5000, 5100)  # those of the copy are left out where cores copy
    assert agent["thread"]["1"]["waiting"] > 50e6  # until the flash has been read


def test_a_thread_that_runs_twice_at_a_time_is_an_error(tmp_path: Path) -> None:
    path = causal(tmp_path, [*CAUSAL, escape(escapes.RUN, 9, vcpu=1)])
    done = fail("run", "quick", "--workload", path, "--out", tmp_path / "out")
    assert naming("t.hmsim.zst: record 8:", "thread 9", "vCPU 0").search(done)
    assert not (tmp_path / "out").exists()
