# SPDX-License-Identifier: BSD-3-Clause
"""Does the page show HBF by its own rates and words?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim.report.collect import Shown, collect
from support import succeed

PAGES = """\
agents:
  - {kind: io_pattern, size: 4KiB, access: random, threads: 4, read_share: 0.5, requests: 200}
"""
SYSTEMS = ("hbm3_hbf", "ddr5_cxl_flash")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> list[Shown]:
    """Runs of HBF and of an NVDIMM, with time series."""
    folder = tmp_path_factory.mktemp("pair")
    (folder / "pages.yaml").write_text(PAGES)
    for system in SYSTEMS:
        given = ("--workload", folder / "pages.yaml", "--out", folder / system)
        succeed("run", system, *given, "--set", "frontend.series_interval=2us")
    return [collect([str(folder / system)])[0] for system in SYSTEMS]


def mean_rate(one: Shown) -> float:
    points = one.bandwidth("nvdimm")
    assert len(points) > 50
    return sum(rate for _, rate in points) / len(points)


def test_the_bandwidth_of_hbf_counts_its_pages(pair: list[Shown]) -> None:
    hbf, nvdimm = pair
    assert mean_rate(hbf) == pytest.approx(hbf.run.stats["hbf.bandwidth_gb_per_s"], rel=0.05)
    lines = nvdimm.run.stats["nvdimm.reads"] + nvdimm.run.stats["nvdimm.writes"]
    rate = lines * 64 / nvdimm.run.stats["sim.ticks"] * 1000
    assert mean_rate(nvdimm) == pytest.approx(rate, rel=0.1)


def test_headers_do_not_count_as_data_of_hbf(tmp_path: Path) -> None:
    """One read of a line at a time, each of another page, takes 4,544 ns (docs/hbf.md).

    So the links move 64 bytes of data in 4.544 us. With the header of 64 bytes it would be 128.
    """
    agent = "{kind: synthetic, target: nvdimm, pattern: random, outstanding: 1, requests: 1000}"
    (tmp_path / "lines.yaml").write_text(f"agents:\n  - {agent}\n")
    given = ("--workload", tmp_path / "lines.yaml", "--out", tmp_path / "out")
    keys = ("frontend.series_interval=100us", "dram.refresh=false")
    succeed("run", "hbm3_hbf", *given, *(word for key in keys for word in ("--set", key)))
    (one,) = collect([str(tmp_path / "out")])
    assert one.run.stats["hbf.header_bytes"] == 64 * 1000
    points = one.bandwidth("nvdimm")
    assert len(points) > 40
    assert sum(rate for _, rate in points) / len(points) == pytest.approx(64 / 4544, rel=0.02)
