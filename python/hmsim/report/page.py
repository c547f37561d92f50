# SPDX-License-Identifier: BSD-3-Clause
"""The page: sections of tables and charts, put together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import resources

from hmsim import _core
from hmsim._core import Simulation
from hmsim.common.directories import new_file
from hmsim.common.markup import Markup, data, join, script, style, tag
from hmsim.report import charts, tables
from hmsim.report.collect import Shown, collect
from hmsim.report.jobs import jobs


def write_report(
    directories: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], force: bool = False
) -> int:
    """Write a page about runs; return how many there are.

    Args:
        directories: run directories, or directories that hold some, as `hmsim compare` leaves.
        out: the file; it appears whole or not at all.
        force: replace it.

    Raises:
        InputError: a directory is not in order, or the file is refused.
    """
    shown = collect([os.fspath(directory) for directory in directories])
    with new_file(out, force) as scratch:
        scratch.write_text(page(shown), encoding="utf-8")
    return len(shown)


def page(shown: Sequence[Shown]) -> str:
    """Return the page about some runs."""
    drawn = charts.Charts(shown)
    threads = jobs(shown)
    has_io = any(one.io for one in shown)
    sections = [
        ("Overview", join(tables.runs(shown), tables.headline(shown), tables.bounds(shown))),
        ("What differs", tables.configuration(shown, dict(Simulation.resolve([])))),
        ("Latency", join(drawn.latency(), tables.causes(shown))),
        *([("Block I/O", join(tables.blocks(shown), drawn.blocks()))] if has_io else []),
        ("Queues", drawn.queues()),
        ("Bandwidth", join(tables.bus(shown), tables.channels(shown), drawn.bandwidth())),
        ("Garbage collection", join(tables.collection(shown), drawn.collection())),
        ("Fairness", tables.fairness(shown)),
        *([] if threads is None else [("Jobs", threads)]),
        ("All statistics", tables.everything(shown)),
    ]
    names = [title.lower().replace(" ", "-").replace("/", "") for title, _ in sections]
    inline, script_source = script(_text("charts.js") + _text("page.js"))
    look, _ = style(_text("page.css"))
    # Bars are sized by style attributes, hence 'unsafe-inline' for styles, never for scripts.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {script_source}"
    title = _title(shown)
    return "<!DOCTYPE html>\n" + tag(
        "html",
        tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="generator", content=f"hmsim {_core.version}"),
            tag("title", title),
            look,
        ),
        tag(
            "body",
            tag("a", "Skip to the results", class_="skip", href="#overview"),
            tag("h1", title),
            tag("p", _subtitle(shown), class_="faint"),
            tag(
                "nav",
                *(tag("a", text, href=f"#{name}") for name, (text, _) in zip(names, sections)),
                aria_label="Sections",
            ),
            tag(
                "main",
                *(
                    tag("section", tag("h2", text, id=name), content)
                    for name, (text, content) in zip(names, sections)
                ),
            ),
            data("charts", drawn.specs),
            inline,
        ),
        lang="en",
    )


def _title(shown: Sequence[Shown]) -> str:
    workloads = list(dict.fromkeys(one.run.workload for one in shown))
    policies = list(dict.fromkeys(one.run.policy for one in shown))
    return f"{_few(workloads)} under {_few(policies)}"


def _few(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} choices"


def _subtitle(shown: Sequence[Shown]) -> Markup:
    count = "One run" if len(shown) == 1 else f"{len(shown)} runs"
    text = f"{count} of hmsim. The page needs no network; tables sort, charts zoom."
    return join(text)


def _text(name: str) -> str:
    return (resources.files("hmsim.report") / name).read_text(encoding="utf-8")
