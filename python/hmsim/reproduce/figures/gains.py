# SPDX-License-Identifier: BSD-3-Clause
"""Gains of policies over others on the same mix and seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from hmsim.config import write_modes
from hmsim.reproduce.figures.verdicts import Estimate, estimate, median

CORES = {"partner": "core.0.ipc", "program": "agent.1.ipc"}
MIX = ["program", "partner", "machine", "regime", "seed"]
SHARE = "share"  # of a program's work that a part stands for: an axis


def whole(
    table: pd.DataFrame, names: Iterable[str] = tuple(CORES.values()), job: int = 1
) -> pd.DataFrame:
    """Return a row for the parts of each run: means of these statistics over simulated time.

    Rows are parts of the same run if they differ only in `SHARE`, a column of the table whose
    values add up to 1 for each run. It is a share of the work of agent `job`, a job: in the whole
    run a part lasts for its share times the job's time per instruction. Thus the job's own IPC
    equals its work divided by its time.
    """
    axes = [name for name in table.attrs["axes"] if name != SHARE]
    lasts = table[SHARE] / table[f"agent.{job}.ipc"]
    by = [table[name] for name in axes]
    parts = table[list(names)].mul(lasts, axis=0).groupby(by, sort=False, dropna=False).sum()
    return parts.div(lasts.groupby(by, sort=False, dropna=False).sum(), axis=0).reset_index()


def in_mode(table: pd.DataFrame, mode: str) -> pd.DataFrame:
    """Return the rows of schemes in a write mode, under their bare names.

    Schemes that set the direction themselves are returned for both modes. The column ``writes``
    says the mode.
    """
    named = [write_modes.split(policy) for policy in table["policy"]]
    kept = [own in (None, mode) for _, own in named]
    bare = [name for (name, _), keep in zip(named, kept) if keep]
    return table[kept].assign(policy=bare, writes=mode)


def gains(table: pd.DataFrame, policy: str, over: Sequence[str]) -> pd.DataFrame:
    """Return the gain of ``policy`` over others: a row for each mix, seed and core, in per cent.

    Columns: those of `MIX`, ``core`` (partner, program, both), ``over`` and ``gain``. With several
    policies in ``over`` there is a row of their mean, ``over`` being ``mean``.
    """
    rows = []
    for key, group in table.groupby(MIX, sort=False):
        by_policy = group.set_index("policy")
        found: dict[str, dict[str, float]] = {}
        for other in over:
            ratio = {
                core: 100 * (by_policy.at[policy, name] / by_policy.at[other, name] - 1)
                for core, name in CORES.items()
            }
            found[other] = {**ratio, "both": sum(ratio.values()) / len(ratio)}
        if len(over) > 1:
            found["mean"] = {
                core: sum(values[core] for values in found.values()) / len(over)
                for core in (*CORES, "both")
            }
        for other, values in found.items():
            for core, gain in values.items():
                rows.append({**dict(zip(MIX, key)), "core": core, "over": other, "gain": gain})
    return pd.DataFrame(rows)


def average(rows: pd.DataFrame, by: str | list[str] = "program") -> Estimate:
    """Return the mean over programs of the means over seeds, with an interval."""
    return estimate({str(name): list(group["gain"]) for name, group in rows.groupby(by)})


def middle(rows: pd.DataFrame, by: str | list[str] = "program") -> Estimate:
    """Return the gain of the median program, as `average` returns the mean."""
    return median({str(name): list(group["gain"]) for name, group in rows.groupby(by)})


def difference(rows: pd.DataFrame, less: pd.DataFrame) -> pd.DataFrame:
    """Return rows of the gains of ``rows`` less those of ``less``, by program and seed."""
    keys = ["program", "seed"]
    change = rows.set_index(keys)["gain"] - less.set_index(keys)["gain"]
    return change.rename("gain").reset_index()


def chosen(rows: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Return the rows that have these values in these columns."""
    for column, value in values.items():
        rows = rows[rows[column] == value]
    return rows


def by_program(rows: pd.DataFrame, programs: Iterable[str]) -> list[Estimate]:
    """Return the means over seeds, of programs in this order."""
    return [estimate({name: list(chosen(rows, program=name)["gain"])}) for name in programs]
