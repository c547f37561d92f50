# SPDX-License-Identifier: BSD-3-Clause
"""Ten checks of the three views of a run against independent sums (docs/three-views.md).

`views` runs them. Each check is a function of the views and of sums that come from elsewhere, so
that tests can give it a wrong model.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.running.runner import run
from hmsim.running.views import READS, VIEWS, WRITES, Views
from hmsim.validate.row import Row

GROUP = "views"
LINES = 4096  # of the chase
STRIDE = 8192  # bytes: the next rank, then bank, then row of validate_ddr3
SLOW = 800  # MHz: the clock of validate_ddr3's DRAM, so that all edges meet
LATENCIES = (4, 8, 28)  # of L1, L2 and L3, core cycles at SLOW
ODD = 3_333  # MHz: a clock whose period is no whole number of picoseconds
SHIPPED = (("quick", "demo"), ("quick", "readers"))  # a trace on a core and a driver; a job


@dataclass(frozen=True)
class Sample:
    """One run: its views, its statistics, and its DRAM's timing."""

    name: str
    views: Views
    stats: Mapping[str, float]
    timing: Mapping[str, int]  # cycles; tCK in picoseconds
    channels: int = 1

    @property
    def means(self) -> dict[str, float]:
        """Return the mean latency of loads by view, in nanoseconds."""
        return {view: self.views.mean_ns(view, ("load",)) for view in VIEWS}

    def per_load(self, part: str) -> float:
        """Return the mean of ``lookup_ps`` or ``edge_ps`` over the loads, in nanoseconds."""
        return self.views.sums[part] / self.views.sums["application.load.count"] / 1e3


def row(name: str, expected: float, got: float, unit: str, source: str, within: float = 0) -> Row:
    """Return a row of the group."""
    return Row(GROUP, name, expected, got, unit, within, source)


def counts(sample: Sample) -> Iterator[Row]:
    """Compare the views' requests with the counters of agents and channels."""
    stats, views = sample.stats, sample.views
    source = "completions counted by the agents"
    got = views.total("interface", "count")
    yield row(f"1 requests, {sample.name}", stats["sim.requests"], got, "", source)
    for kind, kinds in (("reads", READS), ("writes", WRITES)):
        expected = stats[f"dram.{kind}"] + stats.get(f"nvdimm.{kind}", 0)
        got = views.total("simulator", "count", kinds)
        source = "bursts counted by the channels"
        yield row(f"1 {kind}, {sample.name}", expected, got, "", source)


def size(sample: Sample) -> Iterator[Row]:
    """Compare the views' bytes with the time that data took on the bus."""
    views, stats, timing = sample.views, sample.stats, sample.timing
    busy = (stats["bus.dram_share"] + stats.get("bus.nvdimm_share", 0)) * sample.channels
    bursts = round(busy * stats["sim.ticks"] / (timing["burst"] * timing["tCK"])) * 64
    flying = 64 * views.sums["simulator.in_flight"]  # some have issued their bursts
    for view in ("interface", "simulator"):
        expected = views.total(view, "bytes") + flying / 2
        name, source = f"2 bytes, {view}, {sample.name}", "the view; got: bursts on the bus x 64"
        yield row(name, expected, bursts, "bytes", source, flying / 2)


def constants(sample: Sample) -> Iterator[Row]:
    """Compare the latencies of each request, less the declared parts."""
    sums = sample.views.sums
    for name in ("application", "interface", "parts"):
        got = sums[f"residue.{name}_ps"]
        yield row(f"3 residue, {name}, {sample.name}", 0, got, "ps", "each request")
    got = sample.views.loads()
    yield row(f"3 residue, sums of loads, {sample.name}", 0, got, "ps", "sums")


