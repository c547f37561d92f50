# SPDX-License-Identifier: BSD-3-Clause
"""One channel of each DRAM standard: families beside closed forms of peak and idle latency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from hmsim.config.configuration import Config
from hmsim.reproduce.card import families
from hmsim.reproduce.card.content import Cell, Chart, Line, Section, Table
from hmsim.reproduce.card.families import Load, Measured
from hmsim.reproduce.card.method import Extent
from hmsim.reproduce.card.parallel import Report, run_all
from hmsim.reproduce.validate import dram_comparison
from hmsim.reproduce.validate.bench import Bench
from hmsim.reproduce.validate.row import AT_LEAST, AT_MOST, Row
from hmsim.runs.runner import run

LEAST_OF_PEAK = 0.99  # of a stream of reads without refresh
TWO_PART_ACTIVATES = ("lpddr5", "hbm3")  # an activate takes two slots
MISSED = {  # parts whose stream stays below that share, and why
    "LPDDR5-6400": "1 % is lost to the command bus, on which an activate takes two slots in a row"
}
MODELS: dict[str, dict[str, Any]] = {
    "hmsim": {"dram.backend": "native"},
    "DRAMsim3's devices": {"dram.backend": "dramsim3"},
    "the same with tRTRS between writes": {
        "dram.backend": "dramsim3",
        "dram.dramsim3_mend_timing": True,
    },
    "all of DRAMsim3": {"dram.backend": "dramsim3_full"},
}
COMPARED = ("DDR3-1600", "DDR4-2666")  # standards that DRAMsim3 has, too
COLUMNS = (  # after the names of a system
    *("% reads", "GB/s", "peak, GB/s", "share of peak, %", "chase alone, ns"),
    *("at 50 % of its maximum, ns", "at 80 %, ns"),
)
Systems = Mapping[tuple[str, ...], Config]  # by name, and model if there are several
Groups = Mapping[tuple[tuple[str, ...], float], list[Measured]]  # by system and share of reads
ALONE: dict[str, Any] = {"kind": "synthetic", "target": "dram", "pattern": "sequential"}


def _config(method: Mapping[str, Any], name: str, more: Mapping[str, Any] | None = None) -> Config:
    standards = method["standards"]
    part = {**standards["parts"][name], **(more or {})}
    return families.system(method, part, standards["variant"], standards["channels"])


def _load(method: Mapping[str, Any], extent: Extent) -> Load:
    standards, load = method["standards"], method["load"]
    loads = extent.chase_loads or load["chase_loads"]
    return Load(standards["agents"], standards["outstanding"], loads, load["warmup"])


def _idle(name: str, part: Mapping[str, Any]) -> Row:
    """An idle closed bank answers after the standard's own form."""
    keys = {key.replace(".", "__"): value for key, value in part.items()}
    bench = Bench("validate_ddr3", dram__refresh=False, controller__address_map="default", **keys)
    t = bench.cycles
    expected = t["tRCD"] + t["CL"] + t["burst"] + t.get("burst_gap", 0)
    source = "tRCD + CL + burst"
    if str(part["dram.preset"]).startswith(TWO_PART_ACTIVATES):
        expected += 1
        source = "second half of the activate + tRCD + CL + burst with its gap"
    got = bench.latency(0) / bench.period
    return Row("card", f"{name}: read of an idle closed bank", expected, got, "cycles", 0, source)


def _peak(method: Mapping[str, Any], name: str) -> Row:
    """A stream of reads without refresh reaches the peak but for a hundredth."""
    config = _config(method, name, {"dram.refresh": False})
    agent = {**ALONE, "footprint": "64MiB", "outstanding": 64, "requests": 100_000}
    got = run(config, {"agents": [agent]}).stats["dram.bandwidth_gb_per_s"] / families.peak(config)
    middle, half = (1 + LEAST_OF_PEAK) / 2, (1 - LEAST_OF_PEAK) / 2
    source = "share of the peak: 64 B in each burst"
    title, missed = f"{name}: reads without refresh", MISSED.get(name, "")
    if missed:
        source = f"{source}; {missed}"
    return Row("card", title, middle, got, "", half, source, missed=missed, side=AT_LEAST)


