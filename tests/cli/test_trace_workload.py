# SPDX-License-Identifier: BSD-3-Clause
"""A trace in place of a workload, and the file that hmsim workload new writes."""

from __future__ import annotations

import json
from pathlib import Path

import hmsim
import pytest
from hmsim.workloads.simpoints import is_list
from hmsim.workloads.trace_workload import keys_of, trace_of, written
from hmsim.workloads.workload import load_workload
from support import parsed

SHIPPED = Path(hmsim.__file__).resolve().parents[2] / "workloads"
BLOCKS = SHIPPED / "blocks" / "build.blkparse.zst"
MISSES = SHIPPED / "demo" / "network_simplex.hmsim.zst"


def test_a_trace_runs_as_the_workload_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    texts = [f"{BLOCKS},requests=40", f"{MISSES},cores=1-2,instructions=5000", str(MISSES)]
    keys_of_each = [keys_of(Path(text.partition(",")[0]), text) for text in texts]
    path.write_text(written(keys_of_each, tmp_path), encoding="utf-8")
    agents = [dict(agent.flat()) for agent in load_workload(path).agents]
    assert [each["core"] for each in agents] == ["0", "1", "2", "3"]
    assert [each["kind"] for each in agents] == ["block_trace", *["llc_trace"] * 3]
    assert "    # replay: closed  #" in path.read_text(encoding="utf-8")
    keys = {"kind": "block_trace", "path": str(BLOCKS), "format": "blkparse", "requests": 40}
    expected = hmsim.run("quick", {"agents": [keys]}).stats
    assert dict(hmsim.run("quick", texts[0]).stats) == dict(expected)


def test_cores_of_a_job_are_exclusive_and_others_run_copies() -> None:
    capture = SHIPPED / "captures" / "sort.hmsim.zst"
    if capture.is_file():
        (job,) = load_workload(f"{capture},cores=1-3").agents
        assert (job.kind, dict(job.flat())["cores"]) == ("job", "1-3")
    copies = load_workload(f"{MISSES},cores=2-4").agents
    assert [dict(agent.flat())["core"] for agent in copies] == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (",requests", "'requests' is not KEY=VALUE"),
        (",cores=3-1", "must be a core or a range such as 0-3, got '3-1'"),
        (",format=champsm", "did you mean 'champsim'"),
    ],
)
def test_invalid_keys_of_a_trace_are_rejected(keys: str, message: str) -> None:
    with pytest.raises(hmsim.InputError, match=message):
        load_workload(f"{MISSES}{keys}")


