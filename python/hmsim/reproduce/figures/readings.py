# SPDX-License-Identifier: BSD-3-Clause
"""Readings of the paper's words where they allow several machines.

A reading changes one group from its default; all other groups keep theirs. A claim counts as
reproduced only if it is reproduced under each reading of its groups (`Claim.groups`) that the words
leave open. Readings that the words decide against are shown and have no say.

A key of `settings` is a parameter of the system. It wins over a policy bundle, and an experiment
that sweeps the same parameter wins over it. ``bundle.NAME.KEY`` sets KEY of points under the policy
bundle NAME alone. ``figure.NAME`` is a choice of a figure (`Runs.choice`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hmsim.reproduce.figures.claims import Claim


@dataclass(frozen=True)
class Reading:
    """One reading of a group.

    Attributes:
        name: unique among all readings.
        words: the paper's words for it, with their section.
        settings: the keys that it changes.
        default: whether the default system has it; one reading of each group.
        decided: whether the words decide against it (docs/assumptions.md gives the reason).
        group: the question that its readings answer differently.
    """

    name: str
    words: str
    settings: Mapping[str, str] = field(default_factory=dict)
    default: bool = False
    decided: bool = False
    group: str = ""


READINGS: tuple[Reading, ...] = (
    Reading(
        name="no limit of outstanding commands",
        words='Table III, NVDIMM: "4096 request queue depth, 4096 command queue depth"',
        default=True,
        group="outstanding",
    ),
    Reading(
        name="32 commands outstanding",
        words='IV: "one queue per bank or per rank"; VI-A: "Each rank has a 32-entry command queue '
        'in the memory controller to buffer pending command requests"',
        settings={"controller.outstanding": "32"},
        group="outstanding",
    ),
    Reading(
        name="command queues in the controller",
        words='IV: "Once a transaction wins arbitration, it is decomposed into a sequence of '
        'memory commands and mapped to a command queue"',
        settings={"controller.structure": "two_level"},
        group="outstanding",
    ),
    Reading(
        name="an NVDIMM answers as soon as it can",
        words='V-B1: "the NVDIMM controller notifies the memory controller via the proposed ack '
        'command signal line"',
        default=True,
        group="ack_order",
    ),
    Reading(
        name="an NVDIMM answers in the order of its commands",
        words='V-B2: page-aware scheduling "reorders transactions in the NVDIMM transaction '
        'queue", which has an effect only if the NVDIMM keeps that order',
        settings={"nvdimm.ack_order": "command"},
        group="ack_order",
    ),
    Reading(
        name="items of a page share a flash read",
        words='V-B1: "data read from or written to NAND flash memory are performed on a page '
        'basis"',
        default=True,
        group="item_reads",
    ),
    Reading(
        name="a flash read for each item",
        words='VI-B2: "The item-based scheme represents the memory block size (64 bytes) based '
        'caching mechanism"',
        settings={"nvdimm.buffer.item_reads": "own"},
        decided=True,
        group="item_reads",
    ),
    Reading(
        name="a page copy holds the flash bus",
        words='V-C: copies "block the flash access bus, resulting in all the flash chips in the '
        'same flash bus being blocked"',
        default=True,
        group="hold_channel",
    ),
    Reading(
        name="a page copy holds the flash bus during its transfers",
        words='V-C: "The valid page copy operation can be refined into several steps"',
        settings={"nvdimm.gc.hold_channel": "false"},
        decided=True,
        group="hold_channel",
    ),
    Reading(
        name="Fig. 18 plots the rate of block I/O",
        words='VI-B1: "In the rest of this paper, we focus on studying the NVDIMM performance '
        'improvement"',
        default=True,
        group="fig18_metric",
    ),
    Reading(
        name="Fig. 18 plots the IPC of the programs",
        words='VI-B2: response time "eventually benefits the overall system performance. Figures '
        '18 (a) and (b) plot the performance improvement"',
        settings={"figure.fig18_metric": "ipc"},
        group="fig18_metric",
    ),
    Reading(
        name="pre-eviction for queued commands alone",
        words='V-B2: "by monitoring the address information of the requests in the command queue, '
        'data can be either prefetched or pre-evicted"',
        default=True,
        group="low_water",
    ),
    Reading(
        name="5 % of the write part is kept free",
        words="none",
        settings={"policies.prefetch_preevict.low_water": "5"},
        decided=True,
        group="low_water",
    ),
    Reading(
        name="a frame is free when its page is programmed",
        words='V-B2: "non-persistent data in write buffer, the NVDIMM can flush these data to the '
        'flash storage"',
        default=True,
        group="release",
    ),
    Reading(
        name="a frame is free when the chip's register has its data",
        words='V-B1: "the buffer has space to store new data"',
        settings={"nvdimm.buffer.release": "datain"},
        group="release",
    ),
    Reading(
        name="the oldest request of each bank first",
        words='V-A: "The earlier issued request will be scheduled prior to the later ones within '
        'the same kind of requests"',
        default=True,
        group="within_class",
    ),
    Reading(
        name="row hits first within a class",
        words='V-A: "In case the same kind of requests ... are ready, the bus arbitrator schedules '
        'these requests based on the request issued time"',
        settings={
            "bundle.paper_hms.controller.scheduler": "fr_fcfs",
            "bundle.paper_hms.controller.nvdimm_scheduler": "fr_fcfs",
            "bundle.paper_all.controller.scheduler": "fr_fcfs",
        },
        group="within_class",
    ),
)
# Groups that matter for a claim over mixes unless it names its own.
MIX_GROUPS = ("outstanding",)


def others(claim: Claim) -> list[Reading]:
    """Return the readings, except the default, of a claim's groups."""
    if claim.uncounted or claim.constructed:
        return []
    groups = MIX_GROUPS if claim.groups is None else claim.groups
    return [each for each in READINGS if each.group in groups and not each.default]
