# SPDX-License-Identifier: BSD-3-Clause
"""Families beside those measured on machines, with the score of configs/anchors/method.yaml."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hmsim.reproduce.card import families
from hmsim.reproduce.card.content import Cell, Chart, Line, Section, Table
from hmsim.reproduce.card.curves import Curve, has, measured
from hmsim.reproduce.card.families import Load, Measured
from hmsim.reproduce.card.method import METHOD, Extent, label, read
from hmsim.reproduce.card.parallel import Report, run_all

SEPARATE = "separate streams"  # how the names of variants end whose agents read or write
IN_FLIGHT = "constant in flight"  # of variants whose lines are also in flight for the constant
DRAWN = ("queue 64", "queue 256", "queue 64, closed page")  # variants in charts of the card
VERDICTS = ("good", "fair", "poor")
MORE = 4  # times the loads of a pointer chase in a point that shows convergence
SHOWN = (0.5, families.UNPACED)  # offered loads of these points


@dataclass(frozen=True)
class Key:
    """One family of ours."""

    machine: str
    part: str
    variant: str
    reads: float


Points = dict[Key, list[Measured]]


def _keys(method: Mapping[str, Any], extent: Extent) -> Iterator[Key]:
    for name, machine in list(method["machines"].items())[: extent.machines]:
        for part in machine["parts"]:
            for variant in extent.variants_of(method["variants"]):
                if variant not in machine["without"]:
                    for reads in method["load"]["reads"]:
                        if _families(machine, reads):
                            yield Key(name, part, variant, reads)


def _families(machine: Mapping[str, Any], reads: float) -> list[str]:
    """Return the measured families that have a share of reads."""
    return [family for family in machine["measured"] if has(family, reads)]


def _point(
    method: Mapping[str, Any], key: Key, loads: int, offered: float, longer: int = 1
) -> Measured:
    """Run a point; ``longer`` multiplies its loads and its time limit."""
    machine = method["machines"][key.machine]
    part = machine["parts"][key.part]
    config = families.system(method, part, key.variant, machine["channels"], longer)
    separate = key.variant.endswith(SEPARATE)
    warmup = method["load"]["warmup"]
    latency = _constant(machine) if key.variant.endswith(IN_FLIGHT) else 0.0
    load = Load(
        machine["agents"], machine["outstanding"], longer * loads, warmup, separate, latency=latency
    )
    return families.point(config, load, key.reads, offered)


def point(
    machine: str, part: str, variant: str, reads: float, offered: float, loads: int = 0
) -> Measured:
    """Run one point of the card again.

    Args:
        machine: as in method.yaml, like the next two.
        part: of the machine.
        variant: of the system.
        reads: share, from 0 to 1.
        offered: share of the peak; 0: unpaced; -1: the pointer chase alone.
        loads: of the pointer chase; 0: those of method.yaml.
    """
    method = read(METHOD)
    key = Key(machine, part, variant, reads)
    return _point(method, key, loads or int(method["load"]["chase_loads"]), offered)


def _command(method: Mapping[str, Any], key: Key) -> str:
    """Return the command that runs one point of a family."""
    if method["file"] != METHOD:
        return ""
    where = f"{key.machine!r}, {key.part!r}, {key.variant!r}, {key.reads:g}, 0.5"
    return f'python -c "from hmsim.reproduce.card.machines import point; print(point({where}))"'


def _loads(method: Mapping[str, Any], extent: Extent) -> int:
    return extent.chase_loads or int(method["load"]["chase_loads"])


def measure(method: Mapping[str, Any], extent: Extent, jobs: int, report: Report) -> Points:
    """Run all families of all machines."""
    keys = list(_keys(method, extent))
    offers = families.offers(method, extent)
    loads = _loads(method, extent)
    tasks = [partial(_point, method, key, loads, offer) for key in keys for offer in offers]
    found = run_all(tasks, jobs, report)
    size = len(offers)
    return {key: found[i * size : (i + 1) * size] for i, key in enumerate(keys)}


def _first(method: Mapping[str, Any]) -> str:
    return next(iter(method["variants"]))


def _constant(machine: Mapping[str, Any]) -> float:
    return float(sum(machine["constant"].values()))


def _ours(method: Mapping[str, Any], key: Key, points: Points) -> tuple[Curve, float]:
    """Return a curve of ours with the machine's constant, and the peak of the system."""
    machine = method["machines"][key.machine]
    part = machine["parts"][key.part]
    config = families.system(method, part, key.variant, machine["channels"])
    return families.curve(points[key], _constant(machine)), families.peak(config)


