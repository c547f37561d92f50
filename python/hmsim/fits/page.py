# SPDX-License-Identifier: BSD-3-Clause
"""What a fit writes: a page as HTML and as Markdown, and the fitted configuration."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hmsim import _core
from hmsim._core import InputError
from hmsim.common import document_tables
from hmsim.common.directories import new_file, read_regular
from hmsim.common.tables import number
from hmsim.fits import tables
from hmsim.fits.findings import Findings
from hmsim.fits.picture import picture
from hmsim.reproduce.card.content import Cell, Section
from hmsim.reproduce.card.page import page

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

PAGE, TEXT, CONFIG, TARGETS = "fit.html", "fit.md", "fitted.yaml", "targets.csv"
DEFAULT_CONFIG = "quick"
LARGEST = 16 << 20  # bytes of a file of targets


def sections(found: Findings) -> list[Section]:
    """Return the parts of the page."""
    knife = (
        "Verdicts are of the best machine. A target is in its band only if it stays there with "
        "each key one step away; otherwise it is knife-edge. Held-out targets were not shown to "
        "the search. A miss is the distance to the wanted number in half bands: 1 at a band's end."
    )
    known = (
        "The range of a key is that of all machines within all bands of fitted targets. It is "
        "widened on purpose: the search moves each key away from the best machine, alone and with "
        "the others following. A key is determined if its range is within 5 % of the fitted value. "
        "Keys that move with it differ between the ends: the targets fix a combination of them."
    )
    pairs = (
        "Targets that no machine met, alone or together, and the machine that came nearest. For "
        "pairs, NSGA-II looked for machines that meet both."
    )
    steps = "One step is 1 for whole numbers, also for those in a list, and 1 % of others."
    score = (
        "What the fit is worth: targets that it did not see, beside machines at random in the same "
        "space and the machine as its configuration has it. Misses count at most ten."
    )
    spent = f"Seed {found.seed}. A point that several machines share ran once."
    drawn = [picture(found, name) for name in found.fit.over]
    return [
        Section("Targets", knife, [tables.targets(found)]),
        Section("Keys", known, [tables.keys(found)], pictures=drawn),
        Section("Conflicts", pairs, [tables.conflicts(found)]),
        Section("Neighbours", steps, [tables.neighbours(found)]),
        Section("Held-out targets", score, [tables.scores(found)]),
        Section("Cost", spent, [tables.cost(found), tables.refusals(found)]),
    ]


def summary(found: Findings) -> str:
    """Return the result in a sentence or two."""
    states = [found.status(each)[0] for each in found.fit.fitted]
    text = f"{states.count('in band')} of {len(states)} fitted targets are in their bands"
    if edges := states.count("knife-edge"):
        text += f", {edges} on a knife-edge"
    if found.fit.held_out:
        held = [found.status(each)[0] for each in found.fit.held_out]
        text += f", and {held.count('in band')} of {len(held)} held-out ones"
    if not found.inside:
        return f"{text}. No machine that was tried meets all fitted targets."
    determined = [each.name for each in found.ranges if each.determined]
    named = ", ".join(determined) or "no key"
    return f"{text}. Determined: {named}, of {len(found.ranges)} keys."


def write(directory: Path, found: Findings) -> None:
    """Write page and configuration into a fit's directory. Raises InputError."""
    title = f"hmsim: fit of {found.fit.sweep.path.name}"
    made = sections(found)
    subtitle = f"hmsim {_core.version}"
    texts = {
        PAGE: page(made, title, subtitle, [summary(found)]),
        TEXT: _markdown(made, title, summary(found)),
        CONFIG: _configuration(found),
    }
    targets = tables.targets(found)
    rows = csv.writer(content := io.StringIO(), lineterminator="\n")
    titles = [each.removeprefix(">") for each in targets.titles()]
    rows.writerows([titles, *targets.rows])
    texts[TARGETS] = content.getvalue()
    for name, text in texts.items():
        with new_file(directory / name, force=True) as scratch:
            scratch.write_text(text, encoding="utf-8")


def read_targets(directory: Path) -> pd.DataFrame:
    """Return the targets of a fit as a table for `hmsim.plot`. Raises InputError."""
    import pandas as pd

    path = directory / TARGETS
    try:
        table = pd.read_csv(io.BytesIO(read_regular(path, LARGEST)))
        table = table.rename(columns={"miss, half bands": "miss"})[["target", "verdict", "miss"]]
    except (ValueError, KeyError) as error:
        raise InputError(f"{path}: is damaged: {error}") from error
    table.attrs.update({"axes": ["target", "verdict"], "units": {"miss": "half bands"}})
    return table


def _markdown(made: Sequence[Section], title: str, head: str) -> str:
    parts = [f"# {title}\n", f"{head}\n"]
    for section in made:
        parts += [f"## {section.name}\n", f"{section.text}\n"]
        for table in section.tables:
            if table.rows:
                rows = [[_text(cell) for cell in row] for row in table.rows]
                parts.append(document_tables.markdown(table.name, table.titles(), rows))
            else:
                parts.append(f"**{table.name}**: none.\n")
    return "\n".join(parts)


def _text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else number(cell)


def _configuration(found: Findings) -> str:
    """Return the fitted machine as a configuration file, each key with what it was fitted to."""
    fit = found.fit
    to = ", ".join(each.name for each in fit.fitted)
    common = {name: value.text for name, value in fit.sweep.common.items()}
    base = common.pop("config", DEFAULT_CONFIG)
    beside = fit.sweep.path.parent / base
    base = str(beside.resolve()) if beside.is_file() else base
    what = f"{base if fit.runs else 'keys'} fitted by {fit.sweep.path.name} to {to}"
    lines = ["# SPDX-License-Identifier: BSD-3-Clause", f"description: {_quoted(what)}"]
    if fit.runs:
        lines.append(f"base: {_quoted(base)}")
    else:
        lines.append("# Keys of the systems that claims or families have, not a whole system.")
    others = []
    for name, text in common.items():
        if name in ("policy", "warmup") or name.startswith("agent."):
            others.append(f"# {name}: {text}")
        else:
            lines.append(f"{name}: {_quoted(text)}")
    for each in found.ranges:
        ends = f", {each.low} to {each.high}" if each.high else f", {each.low}" if each.low else ""
        note = f"  # fitted to {to}; {each.verdict()}{ends}"
        of_file = "." in each.name and not each.name.startswith("agent.")
        line = f"{each.name}: {_quoted(each.fitted)}{note}"
        (lines if of_file else others).append(line if of_file else f"# {line}")
    if others:
        lines.append("# What a configuration cannot hold:")
    return "\n".join([*lines, *others, ""])


def _quoted(text: str) -> str:
    plain = text and all(c.isalnum() or c in "._-+/" for c in text)
    return text if plain else "'" + text.replace("'", "''") + "'"
