# SPDX-License-Identifier: BSD-3-Clause
"""Names of columns and values, with units, as readers of a paper want them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hmsim._core import Simulation
from hmsim.common import labels

POLICIES = {
    "par_bs": "PAR-BS",
    "tcm": "TCM",
    "atlas": "ATLAS",
    "bliss": "BLISS",
    "fr_fcfs_cap": "FR-FCFS + Cap",
    "unified_fr_fcfs": "FR-FCFS",
    "unified_fcfs": "FCFS",
    "nvm_duet": "NVM Duet",
    "firm": "FIRM-like",
    "paper_hms": "HMS",
    "hms": "HMS, exact",
    "paper_all": "all techniques",
    "all": "all, exact HMS",
    "oracle": "no interference",
}
MICRO = "\N{MICRO SIGN}s"


def named(value: Any) -> str:
    """Return a policy, workload, configuration or other value for people."""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    head, comma, rest = text.removeprefix("mix:").partition(",")
    head = Path(head).stem if head.endswith((".yaml", ".yml", ".fio")) else head
    return POLICIES.get(head, head) + (f", {rest}" if comma else "")


def heading(
    column: str, units: Mapping[str, str], columns: Iterable[str] = ()
) -> tuple[str, float]:
    """Return a column's name with its unit, and the factor that converts its values to the unit.

    Args:
        column: a statistic, or the axis of a table.
        units: of statistics, by path.
        columns: all columns of the table, from which the noun of the slow memory follows.
    """
    present = dict.fromkeys([column, *columns])
    slow = labels.HBF if any(name.startswith("hbf.") for name in present) else "NVDIMM"
    if line := labels.line_of(column, present, units, slow):
        return _upper(line.label.replace("(us)", f"({MICRO})")), line.factor
    unit = units.get(column) or _unit(column)
    whole = column in units or column.startswith("agent.")
    words = column.replace(".", " ") if whole else " ".join(column.split(".")[-2:])
    unit = MICRO if unit == "us" else "" if words.endswith(f" {unit}") else unit
    return _upper(words.replace("_", " ")) + (f" ({unit})" if unit else ""), 1.0


def _unit(parameter: str) -> str:
    """Return the unit of a parameter's plain numbers, or ''."""
    known = {info["name"]: info["unit"] for info in Simulation.parameters()}
    return str(known.get(parameter, ""))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
