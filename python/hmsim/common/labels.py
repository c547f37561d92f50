# SPDX-License-Identifier: BSD-3-Clause
"""Names, groups and units of statistics in tables for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hmsim.common.intervals import mean_interval
from hmsim.common.tables import number


class Line(NamedTuple):
    """One line of a table.

    Attributes:
        name: the statistic's path.
        label: label with the unit.
        factor: factor that converts the statistic to that unit.
    """

    name: str
    label: str
    factor: float

    def text(self, value: float | None) -> str:
        """Return the statistic's ``value`` in the line's unit, as `tables.number` gives it."""
        return number(value if value is None or self.factor == 1 else value * self.factor)

    def remark(self, value: float) -> str:
        """Return why a value is unusual, or ''."""
        absorbed = self.name.endswith("flash_bytes_per_host_byte") and value < 1
        return "absorbed in the buffer" if absorbed else ""

    def mean(self, values: Sequence[float | None]) -> str:
        """Return the mean of several runs with half its 95 % interval, in the line's unit."""
        if len(values) == 1:
            return self.text(values[0])
        mean, _, high = mean_interval([each for each in values if each is not None])
        half = high - mean
        return self.text(mean) + (f" ± {self.text(half)}" if half == half else "")


# Share of time that banks sense, program or erase. Only HBF has so many that it is a main number.
OF_BANKS = "nvdimm.nand.lun_utilisation"
# Share of time over the paper's threshold for a queue of 128 entries. HBF's queue is longer.
OF_QUEUE = "nvdimm.queue.share_over_104"

