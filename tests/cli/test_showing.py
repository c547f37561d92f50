# SPDX-License-Identifier: BSD-3-Clause
"""Is a result short, true and safe where Python and notebooks show it?"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import hmsim
import pytest
from hmsim.common import labels
from hmsim.runs.showing import steadiness
from hmsim.workloads.workload import Workload
from support import write

MIX = """\
agents:
  - {kind: synthetic, core: 0, target: dram, pattern: random, requests: 300}
  - {kind: synthetic, core: 1, target: nvdimm, pattern: sequential, footprint: 1MiB, requests: 100}
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> hmsim.Result:
    return hmsim.run("quick", write(tmp_path_factory.mktemp("mix") / "mix.yaml", MIX), seed=7)


def test_a_result_shows_its_run_and_main_numbers_with_units(result: hmsim.Result) -> None:
    first, *lines, last = repr(result).splitlines()
    assert re.fullmatch(r"mix on quick, seed 7: [\d.,]+ ms simulated", first)
    assert float(first.split()[-3]) == pytest.approx(result.stats["sim.ticks"] / 1e9, rel=1e-3)
    cells = dict(re.split(r"\s{2,}", line) for line in lines if "  " in line)
    for label, name, factor in (
        ("DRAM read, mean (ns)", "dram.read_latency_ns.mean", 1),
        ("flash DIMM request, mean (us)", "nvdimm.line_latency_ns.mean", 1e-3),
        ("DRAM bandwidth (GB/s)", "dram.bandwidth_gb_per_s", 1),
    ):
        value = float(cells[label].replace(",", ""))
        assert value == pytest.approx(result.stats[name] * factor, rel=1e-3)
    assert last == f"{len(result.stats)} statistics are in result.stats"


def test_causes_add_up_if_some_reads_pass_a_link() -> None:
    agent = {"kind": "synthetic", "target": "dram", "pattern": "random", "requests": 3000}
    stats = hmsim.run("ddr5_8ch_cxl_4x", {"agents": [agent]}).stats
    *_, (_, (whole, *_)) = labels.causes(stats, "")[1]
    assert whole == pytest.approx(stats["dram.read_latency_ns.mean"])


def test_texts_of_users_are_escaped(result: hmsim.Result) -> None:
    name = "<script>alert('&')</script>"
    page = replace(result, workload=Workload(name, ()))._repr_html_()
    assert "<script" not in page and html.escape(name) in page


def test_a_rate_that_a_buffer_absorbs_is_transient(tmp_path: Path) -> None:
    writes = "agents: [{kind: io_pattern, threads: 4, read_share: 0, size: 4KiB, requests: 40}]\n"
    result = hmsim.run("quick", write(tmp_path / "writes.yaml", writes))
    assert steadiness(result.stats, result.units, "agent.0.rate") == "transient"
    assert steadiness(result.stats, result.units, "agent.0.window_rate") == ""
