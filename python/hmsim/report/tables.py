# SPDX-License-Identifier: BSD-3-Clause
"""The page's tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Optional

from hmsim._core import Simulation
from hmsim.bounds import verdict
from hmsim.common import labels
from hmsim.common.markup import Markup, join, scrolling, tag
from hmsim.common.tables import number
from hmsim.report.bars import relative, stacked
from hmsim.report.block_io import HEAD
from hmsim.report.collect import Shown, base_of, differences, slow_of, speedup
from hmsim.report.requests import quantile

LONGEST = 80  # characters of a value of the configuration
BEGINNING = 14  # of a longer one, what is shown
# Statistics of a channel: end of the path, head of the column, factor.
OF_CHANNEL = (
    ("reads", "reads", 1),
    ("writes", "writes", 1),
    ("bus_share", "data bus busy (%)", 100),
    ("link.down.busy", "link to the device busy (%)", 100),
    ("link.up.busy", "link to the host busy (%)", 100),
    ("row_hit_ratio", "row hits (%)", 100),
    ("read_latency_ns.mean", "read, mean (ns)", 1),
    ("line_latency_ns.mean", "request, mean (us)", 1e-3),
    ("queue.occupancy", "entries queued, mean", 1),
    ("nand.reads", "pages read", 1),
    ("nand.programs", "pages programmed", 1),
    ("media.reads", "lines read", 1),
    ("media.writes", "lines written", 1),
    ("gc.count", "blocks collected", 1),
)
Value = Optional[float]


def swatch(index: int) -> Markup:
    """Return the colour that charts give a run."""
    return tag("span", class_=f"swatch k{index % 8}", aria_hidden="true")


def name_cell(index: int, one: Shown) -> Markup:
    """Return the head of a run's row."""
    return tag("th", swatch(index), one.name, scope="row")


def runs(shown: Sequence[Shown]) -> Markup:
    """Return the table of the runs' inputs: workload, policy, configuration, seed, ..."""
    head = ("run", "workload", "policy", "configuration", "seed", "simulated (ms)", "directory")
    rows = []
    for index, one in enumerate(shown):
        origin = one.run.origin
        texts = (
            one.run.workload,
            str(origin.get("policy") or "none"),
            str(origin.get("config", "?")),
            str(origin.get("seed", "?")),
            number(one.run.stats.get("sim.ticks", 0) * 1e-9),
            str(one.run.path),
        )
        cells = [tag("td", text, class_="text") for text in texts]
        rows.append(tag("tr", name_cell(index, one), *cells))
    agents = []
    for workload in dict.fromkeys(one.run.workload for one in shown):
        first = next(one for one in shown if one.run.workload == workload)
        for index, agent in enumerate(first.run.agents):
            keys = ", ".join(f"{key} {value}" for key, value in agent.items() if key != "kind")
            agents.append(
                tag("li", f"{workload}, agent {index}: {agent.get('kind', '?')} ({keys})")
            )
    return join(
        table_of("Inputs of the runs", head, rows, texts=True),
        tag("details", tag("summary", "The agents"), tag("ul", *agents)),
    )


def headline(shown: Sequence[Shown]) -> Markup:
    """Return the table of the main numbers, with a row for each run."""
    columns: list[tuple[str, list[Value], int]] = []
    if len(shown) > 1:
        columns.append(
            ("speedup over the first", [speedup(shown, n) for n in range(len(shown))], labels.UP)
        )
    agents = max((len(one.run.agents) for one in shown), default=0)
    for agent in range(agents):
        ipc = [_ipc(one, agent) for one in shown]
        if any(value is not None for value in ipc):
            columns.append((f"agent {agent}, IPC", ipc, labels.UP))
        else:
            rate = [labels.whole_rate(one.run.stats, agent) for one in shown]
            columns.append((f"agent {agent}, work/s", rate, labels.UP))
        columns += _next_token(shown, agent)
    main = [verdict.main(one.run.stats, one.run.config) for one in shown]
    for line in _lines(shown, main, labels.MAIN):
        columns.append(
            (line.label, [line.scaled(each.get(line.name)) for each in main], line.better)
        )
    columns = [column for column in columns if any(value is not None for value in column[1])]
    rows = []
    for index, one in enumerate(shown):
        cells = [_number(values, index, better, shown) for _, values, better in columns]
        rows.append(tag("tr", name_cell(index, one), *cells))
    note = "★: the best of the runs of one workload." if len(shown) > 1 else ""
    head = ["run", *(title for title, _, _ in columns)]
    return table_of(f"Main results. {note}", head, rows, sort=len(shown) > 1)


