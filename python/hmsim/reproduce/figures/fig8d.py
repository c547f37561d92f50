# SPDX-License-Identifier: BSD-3-Clause
"""Fig. 8d: accesses of the NVDIMM that go to the same flash page."""

from __future__ import annotations

import pandas as pd

from hmsim.clones.profile_file import load
from hmsim.common.paths import data_directory
from hmsim.reproduce.figures.declare import figure
from hmsim.reproduce.figures.experiment import Runs
from hmsim.reproduce.figures.style import CYCLE, Made
from hmsim.reproduce.figures.verdicts import Estimate, Finding

PROGRAMS = ("dfsioe_r", "dfsioe_w", "sort")
WHOLE = 64  # lines of a page


def visits(program: str) -> dict[int, float]:
    """Return the number of visits to the NVDIMM's pages by their accesses (the least of a bin)."""
    profile = load(data_directory() / "workloads" / "profiles" / f"{program}.yaml")
    found: dict[int, float] = {}
    for name, stream in profile.streams.items():
        if name.startswith("nvdimm"):
            kinds = (stream.jumped, stream.followed, stream.swept)
            for share, bins in zip(stream.kinds, kinds):
                for length, values in bins.items():
                    found[length] = found.get(length, 0) + stream.visits * share * values[0]
    return found


@figure("fig8d", 8, "Fig. 8d: accesses to the same page", (6.5, 3.4))
def made(runs: Runs) -> Made:
    """Captures of three programs, without simulation: accesses per visit to a flash page."""
    rows = [
        {"program": program, "accesses": length, "visits": number}
        for program in PROGRAMS
        for length, number in sorted(visits(program).items())
    ]
    data = pd.DataFrame(rows)
    total = data.groupby("accesses")["visits"].sum()
    whole = 100 * float(total.get(WHOLE, 0) / total.sum())

    def paint(canvas) -> None:  # type: ignore[no-untyped-def]
        axes = canvas.subplots()
        for program, colour, dash in zip(PROGRAMS, CYCLE, ("-", "--", ":")):
            own = data[data["program"] == program].set_index("accesses")["visits"]
            shares = 100 * own.reindex(range(WHOLE + 1), fill_value=0).cumsum() / own.sum()
            axes.step(shares.index, shares, dash, where="post", color=colour, label=program, lw=2)
        axes.set_xlim(0, WHOLE + 2)
        axes.set_ylim(-2, 103)
        axes.set_xlabel("64-byte accesses per visit to a flash page (upper bound)")
        axes.set_ylabel("visits, %")
        axes.set_title("Fig. 8d: every visit takes all 64 lines of the page\n(the paper: 'a lot')")
        axes.legend(loc="upper left")

    return Made(data, paint, [Finding("R8", Estimate.exact(whole), True)])
