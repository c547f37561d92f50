# SPDX-License-Identifier: BSD-3-Clause
"""Does `hmsim export device-curve` measure a known device, and can its replay be wrong?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hmsim
import pandas
import pytest
from hmsim import DeviceCurve
from messages import naming
from support import REPO, fail, succeed, write

# Four channels; a read takes 100 us and 10 us per 4 KiB, a write 10 us and 20 us.
TINY = f"""\
base: {REPO}/configs/mascots16.yaml
nvdimm: {{present: false}}
storage:
  kind: table
  capacity: 4GiB
  path: {{driver: none, max_request: 4MiB}}
  table: {{read: "4KiB=110us, 8KiB=120us", write: "4KiB=30us, 8KiB=50us", channels: 4}}
"""
BAND = 0.05


def test_a_tiny_devices_curve_matches_its_table(tmp_path: Path) -> None:
    out = tmp_path / "c.json"
    arguments = (write(tmp_path / "tiny.yaml", TINY), "--jobs", "1", "--out", out)
    text = succeed("export", "device-curve", *arguments)
    content = json.loads(out.read_text(encoding="utf-8"))
    for row in content["rows"]:
        base, slope = (100, 10) if row["direction"] == "read" else (10, 20)
        time = base + slope * row["size"] / 4096
        assert row["base_latency"] == pytest.approx(base)
        assert row["bandwidth"] == pytest.approx(4 * row["size"] / time, rel=1e-3)
        assert row["saturation_queue_depth"] == row["saturation_queue_depth_high"] == 4
        assert row["single_transfer_share"] == pytest.approx(0.25, rel=1e-3)
        # BLIS's time of one transfer: base + bytes / (f x bandwidth).
        part = min(1, row["size"] / (time - base) / row["bandwidth"])
        assert row["single_transfer_fraction"] == pytest.approx(part, rel=1e-3)
        assert row["latency_jitter_stddev"] == pytest.approx(0, abs=1e-3)
    model = DeviceCurve.load(out)
    assert model.time(12 << 10, 3, "read") == pytest.approx(130)
    assert model.time(12 << 10, 6, "write") == pytest.approx(70 * 6 / 4, rel=1e-3)
    assert model.time(8 << 20, 64, "read") == pytest.approx(2 * 16 * 10340, rel=0.01)
    device = content["kv_offload_devices"]["tiny_fresh_64KiB"]
    assert device["write_bandwidth"] == pytest.approx(4 * 65536 / 330, rel=1e-3)
    assert len(pandas.read_csv(f"{out}.csv")) == 6 * len(content["rows"])
    alike = [row for row in content["check"] if row["mix"] == "none"]
    assert max(row["table_error"] for row in alike) < BAND
    assert "directions" in text and str(out) in text
    # Ramps of twice the depth would be noticed.
    wrong = [{**row, "saturation_queue_depth": 8} for row in content["rows"]]
    for rows, good in ((content["rows"], True), (wrong, False)):
        ramp = DeviceCurve(rows, formula=True)
        got = [row["us"] / ramp.time(row["size"], row["depth"], row["direction"]) for row in alike]
        assert (sorted(abs(1 / each - 1) for each in got)[len(got) // 2] < BAND) == good
    assert "c.json: exists" in fail("export", "device-curve", *arguments)


def row(**keys: Any) -> dict[str, Any]:
    rest = {"bandwidth": 10, "single_transfer_share": 0.5, "saturation_queue_depth": 2}
    rest |= {"state": "fresh", "direction": "read", "size": 1000, "latency_jitter_stddev": 0.1}
    return {**rest, "points": [[1, 200], [2, 200], [4, 400]], **keys}


def test_a_replay_queues_and_has_jitter() -> None:
    model = DeviceCurve([row()])
    requests = [(0.0, 1000, "read"), (50.0, 1000, "read"), (60.0, 1000, "read")]
    assert model.replay(requests) == [200, 200, 300]
    assert model.replay(requests, depth=1) == [200, 200, 200]
    times = pandas.Series(model.replay([(0.0, 1000, "read")] * 4000, 1, seed=1))
    assert times.mean() == pytest.approx(200, rel=0.01)
    assert times.std() == pytest.approx(20, rel=0.05)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("{", ("c.json: is not JSON",)),
        ("[" * 100_000, ("c.json: is not JSON",)),
        ("[]", ("c.json: ", "format")),
        ({"rows": {}}, ("c.json: rows",)),
        ({"rows": []}, ("c.json: ", "'fresh'")),
        ({"rows": [row(state="steady")]}, ("c.json: ", "'fresh'", "steady")),
        ({"rows": [1]}, ("c.json: rows", "bandwidth")),
        ({"rows": [row(bandwidth=-1)]}, ("c.json: rows", "positive")),
        ({"rows": [row(size=float("nan"))]}, ("c.json: rows", "positive")),
        ({"rows": [row(direction="both")]}, ("c.json: rows", "direction")),
        ({"rows": [row(size=10**400)]}, ("c.json: rows", "positive")),
        ({"rows": [row(points=[[2, 1]])]}, ("c.json: rows", "depth")),
        ({"rows": [row(latency_jitter_stddev="x")]}, ("c.json: rows", "jitter")),
    ],
)
def test_damaged_curves_are_one_error(tmp_path: Path, content: Any, parts: tuple[str, ...]) -> None:
    if isinstance(content, dict):
        content = json.dumps({"format": "hmsim device curve 1", **content})
    with pytest.raises(hmsim.InputError, match=naming(*parts)) as caught:
        DeviceCurve.load(write(tmp_path / "c.json", content))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("validate_ddr3", "--out", "c.json"), ("validate_ddr3: ", "NVDIMM")),
        (("quick", "--out", "no/c.json"), ("no",)),
        (("quick", "--out", "c.json", "--set", "x=1"), ("--set", "x")),
    ],
)
def test_systems_without_a_curve_are_reported(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    parts: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert naming(*parts).search(fail("export", "device-curve", *arguments))
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("size", "depth", "direction"), [(0, 1, "read"), (4096, 0, "read"), (4096, 1, "trim")]
)
def test_absurd_transfers_are_rejected(size: int, depth: int, direction: str) -> None:
    with pytest.raises(hmsim.InputError, match=r"size|direction"):
        DeviceCurve([row()]).time(size, depth, direction)
