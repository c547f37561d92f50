# SPDX-License-Identifier: BSD-3-Clause
"""Is the page complete in itself, right, and safe whatever the directories hold?"""

from __future__ import annotations

import html.parser
import json
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import browser
import pandas as pd
import pytest
import runs
from hmsim.common.markup import data, tag
from hmsim.report.collect import collect
from messages import naming
from support import invoke, succeed

EVIL = "<script>alert(1)</script>\"'&</script>"
LARGEST = 3_000_000  # bytes


class Page(html.parser.HTMLParser):
    """Reads a page, and checks rules that a browser would not enforce."""

    VOID = ("meta", "input", "br", "link")

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text = path.read_text(encoding="utf-8")
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.blocks: dict[str, str] = {}
        self.feed(self.text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.blocks[self.found[-1][1].get("id") or "code"] = data
        elif self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def charts(self) -> dict[str, Any]:
        return {chart["title"]: chart for chart in json.loads(self.blocks["charts"])}


def test_a_page_of_three_runs_is_complete_and_small(three: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert "3 runs" in succeed("report", *three, "--out", out)
    page = Page(out)
    assert out.stat().st_size < LARGEST
    # Nothing is fetched: the page names no other address, and its policy forbids it.
    assert not [a for _, attrs in page.found for a in attrs if a in ("src", "srcset", "action")]
    assert all(
        str(attrs["href"]).startswith("#")
        for _, attrs in page.found
        if attrs.get("href") is not None
    )
    assert "url(" not in page.text.replace("url(#", "")
    policy = next(a["content"] for t, a in page.found if a.get("http-equiv"))
    assert policy is not None and policy.startswith("default-src 'none'")
    assert "unsafe-inline" not in policy.split("script-src")[1]
    for section in (
        "overview",
        "what-differs",
        "latency",
        "queues",
        "bandwidth",
        "garbage-collection",
        "fairness",
        "all-statistics",
    ):
        assert any(attrs.get("id") == section for _, attrs in page.found)
    identities = [attrs["id"] for _, attrs in page.found if "id" in attrs]
    assert len(identities) == len(set(identities))
    for chart in page.charts.values():
        assert chart["id"] in identities
    assert "controller.queues" in page.words
    assert "Dots are the median" in " ".join(page.words)
    # The page says "Blocked" only of statistics that count requests.
    assert "commands queued at collected LUNs, total (ms)" in page.words
    names = [word for word in page.words if "blocked" in word and "." not in word]
    assert set(names) <= {"blocked by GC"}


def test_channels_have_a_table_where_there_are_several(three: list[Path], tmp_path: Path) -> None:
    result = runs.make(tmp_path / "run", {"controller.channels": "2"})
    tables = {"DRAM by channel", "flash DIMM by channel"}
    for shown, expected in ((three, set()), ([three[0], tmp_path / "run"], tables)):
        succeed("report", *shown, "--out", tmp_path / "page.html", "--force")
        page = Page(tmp_path / "page.html")
        assert tables & {*page.words} == expected
    cells = [attrs.get("data-value") for tag, attrs in page.found if tag == "td"]
    for name in ("dram.channel.1.reads", "nvdimm.channel.0.nand.reads", "dram.channel_imbalance"):
        assert repr(result.stats[name]) in cells


def test_charts_match_the_statistics(three: list[Path]) -> None:
    whole, split, bare = collect([str(path) for path in three])
    for one in (whole, split):
        stats = one.run.stats
        points, complete = one.latency("nvdimm", None)
        assert complete and points[-1][1] == 1
        # Bins are 1/16 of an octave wide.
        at = min(x for x, share in points if share >= 0.5)
        assert at == pytest.approx(stats["nvdimm.line_latency_ns.p50"], rel=0.1)
        assert points[-1][0] == pytest.approx(stats["nvdimm.line_latency_ns.max"], rel=0.05)
        for memory in ("dram", "nvdimm"):
            assert one.requests is not None
            slots = one.requests.occupancy[memory]
            mean = (slots * _lengths(one.requests.edges)).sum() / one.run.stats["sim.ticks"]
            assert mean == pytest.approx(stats[f"{memory}.queue.occupancy"], rel=0.02)
            levels = one.requests.levels[memory]
            assert levels.sum() == pytest.approx(1)
            assert sum(n * share for n, share in enumerate(levels)) == pytest.approx(mean, rel=0.02)
            lines = stats[f"{memory}.reads"] + stats.get(f"{memory}.writes", 0)
            assert one.requests.bytes[memory].sum() == lines * 64
    points, complete = bare.latency("dram", False)
    assert not complete
    assert points[0] == [bare.run.stats["dram.read_latency_ns.p50"], 0.5]


def _lengths(edges: Any) -> Any:
    return edges[1:] - edges[:-1]


def test_block_requests_are_shown_with_their_tails(tmp_path: Path) -> None:
    load = "agents: [{kind: io_pattern, core: 0, read_share: 0.5, depth: 4, requests: 300}]\n"
    result = runs.make(tmp_path / "log", workload=load, name="io", request_log=True)
    runs.make(tmp_path / "plain", workload=load, name="io")
    succeed("report", tmp_path / "log", tmp_path / "plain", "--out", tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    table = result.io_requests
    assert table is not None
    (log, plain) = collect([str(tmp_path / "log"), str(tmp_path / "plain")])
    for io, recorded in zip(log.io, plain.io):
        taken = table[table["kind"] == io.kind]
        times = ((taken["done_ps"] - taken["submitted_ps"]) / 1e6).sort_values().tolist()
        last = math.ceil(0.9999 * len(times)) - 1
        assert io.values[:2] == pytest.approx([len(times), sum(times) / len(times)])
        assert io.values[-2:] == pytest.approx([times[last], times[-1]])
        assert recorded.values[0] == len(times) and recorded.values[-2] is None
        assert recorded.values[-1] == pytest.approx(times[-1], rel=1e-6)
        assert max(ns for _, ns in io.slowest) == pytest.approx(1e3 * times[-1], rel=1e-5)
        assert io.points[-1][1] == recorded.points[-1][1] == 1
    assert {"Block requests", "p99.99 (us)", "Block I/O"} <= {*page.words}
    titles = ("Block requests: distribution", "The slowest block requests over time")
    assert all(len(page.charts[title]["lines"]) >= 2 for title in titles)


def test_a_series_replaces_a_missing_request_log(tmp_path: Path) -> None:
    runs.make(tmp_path / "run", {"frontend.series_interval": "1us"})
    (one,) = collect([str(tmp_path / "run")])
    points = one.occupancy("nvdimm")
    assert len(points) > 10
    # The mean of the run is the mean over its intervals.
    mean = sum(y for _, y in points) / len(points)
    assert mean == pytest.approx(one.run.stats["nvdimm.queue.occupancy"], rel=0.2)
    rate = one.bandwidth("dram")
    assert sum(y for _, y in rate) / len(rate) == pytest.approx(
        one.run.stats["dram.bandwidth_gb_per_s"], rel=0.2
    )


def test_a_folder_of_compare_is_taken_as_its_runs(tmp_path: Path) -> None:
    workload = tmp_path / "w.yaml"
    workload.write_text(runs.MIX)
    policies = ("--policy", "unified_fcfs", "--policy", "hms")
    succeed(
        "compare",
        *("--seeds", "1"),
        "quick",
        *policies,
        "--workload",
        workload,
        "--out",
        tmp_path / "c",
        "--set",
        "nvdimm.precondition.fill=0",
        "--set",
        "nvdimm.precondition.overwrite=0",
    )
    assert "2 runs" in succeed("report", tmp_path / "c", "--out", tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert "speedup over the first" in page.words
    # In the order of the command line, and without the full text of the harmonic policy's table.
    assert page.words.index("unified_fcfs") < page.words.index("hms")
    assert max(len(word) for word in page.words) < 500


def test_names_from_files_are_escaped(three: list[Path], tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    shutil.copytree(three[2], evil)
    origin = json.loads((evil / "run.json").read_text())
    origin["policy"], origin["config"] = EVIL, EVIL
    origin["workload"] = {"name": EVIL, "agents": [{"kind": EVIL, EVIL: EVIL}]}
    (evil / "run.json").write_text(json.dumps(origin))
    stats = json.loads((evil / "stats.json").read_text())
    stats[EVIL] = 1
    (evil / "stats.json").write_text(json.dumps(stats))
    config = (evil / "config.yaml").read_text()
    (evil / "config.yaml").write_text(config + '"' + EVIL.replace('"', '\\"') + '": 1\n')
    series = pd.DataFrame({EVIL: [1.0, 2.0]}, index=pd.Index([1, 2], name="time_ps"))
    series.to_parquet(evil / "series.parquet")
    out = tmp_path / "page.html"
    succeed("report", evil, three[0], "--out", out)
    page = Page(out)
    assert "<script>alert" not in page.text
    assert len([1 for tag, _ in page.found if tag == "script"]) == 2
    assert any("alert(1)" in words for words in page.words)


def test_input_cannot_break_the_markup() -> None:
    assert tag("p", EVIL, title=EVIL).count("<") == 2
    block = data("x", {"name": EVIL + "\u2028"})
    assert block.count("<") == 2
    assert (
        json.loads(re.sub("<.*?>", "", block, count=1).removesuffix("</script>"))["name"][:8]
        == (EVIL[:8])
    )


def _no_json(folder: Path) -> None:
    (folder / "stats.json").write_text("{")


def _deep(folder: Path) -> None:
    (folder / "stats.json").write_text('{"a":' * 100_000)


def _words(folder: Path) -> None:
    (folder / "stats.json").write_text('{"sim": {"ticks": "many"}}')


def _huge(folder: Path) -> None:
    (folder / "stats.json").write_text('{"sim": {"ticks": ' + "9" * 400 + "}}")


def _missing(folder: Path) -> None:
    (folder / "run.json").unlink()


def _no_yaml(folder: Path) -> None:
    (folder / "config.yaml").write_text("a: [1")


def _not_parquet(folder: Path) -> None:
    (folder / "requests.parquet").write_bytes(b"PAR1 no")


def _times(folder: Path) -> None:
    table = pd.read_parquet(folder / "requests.parquet")
    table.assign(done_ps=table["arrival_ps"] - 5).to_parquet(folder / "requests.parquet")


def _column(folder: Path) -> None:
    table = pd.read_parquet(folder / "requests.parquet")
    table.drop(columns="source").to_parquet(folder / "requests.parquet")


def _series(folder: Path) -> None:
    (folder / "series.parquet").write_bytes(b"")


@pytest.mark.parametrize(
    ("damage", "parts"),
    [
        (_no_json, ("stats.json:1:", "JSON")),
        (_deep, ("stats.json:", "JSON")),
        (_words, ("stats.json: sim.ticks:", "number")),
        (_huge, ("stats.json: sim.ticks:", "large")),
        (_missing, ("run.json",)),
        (_no_yaml, ("config.yaml:2:",)),
        (_not_parquet, ("requests.parquet:",)),
        (_times, ("requests.parquet:", "times")),
        (_column, ("requests.parquet:", "column 'source'")),
        (_series, ("series.parquet:",)),
    ],
)
def test_broken_directories_give_one_error(
    three: list[Path], tmp_path: Path, damage: Callable[[Path], None], parts: tuple[str, ...]
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(three[1], broken)
    damage(broken)
    outcome = invoke("report", three[2], broken, "--out", tmp_path / "page.html")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert naming(*parts).search(outcome.stderr), outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"broken"}


def test_existing_targets_need_force(three: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine")
    outcome = invoke("report", three[2], "--out", page)
    assert (outcome.exit_code, "exists" in outcome.stderr) == (2, True)
    assert page.read_text() == "mine"
    succeed("report", three[2], "--out", page, "--force")
    outcome = invoke("report", tmp_path / "nowhere", "--out", tmp_path / "x.html")
    assert (outcome.exit_code, f"{tmp_path / 'nowhere'}: " in outcome.stderr) == (2, True)


@pytest.mark.browser
def test_a_browser_draws_a_report_without_errors(opened: browser.Page, tmp_path: Path) -> None:
    charts = len(Page(tmp_path / "page.html").charts)
    assert opened.js("document.documentElement.dataset.ready") == str(charts)
    assert opened.js("document.querySelectorAll('.chart svg').length") == charts
    assert "NaN" not in opened.js("document.body.innerHTML.replace(/<script.*?<\\/script>/gs, '')")
    assert opened.complaints == []


OVERLAPPING = """(() => {
  const found = [];
  const apart = (elements) => {
    const boxes = elements.map((e) => [e, e.getBoundingClientRect()]).filter(([, b]) => b.width);
    boxes.forEach(([one, a], n) => boxes.slice(n + 1).forEach(([other, b]) => {
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > 0.5 && y > 0.5) found.push([one.textContent, other.textContent]);
    }));
  };
  const parents = "main, section, figure, figure > div, .bars, .keys";
  for (const parent of document.querySelectorAll(parents))
    apart([...parent.children]);
  for (const chart of document.querySelectorAll(".chart svg"))
    apart([...chart.querySelectorAll("text")]);
  return found;
})()"""

OUTSIDE = """[...document.querySelectorAll(
    ".chart svg text, figcaption, button, summary, .wide, p")]
  .filter((e) => !e.closest(".wide table"))
  .map((e) => [e.textContent.slice(0, 40), e.getBoundingClientRect()])
  .filter(([, b]) => b.width && (b.left < 0 || b.right > innerWidth + 0.5))
  .map(([text]) => text)"""

# Tables that are wider than their boxes, scrolled to the end: the distance that the first column
# moves, whether text shows through it, and its share of the box.
SCROLLED = """[...document.querySelectorAll(".wide")].filter((e) => e.scrollWidth > e.clientWidth)
  .map((e) => {
    const cells = [...e.querySelectorAll("tr > :first-child")];
    const places = () => cells.map((c) => c.getBoundingClientRect().left);
    const before = places();
    e.scrollLeft = e.scrollWidth;
    return [
      e.scrollLeft > 0,
      Math.max(...places().map((left, n) => Math.abs(left - before[n]))),
      cells.some((c) => getComputedStyle(c).backgroundColor === "rgba(0, 0, 0, 0)"),
      cells[0].getBoundingClientRect().width / e.clientWidth,
    ];
  })"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 390, 844])
def test_a_report_fits_a_phone(opened: browser.Page, width: int) -> None:
    opened.resize(width, 844)
    opened.js("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert opened.js("document.documentElement.scrollWidth") <= width
    assert opened.js(OVERLAPPING) == []
    assert opened.js(OUTSIDE) == []
    scrolled = opened.js(SCROLLED)
    assert scrolled
    for moved, first_column, transparent, share in scrolled:
        assert moved and first_column < 1 and not transparent and share < 0.5
    if width < 600:  # fingers: WCAG 2.2, 2.5.8
        heights = "(e) => e.getBoundingClientRect().height"
        controls = "[...document.querySelectorAll('button, summary, nav a')]"
        assert opened.js(f"Math.min(...{controls}.map({heights}))") > 23.9
