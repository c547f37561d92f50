# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of a run as a closed network, and the limits of its requests in flight."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hmsim import _core
from hmsim.bounds.bound import Factors, Limit, Model
from hmsim.bounds.closed_network import LUNS, Network, root
from hmsim.common import labels

PAGE = 64  # lines
LINE = 64  # bytes
UNKNOWN = 1.5  # pages in flight below which the wait at LUNs says nothing of more pages
SLACK = 0.05  # of a page: less than this does not begin another
CROWDED = 8.0  # DRAM requests in a channel that keep several banks busy
CROWDED_OUT = (
    0.1  # of the latency outside the queue: the queue is full, of requests of both classes
)
LOST = 0.1  # of the bus's time, by banks: enough to name them
FEW = 2.0  # loads in flight of a core that waits for dependences
MANY = 1e6  # requests of a load that does not wait for them
HELD_BACK = 1.0  # us: time before the issue from which such a load waits after all
THREADS, WINDOW = "frontend.block.threads", "frontend.block.window"
SPLIT = "controller.queues to split"
CORE_WINDOW = "frontend.core.window"
BLOCK = ("block_trace", "io_pattern")
STREAMS = ("memory_trace", "pattern", "synthetic")
CORES = ("cpu_trace", "llc_trace", "synthetic_core")
OUTSTANDING = ("pattern", "synthetic", "llm_decode")  # kinds with a key of this name
Parts = dict[str, tuple[str, ...]]
Values = Mapping[str, float]
Texts = Mapping[str, str]


class Flow(NamedTuple):
    """The requests of a class, as measured.

    Attributes:
        rate: in units per ns.
        latency: mean, in ns.
        outside: part of it before the queue.
    """

    rate: float
    latency: float
    outside: float


class Measured:
    """The statistics, parameters and agents of a run."""

    def __init__(self, stats: Values, parameters: Texts, agents: Sequence[Texts]) -> None:
        self.stats, self.parameters, self.agents = stats, parameters, agents
        self.time = stats["sim.ticks"] / 1e3  # ns
        self.channels = self.number("controller.channels")
        self.attach = parameters["nvdimm.attach"] if parameters["nvdimm.present"] == "true" else ""
        self.is_split = parameters["controller.queues"] == "split" or self.attach == "hbf"
        self.is_flash = parameters["nvdimm.kind"] == "flash"
        self.slow = labels.slow_memory(parameters)

    def number(self, name: str) -> float:
        """Return the value of a parameter."""
        return float(self.parameters[name])

    def of(self, path: str) -> float:
        """Return a statistic; 0 if the run lacks it."""
        return self.stats.get(path, 0.0)

    def ns(self, name: str, agent: Texts | None = None) -> float:
        """Return a time; ``agent``: that may have its own."""
        own = (agent or {}).get(name.rpartition(".")[2])
        return _core.parse_time(own or self.parameters[name]) / 1e3

    def lines(self, memory: str) -> float:
        """Return the requests of a class."""
        return self.of(f"{memory}.reads") + self.of(f"{memory}.writes")

    def waited(self, memory: str, *causes: str) -> float:
        """Return the time that all requests of a class waited for one of these causes, in ns."""
        paths = [f"{memory}.latency.{way}.{c}_ns" for way in ("read", "write") for c in causes]
        return sum(self.of(f"{path}.mean") * self.of(f"{path}.count") for path in paths)

    def entries(self, memory: str) -> tuple[str, float]:
        """Return the parameter of the class's queue, and the entries that the class can hold."""
        if memory == "nvdimm" and self.is_split:
            name = "controller.nvdimm_queue_depth"
            return name, self.number(name) * self.channels
        others = 0.0 if self.is_split else self.of(f"{other_of(memory)}.queue.occupancy")
        depth = self.number("controller.queue_depth")
        return "controller.queue_depth", max(1.0, depth - others) * self.channels

    def bus_time(self, memory: str, rate: float) -> float:
        """Return the time of a unit on the data bus, as a share of what the other class leaves."""
        own, other = self.of(f"bus.{memory}_share"), self.of(f"bus.{other_of(memory)}_share")
        if own <= 0:
            return 0.0
        busy = own + self.of("bus.lost.turnaround") * own / (own + other)
        if self.parameters["controller.bus"] == "private":
            return 2 * busy / rate
        return busy / max(own, 1 - other) / rate


