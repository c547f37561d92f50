#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/parameters.md, docs/statistics.md and what commands print in pages: docs/generate.py

All of it comes from the simulator itself. Run it after a change of parameters, statistics or model.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from hmsim import load_config
from hmsim._core import Simulation
from hmsim.cli.application import app

ROOT = Path(__file__).resolve().parent.parent
DEMO = re.compile(r"^\.venv/bin/hmsim (.+)$", re.MULTILINE | re.DOTALL)
# The block of a page that follows such a line is replaced.
MARK = "<!-- Output of {}, written by docs/generate.py. -->\n"
README = ROOT / "README.md"
DEMONSTRATION = ROOT / "docs" / "demonstration.md"
GUIDE = ROOT / "docs" / "policy-guide.md"
# Of the demonstration's table, in README.md.
ROWS = (
    "agent 0, M instructions/s",
    "agent 1, makespan (us)",
    "agent 2, makespan (us)",
    "DRAM read, mean (ns)",
    "NVDIMM line, mean (us)",
    "time > 104 NVDIMM entries (%)",
)
NOTE = "<!-- Written by docs/generate.py. -->"
AGENTS = [
    [("kind", "synthetic_core"), ("core", "0")],
    [
        ("kind", "block_trace"),
        ("core", "1"),
        ("path", "t"),
        ("format", "mqsim"),
        ("windows", "requests=1"),
    ],
    [
        ("kind", "cpu_trace"),
        ("core", "2"),
        ("path", "t"),
        ("format", "champsim"),
        ("prefetcher", "stride"),
        ("l3.sharing", "shared"),
    ],
    [
        ("kind", "llc_trace"),
        ("core", "3"),
        ("path", "t"),
        ("format", "ramulator"),
        ("windows", "instructions=1"),
    ],
    [
        ("kind", "job"),
        ("cores", "4"),
        ("path", "t"),
        ("format", "job"),
    ],
]
TRACES = [b"", b"0 0 0 8 1\n", bytes(64), b"0 64\n", b"thread only\ncompute 1\n"]


def parameters() -> str:
    """Return the content of docs/parameters.md."""
    lines = [
        NOTE,
        "# Parameters",
        "",
        "Each is a dotted name in a configuration file (dots are nesting), in `--set NAME=VALUE` "
        "and in Python. Times, sizes and rates carry units: `52ns`, `4MiB`, `200MT/s`, `2GHz`; "
        "counts may end in `k`, `M`, `G` or an exponent: `5M`, `1e6`. "
        "`hmsim params PREFIX` prints the same.",
    ]
    section = ""
    for info in Simulation.parameters():
        if info["name"].split(".")[0] != section:
            section = info["name"].split(".")[0]
            lines += ["", f"## {section}", ""]
        lines.append(_parameter(info))
    for kind in Simulation.agent_kinds():
        lines += ["", f"## Keys of agents: `kind: {kind}`", ""]
        lines += [_parameter(info) for info in Simulation.agent_parameters(kind)]
    return "\n".join(lines) + "\n"


def _parameter(info: dict[str, str]) -> str:
    default = f"`{info['default']}`" if info["default"] else "none"
    unit = f" {info['unit']}" if info["unit"] else ""
    allowed = f" ({info['range'] or info['type']})"
    source = f" *Source: {info['source']}.*" if info["source"] else ""
    return f"- **`{info['name']}`** = {default}{unit}{allowed}: {info['doc']}.{source}"