def bounds(shown: Sequence[Shown]) -> Markup:
    """Return what bound each run."""
    rows = []
    for index, one in enumerate(shown):
        found = verdict.bounds(one.run.stats, one.run.config, one.run.agents)
        cells = [tag("td", join(*(tag("div", str(each)) for each in found)), class_="text")]
        rows.append(tag("tr", name_cell(index, one), *cells))
    return table_of(
        "What bound the runs", ("run", "bound, and parameters to raise"), rows, texts=True
    )


def _next_token(shown: Sequence[Shown], agent: int) -> list[tuple[str, list[Value], int]]:
    """Return the time to the next token; after one of the whole model also of simulated layers."""
    path = f"agent.{agent}."
    steps = [one.run.stats.get(f"{path}step_time_us.mean") for one in shown]
    scaled = [one.run.stats.get(f"{path}scaled.step_time_us") for one in shown]
    whole = [own if own is not None else step for own, step in zip(scaled, steps)]
    parts = [step if own is not None else None for own, step in zip(scaled, steps)]
    return [
        (f"agent {agent}, next token{of}, mean (ms)", [v and v * 1e-3 for v in values], labels.DOWN)
        for of, values in (("", whole), (labels.OF_LAYERS, parts))
    ]


def _ipc(one: Shown, agent: int) -> Value:
    """Return the IPC of a job, whose cycles include waiting, or of a core."""
    stats = one.run.stats
    core = one.run.agents[agent].get("core", agent) if agent < len(one.run.agents) else agent
    return stats.get(f"agent.{agent}.ipc", stats.get(f"core.{core}.ipc"))


def _number(values: Sequence[Value], index: int, better: int, shown: Sequence[Shown]) -> Markup:
    value = values[index]
    same = [n for n in range(len(shown)) if base_of(shown, n) == base_of(shown, index)]
    others = [other for n in same if (other := values[n]) is not None]
    best = (
        value is not None
        and better != 0
        and len(set(others)) > 1
        and value == (max(others) if better == labels.UP else min(others))
    )
    name = "best" if best else "starred" if len(shown) > 1 else None
    return tag("td", number(value), class_=name, data_value="" if value is None else repr(value))


def configuration(shown: Sequence[Shown], defaults: Mapping[str, str]) -> Markup:
    """Return the table of parameters that differ between runs, or from the defaults."""
    found = differences([one.run for one in shown], defaults)
    docs = {info["name"]: info["doc"] for info in Simulation.parameters()}
    if len(shown) == 1:
        heads = [
            tag("th", "default", class_="text"),
            tag("th", swatch(0), shown[0].name, class_="text"),
        ]
        caption = "Parameters that differ from their defaults"
    else:
        heads = [tag("th", swatch(n), one.name, class_="text") for n, one in enumerate(shown)]
        caption = "Parameters that differ between the runs; bold: differs from the first run"
    rows = [
        tag(
            "tr",
            tag("th", name, scope="row", title=docs.get(name)),
            *(
                tag("td", _brief(text), class_="text differs" if text != texts[0] else "text")
                for text in texts
            ),
        )
        for name, texts in found
    ]
    if not rows:
        return tag("p", "All runs have the same configuration.")
    head = tag("tr", tag("th", "parameter"), *heads)
    title = tag("caption", tag("span", caption))
    return scrolling(tag("table", title, tag("thead", head), tag("tbody", *rows)), caption)


def _brief(text: str) -> str:
    """Return a value of the configuration; of a long one (a trained table) only its beginning."""
    return text if len(text) <= LONGEST else f"{text[:BEGINNING]}… ({len(text):,} characters)"


