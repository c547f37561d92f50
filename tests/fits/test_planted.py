# SPDX-License-Identifier: BSD-3-Clause
"""Fits of planted machines: targets are measured on a machine whose keys are known, with 1 % noise.

Which keys the targets can determine is computed beforehand, by differences at the planted machine:
those whose value, changed by 10 %, moves a target by three bands. They must be found within 5 %.
Those that move every target by less than one and a half bands must be called undetermined; between
the two, no planted key lies.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hmsim
import pytest
import yaml
from hmsim.fits.space import number

BAND = 0.015  # half a band, of a target
NOISE = 0.01


def blocks(depth: int, requests: int, **more: Any) -> dict[str, Any]:
    """Return a workload of block I/O at random places."""
    keys = {"kind": "io_pattern", "threads": 1, "depth": depth, "size": "4KiB"}
    return {"agents": [{**keys, "access": "random", "requests": requests, **more}]}


def lines(outstanding: int, requests: int, **more: Any) -> dict[str, Any]:
    """Return a workload of lines of DRAM."""
    keys = {"kind": "synthetic", "target": "dram", "pattern": "random", "footprint": "64MiB"}
    return {"agents": [{**keys, "outstanding": outstanding, "requests": requests, **more}]}


def core(**more: Any) -> dict[str, Any]:
    keys = {"kind": "synthetic_core", "pattern": "random", "footprint": "64MiB"}
    return {"agents": [{**keys, "instructions": 40_000, **more}]}


@dataclass(frozen=True)
class Planted:
    """A machine to be found."""

    config: str
    truth: dict[str, str]  # the planted values
    over: dict[str, Any]
    runs: dict[str, dict[str, Any]]
    of: tuple[str, ...]  # formulas of the targets
    sets: dict[str, Any]
    undetermined: tuple[str, ...] = ()
    constants: dict[str, Any] = field(default_factory=dict)


def between(low: str, high: str) -> dict[str, str]:
    return {"from": low, "to": high}


READ, RATE = "agent.0.request_latency_us.read.mean", "agent.0.rate"
P3700 = {"nvdimm.access": "auto"}
DRAM = {"nvdimm.present": False, "controller.queues": "unified", "dram.refresh": False}
PLANTED = {
    "a drive's read time": Planted(
        *("nvdimm_p3700", {"nvdimm.nand.read_time": "61us"}),
        {"nvdimm.nand.read_time": between("20us", "90us")},
        {"one": {"workload": blocks(1, 300, read_share=1)}},
        *((f"one.{READ}",), P3700),
    ),
    "two times that only their sum shows": Planted(
        *("nvdimm_p3700", {"nvdimm.nand.read_time": "52us", "nvdimm.firmware.time": "7us"}),
        {
            "nvdimm.nand.read_time": between("30us", "70us"),
            "nvdimm.firmware.time": between("0us", "30us"),
        },
        {"one": {"workload": blocks(1, 300, read_share=1)}},
        *((f"one.{READ}",), P3700),
        ("nvdimm.nand.read_time", "nvdimm.firmware.time"),
    ),
    "read time and firmware that occupies its processor": Planted(
        *("nvdimm_p3700", {"nvdimm.nand.read_time": "55us", "nvdimm.firmware.occupied": "4us"}),
        {
            "nvdimm.nand.read_time": between("30us", "90us"),
            "nvdimm.firmware.occupied": between("2us", "8us"),
        },
        {
            "one": {"workload": blocks(1, 300, read_share=1)},
            "many": {"workload": blocks(64, 3000, read_share=1)},
        },
        *((f"one.{READ}", f"many.{RATE}"), {**P3700, "nvdimm.firmware.time": "6us"}),
    ),
    "a solid state drive's commands": Planted(
        *("storage/mqsim_ssd", {"storage.flash.command": "27us"}),
        {"storage.flash.command": between("5us", "60us")},
        {
            "one": {"workload": blocks(1, 300, read_share=1)},
            "few": {"workload": blocks(4, 1000, read_share=1)},
        },
        *((f"one.{READ}", f"few.{RATE}"), {"storage.flash.nand.read_time": "10us"}),
    ),
    "a fast drive's fixed time": Planted(
        *("storage/nvme", {"storage.memory.read_base": "5us"}),
        {"storage.memory.read_base": between("1us", "30us")},
        {"four": {"workload": blocks(4, 1000, read_share=1)}},
        *((f"four.{RATE}", f"four.{READ}"), {}),
    ),
    "latencies of closed rows and of open ones": Planted(
        *("validate_ddr3", {"dram.timing.tRCD": "17", "dram.timing.CL": "13"}),
        {"dram.timing.tRCD": between("6", "30"), "dram.timing.CL": between("8", "24")},
        {
            "rows": {"workload": lines(1, 800), "controller.page_policy": "closed_page"},
            "hits": {"workload": lines(1, 800, pattern="sequential")},
        },
        ("rows.dram.read_latency_ns.mean", "hits.dram.read_latency_ns.mean"),
        DRAM,
    ),
    "a mix's base cycles": Planted(
        *("quick", {"agent.0.base_cpi": "0.8"}),
        {"agent.0.base_cpi": between("0.3", "2.0")},
        {"busy": {"workload": core(rpki=1, wpki=0)}},
        *(("busy.core.0.ipc",), DRAM),
    ),
    "a mix whose misses hide the base cycles": Planted(
        *("quick", {"agent.0.base_cpi": "0.5", "agent.0.rpki": "150"}),
        {"agent.0.base_cpi": between("0.25", "1.0"), "agent.0.rpki": between("50", "400")},
        {"missing": {"workload": core(wpki=0)}},
        *(("missing.core.0.ipc",), DRAM),
        ("agent.0.base_cpi",),
    ),
    "a curve of bandwidth": Planted(
        *("validate_ddr3", {"dram.timing.tFAW": "60"}),
        {"dram.timing.tFAW": {"from": "30", "to": "120", "scale": "log"}},
        {f"load_{n}": {"workload": lines(n, 1500)} for n in (8, 16, 32)},
        tuple(f"load_{n}.dram.bandwidth_gb_per_s" for n in (16, 32)),
        DRAM,
    ),
    "a constant that no run has": Planted(
        *("validate_ddr3", {"dram.timing.tRCD": "60", "network": "80"}),
        {"dram.timing.tRCD": between("20", "120")},
        {"rows": {"workload": lines(1, 800), "controller.page_policy": "closed_page"}},
        ("rows.dram.read_latency_ns.mean + network", "rows.dram.bandwidth_gb_per_s"),
        DRAM,
        constants={"network": between("0", "200")},
    ),
}


def file(planted: Planted, targets: dict[str, Any], path: Path) -> Path:
    """Write a fit file with these targets."""
    content = {"config": planted.config, "set": planted.sets, "over": planted.over}
    content |= {"constants": planted.constants} if planted.constants else {}
    content |= {"runs": planted.runs, "targets": targets}
    path.write_text(yaml.safe_dump({k: v for k, v in content.items() if v}), encoding="utf-8")
    return path


def measured(planted: Planted, values: dict[str, str], folder: Path) -> list[float]:
    """Return the targets of a machine by a bench of its own: ``hmsim.run`` for each run."""
    stats = {}
    for name, run in planted.runs.items():
        keys = {**planted.sets, **run, **values}
        agents = {k.split(".")[2]: v for k, v in keys.items() if k.startswith("agent.0.")}
        system = {k: v for k, v in keys.items() if "." in k and not k.startswith("agent.")}
        workload = {"agents": [{**run["workload"]["agents"][0], **agents}]}
        config = hmsim.load_config(planted.config, system)
        stats[name] = hmsim.run(config, workload).stats
    found = []
    for formula in planted.of:
        total = 0.0
        for term in formula.split(" + "):
            run, _, path = term.partition(".")
            total += stats[run][path] if path else float(values[term])
        found.append(total)
    return found


def changed(text: str, factor: float) -> str:
    """Return a value times a factor; whole numbers stay whole."""
    value = number(text) * factor
    unit = text.lstrip("0123456789.")
    return f"{round(value) if text.isdecimal() else value:.6g}{unit}"


@pytest.mark.parametrize("name", PLANTED)
def test_planted_keys_are_recovered(name: str, tmp_path: Path) -> None:
    planted = PLANTED[name]
    exact = measured(planted, planted.truth, tmp_path)
    noise = random.Random(name)
    targets = {
        f"target_{n}": {
            "of": of,
            "is": value * (1 + noise.uniform(-NOISE, NOISE)),
            "within": f"{BAND:%}",
        }
        for n, (of, value) in enumerate(zip(planted.of, exact))
    }
    found = hmsim.fit(
        file(planted, targets, tmp_path / "fit.yaml"), tmp_path / "out", trials=40, jobs=1
    )
    keys = found.keys.set_index("key")
    assert set(found.targets["verdict"]) <= {"in band", "knife-edge"}
    for key, true in planted.truth.items():
        moved = changed(true, 1.1)
        other = measured(planted, {**planted.truth, key: moved}, tmp_path)
        apart = number(moved) / number(true) - 1
        bands = max(abs(b / a - 1) for a, b in zip(exact, other)) / BAND * 0.1 / apart
        if key in planted.undetermined:
            assert bands < 1.5 or keys.at[key, "moves with"], (key, bands)
            assert keys.at[key, "verdict"] == "undetermined", found.keys
        else:
            assert bands >= 3, (key, bands)
            assert keys.at[key, "verdict"] == "determined", found.keys
            assert number(keys.at[key, "fitted"]) == pytest.approx(number(true), rel=0.05)
