# SPDX-License-Identifier: BSD-3-Clause
"""Is the error of windows that of the values of the seeds?"""

from pathlib import Path

import pytest
from hmsim.reproduce.figures.window_error import window_error

HEAD = "program,partner,machine,seed,policy"


def test_half_widths_match_a_calculation(tmp_path: Path) -> None:
    file = tmp_path / "fig.csv"
    # Student's t of two values is 12.706, so half an interval is 12.706 x 0.01 of 1 in sort, and
    # 12.706 x 0.02 of 1.5 in bayes.
    rows = ["sort,mcf,dma,1,hms,-1", "sort,mcf,dma,2,hms,1", "bayes,mcf,dma,1,hms,48"]
    rows += ["bayes,mcf,dma,2,hms,52"]
    file.write_text("\n".join([f"{HEAD},gain", *rows]))
    found = window_error(file)
    assert "16.9 % for bayes, at most 12.7 % for others" in found


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD},gain\nsort,mcf,dma,1,hms,5\n",  # one seed has no error
        "program,seed,gain\nsort,1,5\nsort,2,6\n",  # block I/O, which has no windows
        f"{HEAD},share\nsort,mcf,dma,1,hms,5\n",
    ],
)
def test_other_data_have_no_error_of_windows(tmp_path: Path, text: str) -> None:
    file = tmp_path / "fig.csv"
    file.write_text(text)
    assert window_error(file) == window_error(tmp_path / "none.csv") == ""
