# SPDX-License-Identifier: BSD-3-Clause
"""Do claims compare with the stronger FIRM, and does an order of gains exceed the noise?"""

from __future__ import annotations

import pandas as pd
import pytest
from hmsim.reproduce.figures import firm
from hmsim.reproduce.figures.experiment import system
from hmsim.reproduce.figures.fig15 import is_ordered
from hmsim.reproduce.figures.gains import MIX

ROWS = {  # turnaround_share and batch_age, as in docs/methods.md
    "firm": ("20", "2500ns"),
    "firm_5": ("5", "2500ns"),
    "firm_1_1ms": ("1", "1ms"),
}


def table(ipc: dict[str, tuple[float, float]]) -> pd.DataFrame:
    """Return a mix with the IPC of mcf and of the program under each policy."""
    keys = dict(zip(MIX, ("sort", "mcf", "table3", "none", 1)))
    return pd.DataFrame(
        [
            {**keys, "policy": name, "core.0.ipc": partner, "agent.1.ipc": program}
            for name, (partner, program) in ipc.items()
        ]
    )


def test_parameters_match_the_sweep() -> None:
    assert set(firm.NAMES) == set(ROWS)
    for name, values in ROWS.items():
        resolved = system(name).resolved()
        keys = ("policies.firm.turnaround_share", "policies.firm.batch_age")
        assert tuple(resolved[key] for key in keys) == values
        assert resolved["controller.scheduler"] == "firm"


@pytest.mark.parametrize(
    ("core", "best"), [("partner", "firm_5"), ("program", "firm_1_1ms"), ("both", "firm_5")]
)
def test_the_strongest_is_chosen_for_the_given_core(core: str, best: str) -> None:
    found = table({"firm": (1, 1), "firm_5": (1.4, 0.9), "firm_1_1ms": (1.05, 1.1)})
    assert firm.strongest(found, core) == best


def test_the_published_parameters_stay_where_no_others_gain() -> None:
    found = table({"firm": (1, 1), "firm_5": (0.9, 1), "firm_1_1ms": (1, 0.8)})
    assert firm.strongest(found, "both") == firm.strongest(found, "program") == "firm"


def gained(*values: tuple[float, float]) -> pd.DataFrame:
    """Return the gains of three programs with two seeds."""
    return pd.DataFrame(
        [
            (name, seed, gain)
            for name, own in zip(("sort", "bayes", "kmeans"), values)
            for seed, gain in enumerate(own)
        ],
        columns=["program", "seed", "gain"],
    )


def test_an_order_needs_the_whole_interval_and_the_median_program() -> None:
    more, less = gained((9, 11), (5, 6), (4, 5)), gained((3, 4), (2, 3), (1, 2))
    assert is_ordered({"mcf": more, "milc": less}, ("mcf", "milc"))
    assert not is_ordered({"mcf": less, "milc": more}, ("mcf", "milc"))
    noisy = gained((9, 2), (2, 3), (1.5, 1.6))  # the interval of the difference holds 0
    assert not is_ordered({"mcf": noisy, "milc": less}, ("mcf", "milc"))
    single = gained((90, 95), (2, 3), (1, 2))  # by one program of three
    assert not is_ordered({"mcf": single, "milc": less}, ("mcf", "milc"))
