# SPDX-License-Identifier: BSD-3-Clause
"""Does `hmsim curve` measure what the card measures, of any memory?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pandas
import pytest
from hmsim.reproduce.card import families
from messages import naming
from support import fail, succeed

pytest.importorskip("matplotlib")


def test_curves_of_memories_are_drawn_with_measured_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = ("pcm", "--reads", "1", "--jobs", "1", "--measured", "skylake", "--out", "c.svg")
    text = succeed("curve", *chosen)
    found = pandas.read_csv("c.svg.csv").set_index("system")
    config = hmsim.load_config("pcm", {"frontend.time_limit": "100us"})
    dram = found.loc["pcm, DRAM"]
    alone = families.point(config, families.Load(8, 16, 1000, "20us"), 1, families.ALONE)
    assert dram["ns"].iloc[0] == pytest.approx(alone.ns, rel=1e-5)
    # A line in four cycles of each bus; a paced load arrives in full below saturation.
    assert 0.95 * families.peak(config) < dram["gb_per_s"].max() <= families.peak(config)
    offered, got = dram["offered_gb_per_s"].iloc[2], dram["gb_per_s"].iloc[2]
    chase = 64 / dram["ns"].iloc[2]
    assert got == pytest.approx(offered + chase, rel=0.03)
    assert found.loc["pcm, PCM"]["ns"].iloc[0] > 1.5 * alone.ns  # its reads take longer
    picture = Path("c.svg").read_text(encoding="utf-8")
    assert "skylake, less 53.5 ns" in picture and "Latency (ns)" in picture
    assert f"{alone.ns:.2f}" in text
    again = succeed("curve", *chosen, "--force")
    assert again == text and Path("c.svg").read_text(encoding="utf-8") == picture


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("--measured", "skylaek"), ("--measured: ", "skylaek", "'skylake'?")),
        (("--reads", "2"), ("--reads", "'2'")),
        (("--reads", "0,.2,.4,.6,.8"), ("--reads", "at most 4")),
        (("--memory", "flash"), ("--memory", "'flash'", "nvdimm")),
        (("--memory", "nvdimm"), ("--memory", "nvdimm")),
        (("--out", "c.gif"), ("c.gif", ".pdf")),
    ],
)
def test_curves_that_cannot_be_drawn_are_reported(
    arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    assert naming(*parts).search(fail("curve", "validate_ddr3", *arguments))