class Agents:
    """The agents that send requests to a class: how many they have in flight, and why."""

    def __init__(self, run: Measured, memory: str) -> None:
        self.run = run
        numbered = [each for each in enumerate(run.agents) if _uses(each[1], memory, run)]
        self.blocks = [each for each in numbered if each[1].get("kind") in BLOCK]
        self.known = len(self.blocks) == len(numbered) > 0
        self.waits = any(_waits(index, agent, run) for index, agent in numbered)
        self.names: tuple[str, ...] = ()
        if self.waits and self.known:
            self.names = (THREADS, WINDOW)
        elif self.waits:
            self.names = tuple(dict.fromkeys(key for each in numbered if (key := _key(*each))))

    def sizes(self) -> list[float]:
        """Return the mean lines of the block requests of each agent."""
        found = []
        for index, _ in self.blocks:
            path = f"agent.{index}.storage."
            requests = self.run.of(f"{path}reads") + self.run.of(f"{path}writes")
            moved = self.run.of(f"{path}read_bytes") + self.run.of(f"{path}write_bytes")
            found.append(max(1.0, moved / LINE / requests) if requests else float(PAGE))
        return found

    def window(self, factors: Factors) -> float:
        """Return the lines that a thread may have outstanding, the least of the agents."""
        default = self.run.parameters[WINDOW]
        windows = [float(agent.get("window", default)) for _, agent in self.blocks]
        return min(windows, default=math.inf) * factors.get(WINDOW, 1.0)

    def limit(
        self, factors: Factors, unit: float, hit: float, network: Network, flow: Flow
    ) -> Limit:
        """Return the limit of requests in flight.

        Args:
            factors: of parameters.
            unit: lines of a unit.
            hit: time of a line in the buffer, in ns.
            network, flow: as measured.
        """
        if not self.waits:
            return Limit("the load", (), MANY, MANY / flow.rate)
        what = "the agents' windows"
        if not self.known:
            factor = max((factors.get(name, 1.0) for name in self.names), default=1.0)
            units = flow.rate * flow.latency
            inside = network.flash_time(flow.rate, units) + network.at_servers(flow.rate, units)
            think = max(0.0, flow.latency - flow.outside - inside)
            return Limit(what, self.names, units * factor, think)
        units = think = pages = 0.0
        window = self.window(factors)
        for (_, agent), size in zip(self.blocks, self.sizes()):
            threads = float(agent.get("threads", self.run.parameters[THREADS]))
            threads *= float(agent.get("depth", 1)) * factors.get(THREADS, 1.0)
            software = self.run.ns("frontend.block.request_time", agent)
            software += self.run.ns("frontend.block.software_time", agent) * size / PAGE
            units += threads
            pages += threads * max(1.0, min(window, size) / unit)
            think += threads * unit * (software / size + hit / min(window, size))
        return Limit(what, self.names, units, think / units, pages / units)


def other_of(memory: str) -> str:
    """Return the other class."""
    return "nvdimm" if memory == "dram" else "dram"


def _pages(lines: float, of_page: float) -> float:
    """Return the pages of which a row of lines, in order, has some."""
    return max(1.0, math.ceil(lines / of_page - SLACK))


def _uses(agent: Texts, memory: str, run: Measured) -> bool:
    """Return whether an agent sends requests to a class, as far as its keys say."""
    kind = agent.get("kind", "")
    if kind in STREAMS:
        return agent.get("target", "system") in ("system", memory)
    if kind in BLOCK or kind == "llm_decode":
        return memory == "nvdimm" and run.parameters["storage.kind"] == "none"
    return kind not in CORES or memory == "dram"


def _waits(index: int, agent: Texts, run: Measured) -> bool:
    """Return whether an agent waits for its requests, or for its limit of them."""
    timed = "timed" in (agent.get("replay"), agent.get("mode"))
    is_open = agent.get("arrivals", "closed") != "closed" or agent.get("interval", "0s") != "0s"
    held_back = run.of(f"agent.{index}.held_back_us.mean") > HELD_BACK
    return not (timed or is_open) or held_back or run.of(f"agent.{index}.arrivals.dropped") > 0


