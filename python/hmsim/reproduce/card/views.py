# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a card on a core's loads."""

from __future__ import annotations

from typing import Any

from hmsim.config.configuration import load_config
from hmsim.reproduce.card import families
from hmsim.reproduce.card.content import COMMAND, Cell, Section, Table
from hmsim.reproduce.card.method import Extent
from hmsim.reproduce.validate.row import Row
from hmsim.runs.runner import run

PART = "ddr4_2666v_8gb_x8"
CORE_PS = 500  # a cycle of a core of 2 GHz


def _core(pattern: str, instructions: int, **more: Any) -> tuple[float, dict[str, float]]:
    """Return the peak in GB/s and the statistics of one core on one idle channel."""
    keys = {
        "dram.preset": PART,
        "dram.ranks": 2,
        "controller.channels": 1,
        "controller.address_map": "default",
        "controller.queue_depth": 64,
        "dram.refresh": False,
        "frontend.translation": "modulo",
        **more.pop("system", {}),
    }
    config = load_config("validate_ddr3", keys, where="card")
    agent = {"kind": "synthetic_core", "pattern": pattern, "instructions": instructions, **more}
    return families.peak(config), run(config, {"agents": [agent]}).stats


def _chase(instructions: int) -> tuple[Row, float]:
    closed = {"controller.page_policy": "closed_page"}
    _, stats = _core("pointer_chase", instructions, rpki=1000, wpki=0, system=closed)
    got = stats["sim.ticks"] / instructions / 1e3
    timing = load_config(
        "validate_ddr3",
        {"dram.preset": PART, "dram.ranks": 2, "controller.address_map": "default"},
        where="card",
    ).resolved()
    tck = int(timing["dram.timing.tCK"])
    cycles = sum(int(timing[f"dram.timing.{name}"]) for name in ("tRCD", "CL", "burst"))
    expected = cycles * tck / 1e3
    # The core issues on its own edges and the channel on its own.
    tolerance = (CORE_PS + tck) / 1e3
    source = "tRCD + CL + burst, and an edge of each clock at most"
    name = "pointer chase of a core: ns a load"
    middle = expected + tolerance / 2
    return Row("card", name, middle, got, "ns", tolerance / 2, source), got


def _stream(instructions: int) -> tuple[Row, list[list[Cell]]]:
    lines: list[list[Cell]] = []
    shares = []
    for name, more in (
        ("reads", {"rpki": 1000, "wpki": 0}),
        ("copy: 1 read, 1 write", {"rpki": 1000, "wpki": 1000}),
        ("triad: 2 reads, 1 write", {"rpki": 1000, "wpki": 500}),
    ):
        peak, stats = _core("stream", instructions, **more)
        rate = stats["dram.bandwidth_gb_per_s"]
        shares.append(rate / peak)
        lines.append([f"STREAM, {name}", rate, peak, 100 * rate / peak])
    source = "64 B in each burst; the window covers the latency"
    row = Row("card", "STREAM of a core, reads: share of peak", 0.995, shares[0], "", 0.005, source)
    return row, lines


def core(extent: Extent) -> Section:
    """Run a pointer chase and STREAM as one core sees them."""
    instructions = 100_000 if extent.offered is None else 5_000
    chase, got = _chase(instructions)
    stream, lines = _stream(instructions)
    columns = ("load", "GB/s", "peak, GB/s", "share of peak, %")
    gb_per_s = families.LINE / got
    peak = float(lines[0][2] or 0)
    rows: list[list[Cell]] = [["pointer chase", gb_per_s, peak, 100 * gb_per_s / peak], *lines]
    text = (
        "One core of 2 GHz on one channel of DDR4-2666 without refresh. The chase depends on the "
        "load before it; its pages are closed, so that each load opens a row."
    )
    where = "agent kind synthetic_core"
    return Section(
        "A core's view", text, [Table("Loads", columns, rows, where, COMMAND)], rows=[chase, stream]
    )