def _rows(method: Mapping[str, Any], names: list[str]) -> Iterator[Row]:
    for name in names:
        yield _idle(name, method["standards"]["parts"][name])
        yield _peak(method, name)


def section(method: Mapping[str, Any], extent: Extent, jobs: int, report: Report) -> Section:
    """Run the families and the closed forms of all standards."""
    names = list(method["standards"]["parts"])[: extent.standards]
    systems: Systems = {(name,): _config(method, name) for name in names}
    grouped = _measure(method, extent, systems, jobs, report)
    load = _load(method, extent)
    rows = list(_rows(method, names))
    for (name,), config in systems.items():
        points = [p for (key, _), group in grouped.items() if key == (name,) for p in group]
        most = max(p.gb_per_s for p in points) / families.peak(config)
        source = "no point above the peak"
        title = f"{name}: largest share"
        rows.append(Row("card", title, 0.5, most, "", 0.5, source, side=AT_MOST))
    where = "method.yaml, standards; peak: 64 B in each burst"
    lines = list(_summary(grouped, systems))
    table = Table("Families", ("system", *COLUMNS), lines, where)
    text = (
        f"One channel, {load.agents} sequential streams with {load.outstanding} lines in flight "
        f"each, queue of 64, open pages. Latencies are those of hmsim alone, without a constant."
    )
    charts = [
        Chart(
            f"hmsim: {share:.0%} reads",
            [_line(key[0], grouped[key, share], config) for key, config in systems.items()],
        )
        for share in method["load"]["reads"]
    ]
    tables = [table, _dramsim3(method, extent, jobs)]
    return Section("DRAM standards", text, tables, charts, rows)


def _line(name: str, points: list[Measured], config: Config) -> Line:
    peak = families.peak(config)
    return Line(name, [(p.gb_per_s / peak, p.ns) for p in families.curve(points, 0).all])


def _measure(
    method: Mapping[str, Any], extent: Extent, systems: Systems, jobs: int, report: Report
) -> Groups:
    """Return the points of each system and share of reads."""
    offers, load = families.offers(method, extent), _load(method, extent)
    cases = list(product(systems, method["load"]["reads"]))
    tasks = [
        partial(families.point, systems[key], load, share, offer)
        for key, share in cases
        for offer in offers
    ]
    found, size = run_all(tasks, jobs, report), len(offers)
    return {case: found[i * size : (i + 1) * size] for i, case in enumerate(cases)}


def _summary(grouped: Groups, systems: Systems) -> Iterator[list[Cell]]:
    for (key, share), points in grouped.items():
        curve, peak = families.curve(points, 0), families.peak(systems[key])
        cells: list[Cell] = [*key, round(100 * share), curve.most, peak, 100 * curve.most / peak]
        yield [*cells, points[0].ns, curve.at(0.5), curve.at(0.8)]


def _dramsim3(method: Mapping[str, Any], extent: Extent, jobs: int) -> Table:
    """Return the families with DRAMsim3's devices and with all of DRAMsim3, if the build has it."""
    columns = ("system", "model", *COLUMNS)
    rows: list[list[Cell]] = [["not built", *[None] * (len(columns) - 1)]]
    if dram_comparison.available():
        systems: Systems = {
            (name, model): _config(method, name, keys)
            for name, (model, keys) in product(COMPARED, MODELS.items())
        }
        grouped = _measure(method, extent, systems, jobs, lambda _done: None)
        rows = list(_summary(grouped, systems))
    return Table("The same with DRAMsim3", columns, rows, "docs/trust.md: scons dramsim3=1")