def _key(index: int, agent: Texts) -> str:
    """Return the parameter of an agent's requests in flight, or ''."""
    kind = agent.get("kind", "")
    if kind in CORES:
        return CORE_WINDOW
    return f"agent.{index}.outstanding" if kind in OUTSTANDING else ""


def _cells(run: Measured) -> tuple[Network, Parts]:
    """Return LUNs or banks, channels and what each access takes there; and their parameters."""
    channels = run.channels
    busy = "nvdimm.nand.lun_utilisation"
    parts: Parts
    if run.attach == "hbf":
        accesses = run.of("nvdimm.nand.reads") + run.of("nvdimm.nand.programs")
        channels *= run.number("hbf.dies")
        luns = channels * run.number("hbf.banks")
        parts = {"hbf.banks": ("luns",), "hbf.dies": ("luns", "channels")}
    elif run.is_flash:
        accesses = run.of("nvdimm.buffer.evictions")
        if lines := run.of("nvdimm.buffer.lines_per_flash_read"):
            accesses += run.of("nvdimm.reads") / lines
        channels *= run.number("nvdimm.nand.channels")
        luns = channels * run.number("nvdimm.nand.chips") * run.number("nvdimm.nand.dies")
        parts = {"nvdimm.nand.chips": ("luns",), "nvdimm.nand.channels": ("luns", "channels")}
    else:
        accesses = run.of("nvdimm.media.reads") + run.of("nvdimm.media.writes")
        luns = channels * run.number("nvdimm.media.banks")
        parts = {"nvdimm.media.banks": ("luns",)}
        busy = "nvdimm.media.bank_utilisation"
    if not accesses:
        return Network(), {}
    transfer = run.of("nvdimm.nand.bus_utilisation") * channels * run.time / accesses
    waits = run.of("nvdimm.nand.bus_wait_us") * 1e3 / accesses
    sense = max(0.0, run.of(busy) * luns * run.time / accesses - transfer - waits)
    collected = run.parameters["nvdimm.gc.hold_channel"] == "true" and run.of("nvdimm.gc.count")
    if transfer > 0 and not collected:  # copies hold channels for longer than their transfers
        parts["nvdimm.nand.bus_rate"] = ("transfer",)
    cells = LUNS if run.is_flash else f"{run.slow} banks"
    visits = accesses / run.lines("nvdimm")
    return Network(cells, luns, channels, sense, transfer, visits=visits), parts


def _servers(run: Measured, rate: float) -> tuple[dict[str, float], Parts]:
    """Return the buses and links of the NVDIMMs, and their parameters."""
    servers = {"DDR data bus": run.bus_time("nvdimm", rate)}
    parts: Parts = {"dram.preset": ("DDR data bus",)}
    for path, parameter in (
        *(("cxl.up", "cxl.lanes"), ("cxl.down", "cxl.lanes")),
        *(("hbf.to_host", "hbf.grade"), ("hbf.to_device", "hbf.grade")),
    ):
        servers[f"link {path}"] = run.of(f"{path}.busy") / rate
        parts[parameter] = (*parts.get(parameter, ()), f"link {path}")
    present = {name: time for name, time in servers.items() if time > 0}
    return present, {n: kept for n, each in parts.items() if (kept := tuple(present.keys() & each))}


def _flash_time(run: Measured, visits: float, lookup: float) -> float:
    """Return the mean time of a unit at the flash, that of its lines that waited for it."""
    lines = run.lines("nvdimm")
    if run.attach == "hbf":
        most = min(run.of("nvdimm.queue.occupancy"), run.number("hbf.outstanding"))
        return most * run.channels * run.time / lines
    waited = run.waited("nvdimm", "ack_wait", "gc_blocked") - lines * lookup
    missed = lines
    if run.is_flash:
        missed = sum(
            run.of(f"nvdimm.{way}s")
            * (1 - run.stats.get(f"nvdimm.buffer.{way}_hit_ratio_strict", 1.0))
            for way in ("read", "write")
        )
    return max(0.0, waited) / missed * visits if missed else 0.0