def test_a_workload_needs_no_suffix(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("agents:\n- {kind: io_pattern, size: 4KiB, requests: 1}\n", encoding="utf-8")
    assert trace_of(str(path)) is None
    assert load_workload(path).agents[0].kind == "io_pattern"


def test_a_trace_may_be_larger_than_a_job_file(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_text("3 20734016\n" * 400_000, encoding="utf-8")
    assert trace_of(str(path)) == path


CUT = 2500  # records of the first SimPoint's trace


@pytest.fixture
def program(tmp_path: Path) -> tuple[int, int]:
    """Write a trace and its two parts; return the instructions of each."""
    records = [(i % 60, i * 7919 % 10007 * 64) for i in range(4000)]
    for name, part in (("whole", records), ("a", records[:CUT]), ("b", records[CUT:])):
        text = "".join(f"{gap} {address}\n" for gap, address in part)
        (tmp_path / name).write_text(text, encoding="utf-8")
    first, second = (sum(gap + 1 for gap, _ in part) for part in (records[:CUT], records[CUT:]))
    return first, second


def of_list(folder: Path, lines: str, keys: str = "", **options: int) -> dict[str, float]:
    path = folder / "list"  # recognised by content
    path.write_text(f"# SimPoints\n\n{lines}\n", encoding="utf-8")
    return dict(hmsim.run("quick", f"{path}{keys}", **options).stats)


def test_simpoints_are_weighted_by_instructions(tmp_path: Path, program: object) -> None:
    """IPC and rates are weighted harmonically, latencies by requests per instruction."""
    alone = [
        hmsim.run("quick", f"{tmp_path / name},instructions=30000", warmup=warmup).stats
        for name, warmup in (("a", 5000), ("b", 9000))
    ]
    keys = {"keys": ",instructions=30000", "warmup": 5000}
    stats = of_list(tmp_path, "a 3  # the first\nb 1 0 9000", **keys)
    assert of_list(tmp_path, "a .75\nb .25 0 9000", **keys) == stats
    for name in ("core.0.ipc", "agent.0.rate"):
        x, y = (each[name] for each in alone)
        assert stats[name] == pytest.approx(1 / (0.75 / x + 0.25 / y), rel=1e-12)
    assert [stats[f"core.0.window.{k}.ipc"] for k in (0, 1)] == [r["core.0.ipc"] for r in alone]
    latency = "dram.read_latency_ns"
    counts = [w * each[f"{latency}.count"] for w, each in zip((3, 1), alone)]
    total = sum(n * each[f"{latency}.mean"] for n, each in zip(counts, alone))
    assert stats[f"{latency}.mean"] == pytest.approx(total / sum(counts), rel=1e-12)
    assert stats["sim.ticks"] == sum(each["sim.ticks"] for each in alone)
    assert "dram.read_latency_ns.p99" not in stats


def test_one_simpoint_is_its_trace(tmp_path: Path, program: object) -> None:
    plain = hmsim.run("quick", str(tmp_path / "a")).stats
    stats = of_list(tmp_path, "a 1")
    del stats["core.0.window.0.ipc"]
    assert stats == pytest.approx({name: plain[name] for name in stats}, rel=1e-12)


def test_simpoints_are_windows_that_start_cold(tmp_path: Path, program: tuple[int, int]) -> None:
    """The first SimPoint is its window; the next starts with idle memory, and is faster here.

    Traces of parts, and parts of a trace, are equal. A warm-up ends with requests in flight, so a
    warm SimPoint differs from its window by some hundred cycles.
    """
    first, second = program
    agent = {"kind": "llc_trace", "core": 0, "path": str(tmp_path / "whole"), "format": "ramulator"}
    windows = [
        {"instructions": first, "weight": first},
        {"skip": first, "instructions": second, "weight": second},
    ]
    expected = hmsim.run("quick", {"agents": [{**agent, "windows": windows}]}).stats
    cut = of_list(tmp_path, f"a {first}\nb {second}")
    head = f"whole {first} 0 0 {first}\n"
    assert of_list(tmp_path, f"{head}whole {second} {first} 0 {second}") == cut
    window = "core.0.window.0.ipc"
    assert cut[window] == pytest.approx(expected[window], rel=1e-4)
    assert 1 < cut["core.0.ipc"] / expected["core.0.ipc"] < 1.005
    warm = of_list(tmp_path, f"{head}whole {second} 0 {first} {second}")
    assert warm["core.0.ipc"] == pytest.approx(expected["core.0.ipc"], rel=0.005)


def test_compare_runs_simpoints_one_by_one(tmp_path: Path, program: object) -> None:
    """Two cores have slowdowns; --out holds each SimPoint's run; a sweep's points are the same."""
    path = tmp_path / "mcf.simpoints"
    path.write_text("a 1\nb 3 0 2000 9000\n", encoding="utf-8")
    given = f"{path},cores=0-1,instructions=10000"
    systems = ("quick", "--policy", "split", "--policy", "hms", "--seeds", "1")
    out = tmp_path / "out"
    arguments = ("compare", *systems, "--trace", given, "--out", str(out))
    rows = parsed(*arguments)
    assert [(row["workload"], row["policy"]) for row in rows] == [("mcf", "split"), ("mcf", "hms")]
    run = hmsim.run("quick", given, policy="split")
    assert [run.stats[f"core.{n}.ipc"] for n in (0, 1)] == [
        rows[0][f"core.{n}.ipc"] for n in (0, 1)
    ]
    alone = hmsim.run("quick", f"{path},instructions=10000", policy="split").stats
    slowdown = alone["agent.0.rate"] / run.stats["agent.0.rate"]
    assert rows[0]["agent.0.slowdown"] == pytest.approx(slowdown)
    records = [
        json.loads((out / "mcf" / "split" / f / "run.json").read_text()) for f in ("", "simpoint.1")
    ]
    assert records[0]["workload"]["weights"] == [0.25, 0.75]
    assert records[1]["warmup_instructions"] == 2000
    assert dict(records[1]["workload"]["agents"][1])["instructions"] == "9000"
    table = hmsim.run_points([hmsim.point("quick", given, policy="split")], tmp_path / "points")
    assert table["core.0.ipc"][0] == run.stats["core.0.ipc"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# none\n", r"bad.simpoints: has no SimPoint; expected lines PATH WEIGHT"),
        (b"\xff\xfe\x00", r"bad.simpoints: is not text; expected lines PATH WEIGHT"),
        (b"a\n", r"bad.simpoints:1: expected PATH WEIGHT .*, got 'a'"),
        (b"a 1 2 3 4 5\n", r"bad.simpoints:1: expected PATH WEIGHT .*, got 'a 1 2 3 4 5'"),
        (b"a 1\n\na 0\n", r"bad.simpoints:3: weight: must be a number above 0, got '0'"),
        (b"a inf\n", r"bad.simpoints:1: weight: must be a number above 0, got 'inf'"),
        (b"whol 1\n", r"bad.simpoints:1: path: .*: No such file .*; did you mean 'whole'\?"),
        (b"a 1\na 1 -5\n", r"bad.simpoints:2: skip: '-5' is outside"),
        (b"a 1 0 -5\n", r"bad.simpoints:1: warmup: must not be negative, got -5"),
        (b"a 1 0 0 1.5\n", r"bad.simpoints:1: instructions: '1.5' is not a whole number"),
        (b"a 1 1e9\n", r"bad.simpoints:1: skip: the trace has no record after 1000000000"),
        (b"blocks 1\n", r"bad.simpoints:1: blocks: must be a trace of instructions or misses"),
    ],
)
def test_lists_are_validated(tmp_path: Path, program: object, content: bytes, message: str) -> None:
    (tmp_path / "blocks").write_text("0 0 8 8 1\n16 0 16 8 1\n", encoding="utf-8")
    path = tmp_path / "bad.simpoints"
    path.write_bytes(content)
    with pytest.raises(hmsim.InputError, match=message):
        hmsim.run("quick", path)


def test_fuzzing_seeds_are_not_simpoint_lists() -> None:
    """Formats with a word and a number in a line, such as LD 4096, remain traces."""
    seeds = Path(__file__).parents[1] / "fuzz" / "seeds"
    found = [path for path in seeds.rglob("*") if path.is_file() and is_list(path)]
    assert not found
