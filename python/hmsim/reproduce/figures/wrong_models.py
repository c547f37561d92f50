# SPDX-License-Identifier: BSD-3-Clause
"""For each counted claim a wrong model, under which its verdict must not be "reproduced".

`hmsim figure NAME --wrong-models` runs them.
"""

from __future__ import annotations

from dataclasses import dataclass

from hmsim.points.point import Scalar
from hmsim.reproduce.figures import firm
from hmsim.reproduce.figures.changes import Change
from hmsim.reproduce.figures.experiment import ALL, HMS, SPLIT_FCFS


@dataclass(frozen=True)
class WrongModel:
    """A wrong model: what is wrong, in words, and the changes of the experiment's points."""

    what: str
    changes: tuple[Change, ...]


def _swapped(policies: tuple[str, ...], bundle: str) -> tuple[Change, ...]:
    return tuple(Change(where=(("policy", name),), bundle=bundle) for name in policies)


def _set(what: str, name: str, value: str, **where: Scalar) -> WrongModel:
    return WrongModel(what, (Change(((name, value),), tuple(where.items()), wins=True),))


ONE_QUEUE = WrongModel(
    "the second queue is not there", _swapped((SPLIT_FCFS.name,), "unified_fcfs")
)
NO_ORACLE = WrongModel("the oracle has the bus and queue of TCM", _swapped(("oracle",), "tcm"))
FIRM_IS_TCM = WrongModel("FIRM schedules as TCM", _swapped(firm.NAMES, "tcm"))
HMS_IS_FCFS = WrongModel("HMS is FCFS on one queue", _swapped((HMS,), "unified_fcfs"))
NO_WEIGHT = _set(*("the weight has no effect", "policies.harmonic.weight", "0.5"), policy=HMS)
ALL_IS_FIRM = WrongModel(
    "all techniques together schedule as FIRM", _swapped((ALL,), firm.PUBLISHED)
)
ALL_IS_HMS = WrongModel("page-aware scheduling and proactive GC do nothing", _swapped((ALL,), HMS))
GRANULARITY = "nvdimm.buffer.granularity"
PAGES_ARE_ITEMS = _set("a page frame holds one item", GRANULARITY, "item", scheme="page")
ITEMS_ARE_PAGES = _set("an item frame holds the whole page", GRANULARITY, "page", scheme="item")
PAS_IS_FCFS = _set(
    *("page-aware scheduling keeps the order of arrival", "controller.nvdimm_scheduler", "fcfs"),
    scheme="PAS",
)
REACTIVE = _set(
    *("proactive collection is reactive", "nvdimm.gc.scheduler", "reactive"), scheduler="proactive"
)
LINES_ALONE = WrongModel(
    "each line of a page takes a flash read",
    (Change(((GRANULARITY, "item"), ("nvdimm.buffer.item_reads", "own")), wins=True),),
)
IN_BUFFER = _set(
    *("dfsioe_r's data are in the buffer", "nvdimm.precondition.buffer", "resident"),
    program="dfsioe_r",
)
WRONG: dict[str, WrongModel] = {
    "R1": _set("flash reads take 5 us", "nvdimm.nand.read_time", "5us"),
    **dict.fromkeys(("R2a", "R2c", "R2e"), ONE_QUEUE),
    **dict.fromkeys(("R3a", "R3b"), NO_ORACLE),
    "R3c": FIRM_IS_TCM,
    **dict.fromkeys(("R4", "R5a"), IN_BUFFER),
    "R5b": _set(
        *("sort's data are in flash", "nvdimm.precondition.buffer", "none"), program="sort"
    ),
    "R7": LINES_ALONE,
    **dict.fromkeys(("R10", "R13a", "R13b", "R14"), HMS_IS_FCFS),
    **dict.fromkeys(("R12a", "R12b"), NO_WEIGHT),
    **dict.fromkeys(("R15", "R17b", "R17c"), PAGES_ARE_ITEMS),
    "R17a": ITEMS_ARE_PAGES,
    **dict.fromkeys(("R16a", "R16b", "R17d", "R18a", "R18b"), PAS_IS_FCFS),
    **dict.fromkeys(("R19a", "R19b"), REACTIVE),
    **dict.fromkeys(("R20a", "R21"), ALL_IS_FIRM),
    "R20b": ALL_IS_HMS,
    "R22": _set(
        *("proactive collection takes victims at random", "nvdimm.ftl.victim", "random_victim"),
        scheduler="proactive",
    ),
}