def nvdimm(run: Measured) -> Model:
    """Return the network of the NVDIMMs."""
    lines = run.lines("nvdimm")
    agents = Agents(run, "nvdimm")
    whole = run.attach == "hbf"  # a request takes one entry for all its lines
    cells, parts = _cells(run)
    of_access = 1 / cells.visits if cells.visits else math.inf
    unit = 1.0 if whole else max(1.0, min(PAGE, of_access, *agents.sizes()))
    rate = lines / unit / run.time
    servers, of_servers = _servers(run, rate)
    network = cells._replace(visits=unit / of_access, servers=servers)
    hit = lookup = run.ns("nvdimm.buffer.lookup") if run.is_flash and not whole else 0.0
    hit += run.waited("nvdimm", "transfer", *(() if run.is_flash else ("ack_wait",))) / lines
    flash = _flash_time(run, network.visits, lookup)
    if rate * flash >= UNKNOWN:

        def excess(scatter: float) -> float:
            return network._replace(scatter=scatter).flash_time(rate, rate * flash) - flash

        network = network._replace(scatter=root(excess, 0, 1))
    outside = run.waited("nvdimm", "admission") / lines
    flow = Flow(rate, run.of("nvdimm.line_latency_ns.mean"), outside)
    depth, entries = run.entries("nvdimm")
    commands = "hbf.outstanding" if whole else "controller.outstanding"
    most = run.parameters[commands]

    def limits(factors: Factors) -> list[Limit]:
        of_agent = PAGE if whole else unit
        found = [agents.limit(factors, of_agent, hit, network, flow)]
        rooms = [("the queue", depth, entries, hit)]
        if most != "queue":
            rooms.append(("outstanding commands", commands, float(most) * run.channels, lookup))
        row = 1.0 if whole else min(agents.window(factors), unit)
        for what, name, size, time in rooms:
            room = size * factors.get(name, 1.0)
            by_line = (0.0, 0.0) if whole else (room, time)
            found.append(Limit(what, (name,), _pages(room, row), 0.0, 1.0, *by_line))
        return found

    candidates = {**parts, **of_servers, **dict.fromkeys((*agents.names, depth), ())}
    if most != "queue":
        candidates[commands] = ()
    moved = run.of("hbf.bandwidth_gb_per_s") or lines * LINE / run.time
    return Model("NVDIMM", run.slow, unit, rate, moved, network, limits, candidates)


def dram(run: Measured) -> Model:
    """Return the network of DRAM: its bus, and its banks if requests crowd there."""
    lines = run.lines("dram")
    agents = Agents(run, "dram")
    rate = lines / run.time
    servers = {"DDR data bus": run.bus_time("dram", rate)}
    candidates: Parts = {"dram.preset": ("DDR data bus",)}
    lost = sum(run.of(f"bus.lost.{cause}") for cause in ("bank", "activate", "refresh"))
    if run.of("dram.queue.occupancy") >= CROWDED and lost >= LOST:
        servers["DRAM banks"] = servers["DDR data bus"] + lost / rate
        candidates["dram.ranks"] = ("DRAM banks",)
    unloaded = run.waited("dram", "bank", "refresh", "transfer", "link") / lines
    depth, entries = run.entries("dram")
    ways = ("read", "write")
    waited = sum(run.of(f"dram.{way}_latency_ns.mean") * run.of(f"dram.{way}s") for way in ways)
    if agents.names == (CORE_WINDOW,) and waited / run.time < FEW:
        agents.names = ()  # the programs' dependences, not the windows, hold the loads back
    candidates |= dict.fromkeys((*agents.names, depth), ())
    if not run.is_split and run.attach == "ddr" and run.lines("nvdimm"):
        candidates[SPLIT] = ()

    network = Network(servers=servers)
    flow = Flow(rate, waited / lines, run.waited("dram", "admission") / lines)
    held = max(run.of("dram.queue.occupancy") * run.channels, 1e-6)

    def limits(factors: Factors) -> list[Limit]:
        room = (entries if flow.outside < CROWDED_OUT * flow.latency else held) * factors.get(
            depth, 1
        )
        if SPLIT in factors:
            room = run.number("controller.queue_depth") * run.channels
        return [
            agents.limit(factors, 1.0, unloaded, network, flow),
            Limit("the queue", (depth,), room, unloaded),
        ]

    moved = lines * LINE / run.time
    return Model("DRAM", "DRAM", 1.0, rate, moved, network, limits, candidates)
