# SPDX-License-Identifier: BSD-3-Clause
"""Do Markdown, LaTeX and CSV tables of a comparison carry its texts, values and units?"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import hmsim
import pytest
from hmsim.common.document_tables import latex, markdown
from messages import naming
from support import STREAM, fail, parsed, succeed, write

HARD = (r"a_b|c*d", r"50 % of <b> & \n", "#1 {x}~^$y$", "[l](u)", "`code`", "**")
COLUMNS = ("", *(f">{text}" for text in HARD[:2]))
ROWS = [HARD[0], *((text, "1,234", "-") for text in HARD)]
COMPARED = (
    *("compare", "--seeds", "1", "quick"),
    *("--policy", "unified_fr_fcfs", "--policy", "split", "--workload"),
)


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    return write(tmp_path / "mix_2.yaml", STREAM)


def cells_of_markdown(text: str) -> list[list[str]]:
    """Return the texts of a table's cells as a Markdown parser renders them."""
    module = pytest.importorskip("markdown_it")
    page = module.MarkdownIt("commonmark").enable("table").render(text)
    rows = re.findall("<tr>(.*?)</tr>", page, re.DOTALL)
    found = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [
        [html.unescape(re.sub("^<strong>(.*)</strong>$", r"\1", c)) for c in row] for row in found
    ]


def cells_of_latex(text: str) -> list[list[str]]:
    """Return the texts of a tabular's cells, commands of escaping undone."""
    names = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^"}
    names |= {"textless": "<", "textgreater": ">"}

    def plain(cell: str) -> str:
        cell = re.sub(r"\\multicolumn{\d+}{l}{\\textit{(.*)}}$", r"\1", cell.strip())
        cell = re.sub(r"\\num{(.*?)}$", r"\1", cell).replace(r"(\unit{\us})", "(us)")
        form = r"\\(text\w+){}|\\([&%$#_{}])|([&%$#_{}~^\\<>])"
        assert not any(match[3] for match in re.finditer(form, cell)), cell
        return re.sub(form, lambda m: names[m[1]] if m[1] else m[2], cell)

    body = text[text.index("\\toprule") :].splitlines()
    rows = [line.removesuffix(" \\\\") for line in body if line.endswith(" \\\\")]
    return [[plain(cell) for cell in re.split(r"(?<!\\)&", row)] for row in rows]


def test_texts_survive_markdown() -> None:
    head, heading, *lines = cells_of_markdown(markdown("a title", COLUMNS, ROWS))
    assert head == ["", *HARD[:2]] and heading == [HARD[0], "", ""]
    assert lines == [[text, "1,234", "-"] for text in HARD]


def test_texts_survive_latex() -> None:
    head, heading, *lines = cells_of_latex(latex("a\ntitle", COLUMNS, ROWS))
    assert head == ["", *HARD[:2]] and heading == [HARD[0]]
    assert lines == [[text, "1234", "-"] for text in HARD]
    (line,) = re.findall(
        "^time.*", latex("", ("", ">a"), [("time (us)", "= 44,100 ± 3,200")]), re.M
    )
    assert line == r"time (\unit{\us}) & = \num{44100 +- 3200} \\"
    assert latex("a\ntitle", COLUMNS, ROWS).splitlines()[0] == "% a title"


@pytest.mark.parametrize(
    ("option", "cells"), [("--markdown", cells_of_markdown), ("--latex", cells_of_latex)]
)
def test_a_comparison_prints_a_table_and_nothing_else(
    option: str, cells: Callable[[str], list[list[str]]], workload: Path
) -> None:
    rows = parsed(*COMPARED, workload)
    text = succeed(*COMPARED, workload, option)
    table = {row[0]: row[1:] for row in cells(text)}
    assert table[""] == ["unified_fr_fcfs", "split"]
    for label, name, factor in (
        ("DRAM read, mean (ns)", "dram.read_latency_ns.mean", 1),
        ("flash DIMM request, p99 (us)", "nvdimm.line_latency_ns.p99", 1e-3),
    ):
        values = [float(each.replace(",", "")) for each in table[label]]
        assert values == pytest.approx([row[name] * factor for row in rows], rel=1e-3)
    first = {
        "--markdown": r"**mix\_2 on quick, one seed (1)**",
        "--latex": "% mix_2 on quick, one seed (1)",
    }
    assert text.splitlines()[0] == first[option] and "agent 0: synthetic" not in text


def test_rows_are_chosen_by_name(workload: Path) -> None:
    chosen = "weighted_speedup,dram.read_latency_ns.*"
    text = succeed(*COMPARED, workload, "--markdown", "--rows", chosen)
    labels = [row[0] for row in cells_of_markdown(text)]
    assert labels == ["", "progress", "weighted speedup", "latency", *labels[4:]]
    assert all(label.startswith("DRAM read, ") for label in labels[4:]) and len(labels) > 5
    text = succeed(*COMPARED, workload, "--markdown", "--rows", "dram.read_latency_ns.p999")
    labels = [row[0] for row in cells_of_markdown(text)]
    assert labels == ["", "other statistics", "DRAM read, p99.9 (ns)"]
    wrong = fail(*COMPARED, workload, "--rows", "wieghted_speedup")
    assert naming("--rows", "wieghted_speedup", "'weighted_speedup'").search(wrong)


def test_each_value_has_a_unit_column(tmp_path: Path, workload: Path) -> None:
    pandas = pytest.importorskip("pandas")
    succeed(*COMPARED, workload, "--out", tmp_path / "out")
    wide = pandas.read_csv(tmp_path / "out" / "comparison.csv")
    long = pandas.read_csv(tmp_path / "out" / "comparison_long.csv")
    assert long["value"].dtype == "float64" and not long.isna().to_numpy().any()
    again = long.pivot(index="policy", columns="name", values="value")
    for row in wide.to_dict("records"):
        for name in wide.columns[3:]:
            assert again.loc[row["policy"], name] == pytest.approx(row[name])
    units = long.groupby("name")["unit"].unique().map(",".join)
    assert units["dram.read_latency_ns.mean"] == "ns" and units["speedup"] == "1"
    assert units["agent.0.rate"] == "requests/s"
    run = hmsim.run("quick", workload, policy="split")
    for name, unit in units.items():
        assert unit == (run.units.get(name) or "1")
