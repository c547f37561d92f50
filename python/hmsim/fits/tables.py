# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a fit's page."""

from __future__ import annotations

import math
from collections import Counter

from hmsim.common.tables import number as shown
from hmsim.fits.file import Target
from hmsim.fits.findings import Findings
from hmsim.fits.wanted import Wanted
from hmsim.reproduce.card.content import Cell, Table

LONGEST = 60  # characters of a formula in a table


def wanted(band: Wanted) -> str:
    """Return a band as text: ``77.9 ± 3.895``, ``at least 5``."""
    if band.centre is not None:
        up, down = band.high - band.centre, band.centre - band.low
        if math.isclose(up, down):
            return f"{shown(band.centre)} ± {shown(up)}"
        return f"{shown(band.centre)}, {shown(band.low)} to {shown(band.high)}"
    if math.isinf(band.high):
        return f"at least {shown(band.low)}"
    if math.isinf(band.low):
        return f"at most {shown(band.high)}"
    return f"{shown(band.low)} to {shown(band.high)}"


def targets(found: Findings) -> Table:
    """Target, wanted, reached, verdict."""
    rows: list[list[Cell]] = []
    for each in found.fit.targets:
        status, failing = found.status(each)
        text = each.text if len(each.text) <= LONGEST else f"{each.text[:LONGEST]} ..."
        reached = found.best.found.get(each.name, math.nan)
        miss = found.best.misses.get(each.name, math.inf)
        rows.append(
            [
                *(each.name, wanted(each.wanted), reached, miss, status),
                "held out" if each.hold_out else "fitted",
                *(each.group, ", ".join(failing), text),
            ]
        )
    columns = (
        *("target", "wanted", "reached", "miss, half bands", "verdict", "use", "group"),
        *("fails at", "of"),
    )
    return Table("Targets", columns, rows)


def keys(found: Findings) -> Table:
    """Key, fitted value, range within the bands, verdict."""
    rows: list[list[Cell]] = [
        [each.name, each.fitted, each.low, each.high, each.verdict(), ", ".join(each.tied)]
        for each in found.ranges
    ]
    columns = ("key", "fitted", "from", "to", "verdict", "moves with")
    return Table("Keys", columns, rows)


def conflicts(found: Findings) -> Table:
    """Targets that no trial met, alone or together."""
    rows: list[list[Cell]] = []
    by_name = {each.name: each for each in found.fit.targets}
    for each in found.conflicts():
        names = [name for name in (each.one, each.other) if name]
        reached = [f"{name} {_reached(by_name[name], each.nearest.found[name])}" for name in names]
        machine = ", ".join(f"{key}={text}" for key, text in each.nearest.values.items())
        kind = "no machine tried meets both" if each.other else "no machine tried meets it"
        if not math.isfinite(each.nearest.found[each.one]):
            kind = "no number in any machine"
        rows.append([" and ".join(names), kind, each.miss, "; ".join(reached), machine])
    columns = ("targets", "conflict", "nearest, half bands", "reached there", "machine")
    return Table("Conflicts", columns, rows)


def _reached(target: Target, value: float) -> str:
    return f"{shown(value)} ({wanted(target.wanted)})"


def neighbours(found: Findings) -> Table:
    """Targets that fail one step away from the best machine."""
    rows: list[list[Cell]] = []
    met = [each for each in found.fit.targets if found.best.meets([each])]
    for key, trial in found.neighbours:
        if trial.error:
            fails = f"refused: {trial.error.splitlines()[0]}"
        else:
            fails = ", ".join(each.name for each in met if not trial.meets([each])) or "none"
        rows.append([key, found.best.values[key], trial.values[key], fails])
    return Table("Neighbours", ("key", "fitted", "one step away", "targets that fail"), rows)


def scores(found: Findings) -> Table:
    """Held-out and fitted targets met by the fitted machine, by machines at random, unfitted."""
    columns = (
        *("machine", f"held-out targets met, of {len(found.fit.held_out)}"),
        *("held-out miss, half bands", f"fitted targets met, of {len(found.fit.fitted)}"),
        "fitted miss, half bands",
    )
    rows: list[list[Cell]] = [
        [each.machine, each.held_out, each.held_out_miss, each.fitted, each.fitted_miss]
        for each in found.scores()
    ]
    return Table("Scores", columns, rows)


def cost(found: Findings) -> Table:
    """Machines and host time by stage, and what the simulator refused."""
    every = [*found.trials, found.unfitted]
    counted = Counter(trial.stage for trial in every)
    refused = Counter(trial.stage for trial in every if trial.error)
    seconds: dict[str, float] = {}
    seen: set[str] = set()
    for trial in every:  # a point that several trials share has run once
        own = [s for key, s in trial.seconds.items() if key not in seen]
        seconds[trial.stage] = seconds.get(trial.stage, 0.0) + math.fsum(own)
        seen |= trial.seconds.keys()
    rows: list[list[Cell]] = [
        [stage, count, refused[stage], seconds[stage]] for stage, count in counted.items()
    ]
    total = [sum(counted.values()), sum(refused.values()), math.fsum(seconds.values())]
    rows.append(["all", *total])
    return Table("Cost", ("stage", "machines", "refused", "host seconds"), rows)


def refusals(found: Findings) -> Table:
    """Reasons of refusals."""
    reasons = Counter(t.error.splitlines()[0] for t in found.trials if t.error)
    rows: list[list[Cell]] = [[text, count] for text, count in reasons.most_common(10)]
    return Table("Refusals", ("reason", "machines"), rows)
