# SPDX-License-Identifier: BSD-3-Clause
"""Does doubling the parameter that a run names raise its rate, and no other one more?

`HMSIM_BOUND_SYSTEMS=100 pytest -m slow tests/validation/test_bounds.py` judges 100 systems.
"""

from __future__ import annotations

import heapq
import os
import random
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hmsim import Result, load_config
from hmsim.bounds.bound import Bound
from hmsim.bounds.closed_network import Network
from hmsim.bounds.verdict import bounds, contest, main
from hmsim.runs.runner import run

SYSTEMS = range(1, 1 + int(os.environ.get("HMSIM_BOUND_SYSTEMS", "6")))
PAGES = 4000  # of a run
RAISED = 1.03  # rate over the measured one
NOISE = 0.02
PRESET = ("dram.preset", "dram.timing.burst")  # twice as fast: half of the cycles
QUEUE = "controller.nvdimm_queue_depth"
Settings = Mapping[str, Any]


def draw(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings and the agent of a random system."""
    choice = random.Random(seed).choice
    settings: dict[str, Any] = {
        "controller.queues": "split",
        "nvdimm.command_queue": 65536,
        "nvdimm.nand.channels": choice([1, 2, 4, 8]),
        "nvdimm.nand.chips": choice([1, 2, 4]),
        "nvdimm.nand.bus_rate": choice([50, 200, 400, 800]),
        "nvdimm.nand.read_time": choice(["3us", "20us", "50us"]),
        "nvdimm.nand.program_time": choice(["100us", "300us", "650us"]),
        QUEUE: choice([16, 32, 64, 128, 256, 512, 1024, 2048]),
        "frontend.block.threads": choice([1, 2, 4, 8, 16, 32, 64]),
        "frontend.block.window": choice([4, 16, 32, 64, 128, 256]),
        "controller.outstanding": choice(["queue", "queue", 16, 32, 64, 128, 256, 512]),
        "dram.timing.burst": 4,
    }
    load = choice(["read", "read", "written", "absorbed"])
    if load == "written":  # each page evicts another
        settings |= {
            "nvdimm.capacity": "2GiB",
            "nvdimm.ftl.over_provisioning": 15,
            "nvdimm.buffer.write_size": "1MiB",
            "nvdimm.precondition.buffer": "dirty",
            "nvdimm.precondition.fill": 0.5,
        }
    size = choice([4, 4, 16, 64])
    requests = max(PAGES, settings["frontend.block.threads"] * size * 3) * 4 // size
    access = choice(["random", "sequential"])
    agent = {"size": f"{size}KiB", "access": access, "requests": requests}
    return settings, {"kind": "io_pattern", "read_share": int(load == "read"), **agent}


def simulated(settings: Settings, agent: Settings) -> Result:
    texts = {**settings, "nvdimm.nand.bus_rate": f"{settings['nvdimm.nand.bus_rate']}MT/s"}
    return run(load_config("mascots16", texts), {"agents": [dict(agent)]})


def multiplied(settings: Settings, names: Iterable[str], factor: float) -> dict[str, Any]:
    changed = dict(settings)
    for name in names:
        if name == PRESET[0]:
            changed[PRESET[1]] = int(settings[PRESET[1]] / factor)
        else:
            changed[name] = int(settings[name] * factor)
    changed[QUEUE] = min(changed[QUEUE], 4096)
    return changed


def rate(result: Result) -> float:
    return (result.stats["nvdimm.reads"] + result.stats["nvdimm.writes"]) / result.stats[
        "sim.ticks"
    ]


def complaint(seed: int, wrong: str | None = None) -> str:
    """Return what is wrong with the bound of a random system; ``wrong``: what is always named."""
    settings, agent = draw(seed)
    result = simulated(settings, agent)
    (bound,) = bound_of(result)
    named = [((wrong,), 2.0, 0.0)] if wrong else bound.gains

    def gain(names: Iterable[str], factor: float) -> float:
        return rate(simulated(multiplied(settings, names, factor), agent)) / rate(result)

    raised = [gain(names, factor) for names, factor, _ in named]
    known = (PRESET[0], *settings)
    others = {
        name: gain((name,), 2.0)
        for name in known
        if isinstance(settings.get(name, 0), int)
        and name not in (PRESET[1], "nvdimm.command_queue")
        and not any(name in names for names, *_ in named)
    }
    best = max(others, key=others.__getitem__)
    most = max(raised, default=RAISED)
    if min(raised, default=RAISED) < RAISED or others[best] > most + NOISE:
        gains = [f"{value:.2f}" for value in raised]
        return f"{settings}, {agent}: {bound}; in truth {gains}, and {best} {others[best]:.2f}"
    return ""


def bound_of(result: Result) -> list[Bound]:
    agents = [dict(agent.flat()) for agent in result.workload.agents]
    return bounds(result.stats, result.config.resolved(), agents)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SYSTEMS)
def test_the_parameter_that_is_named_raises_the_rate_most(seed: int) -> None:
    assert complaint(seed) == ""


def test_a_model_that_always_names_the_queue_is_detected() -> None:
    assert complaint(1, wrong=QUEUE)


def events(pages: int, luns: int, channels: int, sense: float, transfer: float) -> float:
    """Return the rate of random page reads in a closed loop, by simulation of their events."""
    choose, ended, waiting = random.Random(1), 0, [0] * luns
    free, queue, now, began = [0.0] * channels, [], 0.0, 0.0
    for place in (choose.randrange(luns) for _ in range(pages)):
        waiting[place] += 1
        if waiting[place] == 1:
            heapq.heappush(queue, (sense, 0, place))
    while ended < 20_000:
        now, stage, place = heapq.heappop(queue)
        if stage == 0:
            begin = max(now, free[place % channels])
            free[place % channels] = begin + transfer
            heapq.heappush(queue, (begin + transfer, 1, place))
            continue
        ended += 1
        began = now if ended == 2_000 else began
        waiting[place] -= 1
        following = choose.randrange(luns)
        starts = {place} if waiting[place] else set()
        waiting[following] += 1
        starts |= {following} if waiting[following] == 1 else set()
        for each in starts:
            heapq.heappush(queue, (now + sense, 0, each))
    return 18_000 / (now - began)


@pytest.mark.parametrize("pages", [1, 2, 8, 32, 128])
@pytest.mark.parametrize(
    ("luns", "channels", "sense", "transfer"),
    [(8, 4, 50, 21), (4, 1, 3, 10), (16, 4, 3, 5), (32, 8, 50, 5), (1, 1, 50, 20), (64, 8, 20, 20)],
)
def test_the_closed_network_has_the_rate_of_its_events(
    pages: int, luns: int, channels: int, sense: float, transfer: float
) -> None:
    network = Network("LUNs", luns, channels, sense, transfer, visits=1.0)
    measured = events(pages, luns, channels, sense, transfer)
    assert network.rate(pages, 0.0) == pytest.approx(measured, rel=0.01 if pages == 1 else 0.13)


WAITS = {
    "sim.ticks": 1e9,
    **{f"{memory}.reads": 10.0 for memory in ("dram", "nvdimm")},
    **{
        f"{memory}.latency.read.{cause}_ns.{part}": value
        for memory in ("dram", "nvdimm")
        for cause, mean in (("admission", 60.0), ("bus", 30.0), ("transfer", 10.0))
        for part, value in (("mean", mean), ("count", 10.0))
    },
    **{"bus.dram_share": 0.3, "bus.nvdimm_share": 0.1},
    **{"dram.queue.occupancy": 20.0, "nvdimm.queue.occupancy": 60.0},
    "nvdimm.queue.share_over_104": 0.5,
}


@pytest.mark.parametrize(
    ("settings", "dram", "nvdimm"),
    [
        ({}, 0.3 / 4 + 0.6 * 3 / 4, 0.3 * 3 / 4 + 0.6 / 4),
        ({"controller.queues": "split"}, 0.3 / 4, 0.3 * 3 / 4),
        ({"controller.bus": "private", "controller.queues": "split"}, 0.0, 0.0),
        ({"nvdimm.attach": "cxl"}, 0.0, 0.0),
    ],
)
def test_waits_are_due_to_the_other_class_by_its_data_and_its_entries(
    settings: Settings, dram: float, nvdimm: float
) -> None:
    parameters = load_config("mascots16", settings).resolved()
    assert contest(WAITS, parameters) == pytest.approx(
        {"contest.dram": dram, "contest.nvdimm": nvdimm}
    )


def test_the_share_over_104_entries_is_shown_for_queues_of_128() -> None:
    for settings, shown in (
        ({}, True),
        ({"controller.queue_depth": 64}, False),
        ({"controller.queues": "split", "controller.queue_depth": 64}, True),
        ({"nvdimm.attach": "cxl"}, False),
    ):
        values = main(WAITS, load_config("mascots16", settings).resolved())
        assert ("nvdimm.queue.share_over_104" in values) == shown


def test_copies_that_hold_flash_channels_do_not_call_for_a_faster_bus() -> None:
    """Twice the rate gains 3 % in quick's demo with 32 commands; 128 commands gain 43 %."""
    limits = {"controller.outstanding": 32, "frontend.block.window": 64, "nvdimm.access": "line"}
    flash = {"nvdimm.buffer.manager": "on_demand", "nvdimm.nand.suspend": "none"}
    result = run(load_config("quick", limits | flash), "demo")
    dram, nvdimm = bound_of(result)
    assert nvdimm.gains[0][0] == ("controller.outstanding",)
    assert dram.what == "the queue" and "controller.queues to split" in str(dram)