def bandwidth(sample: Sample) -> Iterator[Row]:
    """Compare bytes over the window with the channels' own rate."""
    stats, views = sample.stats, sample.views
    window = views.sums["window_ps"]
    yield row(f"4 window, {sample.name}", stats["sim.ticks"], window, "ps", "sim.ticks")
    expected = stats["dram.bandwidth_gb_per_s"]
    whole = sample.timing["tCK"] / window  # the channels' window ends at a clock edge
    for view in ("interface", "simulator"):
        got = views.total(view, "bytes") / window * 1e3
        name = f"4 bandwidth, {view}, {sample.name}"
        yield row(name, expected, got, "GB/s", "the channels", whole * expected)


def clock(once: Sample, twice: Sample, cycle_ns: float) -> Iterator[Row]:
    """Compare a chase under two core clocks: no latency changes by more than a core cycle."""
    for view in VIEWS:
        name = f"5 core clock x2, {view}"
        source = "the chase at x1"
        yield row(name, once.means[view], twice.means[view], "ns", source, cycle_ns)


def order(sample: Sample) -> Iterator[Row]:
    """Count requests whose times are out of order, or that a view did not see."""
    for name in ("order", "unseen"):
        got = sample.views.sums[f"residue.{name}"]
        yield row(f"6 {name}, {sample.name}", 0, got, "requests", "each request")


def little(sample: Sample, occupancy: bool) -> Iterator[Row]:
    """Compare occupancy x time with the sum of latencies, and with the channels' occupancy."""
    for view in VIEWS:
        got = sample.views.little(view)
        yield row(f"7 N T - X T l, {view}, {sample.name}", 0, got, "ps", "integer sums")
    if occupancy:
        held = sample.stats["dram.queue.occupancy"] * sample.channels
        inside = sample.views.sums["simulator.area_ps"] / sample.views.sums["window_ps"]
        name, source = f"7 requests in the controller, {sample.name}", "queue entries held"
        yield row(name, held, inside, "", source, 1e-9 * held)


def saturation(below: Sample, above: Sample) -> Iterator[Row]:
    """Check that interface and simulator differ by the wait for a queue entry alone."""
    period = below.timing["tCK"] / 1e3
    for sample in (below, above):
        stats = sample.stats
        waited = sum(
            stats[f"dram.latency.{kind}.admission_ns.mean"] * stats[f"dram.{kind}s"]
            for kind in ("read", "write")
            if stats[f"dram.{kind}s"]
        )
        views = sample.views
        got = (views.total("interface", "ps") - views.total("simulator", "ps")) / 1e3
        name, source = f"8 interface - simulator, {sample.name}", "the channels' admission"
        yield row(name, waited, got, "ns", source, 1e-9 * waited)
    name = f"8 mean difference, {below.name}"
    got = below.means["interface"] - below.means["simulator"]
    yield row(name, period / 2, got, "ns", "less than a DRAM cycle", period / 2)
    inner, outer = (
        above.views.mean_ns(view) - below.views.mean_ns(view) for view in ("simulator", "interface")
    )
    waits = (
        each.views.sums["admission_ps"] / each.views.total("interface", "count") / 1e3
        for each in (above, below)
    )
    slope = outer / (inner + next(waits) - next(waits))
    yield row("8 slope, interface over simulator + admission", 1, slope, "", "no other part", 1e-9)


def chase(sample: Sample, lookup_ns: float) -> Iterator[Row]:
    """Compare a chase of closed banks with its closed form."""
    cycles = ("tRCD", "CL", "burst")
    expected = sum(sample.timing[name] for name in cycles) * sample.timing["tCK"] / 1e3
    source = "tRCD + CL + BL/2"
    yield row("9 chase, simulator", expected, sample.means["simulator"], "ns", source)
    yield row("9 chase, interface", expected, sample.means["interface"], "ns", source)
    expected += lookup_ns
    source += " + L1 + L2 + L3"
    yield row("9 chase, application", expected, sample.means["application"], "ns", source)


def fifo(sample: Sample) -> Iterator[Row]:
    """Count requests that finished after a younger one."""
    got = sample.views.sums["overtaken"]
    yield row(f"10 overtaken, {sample.name}", 0, got, "requests", "fcfs_strict")