def statistics() -> str:
    """Return the content of docs/statistics.md."""
    lines = [
        NOTE,
        "# Statistics",
        "",
        "`stats.json` holds them with dots as nesting, `Result.stats` by path. All count from the "
        "end of the warm-up; those of an agent (`agent`, `core`) stop at its first finish, those "
        "of the memory at the end of the run. A ratio whose denominator is 0 and a histogram "
        "without values are absent; `nvdimm.media` is for NVDIMMs of other kinds than flash, which "
        "lack what is about buffers, FTL, collections and flash.",
        "",
        "A **histogram** has the values `.mean`, `.p50`, `.p99`, `.p999`, `.max` and `.count`; "
        "quantiles are exact to 1/32. N is the number of an agent, or of a core. `storage` is "
        "there where `storage.kind` is not `none`: parts of its latencies are means, which add "
        "up to the whole's.",
        "",
        "| path | unit | kind | meaning |",
        "|---|---|---|---|",
    ]
    seen = set()
    nodes = {"frontend.nodes.count": 2, "frontend.node.machine": "prefetch"}
    storage: list[dict[str, object]] = [
        {"storage.kind": "array"},
        {"storage.kind": "table", "storage.cache.first": "1MiB", "storage.stripe.members": 2},
        {"storage.kind": "disk"},
        {"storage.kind": "flash", "storage.capacity": "1GiB"},
    ]
    systems = (("quick", nodes), ("pcm", {}), *(("quick", kind) for kind in storage))
    for entry in [each for system in systems for each in _statistics(*system)]:
        path = re.sub(r"\.\d+\.", ".N.", entry["path"])
        if path in seen:
            continue
        seen.add(path)
        unit = entry["unit"]
        if path in ("agent.N.progress", "agent.N.rate"):
            unit = "work" + unit.removeprefix("instructions")
        lines.append(f"| `{path}` | {unit} | {entry['kind']} | {entry['description']} |")
    lines += ["", "Work: instructions of a core, 4 KB blocks of a block agent, requests otherwise."]
    return "\n".join(lines) + "\n"


def _statistics(config: str, changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a configuration with some changes counts."""
    simulation = Simulation(
        load_config(config, changes).flat(),
        AGENTS,
        1,
        0,
        0,
        lambda agent, offset: TRACES[agent][offset:],
        [0] * len(AGENTS),
    )
    return simulation.statistics()


def excerpt(table: str) -> str:
    """Return the head of a comparison's table and its ROWS; ValueError without one of these."""
    head, rule, rest = re.split(r"^(-+\n)", table, maxsplit=1, flags=re.MULTILINE)
    rows = [re.search(rf"^  {re.escape(row)} .*\n", rest, re.MULTILINE) for row in ROWS]
    missing = [row for row, found in zip(ROWS, rows) if found is None]
    if missing:
        raise ValueError(f"tools/demo: there is no row {missing[0]!r}")
    return head + rule + "".join(found[0] for found in rows if found)


def with_printed(path: Path, origin: str, printed: str) -> str:
    """Return a page whose block of this origin holds what is printed now."""
    text = path.read_text(encoding="utf-8")
    before, mark, after = text.partition(MARK.format(origin))
    block = re.match(r"```text\n.*?```\n", after, re.DOTALL)
    if not mark or block is None:
        raise ValueError(f"{path.name}: there is no block to write the table to")
    lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    return f"{before}{mark}```text\n{lines}```\n{after[block.end() :]}"


def _shares() -> str:
    """Return what the guide's comparison of its arbiter with others prints."""
    text = GUIDE.read_text(encoding="utf-8")
    files = dict(
        re.findall(r"`([\w.]+)`[^`]*\n\n```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    )
    printed = io.StringIO()
    home = Path.cwd()
    with TemporaryDirectory() as folder, patch.dict(os.environ, XDG_CACHE_HOME=folder):
        Path(folder, "mix.yaml").write_text(files["mix.yaml"], encoding="utf-8")
        os.chdir(folder)
        try:
            with redirect_stdout(printed):
                exec(files["shares.py"], {"__name__": "__main__"})
        finally:
            os.chdir(home)
    return printed.getvalue()


def _demo() -> str:
    """Return what the command of tools/demo prints in 80 columns."""
    command = DEMO.search((ROOT / "tools" / "demo").read_text(encoding="utf-8"))
    if command is None:
        raise ValueError("tools/demo: there is no command of hmsim")
    arguments = command[1].replace("\\\n", " ").split()
    printed = io.StringIO()
    with redirect_stdout(printed), patch.dict(os.environ, COLUMNS="80"):
        app(
            [str(ROOT / a) if a.startswith("configs/") else a for a in arguments],
            standalone_mode=False,
        )
    return printed.getvalue()


def documents() -> Iterator[tuple[Path, str]]:
    """Yield each generated file and what it should hold."""
    yield ROOT / "docs" / "parameters.md", parameters()
    yield ROOT / "docs" / "statistics.md", statistics()
    table = _demo()
    yield DEMONSTRATION, with_printed(DEMONSTRATION, "tools/demo", table)
    yield README, with_printed(README, "tools/demo: six rows", excerpt(table))
    yield GUIDE, with_printed(GUIDE, "shares.py", _shares())


if __name__ == "__main__":
    for path, content in documents():
        path.write_text(content, encoding="utf-8")