def causes(shown: Sequence[Shown]) -> Markup:
    """Return the tables of the parts of each request class's mean latency."""
    parts = [tag("h3", "Parts of the mean latencies")]
    present = labels.present_causes(*(one.run.stats for one in shown))
    names = [label for label, _ in present]
    for title, path in labels.CLASSES:
        rows = []
        for index, one in enumerate(shown):
            values = [labels.cause(one.run.stats, path, part) for _, part in present]
            if any(values):
                rows.append((index, one.name, [value or 0.0 for value in values]))
        if rows:
            title = title.format(slow=slow_of(shown))
            parts.append(stacked(f"{title} (ns)", names, rows, number))
    return join(*parts) if len(parts) > 1 else Markup("")


def bus(shown: Sequence[Shown]) -> Markup:
    """Return the table of the data bus's activities, all as shares of time."""
    slow = slow_of(shown)
    shares = {
        "DRAM data": "bus.dram_share",
        f"{slow} data": "bus.nvdimm_share",
        "lost: turnaround": "bus.lost.turnaround",
        "lost: bank": "bus.lost.bank",
        "lost: activate": "bus.lost.activate",
        "lost: command": "bus.lost.command",
        "lost: queue full": "bus.lost.queue_full",
        "lost: refresh": "bus.lost.refresh",
        f"lost: {slow}'s ack": "bus.lost.nvdimm",
        "no requests": "bus.lost.idle",
    }
    rows = [
        (index, one.name, [one.run.stats.get(path, 0.0) for path in shares.values()])
        for index, one in enumerate(shown)
        if "bus.dram_share" in one.run.stats
    ]
    if not rows:
        return Markup("")
    text = "Shares of the data bus's time; time without data is attributed to one cause."
    return join(
        tag("p", text), stacked("Data bus", list(shares), rows, lambda v: f"{number(100 * v)} %")
    )


def channels(shown: Sequence[Shown]) -> Markup:
    """Return a table of the channels for each class of memory that has several in a run."""
    tables = []
    for memory, noun in (("dram", "DRAM"), ("nvdimm", slow_of(shown))):
        found = []  # head of the row, channel, its statistics
        for index, one in enumerate(shown):
            for channel in itertools.count():
                path = f"{memory}.channel.{channel}."
                values = {each: one.run.stats.get(path + each[0]) for each in OF_CHANNEL}
                if values[OF_CHANNEL[0]] is None:
                    break
                found.append((name_cell(index, one), channel, values))
        present = [each for each in OF_CHANNEL if any(v[each] is not None for *_, v in found)]
        rows = []
        for name, channel, values in found:
            cells = [
                tag("td", number(v and v * each[2]), data_value="" if v is None else repr(v))
                for each in present
                for v in [values[each]]
            ]
            rows.append(tag("tr", name, tag("td", str(channel)), *cells))
        if rows:
            head = ["run", "channel", *(title for _, title, _ in present)]
            tables.append(table_of(f"{noun} by channel", head, rows, sort=True))
    return join(*tables)


def blocks(shown: Sequence[Shown]) -> Markup:
    """Return the table of block requests, by run, agent and direction."""
    rows = []
    for index, one in enumerate(shown):
        for io in one.io:
            cells = [tag("td", number(v), data_value=repr(v) if v else "") for v in io.values]
            texts = [tag("td", text, class_="text") for text in (str(io.agent), io.kind)]
            rows.append(tag("tr", name_cell(index, one), *texts, *cells))
    return join(
        table_of("Block requests", ("run", "agent", "direction", *HEAD), rows, sort=True),
        tag(
            "p",
            "From submission to completion, as the agent's thread observes it: software, queues "
            "and device. Runs made with --request-log have every request, and p99.99.",
            class_="note",
        ),
    )


def collection(shown: Sequence[Shown]) -> Markup:
    """Return the table of garbage collection."""
    present = _lines(shown, [one.run.stats for one in shown], labels.GC)
    if not present:
        return tag("p", "Garbage collection: not recorded in these runs.")
    rows = []
    for index, one in enumerate(shown):
        values = [line.scaled(one.run.stats.get(line.name)) for line in present]
        cells = [tag("td", number(v), data_value="" if v is None else repr(v)) for v in values]
        rows.append(tag("tr", name_cell(index, one), *cells))
    head = ["run", *(line.label for line in present)]
    return table_of("Garbage collection", head, rows, sort=len(shown) > 1)


