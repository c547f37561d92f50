# SPDX-License-Identifier: BSD-3-Clause
"""What bound a run, and how much the classes of memory waited for each other."""

from __future__ import annotations

from collections.abc import Sequence

from hmsim.bounds.bound import Bound
from hmsim.bounds.measured_network import Measured, Texts, Values, dram, nvdimm, other_of
from hmsim.common import labels

LATENCIES = ("read_latency_ns", "write_latency_ns", "line_latency_ns")
PARTS = tuple(part.removesuffix("_ns.mean") for _, part in labels.CAUSES)


def bounds(stats: Values, parameters: Texts, agents: Sequence[Texts]) -> list[Bound]:
    """Return what bound each class that had requests.

    Args:
        stats: statistics by path.
        parameters: the text of every parameter.
        agents: the keys of each agent.
    """
    run = Measured(stats, parameters, agents)
    makers = {"dram": dram, "nvdimm": nvdimm}
    models = [
        make(run)
        for memory, make in makers.items()
        if run.lines(memory) and any(run.of(f"{memory}.{path}.mean") for path in LATENCIES)
    ]
    return [model.bound() for model in models if model.network.capacities()]


def contest(stats: Values, parameters: Texts) -> dict[str, float]:
    """Return the share of each class's latency that it waited because of the other class.

    The wait for the data bus is owed to the other class in proportion to its data on the bus, the
    wait for an entry of a common queue in proportion to its entries. Without the other class's
    requests, or without statistics of latency, a class is absent.
    """
    run = Measured(stats, parameters, ())
    shares = {}
    for memory in ("dram", "nvdimm"):
        other = other_of(memory)
        latency = run.waited(memory, *PARTS)
        if not latency or not run.lines(other):
            continue
        owed = 0.0
        if run.attach == "ddr" and parameters["controller.bus"] == "shared":
            owed += run.waited(memory, "bus") * _share(run, "bus.{}_share", other)
        if run.attach == "ddr" and not run.is_split:
            owed += run.waited(memory, "admission") * _share(run, "{}.queue.occupancy", other)
        shares[f"contest.{memory}"] = owed / latency
    return shares


def main(stats: Values, parameters: Texts) -> dict[str, float]:
    """Return the statistics as tables show them.

    The shares of `contest` are added. The time with more than 104 of 128 entries is left out unless
    the NVDIMMs are on the memory bus and their queue has 128 entries, as in the paper.
    """
    run = Measured(stats, parameters, ())
    depth = "controller.nvdimm_queue_depth" if run.is_split else "controller.queue_depth"
    is_papers = run.attach == "ddr" and run.is_flash and parameters[depth] == "128"
    kept = {name: value for name, value in stats.items() if is_papers or name != labels.OF_QUEUE}
    return {**kept, **contest(stats, parameters)}


def _share(run: Measured, path: str, memory: str) -> float:
    both = run.of(path.format("dram")) + run.of(path.format("nvdimm"))
    return run.of(path.format(memory)) / both if both else 0.0
