# SPDX-License-Identifier: BSD-3-Clause
"""Runs of docs/hbf-decoding.md: decoding of Llama 3.1 8B beside a stack of HBF, and its bounds.

Bounds use decimal units: GB/s, milliseconds, bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import hmsim
from hmsim.workloads.workload import load_workload

PAGE = 4096
LINK = 16 * 96.0  # GB/s of a stack of grade 2
HBM = 16 * 51.2  # peak GB/s of a stack of HBM3
SENSE_TIMES = (1, 4, 20)  # us
DIES = {256: 1, 1024: 4, 4096: 16}  # banks of a stack -> hbf.dies
IN_FLIGHT = (64, 256, 1024, 4096, 16384)  # pages of a stack
BATCH = 8
CONTEXTS = (2047, 8191, 32767)
WEIGHTS = 32 * 436_207_616  # bytes of all layers, without the output head
KV_OF_TOKEN = 131_072
STACK = {
    "controller.channels": 16,
    "controller.nvdimm_queue_depth": 1024,
    "hbf.outstanding": 1024,
    "hbf.erased_at_start": False,  # with hbf.ftl: raw, all pages are programmed
}
# One of the 16 channels, with 64 blocks a bank and all pages written.
CHURN = {
    "controller.nvdimm_queue_depth": 1024,
    "hbf.outstanding": 1024,
    "hbf.ftl": "host",
    "nvdimm.capacity": "1GiB",
    "nvdimm.ftl.over_provisioning": 20,
    "nvdimm.precondition.fill": 1,
}
DECODE = dict(load_workload("llm/decode_8b_hbf").agents[0].flat())
Settings = Mapping[str, Any]


class Step(NamedTuple):
    """A decode step, scaled to all layers, without the output head.

    Attributes:
        milliseconds: its time.
        rate: GB/s that HBF delivered.
    """

    milliseconds: float
    rate: float


def step(agent: Settings, settings: Settings) -> Step:
    """Run one step on a stack of HBM3 and a stack of HBF."""
    config = hmsim.load_config("hbm3_hbf", {**STACK, **settings})
    stats = hmsim.run(config, {"agents": [{**DECODE, **agent}]}, seed=1).stats
    return Step(
        stats["agent.0.scaled.step_time_us"] / 1000,
        stats.get("agent.0.storage.bandwidth_gb_per_s", 0.0),
    )


def banks_at(banks: int, sense: int = 4) -> dict[str, Any]:
    """Return the settings of a stack with so many banks and this time of a sense in us."""
    return {"hbf.dies": DIES[banks], "nvdimm.nand.read_time": f"{sense}us"}


def array_bound(banks: int, sense: int = 4) -> float:
    """Return GB/s at which all banks sense pages."""
    return banks * PAGE / sense / 1000


def little(pages: int, sense: int) -> float:
    """Return GB/s at which so many pages are in flight, each for an idle read's time."""
    return pages * PAGE / (sense * 1000 + 586)


def parallelism() -> Iterator[tuple[int, int, int, float]]:
    """Yield sense time in us, banks, pages in flight and GB/s: all data in HBF, batch 32."""
    for sense, banks, pages in itertools.product(SENSE_TIMES, DIES, IN_FLIGHT):
        agent = {"batch": 32, "outstanding": pages}
        yield sense, banks, pages, step(agent, banks_at(banks, sense)).rate


class Placement(NamedTuple):
    """Place of weights, and of keys and values, and the banks of HBF; 0: without HBF."""

    weights: str
    kv: str
    banks: int

    @property
    def label(self) -> str:
        """Return the name in legends and tables."""
        if self.banks == 0:
            return "all in HBM, whatever its capacity"
        where = "all in HBF" if self.kv == "nvdimm" else "weights in HBF, KV in HBM"
        return f"{where}, {self.banks:,} banks"

    def bound(self, tokens: int) -> float:
        """Return the shortest step in ms for so many cached tokens."""
        rate = min(array_bound(self.banks), LINK) if self.banks else HBM
        kv = tokens * KV_OF_TOKEN
        apart = self.banks > 0 and self.kv == "dram"
        return max(WEIGHTS / rate, kv / HBM) / 1e6 if apart else (WEIGHTS + kv) / rate / 1e6


PLACEMENTS = (
    Placement("dram", "dram", 0),
    *(Placement("nvdimm", "dram", banks) for banks in DIES),
    *(Placement("nvdimm", "nvdimm", banks) for banks in DIES),
)


def placements() -> Iterator[tuple[Placement, int, Step]]:
    """Yield placement, cached tokens of the batch, and the step."""
    for place, context in itertools.product(PLACEMENTS, CONTEXTS):
        agent = {"weights": place.weights, "kv": place.kv, "context": context}
        yield place, BATCH * (context + 1), step(agent, banks_at(place.banks or 256))


SHARED = {"host.queue": "shared", "host.entries": 4096}
HOST_QUEUES: dict[str, Settings] = {
    "none: a queue in each channel": {},
    "divided, 1,024 + 1,024": {
        "host.queue": "divided",
        "host.entries": 1024,
        "host.slow_entries": 1024,
    },
    "shared, 4,096": SHARED,
    "shared, 1,024": {**SHARED, "host.entries": 1024},
    "shared, 4,096, `limit` 256": {
        **SHARED,
        "host.limiter": "limit",
        "policies.limit.entries": 256,
    },
    "shared, 4,096, `limit` 1,024": {
        **SHARED,
        "host.limiter": "limit",
        "policies.limit.entries": 1024,
    },
}


