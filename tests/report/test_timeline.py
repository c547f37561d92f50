# SPDX-License-Identifier: BSD-3-Clause
"""Does a timeline agree with the run's statistics, and can viewers read its file?"""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import runs
from hmsim.timeline import Timeline, read_timeline
from hmsim.timeline.kinds import CODES
from hmsim.timeline.phases import story_of
from messages import naming
from support import invoke, succeed

VARIANTS = {
    "grant": {},
    "auto": {"controller.ack": "auto"},
    "nvdimm_p": {"controller.ack": "nvdimm_p"},
    "side band": {"controller.ack_slots": "0"},
    "two channels": {"controller.channels": "2"},
    "private buses": {"controller.bus": "private", "controller.queues": "split"},
    "ddr5": {
        "dram.preset": "ddr5_4800b_16gb_x8",
        "dram.refresh_mode": "same_bank",
        "controller.address_map": "row|bank|rank|column|group|channel",
    },
    "power-down": {"dram.power_down": "fast", "dram.ranks": "2"},
    "clever flash": {
        "nvdimm.nand.planes": "2",
        "nvdimm.nand.multi_plane": "true",
        "nvdimm.nand.cache": "true",
        "nvdimm.nand.suspend": "both",
    },
    "planes in turn": {"nvdimm.nand.planes": "2", "nvdimm.gc.hold_channel": "true"},
    "pcm": {"nvdimm.kind": "pcm"},
}


ON_DEMAND = {"nvdimm.buffer.manager": "on_demand", "nvdimm.nand.suspend": "none"}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the usual kind, with its log."""
    directory = tmp_path_factory.mktemp("plain") / "run"
    runs.make(directory, command_log=True, request_log=True)
    return directory


@pytest.fixture(scope="module")
def collecting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that collects garbage, with its log."""
    directory = tmp_path_factory.mktemp("collecting") / "run"
    runs.make(directory, ON_DEMAND, runs.WRITES, command_log=True)
    return directory


