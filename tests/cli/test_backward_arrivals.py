# SPDX-License-Identifier: BSD-3-Clause
"""Does hmsim report arrivals that run backwards?"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import parsed, succeed, write

WORKLOAD = """\
agents:
  - {kind: block_trace, core: 0, path: t.trace, format: mqsim, replay: REPLAY}
"""


@pytest.mark.parametrize(("replay", "counted"), [("timed", 2), ("closed", 0)])
def test_they_are_counted_and_told(tmp_path: Path, replay: str, counted: int) -> None:
    write(tmp_path / "t.trace", "100 0 0 8 1\n50 0 8 8 1\n200 0 16 8 1\n150 0 24 8 1\n")
    workload = write(tmp_path / "w.yaml", WORKLOAD.replace("REPLAY", replay))
    stats = parsed("run", "quick", "--workload", workload)
    assert stats["frontend.backward_arrivals"] == counted
    reported = succeed("run", "quick", "--workload", workload)
    assert ("2 requests arrive before" in reported) == (counted == 2)