def sample(name: str, config: str, workload: Any, **settings: Any) -> Sample:
    """Run a workload with views. In names of settings, ``__`` stands for a dot."""
    named = {key.replace("__", "."): value for key, value in settings.items()}
    loaded = load_config(config)
    system = replace(loaded, overrides=(*loaded.overrides, *from_mapping(named, GROUP)))
    result = run(system, workload, views=True)
    values = system.resolved()
    prefix = "dram.timing."
    timing = {k[len(prefix) :]: v for k, v in values.items() if k.startswith(prefix)}
    if result.views is None:
        raise AssertionError("a run with views has none")
    return Sample(
        name,
        result.views,
        result.stats,
        {key: int(value) for key, value in timing.items() if value.isdigit()},
        int(values["controller.channels"]),
    )


def write_chase(folder: Path) -> Path:
    """Write a trace of loads that each need the one before; return its workload file."""
    record = "<Q8B6Q"  # ChampSim's: address, branch, registers, stores, loads
    (folder / "chase").write_bytes(
        b"".join(
            struct.pack(record, 64, *(0, 0, 1, 0, 1, 0, 0, 0), *(0, 0, STRIDE * line, 0, 0, 0))
            for line in range(1, LINES + 1)
        )
    )
    workload = folder / "chase.yaml"
    workload.write_text("agents: [{kind: cpu_trace, path: chase, format: champsim}]\n")
    return workload


def chase_sample(name: str, workload: Path, megahertz: int, times: int, **settings: Any) -> Sample:
    """Run the chase on closed banks, with cache latencies of ``times`` those at `SLOW`."""
    levels = {
        f"frontend__cache__l{level}__latency": times * cycles
        for level, cycles in enumerate(LATENCIES, 1)
    }
    return sample(
        name,
        "validate_ddr3",
        workload,
        **{
            "dram__refresh": "false",
            "controller__page_policy": "closed_page",
            "frontend__translation": "modulo",
            "frontend__core__frequency": f"{megahertz}MHz",
            "frontend__core__width": 1,
            **levels,
            **settings,
        },
    )


def loads(name: str, mshrs: int, writes: int, **settings: Any) -> Sample:
    """Run independent random loads, at most ``mshrs`` in flight, and write-backs."""
    core = {"kind": "synthetic_core", "rpki": 800, "wpki": writes, "pattern": "random"}
    agents = [{**core, "instructions": 20_000, "mshrs": mshrs}]
    return sample(name, "validate_ddr3", {"agents": agents}, **settings)


def views() -> Iterator[Row]:
    """Run the ten checks."""
    with TemporaryDirectory() as folder:
        workload = write_chase(Path(folder))
        once = chase_sample("chase", workload, SLOW, 1)
        twice = chase_sample("chase x2", workload, 2 * SLOW, 2)
        odd = chase_sample(f"chase, {ODD} MHz", workload, ODD, 1)
    below, above = loads("8 loads in flight", 8, 0), loads("saturated", 128, 200)
    shipped = [sample(f"{config}, {name}", config, name) for config, name in SHIPPED]
    own = [once, odd, below, above]
    for each in (*own, *shipped):
        yield from counts(each)
        yield from size(each)
        yield from constants(each)
        yield from order(each)
        yield from little(each, occupancy=each in own)
    for each in own:
        yield from bandwidth(each)
    yield from clock(once, twice, 1e3 / SLOW)
    yield from saturation(below, above)
    yield from chase(once, sum(LATENCIES) * 1e3 / SLOW)
    yield from fifo(loads("in order", 8, 200, controller__scheduler="fcfs_strict"))


def table() -> list[tuple[str, float, float, float, str]]:
    """Return the rows as (name, value, expected, residue, verdict), for reports.

    The residue is the value minus the expected one, in the row's unit.
    """
    return [
        (each.name, each.got, each.expected, each.got - each.expected, each.verdict())
        for each in views()
    ]
