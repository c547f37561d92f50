# SPDX-License-Identifier: BSD-3-Clause
"""Do commands say which writes HBF repeated or refused, and which reads found nothing?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from support import succeed, write

PAGES = """\
agents:
  - {kind: io_pattern, size: 4KiB, access: random, threads: 8, depth: 16, read_share: 0.2,
     requests: 2000}
"""
FAILING = {"hbf.ftl": "host", "nvdimm.nand.program_failure": "0.01"}


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    return write(tmp_path / "pages.yaml", PAGES)


def remarks(command: str, *systems: str, workload: Path, **keys: str) -> list[str]:
    """Return the lines on HBF that a command prints."""
    given = [part for name, text in keys.items() for part in ("--set", f"{name}={text}")]
    text = succeed(command, *systems, "--workload", workload, *given)
    return [line for line in text.splitlines() if line.startswith(("HBF:", "HBF did"))]


def test_failed_programs_of_the_hosts_ftl_are_not_lost(workload: Path) -> None:
    stats = hmsim.run(hmsim.load_config("hbm3_hbf", FAILING), workload).stats
    failed = stats["hbf.status.program_failed"]
    repeated = stats["hbf.replay.writes"] + stats["hbf.replay.copies"]
    assert failed > 0
    assert repeated == failed + stats["hbf.status.out_of_order"]
    line = f"HBF: {failed} programs failed; the host's FTL repeated {repeated} writes"
    shown = remarks("run", "hbm3_hbf", workload=workload, **FAILING)
    assert sum(each.startswith(line) for each in shown) == 1
    assert not any("did not program" in each for each in shown)
    under = remarks(
        "compare", "--seeds", "1", "hbm3_hbf", "ddr5_nvdimm", workload=workload, **FAILING
    )
    assert any(f"{failed} programs failed under hbm3_hbf;" in each for each in under)


@pytest.mark.parametrize(
    ("mapping", "advice"),
    [
        ("raw", "; hbf.erased_at_start: false begins with programmed pages"),
        ("host", "; nvdimm.precondition.fill writes pages before the run"),
    ],
)
def test_reads_of_erased_pages_are_reported(mapping: str, advice: str, workload: Path) -> None:
    keys = {"hbf.ftl": mapping}
    stats = hmsim.run(hmsim.load_config("hbm3_hbf", keys), workload).stats
    erased = stats["hbf.status.erased_page"]
    line = f"HBF: {erased} reads of erased pages, timed like other reads{advice}"
    assert erased > 0 and line in remarks("run", "hbm3_hbf", workload=workload, **keys)
