# SPDX-License-Identifier: BSD-3-Clause
"""Does DRAM progress beside NVDIMM traffic that alone would keep the bus busy, and vice versa?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import Bundle, load_config, run
from hmsim.config.harmonic_table import DRAM_CELLS, NVDIMM_CELLS, Table

FLAT = Table("k", 1, 0, (100,) * DRAM_CELLS, (100,) * NVDIMM_CELLS)
TABLE = Bundle("hms_table", "hms", {"policies.harmonic.impl": "table"})
READS = 3000
# The NVDIMM's queue always holds more requests than DRAM's.
CONTEST = f"""
agents:
  - {{kind: synthetic, target: dram, outstanding: 64, requests: {READS}, pattern: sequential,
      footprint: 16MiB}}
  - {{kind: synthetic, target: nvdimm, outstanding: 128, requests: 1G, pattern: random,
      footprint: 16MiB, measured: false}}
"""


@pytest.mark.parametrize("policy", ["hms", TABLE, "hms_pas", "all", "paper_hms"])
def test_a_fast_slow_tier_starves_dram_in_the_papers_bundle_only(
    tmp_path: Path, policy: str | Bundle
) -> None:
    workload = tmp_path / "contest.yaml"
    workload.write_text(CONTEST)
    settings = {"policies.harmonic.table": FLAT.text(), "frontend.time_limit": "500us"}
    stats = run(load_config("pcm", settings).with_policy(policy), workload).stats
    assert stats["nvdimm.reads"] > 10_000
    if policy == "paper_hms":
        assert stats["dram.reads"] < READS // 100
        assert stats["arbiter.starved_dram"] > 0
    else:
        assert stats["dram.reads"] == READS
        assert stats["arbiter.starved_dram"] == stats["arbiter.starved_nvdimm"] == 0


@pytest.mark.parametrize(
    ("policy", "starving"), [("paper_hms", "DRAM"), ("split_dram_first", "NVDIMM"), ("hms", None)]
)
def test_a_class_that_starves_is_reported_once_during_the_run(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    starving: str | None,
) -> None:
    monkeypatch.setattr("hmsim.runs.runner.STEPS", 10_000)  # some 1 ms of this run
    workload = tmp_path / "contest.yaml"
    workload.write_text(CONTEST.replace(f"requests: {READS}", "requests: 1G"))
    settings = {
        "policies.harmonic.table": FLAT.text(),
        "dram.refresh": False,
        "frontend.time_limit": "12ms",
    }
    run(load_config("pcm", settings).with_policy(policy), workload)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == (0 if starving is None else 1)
    for line in lines:
        assert line.startswith(f"hmsim: contest, {policy}: {starving} requests ")
        assert "policies.harmonic.guard" in line
