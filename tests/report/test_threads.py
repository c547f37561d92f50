# SPDX-License-Identifier: BSD-3-Clause
"""Do timelines and pages agree with the run's statistics about threads?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import runs
from hmsim.report.jobs import STATES
from hmsim.timeline import Timeline, read_timeline
from hmsim.timeline.kinds import CODES
from hmsim.timeline.threads import CORES, NODE, THREADS
from messages import naming
from support import invoke, succeed

PROGRAM = """\
thread main
compute 4000
read 7 2
wake helper
sleep 20us
write 90
sync
thread helper 2
compute 400
wait helper
load 0x1000
wake helper
thread <b>&"odd
compute 4000
"""
SMALL = {"nvdimm.precondition.fill": "0.02", "nvdimm.precondition.overwrite": "0"}


def make(folder: Path, machine: str = "table3", tasks: int = 1, **keywords: object) -> Path:
    """Run two jobs, of which one starts over, and return the run's directory."""
    (folder / "x.job").write_text(PROGRAM)
    (folder / "y.job").write_text("thread a\nread 3\ncompute 90000\n")
    text = (
        "agents:\n"
        f"  - {{kind: job, path: x.job, format: job, cores: [1, 2], tasks: {tasks}}}\n"
        "  - {kind: job, path: y.job, format: job, cores: [2, 5]}\n"
    )
    overrides = {**SMALL, "frontend.node.machine": machine}
    keywords.setdefault("command_log", True)
    runs.make(folder / "run", overrides, text, "jobs", **keywords)
    return folder / "run"


@pytest.fixture(scope="module", params=["table3", "dma"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with jobs, and its log."""
    return make(tmp_path_factory.mktemp("jobs"), request.param)


def slices_of(timeline: Timeline, part: int, *place: int) -> pd.DataFrame:
    index = [track.place for track in timeline.tracks].index((NODE, part, *place))
    return timeline.slices[timeline.slices["track"] == index]


def total(slices: pd.DataFrame, *kinds: str) -> int:
    some = slices[slices["kind"].isin([CODES[kind] for kind in kinds])]
    return int((some["end_ps"] - some["start_ps"]).sum())


def test_tracks_add_up_to_the_statistics(run: Path) -> None:
    timeline = read_timeline(run)
    stats = timeline.run.stats
    assert stats["sim.ticks"] > stats["agent.1.makespan_us"] * 1e6  # it starts over meanwhile
    for core in (1, 2, 5):
        if stats[f"core.{core}.busy"]:
            slices = slices_of(timeline, CORES, core)
            assert total(slices, "core_runs", "core_copies") == stats[f"core.{core}.busy"]
    for thread in range(4):
        slices = slices_of(timeline, THREADS, 0, thread)
        path = f"agent.0.thread.{thread}"
        assert total(slices, "running", "copying") == stats[f"{path}.running"]
        for state in set(STATES.values()) - {"running"}:
            assert total(slices, state) == stats[f"{path}.{state}"], state
        assert (slices["start_ps"].iloc[1:].to_numpy() == slices["end_ps"].iloc[:-1]).all()
    copied = stats["agent.0.time.copying"]
    assert (copied > 0) == (timeline.run.config["frontend.node.machine"] == "table3")


def test_files_and_pictures_name_threads(run: Path, tmp_path: Path) -> None:
    succeed("timeline", run, "--out", tmp_path / "out", "--from", "1us", "--to", "60us")
    trace = json.loads((tmp_path / "out" / "timeline.json").read_text(encoding="utf-8"))
    names = {e["args"].get("name") for e in trace["traceEvents"] if e["ph"] == "M"}
    assert {"node", "core 1", "threads of agent 0", "main 0", "helper 2", '<b>&"odd 3'} <= names
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    on_core = {event["name"] for event in slices if event["cat"] == "core_runs"}
    assert "0: helper 2" in on_core  # of several jobs with the number of the agent
    assert min(event["ts"] for event in slices) >= 1
    assert max(event["ts"] + event["dur"] for event in slices) <= 60 + 1e-6
    picture = (tmp_path / "out" / "timeline.svg").read_text(encoding="utf-8")
    assert "&lt;b&gt;&amp;" in picture and "<b>" not in picture
    assert "thread waits for another" in picture


def test_threads_continue_after_a_full_log_of_commands(tmp_path: Path) -> None:
    timeline = read_timeline(make(tmp_path, command_log=300))
    assert timeline.full and timeline.channels_end_ps < timeline.end_ps
    succeed("timeline", tmp_path / "run")
    picture = (tmp_path / "run" / "timeline" / "timeline.svg").read_text(encoding="utf-8")
    assert "the log of commands ends at" in picture
    log = timeline.run.origin["command_log"]
    assert log["full"] and not log["threads_full"]
    table = pd.read_parquet(tmp_path / "run" / "threads.parquet")
    assert len(table) == log["thread_rows"]
    assert list(table.columns) == [
        *("begin_ps", "end_ps", "agent", "thread", "task", "name", "state", "core")
    ]


def test_invalid_logs_give_one_error(run: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(run, damaged)
    log = damaged / "threads.parquet"
    whole = pd.read_parquet(log)
    for table, values in (
        (whole.drop(columns="core"), ("column 'core'",)),
        (whole.assign(core=300), ("column 'core'", "impossible")),
        (whole.assign(begin_ps=-1), ("column 'begin_ps'", "impossible")),
        (whole.assign(thread="x"), ("column 'thread'", "whole numbers")),
        (whole.assign(state="dreaming"), ("'dreaming'",)),
    ):
        table.to_parquet(log)
        outcome = invoke("timeline", damaged)
        assert (outcome.exit_code, len(outcome.stderr.splitlines())) == (2, 1)
        assert naming("threads.parquet:", *values).search(outcome.stderr), outcome.stderr
    log.unlink()  # as hmsim wrote runs before
    succeed("timeline", damaged)
    assert not [t for t in read_timeline(damaged).tracks if t.place[0] == NODE]
