# SPDX-License-Identifier: BSD-3-Clause
"""Names, groups and units of statistics in tables for people."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Flag, auto
from functools import reduce
from operator import or_
from pathlib import Path
from typing import NamedTuple

from hmsim.common.intervals import mean_interval
from hmsim.common.tables import interval, number

UP, DOWN = 1, -1  # better is more, less
BETTER = {"up": UP, "down": DOWN, "": 0}
HBF = "HBF"
MEDIA = {"pcm": "PCM", "sttram": "STT-RAM", "hbf": HBF}  # by nvdimm.kind


class Where(Flag):
    """A place where statistics are shown."""

    RUN = auto()  # the table of `hmsim run`
    COLUMN = auto()  # the columns of a comparison; `hmsim compare` prints those with RUN
    RESULT = auto()  # the text of a result in Python
    MAIN = auto()  # the report's main results
    GC = auto()  # the report's table of garbage collection
    COMPARE = RUN | COLUMN
    REPORT = COMPARE | MAIN
    ALL = REPORT | RESULT


RUN, COLUMN, RESULT, MAIN, GC = Where.RUN, Where.COLUMN, Where.RESULT, Where.MAIN, Where.GC


class Line(NamedTuple):
    """One line of a table, or of `GROUPS`.

    Attributes:
        name: the statistic's path; in `GROUPS`, '*' is any text without a dot.
        label: label with the unit. In `GROUPS` '{}' is the path's second part or that of '*',
            '{slow}' `slow_memory`, '{unit}' the statistic's unit, '{of}' `OF_LAYERS` or nothing.
        factor: factor that converts the statistic to that unit.
        shown: where it is shown.
        better: `UP`, `DOWN`, or 0 for neither.
        beside: beginning of statistics without which it is not shown.
    """

    name: str
    label: str
    factor: float
    shown: Where = RUN
    better: int = 0
    beside: str = ""

    def text(self, value: float | None) -> str:
        """Return the statistic's ``value`` in the line's unit, as `tables.number` gives it."""
        return number(self.scaled(value))

    def scaled(self, value: float | None) -> float | None:
        """Return the statistic's ``value`` in the line's unit."""
        return value if value is None or self.factor == 1 else value * self.factor

    def remark(self, value: float) -> str:
        """Return why a value is unusual, or ''."""
        absorbed = self.name.endswith("flash_bytes_per_host_byte") and value < 1
        return "absorbed in the buffer" if absorbed else ""

    def mean(self, values: Sequence[float | None]) -> str:
        """Return the mean of several runs with half its 95 % interval, in the line's unit."""
        if len(values) == 1:
            return self.text(values[0])
        mean, _, high = mean_interval([each for each in values if each is not None])
        return interval(mean * self.factor, (high - mean) * self.factor)


# Share of time over the paper's threshold for a queue of 128 entries (`verdict.main`).
OF_QUEUE = "nvdimm.queue.share_over_104"
# Share of a class's latency that it waited because of the other class (bounds/verdict.py).
CONTEST = ("contest.dram", "contest.nvdimm")
# Added to labels of an agent that also has statistics scaled to all layers.
OF_LAYERS = " of the simulated layers"