def _lines(
    shown: Sequence[Shown], stats: Sequence[Mapping[str, float]], where: labels.Where
) -> list[labels.Line]:
    """Return the lines of statistics that any run has, for one of the page's tables."""
    names = dict.fromkeys(name for each in stats for name in each)
    groups = labels.lines(names, {}, slow_of(shown), where)
    return [line for _, lines in groups for line in lines]


def fairness(shown: Sequence[Shown]) -> Markup:
    """Return each agent's rate in every run, and the latencies by source of requests."""
    parts = []
    for workload in dict.fromkeys(one.run.workload for one in shown):
        chosen = [(n, one) for n, one in enumerate(shown) if one.run.workload == workload]
        first = chosen[0][1]
        for number_, agent in enumerate(first.run.agents):
            rates = [(n, one.name, labels.whole_rate(one.run.stats, number_)) for n, one in chosen]
            known = [(n, name, rate) for n, name, rate in rates if rate is not None]
            if known:
                kind = str(agent.get("kind", "?"))
                title = f"{workload}, agent {number_} ({kind}): work per second"
                parts.append(relative(title, known))
    parts.append(_sources(shown))
    text = (
        "An agent's bar is its rate under each run; 100 % is its rate in the "
        "first run. A policy is fair when no agent pays for the others' gain."
    )
    return join(tag("p", text), *parts)


def _sources(shown: Sequence[Shown]) -> Markup:
    rows = []
    for index, one in enumerate(shown):
        found = one.requests.by_source if one.requests is not None else {}
        for (source, memory), (counts, total) in sorted(found.items()):
            count = int(counts.sum())
            values: list[Value] = [float(count), total / count / 1000, quantile(counts, 0.99)]
            cells = [tag("td", number(v), data_value=repr(v)) for v in values]
            kind = "DRAM" if memory == "dram" else one.slow
            texts = [tag("td", f"{source}"), tag("td", kind, class_="text")]
            rows.append(tag("tr", name_cell(index, one), *texts, *cells))
    if not rows:
        hint = "Runs made with --request-log show latencies for each source here."
        return tag("p", hint, class_="note")
    head = ("run", "source", "memory", "requests", "mean (ns)", "p99 (ns, within 5 %)")
    return table_of("Latency by source of requests", head, rows, sort=True)


def everything(shown: Sequence[Shown]) -> Markup:
    """Return the table of all statistics of all runs."""
    names = list(dict.fromkeys(name for one in shown for name in one.run.stats))
    rows = []
    for name in names:
        values = [one.run.stats.get(name) for one in shown]
        cells = [
            tag("td", number(value), data_value="" if value is None else repr(value))
            for value in values
        ]
        if len(shown) == 2:
            cells.append(_change(values))
        rows.append(tag("tr", tag("th", name, scope="row"), *cells))
    head = ["statistic", *(one.name for one in shown), *(["change"] if len(shown) == 2 else [])]
    table = table_of("", head, rows, sort=True, identity="statistics")
    search = tag(
        "input",
        type="search",
        placeholder="filter: gc response",
        aria_label="Filter statistics by words of their names",
        data_filters="statistics",
    )
    note = tag("p", "docs/statistics.md describes each statistic.", class_="note")
    return tag("details", tag("summary", f"{len(names)} statistics"), note, search, table)


def _change(values: Sequence[Value]) -> Markup:
    first, second = values
    if not first or second is None:
        return tag("td", "-", data_value="")
    change = second / first - 1
    return tag("td", f"{100 * change:+.1f} %", data_value=repr(change))


def table_of(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Markup],
    sort: bool = False,
    identity: str | None = None,
    texts: bool = False,
) -> Markup:
    """Return a scrolling table. ``sort``: columns can be sorted; ``texts``: cells are words."""

    def title(text: str) -> Markup:
        content = tag("button", text, type="button") if sort else text
        return tag("th", content, scope="col", class_="text" if texts else None)

    table = tag(
        "table",
        tag("caption", tag("span", caption)) if caption else None,
        tag("thead", tag("tr", *(title(text) for text in head))),
        tag("tbody", *rows),
        class_="sortable" if sort else None,
        id=identity,
    )
    return scrolling(table, caption or "table")