OFFERED = (1024, 4096, 16384)  # pages that the accelerator has in flight


def host_queues() -> Iterator[tuple[str, list[float]]]:
    """Yield each host queue and its steps in ms by OFFERED: weights in HBF, KV in HBM."""
    for name, settings in HOST_QUEUES.items():
        agents = ({"kv": "dram", "outstanding": pages} for pages in OFFERED)
        yield name, [step(agent, settings).milliseconds for agent in agents]


LINES = {"controller.nvdimm_queue_depth": 1024, "hbf.erased_at_start": False}
ORDERS = ("fcfs", "fr_fcfs", "bank_cache")
STREAMS = (2, 3, 8)  # pages of each bank that are read in turn
GROUPS = 20


def line_orders(folder: Path) -> Iterator[tuple[int, str, float, float]]:
    """Yield streams a bank, order, senses a page and GB/s of one channel that is read by lines."""
    banks = 16
    for streams in STREAMS:
        path = folder / f"{streams}.trace"
        pages = [
            [(group * streams + stream) * banks + bank for stream in range(streams)]
            for group in range(GROUPS)
            for bank in range(banks)
        ]
        with path.open("w", encoding="ascii") as file:
            for first in range(0, len(pages), banks):
                for line, stream in itertools.product(range(64), range(streams)):
                    for own in pages[first : first + banks]:
                        file.write(f"0x{own[stream] * PAGE + line * 64:x} R\n")
        agent = {"kind": "memory_trace", "path": str(path), "format": "ramulator_rw"}
        for order in ORDERS:
            config = hmsim.load_config("hbm3_hbf", {**LINES, "controller.nvdimm_scheduler": order})
            stats = hmsim.run(config, {"agents": [{**agent, "target": "nvdimm"}]}, seed=1).stats
            senses = stats["hbf.misses"] / (GROUPS * streams * banks)
            yield streams, order, senses, stats["hbf.to_host.busy"] * LINK / 16


class Churn(NamedTuple):
    """Steps of one channel whose sequences end after 32 tokens. Times in ms."""

    mean: float
    p95: float
    amplification: float
    collections: int


GC = "nvdimm.gc.scheduler"
HOST_WORK: dict[str, Settings] = {
    "`reactive`": {GC: "reactive"},
    "`background`": {GC: "background"},
    "`preemptive`": {GC: "preemptive"},
    "`proactive`": {GC: "proactive"},
    "`reactive`, 5 streams": {GC: "reactive", "hbf.streams": 5},
    "`proactive`, 5 streams": {GC: "proactive", "hbf.streams": 5},
    "`reactive`, copies 1 page of a bank at once": {GC: "reactive", "hbf.copies": 1},
    "`reactive`, copies 64 pages": {GC: "reactive", "hbf.copies": 64},
    "`proactive`, copies 1 page": {GC: "proactive", "hbf.copies": 1},
    "`proactive`, copies 64 pages": {GC: "proactive", "hbf.copies": 64},
}


def churn(agent: Settings, settings: Settings) -> Churn:
    """Run 50 steps, measured from 1.5 s on, when all sequences are prefilled."""
    config = hmsim.load_config("hbm3_hbf", {**CHURN, **settings})
    own = {**DECODE, "layers_simulated": 1, "outstanding": 1024, "steps": 50, **agent}
    stats = hmsim.run(config, {"agents": [own]}, seed=1, warmup="1500ms").stats
    return Churn(
        stats["agent.0.step_time_us.mean"] / 1000,
        stats["agent.0.step_time_us.p95"] / 1000,
        stats["nvdimm.ftl.waf"],
        int(stats["nvdimm.gc.count"]),
    )


def collections() -> Iterator[tuple[str, Churn]]:
    """Yield the steps without ended sequences, then those of each of HOST_WORK."""
    yield "sequences do not end", churn({}, {})
    for name, settings in HOST_WORK.items():
        yield name, churn({"output": 32, "prefill": True}, settings)


# Readings of the specification, and values that it leaves open.
READINGS: dict[str, Settings] = {
    "as in `hbm3_hbf`": {},
    "94 GB/s a channel (C1)": {"hbf.read_rate": 94_000},
    "grade 3, 192 GB/s a channel": {"hbf.grade": 3},
    "no header on the link": {"hbf.header": "0B"},
    "reads do not merge": {"hbf.merge": False},
    "no page cache": {"hbf.cache_pages": 0, "hbf.merge": False},
    "no time for error correction": {"hbf.ecc_read": "0s"},
    "link latency of 100 ns each way": {
        "hbf.read_latency": "100ns",
        "hbf.write_latency": "100ns",
    },
    "256 reads outstanding a channel": {"hbf.outstanding": 256},
    "16 reads outstanding a channel": {"hbf.outstanding": 16},
}


def readings() -> Iterator[tuple[str, list[float]]]:
    """Yield a reading and its steps in ms with 256, 1,024 and 4,096 banks: all data in HBF."""
    for name, settings in READINGS.items():
        yield name, [step({}, {**banks_at(banks), **settings}).milliseconds for banks in DIES]