def _groups() -> dict[str, list[Line]]:
    """Return the lines of labels.csv by group. A row has a group, and the fields of `Line`."""
    groups: dict[str, list[Line]] = {}
    with Path(__file__).with_name("labels.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(text for text in file if not text.startswith("#")):
            factor = row["factor"]
            line = Line(
                name=row["name"],
                label=row["label"],
                factor=int(factor) if factor.isdigit() else float(factor),
                shown=reduce(or_, (Where[place.upper()] for place in row["shown"].split("+"))),
                better=BETTER[row["better"]],
                beside=row["beside"],
            )
            groups.setdefault(row["group"], []).append(line)
    return groups


GROUPS = _groups()
MILLION = 1e6
PARTS = {"p50": "median", "p95": "p95", "p999": "p99.9", "max": "largest"}  # of histograms

# Classes of requests: title, and path prefix of the parts of their latency.
CLASSES = (
    ("DRAM read", "dram.latency.read."),
    ("DRAM write", "dram.latency.write."),
    ("{slow} read", "nvdimm.latency.read."),
    ("{slow} write", "nvdimm.latency.write."),
)
LINK = "link_ns.mean"  # only with a CXL port or an expander
# Label, and the rest of the path.
CAUSES = (
    ("admission", "admission_ns.mean"),
    ("queueing", "queueing_ns.mean"),
    ("bank", "bank_ns.mean"),
    ("bus", "bus_ns.mean"),
    ("transfer", "transfer_ns.mean"),
    ("refresh", "refresh_ns.mean"),
    ("ack wait", "ack_wait_ns.mean"),
    ("blocked by GC", "gc_blocked_ns.mean"),
    ("link", LINK),
)


def slow_memory(*systems: Mapping[str, str]) -> str:
    """Return the noun of the slow memory that systems with these parameters have in common.

    "flash DIMM", "PCM" or "STT-RAM" on the memory bus, the same behind a CXL port with "CXL" (CXL
    flash), "HBF"; "slow memory" if they differ or have none. A request to it is a line, with HBF up
    to a page.
    """
    nouns = set()
    for parameters in systems:
        if parameters.get("nvdimm.present") == "true":
            kind = parameters.get("nvdimm.kind", "flash")
            medium = MEDIA.get(kind, kind)
            own = "flash DIMM" if kind == "flash" else medium
            nouns.add(f"CXL {medium}" if parameters.get("nvdimm.attach") == "cxl" else own)
    return nouns.pop() if len(nouns) == 1 else "slow memory"


def lines(
    names: Iterable[str], units: Mapping[str, str], slow: str, where: Where = RUN
) -> Iterator[tuple[str, list[Line]]]:
    """Yield the groups that have lines, with their lines.

    Args:
        names: paths of statistics; those that match one pattern keep this order.
        units: units by path, because agents count progress in different units.
        slow: the noun that `slow_memory` returns.
        where: the table that shows the lines.
    """
    present = list(names)
    scaled = scaled_agents(present)
    by_end: dict[str, list[str]] = {}  # no pattern has a '*' there
    for name in present:
        by_end.setdefault(name.rpartition(".")[2], []).append(name)
    for group, patterns in GROUPS.items():
        found = []
        for line in patterns:
            if where not in line.shown or not any(name.startswith(line.beside) for name in present):
                continue
            for name in _matching(by_end.get(line.name.rpartition(".")[2], ()), line.name):
                of = OF_LAYERS if _second(name) in scaled else ""
                found.append(_named(line, name, slow, units.get(name, ""), of))
        if sum(line.name.startswith("core.") for line in found) == 1:
            found = [line for line in found if line.name != "system.ipc"]
        if found:
            yield group, found


def line_of(name: str, names: Iterable[str], units: Mapping[str, str], slow: str) -> Line | None:
    """Return the line of a statistic in any table, or None.

    Other parts of a histogram have the line of its `p99` with their own name. Arguments are those
    of `lines`.
    """
    stem, _, part = name.rpartition(".")
    like = f"{stem}.p99" if part in PARTS else name
    present = dict.fromkeys([like, *names])
    for where in (RUN, GC):
        for _, found in lines(present, units, slow, where):
            for line in found:
                if line.name == like and line.label:
                    label = line.label.replace("p99", PARTS.get(part, "p99"))
                    return line._replace(name=name, label=label)
    return None


def columns(names: Iterable[str]) -> list[str]:
    """Return the names that are columns of a comparison, in the order of `GROUPS`."""
    present = list(names)
    wanted = [each.name for lines in GROUPS.values() for each in lines if COLUMN in each.shown]
    return [name for pattern in wanted for name in _matching(present, pattern)]


def scaled_agents(names: Iterable[str]) -> set[str]:
    """Return the numbers of the agents that have statistics scaled to all layers."""
    return {_second(name) for name in names if name.startswith("agent.") and ".scaled." in name}


def whole_rate(stats: Mapping[str, float], agent: int) -> float | None:
    """Return an agent's rate, scaled to all layers if it simulates some of them, or None."""
    path = f"agent.{agent}"
    return stats.get(f"{path}.scaled.rate", stats.get(f"{path}.rate"))


def causes(
    stats: Mapping[str, float], slow: str
) -> tuple[list[str], list[tuple[str, list[float | None]]]]:
    """Return the classes that had requests, and labelled rows of their mean latencies in ns.

    Rows are causes, then their sum. None: the class does not have the cause. ``slow``: the noun
    that `slow_memory` returns.
    """
    present = [(title, path) for title, path in CLASSES if path + CAUSES[0][1] in stats]
    rows = [
        (label, [cause(stats, path, part) for _, path in present])
        for label, part in present_causes(stats)
    ]
    columns = zip(*(values for _, values in rows))
    rows.append(("sum", [sum(value or 0.0 for value in column) for column in columns]))
    return [title.format(slow=slow) for title, _ in present], rows


def cause(stats: Mapping[str, float], path: str, part: str) -> float | None:
    """Return the mean of a cause over all requests of a class, or None.

    Only some requests of DRAM pass a link, and the statistic is their mean.
    """
    mean = stats.get(path + part)
    if mean is None or part != LINK:
        return mean
    counts = (f"{path}{each.removesuffix('mean')}count" for each in (part, CAUSES[0][1]))
    passed, every = (stats.get(count, 1) for count in counts)
    return mean * passed / every


def present_causes(*runs: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return the causes of latency: label, and rest of the path. ``link`` only if a run has it."""
    has_link = any(path + LINK in stats for stats in runs for _, path in CLASSES)
    return [cause for cause in CAUSES if has_link or cause[1] != LINK]


def _matching(names: Sequence[str], pattern: str) -> list[str]:
    """Return the names that a pattern describes; '*', at most one, is any text without a dot."""
    head, star, tail = pattern.partition("*")
    if not star:
        return [pattern] if pattern in names else []
    return [
        name
        for name in names
        if name.startswith(head)
        and name.endswith(tail)
        and len(name) >= len(head) + len(tail)
        and "." not in name[len(head) : len(name) - len(tail)]
    ]


def _named(line: Line, name: str, slow: str, unit: str, of: str) -> Line:
    """Return a line of `GROUPS` for one statistic."""
    factor = line.factor
    if "{unit}" in line.label and unit.startswith("instructions/"):
        unit, factor = f"M {unit}", 1 / MILLION
    index = name.split(".")[line.name.split(".").index("*")] if "*" in line.name else ""
    label = line.label.format(index, slow=slow, unit=unit, of=of)
    return line._replace(name=name, label=label, factor=factor)


def _second(name: str) -> str:
    return name.partition(".")[2].partition(".")[0]