def verdict(points: float, score: Mapping[str, Any]) -> str:
    """Return the word for an error of the saturation in points."""
    if abs(points) <= score["good_points"]:
        return "good"
    return "fair" if abs(points) <= score["fair_points"] else "poor"


SCORE_COLUMNS = (
    *("system", "% reads", "measured family", "GB/s", "share of peak, %", "measured, %"),
    *("error, points", "saturation", "above unloaded at 50 %, ns", "measured, ns", "error, ns"),
    *("above unloaded at 80 %, ns", "measured, ns", "error, ns"),
    *("knee, % of peak", "measured, %", "error, points"),
)


def _score(method: Mapping[str, Any], key: Key, family: str, points: Points) -> list[Cell]:
    machine, score = method["machines"][key.machine], method["score"]
    ours, peak = _ours(method, key, points)
    theirs = measured(family, round(100 * key.reads), machine["clock_ghz"])
    share, other = 100 * ours.most / peak, 100 * theirs.most / machine["peak_gb_per_s"]
    word = verdict(share - other, score) if machine["scored"] else "shape only"
    cells: list[Cell] = [f"{key.part}, {key.variant}", round(100 * key.reads), label(family)]
    cells += [ours.most, share, other, share - other, word]
    for at in score["latency_at"]:
        mine, there = ours.at(at) - ours.unloaded, theirs.at(at) - theirs.unloaded
        cells += [mine, there, mine - there]
    knee = 100 * ours.knee(score["knee_factor"]) / peak
    measured_knee = 100 * theirs.knee(score["knee_factor"]) / machine["peak_gb_per_s"]
    return [*cells, knee, measured_knee, knee - measured_knee]


def _unloaded(method: Mapping[str, Any], name: str, points: Points) -> Iterator[list[Cell]]:
    machine = method["machines"][name]
    closed = sum(machine["closed_form_ns"].values()) or math.nan
    for key in points:
        if key.machine == name and key.reads == 1:
            ns = points[key][0].ns
            total = ns + _constant(machine)
            error = total - machine["unloaded_ns"]
            label = f"{key.part}, {key.variant}"
            yield [label, ns, closed, _constant(machine), total, machine["unloaded_ns"], error]


def _charts(method: Mapping[str, Any], name: str, points: Points) -> Iterator[Chart]:
    machine = method["machines"][name]
    drawn = DRAWN if method["file"] == METHOD else method["variants"]
    for reads in method["load"]["reads"]:
        lines = []
        for family in _families(machine, reads):
            theirs = measured(family, round(100 * reads), machine["clock_ghz"])
            shares = [(p.gb_per_s / machine["peak_gb_per_s"], p.ns) for p in theirs.all]
            lines.append(Line(f"measured: {label(family)}", shares, measured=True))
        for key in points:
            if key.machine == name and key.reads == reads and key.variant in drawn:
                if key.part != list(machine["parts"])[-1]:
                    continue
                ours, peak = _ours(method, key, points)
                lines.append(Line(f"hmsim: {key.variant}", [(p[0] / peak, p[1]) for p in ours.all]))
        if lines:
            yield Chart(f"{name}: {reads:.0%} reads", lines)


def _all_points(method: Mapping[str, Any], name: str, points: Points) -> Iterator[list[Cell]]:
    for key, found in points.items():
        if key.machine == name:
            _, peak = _ours(method, key, points)
            for p in found:
                offered: Cell = 100 * p.offered if p.offered > 0 else "chase alone"
                offered = "unpaced" if p.offered == families.UNPACED else offered
                label = f"{key.part}, {key.variant}"
                share = 100 * p.gb_per_s / peak
                cells: list[Cell] = [label, round(100 * key.reads), offered, p.gb_per_s, share]
                yield [*cells, p.ns, p.loads, 100 * p.reads]


