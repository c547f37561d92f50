# SPDX-License-Identifier: BSD-3-Clause
"""Drives of one review: fixed by depth 1, compared at depth 16 (configs/anchors/drives.yaml)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from hmsim._core import InputError, parse_time
from hmsim.config.configuration import Config, load_config
from hmsim.reproduce.card.content import Cell, Section, Table
from hmsim.reproduce.card.method import DRIVES, Extent
from hmsim.reproduce.card.parallel import Report, run_all
from hmsim.reproduce.validate.row import Row
from hmsim.runs.runner import run

MICRO = 1_000_000  # picoseconds
GEOMETRY = "storage/mqsim_ssd"
FEW, MANY = 2_000, 80_000  # reads of the closed forms
DEEP = 512  # requests in flight that keep every channel busy
CHANNELS = 8
NEAR = 2.0  # percent between the fitted latency at depth 1 and the measured one
BYTES = 4096 + 224  # of a read on a flash channel: a logical page with its spare bytes


def _reads(config: Config, threads: int, depth: int, requests: int) -> tuple[float, float]:
    """Return the mean latency in us and the rate of random reads of 4 KiB."""
    agent = {"kind": "io_pattern", "access": "random", "size": "4KiB", "read_share": 1}
    agent |= {"threads": threads, "depth": depth, "requests": requests}
    stats = run(config, {"agents": [agent]}).stats
    return stats["agent.0.request_latency_us.read.mean"], stats["agent.0.rate"]


def _dies(fit: str, count: int) -> dict[str, int]:
    """Return the keys that divide a number of dies over the geometry's channels.

    Args:
        fit: key that is fitted; the flash of the same device is divided.
        count: dies.
    """
    flash = "nvdimm" if fit.startswith("nvdimm.") else "storage.flash"
    chips = max(1, count // CHANNELS // 2)
    keys = {"channels": CHANNELS, "chips": chips, "dies": count // CHANNELS // chips}
    return {f"{flash}.nand.{key}": value for key, value in keys.items()}


def _fitted(drive: Mapping[str, Any], more: Mapping[str, Any], requests: int, where: str) -> Config:
    """Return the system whose mean latency at depth 1 is the measured one."""
    settings = {**drive.get("settings", {}), **more}
    config = load_config(drive["system"], settings, where=where)
    mean, _ = _reads(config, 1, 1, requests)
    now = parse_time(config.resolved()[drive["fit"]])
    real = drive["measured"]["depth_1_us"]
    value = now + round((real - mean) * MICRO)
    if value < 0:
        least = f"{mean - now / MICRO:.4g} us with {drive['fit']}: 0s"
        raise InputError(
            f"{where}: depth_1_us: {real} is too short; {drive['system']} takes {least}"
        )
    settings[drive["fit"]] = f"{value}ps"
    return load_config(drive["system"], settings, where=where)


def _lines(
    name: str, dies: int | None, content: Mapping[str, Any], requests: int
) -> list[list[Cell]]:
    drive = content["drives"][name]
    fit = drive["fit"]
    more = {} if dies is None else _dies(fit, dies)
    config = _fitted(drive, more, requests, content["file"])
    first, rate = _reads(config, 1, 1, requests)
    real = drive["measured"]
    if abs(_error(first, real["depth_1_us"])) > NEAR:
        where = f"{content['file']}: {name}: fit: {fit}"
        gives = f"{first:.4g} us at depth 1, not {real['depth_1_us']}"
        raise InputError(f"{where} gives {gives}; name a time that each read takes once")
    kind = "prediction" if dies is None else f"{dies} dies: no prediction"
    value = f"{fit.rsplit('.')[-1]} = {parse_time(config.resolved()[fit]) / MICRO:.4g} us, fitted"
    rows: list[list[Cell]] = [
        [
            *(name, kind, "1 x 1", value),
            *(first, real["depth_1_us"], _error(first, real["depth_1_us"])),
            *(rate, real["depth_1_iops"], _error(rate, real["depth_1_iops"])),
        ]
    ]
    for threads, depth in content["workload"]["depth_16"]:
        mean, rate = _reads(config, threads, depth, requests)
        rows.append(
            [
                *(name, kind, f"{threads} x {depth}", "", mean),
                *(real["depth_16_us"], _error(mean, real["depth_16_us"])),
                *(rate, real["depth_16_iops"], _error(rate, real["depth_16_iops"])),
            ]
        )
    return rows


def _error(got: float, measured: float) -> float:
    return 100 * (got / measured - 1)


def _repaired(sources: int, ratio: float) -> float:
    """Return the utilisation of a server of `sources` that come back after a time.

    Args:
        sources: of a channel: its dies.
        ratio: service time over that time, both exponential.
    """
    weights = [math.perm(sources, waiting) * ratio**waiting for waiting in range(sources + 1)]
    return 1 - 1 / sum(weights)


def _forms() -> Iterator[Row]:
    """MQSim's geometry: an idle drive's read, and the rate at which its channels are full."""
    config = load_config(GEOMETRY, {}, where="card")
    values = config.resolved()

    def us(key: str) -> float:
        return float(parse_time(values[f"storage.{key}"])) / MICRO

    rate = float(values["storage.flash.nand.bus_rate"].removesuffix("MT/s"))
    transfer = us("flash.nand.command_time") + BYTES / rate
    link = 4 * us("flash.to_host")
    cells = us("flash.nand.read_time")
    raw = load_config(GEOMETRY, {"storage.path.driver": "none"}, where="card")
    got, _ = _reads(raw, 1, 1, FEW)
    expected = us("flash.command") + cells + transfer + link
    source = "command + tR + transfer of 4,320 B + link; without the host's software"
    yield Row("card", "MQSim's geometry, depth 1", expected, got, "us", 0.2, source)
    _, iops = _reads(raw, 1, DEEP, MANY)
    most = CHANNELS / transfer * 1e3
    dies = int(values["storage.flash.nand.chips"]) * int(values["storage.flash.nand.dies"])
    least = most * _repaired(dies, transfer / cells)
    source = "full channels at most; with exponential times at least (M/M/1//8)"
    name = f"MQSim's geometry, depth {DEEP}"
    middle, half = (most + least) / 2, (most - least) / 2
    yield Row("card", name, middle, iops / 1e3, "1000/s", half, source)


def section(content: Mapping[str, Any], extent: Extent, jobs: int, report: Report) -> Section:
    """Fit and compare all drives; those of drives.yaml beside closed forms."""
    shipped = content["file"] == DRIVES
    requests = content["workload"]["requests"] if extent.offered is None else 2_000
    cases = [
        (name, dies)
        for name, drive in content["drives"].items()
        for dies in drive.get("dies", [None])
    ]
    tasks = [partial(_lines, name, dies, content, requests) for name, dies in cases]
    rows = [row for lines in run_all(tasks, jobs, report) for row in lines]
    text = (
        "Random reads of 4 KiB. The time of each device is fitted at depth 1; nothing is fitted at "
        "depth 16."
    )
    if shipped:
        text += (
            " The P4800X is a prediction with seven channels; at depth 16 the data sheet's "
            "2.4 GB/s bind, 585,900 reads a second. The number of dies of the two flash drives is "
            "unknown, so their rows show a band over dies and are no prediction. By Little's law "
            "the measured rates leave 2 to 7 % of the time outside the measured latencies, in the "
            "host. MQSim's authors report errors of 6 to 18 % against four drives."
        )
    columns = (
        *("drive", "kind", "threads x depth", "fitted", "hmsim, us", "measured, us"),
        *("error, %", "hmsim, 1/s", "measured, 1/s", "error, %"),
    )
    where = content["file"]
    if shipped:
        where += " (AnandTech, 2017); systems: configs/storage/nvme.yaml, mqsim_ssd.yaml"
    table = Table("Depth 1 and depth 16", columns, rows, where)
    return Section("Drives", text, [table], rows=list(_forms()) if shipped else [])