# Share of a class's latency that it waited because of the other class (running/verdict.py).
CONTEST = ("contest.dram", "contest.nvdimm")
# Added to labels of an agent that also has statistics scaled to all layers.
OF_LAYERS = " of the simulated layers"
# Pattern of paths, label ('{}': the path's second part, '{unit}': the statistic's unit, '{of}':
# `OF_LAYERS` or nothing), factor. In a pattern, '*' is any text without a dot.
GROUPS: Mapping[str, tuple[tuple[str, str, float], ...]] = {
    "progress": (
        ("speedup", "speedup, geometric mean", 1),
        ("weighted_speedup", "weighted speedup", 1),
        ("max_slowdown", "maximum slowdown", 1),
        ("agent.*.progress", "agent {}, {unit}", 1),
        ("agent.*.scaled.rate", "agent {}, {unit}", 1),
        ("agent.*.rate", "agent {}, {unit}{of}", 1),
        ("agent.*.speedup", "agent {}, speedup", 1),
        ("agent.*.slowdown", "agent {}, slowdown", 1),
        ("agent.*.makespan_us", "agent {}, makespan (us)", 1),
        ("agent.*.ipc", "agent {}, IPC, including waits", 1),
        ("core.*.ipc", "core {}, IPC", 1),
        ("system.ipc", "measured agents, IPC", 1),
        ("sim.requests", "requests", 1),
    ),
    "threads of jobs": (
        ("agent.*.time.running", "agent {}, on cores (ms)", 1e-9),
        ("agent.*.time.copying", "agent {}, of that copying (ms)", 1e-9),
        ("agent.*.time.run_queue", "agent {}, waiting for a core (ms)", 1e-9),
        ("agent.*.time.reading", "agent {}, asleep, reading (ms)", 1e-9),
        ("agent.*.time.read_ahead", "agent {}, asleep, read-ahead (ms)", 1e-9),
        ("agent.*.time.writing", "agent {}, asleep, writing (ms)", 1e-9),
        ("agent.*.time.throttled", "agent {}, throttled (ms)", 1e-9),
        ("agent.*.time.syncing", "agent {}, syncing (ms)", 1e-9),
        ("agent.*.time.waiting", "agent {}, waiting for others (ms)", 1e-9),
        ("agent.*.time.sleeping", "agent {}, sleeping (ms)", 1e-9),
    ),
    "decoding": (
        ("agent.*.scaled.step_time_us", "agent {}, next token, mean (ms)", 1e-3),
        ("agent.*.scaled.step_time_least_us", "agent {}, the same by its fastest layer (ms)", 1e-3),
        ("agent.*.scaled.step_time_most_us", "agent {}, the same by its slowest layer (ms)", 1e-3),
        ("agent.*.step_time_us.mean", "agent {}, next token{of}, mean (ms)", 1e-3),
        ("agent.*.step_time_us.p99", "agent {}, next token{of}, p99 (ms)", 1e-3),
        ("agent.*.bound.compute", "agent {}, computing (%)", 100),
        ("agent.*.bound.dram", "agent {}, waiting for DRAM (%)", 100),
        ("agent.*.bound.nvdimm", "agent {}, waiting for NVDIMM or storage (%)", 100),
        ("agent.*.bound.both", "agent {}, waiting for both (%)", 100),
        ("agent.*.bound.writes", "agent {}, waiting for writes (%)", 100),
    ),
    "latency": (
        ("agent.*.request_latency_us.read.mean", "agent {}, I/O read, mean (us)", 1),
        ("agent.*.request_latency_us.read.p99", "agent {}, I/O read, p99 (us)", 1),
        ("agent.*.request_latency_us.write.mean", "agent {}, I/O write, mean (us)", 1),
        ("agent.*.request_latency_us.write.p99", "agent {}, I/O write, p99 (us)", 1),
        ("agent.*.held_back_us.mean", "agent {}, held back before the issue, mean (us)", 1),
        ("dram.read_latency_ns.mean", "DRAM read, mean (ns)", 1),
        ("dram.read_latency_ns.p99", "DRAM read, p99 (ns)", 1),
        ("nvdimm.line_latency_ns.mean", "NVDIMM line, mean (us)", 1e-3),
        ("nvdimm.line_latency_ns.p99", "NVDIMM line, p99 (us)", 1e-3),
        ("nvdimm.response_time_us.mean", "NVDIMM 4 KB block, mean (us)", 1),
        ("nvdimm.response_time_us.p99", "NVDIMM 4 KB block, p99 (us)", 1),
        (CONTEST[0], "DRAM latency due to NVDIMM (%)", 100),
        (CONTEST[1], "NVDIMM latency due to DRAM (%)", 100),
    ),
    "storage": (
        ("storage.iops", "storage requests/s", 1),
        ("storage.bandwidth_gb_per_s", "storage bandwidth (GB/s)", 1),
        ("storage.read_latency_us.mean", "storage read, mean (us)", 1),
        ("storage.read_latency_us.p99", "storage read, p99 (us)", 1),
        ("storage.write_latency_us.mean", "storage write, mean (us)", 1),
        ("storage.write_latency_us.p99", "storage write, p99 (us)", 1),
        ("storage.cores_used", "contexts that its software keeps busy", 1),
    ),
    "queue and buffer": (
        (OF_QUEUE, "time > 104 NVDIMM entries (%)", 100),
        ("nvdimm.buffer.read_reuse_ratio", "buffer hits of reads (%)", 100),
        ("nvdimm.buffer.write_reuse_ratio", "buffer hits of writes (%)", 100),
        ("nvdimm.buffer.lines_per_flash_read", "lines per flash read", 1),
        ("nvdimm.reads", "NVDIMM lines read", 1),
        ("nvdimm.writes", "NVDIMM lines written", 1),
    ),
    "flash": (
        ("nvdimm.ftl.waf", "write amplification (pages)", 1),
        ("nvdimm.ftl.flash_bytes_per_host_byte", "flash bytes per host byte", 1),
        ("nvdimm.nand.lifetime_days", "lifetime at this rate (days)", 1),
        ("nvdimm.gc.count", "blocks collected", 1),
        *(
            (f"storage.device{member}.flash.{path}", f"drive{which}: {label}", 1)
            for member, which in (("", ""), (".member.*", " {}"))
            for path, label in (
                ("ftl.waf", "write amplification"),
                ("ftl.flash_bytes_per_host_byte", "flash/host bytes"),
                ("nand.lifetime_days", "lifetime (days)"),
            )
        ),
    ),
    "bus and DRAM": (
        ("dram.bandwidth_gb_per_s", "DRAM bandwidth (GB/s)", 1),
        # A line takes dram.timing.burst cycles of its channel's bus, so that a share of the bus's
        # time is that share of the peak bandwidth.
        ("bus.dram_share", "DRAM bandwidth (% of peak)", 100),
        ("bus.nvdimm_share", "NVDIMM bandwidth (% of peak)", 100),
        ("dram.row_hit_ratio", "DRAM row hits (%)", 100),
        ("dram.reads", "DRAM lines read", 1),
        ("dram.writes", "DRAM lines written", 1),
    ),
    "links": (
        ("hbf.bandwidth_gb_per_s", "HBF bandwidth (GB/s)", 1),
        (OF_BANKS, "flash banks busy (%)", 100),
        ("hbf.to_host.busy", "HBF link to the host busy (%)", 100),
        ("hbf.to_device.busy", "HBF link to the device busy (%)", 100),
        ("cxl.up.busy", "CXL link of NVDIMMs to the host busy (%)", 100),
        ("cxl.down.busy", "CXL link to NVDIMMs busy (%)", 100),
        ("expander.up.busy", "CXL link of DRAM to the host busy (%)", 100),
        ("expander.down.busy", "CXL link to DRAM busy (%)", 100),
    ),
}
# Other words for these labels, if a system has statistics that begin so: a device behind a link
# does not use the memory bus.
RENAMED = (
    ("hbf.", "NVDIMM bandwidth", "NVDIMM on the memory bus"),
    ("cxl.", "NVDIMM bandwidth", "NVDIMM on the memory bus"),
)
# A request of HBF is up to a page. Patterns and words for HBF alone, and beside NVDIMMs.
NVDIMM_LINES = re.compile("NVDIMM line(s?)")
HBF_REQUESTS = r"NVDIMM request\1"
BOTH = r"NVDIMM line\1 or HBF request\1"
MILLION = 1e6