def events_of(path: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Check a file against the trace-event format. Return its slices by process and thread name."""
    trace = json.loads(path.read_text(encoding="utf-8"))
    assert trace["displayTimeUnit"] == "ns"
    names: dict[tuple[str, int, int], str] = {}
    slices = defaultdict(list)
    for event in trace["traceEvents"]:
        assert {"ph", "name", "pid", "tid", "ts"} <= set(event)
        if event["ph"] == "M":
            if "name" in event["args"]:
                names[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
            continue
        assert event["ph"] == "X" and event["dur"] >= 0 and event["ts"] >= 0
        place = (
            names["process_name", event["pid"], 0],
            names["thread_name", event["pid"], event["tid"]],
        )
        slices[place].append(event)
    for place, found in slices.items():
        for one, other in zip(found, found[1:]):
            assert round(one["ts"] * 1e6) + round(one["dur"] * 1e6) <= round(other["ts"] * 1e6), (
                f"{place}: {one} and {other} overlap"
            )
    return slices


def busy(timeline: Timeline, name: str, *kinds: str) -> int:
    """Return the picoseconds of slices on tracks of a name, of all kinds if none is given."""
    tracks = [n for n, track in enumerate(timeline.tracks) if track.name.startswith(name)]
    slices = timeline.slices[timeline.slices["track"].isin(tracks)]
    if kinds:
        slices = slices[slices["kind"].isin([CODES[kind] for kind in kinds])]
    return int(
        (slices["end_ps"].clip(upper=timeline.run.stats["sim.ticks"]) - slices["start_ps"])
        .clip(lower=0)
        .sum()
    )


@pytest.mark.parametrize(
    "variant",
    [name if name == "grant" else pytest.param(name, marks=pytest.mark.slow) for name in VARIANTS],
)
def test_the_file_keeps_the_formats_rules_and_tracks_add_up(tmp_path: Path, variant: str) -> None:
    writes = variant in ("clever flash", "planes in turn", "pcm")
    workload = runs.WRITES if writes else runs.MIX
    result = runs.make(tmp_path / "run", VARIANTS[variant], workload, command_log=True)
    succeed("timeline", tmp_path / "run")
    slices = events_of(tmp_path / "run" / "timeline" / "timeline.json")
    assert any(name == "command bus" for _, name in slices)

    timeline, stats = read_timeline(tmp_path / "run"), result.stats
    buses = sum(track.name == "data bus" for track in timeline.tracks)
    time = stats["sim.ticks"] * buses
    cycle = timeline.period_ps
    edge = 64 * cycle * buses  # a burst that ends after the run, and where the statistic is taken
    dram = busy(timeline, "data bus", "dram_read_data", "dram_write_data")
    nvdimm = busy(timeline, "data bus", "nvdimm_read_data", "nvdimm_write_data")
    assert dram == pytest.approx(stats["bus.dram_share"] * time, abs=edge)
    assert nvdimm == pytest.approx(stats["bus.nvdimm_share"] * time, abs=edge)
    slots = stats["bus.command_share"] + stats["bus.ack_share"]
    assert busy(timeline, "command bus") == pytest.approx(slots * time, abs=edge)
    if "nvdimm.nand.bus_utilisation" in stats:
        channels = timeline.run.number("nvdimm.nand.channels") * max(
            1, timeline.run.number("controller.channels")
        )
        held = variant == "planes in turn"  # gaps between commands, while the bus is held, count
        total = stats["nvdimm.nand.bus_utilisation"] * channels * stats["sim.ticks"]
        assert busy(timeline, "flash channel") <= total * (1 + 1e-9) + 1
        if not held and variant != "clever flash":
            assert busy(timeline, "flash channel") == pytest.approx(total, rel=1e-9)


def test_collections_last_as_long_as_the_statistic(collecting: Path) -> None:
    timeline = read_timeline(collecting)
    stats = timeline.run.stats
    assert stats["nvdimm.gc.count"] > 1
    done = timeline.slices[
        (timeline.slices["kind"] == CODES["collection"])
        & (timeline.slices["end_ps"] < stats["sim.ticks"])
    ]
    assert len(done) == stats["nvdimm.gc.duration_us.count"]
    mean = (done["end_ps"] - done["start_ps"]).sum() / len(done) / 1e6
    assert mean == pytest.approx(stats["nvdimm.gc.duration_us.mean"], rel=1e-9)


def test_operations_of_cells_last_their_time(collecting: Path) -> None:
    timeline = read_timeline(collecting)
    for kind, length, statistic in (
        ("flash_read", 50_000_000, "reads"),
        ("flash_program", 650_000_000, "programs"),
        ("flash_erase", 2_000_000_000, "erases"),
    ):
        slices = timeline.slices[timeline.slices["kind"] == CODES[kind]]
        whole = slices[slices["end_ps"] < timeline.end_ps]
        assert (whole["end_ps"] - whole["start_ps"] == length).all()
        # A request in progress at the end of the run is drawn but not counted.
        assert len(whole) <= timeline.run.stats[f"nvdimm.nand.{statistic}"] <= len(slices)


def test_rows_open_as_often_as_activates(plain: Path) -> None:
    timeline = read_timeline(plain)
    opened = (timeline.slices["kind"] == CODES["open_row"]).sum()
    assert opened == timeline.run.stats["dram.activates"]


def test_a_read_from_the_buffer_is_the_papers_figure_11(tmp_path: Path) -> None:
    """Spec: command in cycle 0, ack 43, grant 44, data 55 to 58 (Fig. 11a with a grant)."""
    runs.make(tmp_path / "run", workload=runs.ONE_AT_A_TIME, command_log=True)
    timeline = read_timeline(tmp_path / "run")
    story = story_of(timeline, 5)
    origin = story.phases[0].start
    cycles = [(phase.end - origin) / timeline.period_ps for phase in story.phases]
    assert cycles == [1, 43, 44, 45, 55, 59]
    # Fig. 11b: after the lookup the chip is activated and read; then the page leaves the chip.
    story = story_of(timeline, 64)
    lengths = {phase.name: phase.end - phase.start for phase in story.phases}
    assert lengths["flash command (tAT)"] == 300_000
    assert lengths["flash cells (tR)"] == 50_000_000
    assert lengths["page from the chip"] == 20_480_000
    for one, other in zip(story.phases, story.phases[1:]):
        assert one.end == other.start


def test_phases_of_dram_requests_match_the_request_log(plain: Path) -> None:
    timeline = read_timeline(plain)
    requests = pd.read_parquet(plain / "requests.parquet")
    for row in requests[requests["first_command_ps"] > 0].head(200).itertuples():
        phases = story_of(timeline, int(row.id)).phases
        assert all(phase.end > phase.start for phase in phases)
        assert phases[0].start == row.first_command_ps
        assert phases[-1].end == row.done_ps


@pytest.mark.parametrize("options", [(), ("--from", "10us", "--to", "30us"), ("--request", "40")])
def test_pictures_are_well_formed(plain: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    out = tmp_path / "out"
    succeed("timeline", plain, *options, "--out", out)
    assert {"timeline.json", "timeline.svg", "run.json"} <= {path.name for path in out.iterdir()}
    root = ElementTree.fromstring((out / "timeline.svg").read_text(encoding="utf-8"))
    assert root.tag.endswith("svg")
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        assert float(box.get("width", "0")) >= 0 and float(box.get("height", "0")) >= 0
    if options and options[0] == "--from":
        for found in events_of(out / "timeline.json").values():
            assert found[0]["ts"] >= 10
            assert found[-1]["ts"] + found[-1]["dur"] <= 30 + 1e-6


def test_invalid_arguments_exit_with_status_2(plain: Path, tmp_path: Path) -> None:
    def refused(*arguments: object) -> str:
        outcome = invoke("timeline", *arguments)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert "Traceback" not in outcome.stderr
        return outcome.stderr

    bare = tmp_path / "bare"
    runs.make(bare)
    assert "--command-log" in refused(bare)
    assert f"{tmp_path / 'nowhere'}: " in refused(tmp_path / "nowhere")
    assert naming(f"{tmp_path}:", "config.yaml").search(refused(tmp_path))
    assert "--from: " in refused(plain, "--from", "yesterday")

    damaged = tmp_path / "damaged"
    shutil.copytree(plain, damaged)
    log = damaged / "commands.parquet"
    log.write_bytes(log.read_bytes()[:-100])
    assert "commands.parquet: " in refused(damaged)
    commands = pd.read_parquet(plain / "commands.parquet")
    commands.drop(columns="rank").to_parquet(log)
    assert naming("commands.parquet:", "column 'rank'").search(refused(damaged))
    commands.iloc[::-1].to_parquet(log)
    assert naming("commands.parquet:", "order").search(refused(damaged))
    commands.assign(cycle="x").to_parquet(log)
    assert naming("commands.parquet:", "'cycle'", "whole numbers").search(refused(damaged))
    shutil.copy(plain / "commands.parquet", log)
    config = damaged / "config.yaml"
    config.write_text(config.read_text().replace("tCK: 1250", "tCK: many"))
    assert naming("dram.timing.tCK:", "'many'").search(refused(damaged))
    assert not (damaged / "timeline").exists()


def test_a_truncated_log_is_marked(tmp_path: Path) -> None:
    runs.make(tmp_path / "run", command_log=3000)
    timeline = read_timeline(tmp_path / "run")
    assert timeline.full
    assert timeline.end_ps < timeline.run.stats["sim.ticks"]
    succeed("timeline", tmp_path / "run")
    drawn = (tmp_path / "run" / "timeline" / "timeline.svg").read_text()
    assert "the run continued after its log" in drawn or "the log of commands ends at" in drawn


def test_a_log_may_begin_after_a_warm_up(tmp_path: Path) -> None:
    runs.make(tmp_path / "run", command_log=True, warmup="20us")
    succeed("timeline", tmp_path / "run")
    slices = events_of(tmp_path / "run" / "timeline" / "timeline.json")
    assert min(found[0]["ts"] for found in slices.values()) >= 19