def section(method: Mapping[str, Any], name: str, points: Points) -> Section:
    """Return a machine's part of the card."""
    machine = method["machines"][name]
    keys = [key for key in points if key.machine == name]
    parts = [f"{n.replace('_', ' ')} {ns:.1f} ns" for n, ns in machine["constant"].items() if n]
    text = (
        f"Load: {machine['agents']} sequential streams with {machine['outstanding']} lines in "
        f"flight each, on {machine['channels']} channels; one pointer chase. hmsim lacks cores, "
        f"caches, network, controller pipeline and PHY. The declared constant of "
        f"{_constant(machine):.1f} ns stands for them{': ' * bool(parts)}{', '.join(parts)}."
    )
    if not machine["scored"]:
        text += " Shape only: hmsim has no HBM2, so HBM3 stands beside it and nothing is scored."
    sources = ", ".join(map(label, machine["measured"]))
    where = f"{method['file']}, machines: {name}; measured: {sources}"
    rows = [
        _score(method, key, family, points)
        for key in keys
        for family in _families(machine, key.reads)
    ]
    columns = ("system", "hmsim, ns", "closed form, ns", "constant, ns", "sum, ns")
    zero = (*columns, "measured, ns", "error, ns")
    every = ("system", "% reads", "offered, %", "GB/s", "share of peak, %", "hmsim, ns")
    tables = [
        Table("Score", SCORE_COLUMNS, rows, where),
        Table("Zero load", zero, list(_unloaded(method, name, points)), where),
        Table(
            "All points",
            *((*every, "loads done", "reads found, %"), list(_all_points(method, name, points))),
            *(where, _command(method, keys[0])),
            folded=True,
        ),
    ]
    return Section(name, text, tables, list(_charts(method, name, points)))


def summary(method: Mapping[str, Any], points: Points) -> Section:
    """Return the errors of the saturation over all variants, by machine and share of reads."""
    rows: list[list[Cell]] = []
    first = SCORE_COLUMNS.index("error, points")
    for name in dict.fromkeys(key.machine for key in points):
        machine = method["machines"][name]
        for family in machine["measured"]:
            for reads in filter(partial(has, family), method["load"]["reads"]):
                keys = [key for key in points if (key.machine, key.reads) == (name, reads)]
                errors = [float(_score(method, key, family, points)[first] or 0) for key in keys]
                words = [verdict(error, method["score"]) for error in errors]
                counted: list[Cell] = [words.count(word) for word in VERDICTS]
                if not machine["scored"]:
                    counted = [None] * len(VERDICTS)
                head: list[Cell] = [name, label(family), round(100 * reads), len(keys)]
                rows.append([*head, *counted, errors[0], min(errors), max(errors)])
    score = method["score"]
    text = (
        f"Errors of the largest share of the peak, hmsim less measured: at most "
        f"{score['good_points']} points is good, at most {score['fair_points']} fair, more poor. "
        f"Every variant counts; the first is {_first(method)}."
    )
    columns = (
        *("machine", "measured family", "% reads", "systems", *VERDICTS),
        *("error of the first, points", "least, points", "largest, points"),
    )
    table = Table("Saturation", columns, rows, "the machines' scores below")
    return Section("Summary", text, [table])


def convergence(
    method: Mapping[str, Any], extent: Extent, points: Points, jobs: int, report: Report
) -> Section:
    """Repeat points of the first variant with more loads; return the differences."""
    first = [key for key in points if key.variant == _first(method) and key.reads != 0]
    loads = _loads(method, extent)
    wanted = [(key, offer) for key in first for offer in SHOWN if offer in _offered(points[key])]
    tasks = [partial(_point, method, key, loads, offer, MORE) for key, offer in wanted]
    rows: list[list[Cell]] = []
    for (key, offer), longer in zip(wanted, run_all(tasks, jobs, report)):
        short = next(p for p in points[key] if p.offered == offer)
        _, peak = _ours(method, key, points)
        name = f"{key.machine}, {key.part}, {round(100 * key.reads)} % reads"
        load = "unpaced" if offer == families.UNPACED else f"{offer:.0%}"
        shares = (100 * short.gb_per_s / peak, 100 * longer.gb_per_s / peak)
        difference = 100 * (longer.ns / short.ns - 1)
        rows.append([name, load, *shares, short.ns, longer.ns, difference])
    columns = (
        *("system", "offered", f"share of peak, {loads} loads, %", f"{MORE * loads} loads, %"),
        *(f"latency, {loads} loads, ns", f"{MORE * loads} loads, ns", "difference, %"),
    )
    apart = max((abs(float(row[2] or 0) - float(row[3] or 0)) for row in rows), default=math.nan)
    worst = max((abs(float(row[-1] or 0)) for row in rows), default=math.nan)
    text = (
        f"A point ends after {loads} loads of the pointer chase. With {MORE} times as many, "
        f"latencies differ by {worst:.1f} % at most, and shares of the peak by {apart:.1f} points."
    )
    table = Table("Longer runs", columns, rows, f"{method['file']}, variant {_first(method)}")
    return Section("Convergence", text, [table])


def _offered(points: Sequence[Measured]) -> list[float]:
    return [p.offered for p in points]