# Classes of requests: title, and path prefix of the parts of their latency.
CLASSES = (
    ("DRAM read", "dram.latency.read."),
    ("DRAM write", "dram.latency.write."),
    ("NVDIMM read", "nvdimm.latency.read."),
    ("NVDIMM write", "nvdimm.latency.write."),
)
LINK = "link_ns.mean"  # only with a CXL port
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


def lines(
    names: Iterable[str], units: Mapping[str, str], runs: Sequence[Iterable[str]] = ()
) -> Iterator[tuple[str, list[Line]]]:
    """Yield the groups that have lines, with their lines.

    Args:
        names: paths of statistics; those that match one pattern keep this order.
        units: units by path, because agents count progress in different units.
        runs: paths of each run's statistics, if ``names`` are of several runs.
    """
    present = main(names)
    scaled = scaled_agents(present)
    renamed = renaming(*(runs or [present]))
    for group, patterns in GROUPS.items():
        found = []
        for pattern, label, factor in patterns:
            for name in _matching(present, pattern):
                unit = units.get(name, "")
                of = OF_LAYERS if _second(name) in scaled else ""
                found.append(_line(name, pattern, renamed(label), factor, unit, of))
        if len(_matching(present, "core.*.ipc")) == 1:
            found = [line for line in found if line.name != "system.ipc"]
        if found:
            yield group, found


def main(names: Iterable[str]) -> list[str]:
    """Return the names without `OF_BANKS`. With names of HBF, without `OF_QUEUE` instead."""
    known = list(names)
    left_out = OF_QUEUE if has_hbf(known) else OF_BANKS
    return [name for name in known if name != left_out]


def scaled_agents(names: Iterable[str]) -> set[str]:
    """Return the numbers of the agents that have statistics scaled to all layers."""
    return {_second(name) for name in names if name.startswith("agent.") and ".scaled." in name}


def whole_rate(stats: Mapping[str, float], agent: int) -> float | None:
    """Return an agent's rate, scaled to all layers if it simulates some of them, or None."""
    path = f"agent.{agent}"
    return stats.get(f"{path}.scaled.rate", stats.get(f"{path}.rate"))


def has_hbf(names: Iterable[str]) -> bool:
    """Return whether statistics of HBF are among the names."""
    return any(name.startswith("hbf.") for name in names)


def renaming(*runs: Iterable[str]) -> Callable[[str], str]:
    """Return the function that renames labels for runs with these statistics (`RENAMED`)."""
    of_runs = [list(names) for names in runs]
    starts = {name.partition(".")[0] + "." for names in of_runs for name in names}
    chosen = [(old, new) for start, old, new in RENAMED if start in starts]
    requests = HBF_REQUESTS
    if any("nvdimm.line_latency_ns.mean" in names and not has_hbf(names) for names in of_runs):
        requests = BOTH

    def renamed(label: str) -> str:
        for old, new in chosen:
            label = label.replace(old, new)
        return NVDIMM_LINES.sub(requests, label) if "hbf." in starts else label

    return renamed


def causes(
    stats: Mapping[str, float],
) -> tuple[list[str], list[tuple[str, list[float | None]]]]:
    """Return the classes that had requests, and labelled rows of their mean latencies in ns.

    Rows are causes, then their sum. None: the class does not have the cause.
    """
    present = [(title, path) for title, path in CLASSES if path + CAUSES[0][1] in stats]
    rows: list[tuple[str, list[float | None]]] = [
        (label, [stats.get(path + part) for _, path in present])
        for label, part in present_causes(stats)
    ]
    columns = zip(*(values for _, values in rows))
    rows.append(("sum", [sum(value or 0.0 for value in column) for column in columns]))
    return [title for title, _ in present], rows


def present_causes(*runs: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return the causes of latency: label, and rest of the path. ``link`` only if a run has it."""
    has_link = any(path + LINK in stats for stats in runs for _, path in CLASSES)
    return [cause for cause in CAUSES if has_link or cause[1] != LINK]


def _matching(names: Sequence[str], pattern: str) -> list[str]:
    """Return the names that a pattern describes; '*', at most one, is any text without a dot."""
    head, star, tail = pattern.partition("*")
    if not star:
        return [name for name in names if name == pattern]
    return [
        name
        for name in names
        if name.startswith(head)
        and name.endswith(tail)
        and len(name) >= len(head) + len(tail)
        and "." not in name[len(head) : len(name) - len(tail)]
    ]


def _line(name: str, pattern: str, label: str, factor: float, unit: str, of: str) -> Line:
    if "{unit}" in label and unit.startswith("instructions/"):
        unit, factor = f"M {unit}", 1 / MILLION
    index = name.split(".")[pattern.split(".").index("*")] if "*" in pattern else ""
    return Line(name, label.format(index, unit=unit, of=of), factor)


def _second(name: str) -> str:
    return name.partition(".")[2].partition(".")[0]
