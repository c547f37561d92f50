# SPDX-License-Identifier: BSD-3-Clause
"""Does every parameter of controller, DRAM, links and system change some statistic, or refuse?"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError
from hmsim._core import Simulation, policies
from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.reproduce.validate import dram_comparison
from hmsim.runs.runner import run
from hmsim.workloads.workload import Agent, Workload
from memory_values import BASE, COMPANY, HBF, OTHER

pytestmark = pytest.mark.slow

# These need ranks that are idle at times.
IDLE = (
    "dram.power.IDD2P",
    "dram.power.IDD6",
    "dram.power_down",
    "dram.self_refresh",
    "dram.refresh_pull_in",
    "dram.timing.tCKE",
    "dram.timing.tXP",
    "dram.timing.tXS",
)
# Parameters that change no statistic. An entry whose parameter does change one fails.
# These have an effect, or are rejected, depending on whether DRAMsim3 is part of the build.
DRAMSIM3 = (
    "dram.backend",
    "dram.dramsim3_mend_timing",
    "dram.dramsim3_command_queue",
    "dram.dramsim3_unified_queue",
)
INI = (
    "[dram_structure] protocol=DDR3 bankgroups=1 banks_per_group=8 rows=65536 columns=1024 "
    "device_width=8 BL=8 [timing] tCK=1.25 CL=11 CWL=8 tRCD=11 tRP=11 tRAS=28 tRFC=208 "
    "tREFI=6240 tRRD_S=5 tWTR_S=6 tFAW=24 tWR=12 tRTP=6 tCCD_S=4 tRTRS=1 [system] "
    "bus_width=64"
).replace(" ", "\n")
PREFIXES = ("controller.", "cxl.", "dram.", "expander.", "hbf.", "host.", "system.")


def agent(**values: Any) -> Agent:
    return Agent(tuple(from_mapping({"kind": "synthetic", **values}, "test")), "test", None)


BUSY = Workload(
    "busy",
    (
        agent(core=0, target="dram", read_ratio=0.6, outstanding=48, requests=4_000),
        agent(
            core=1,
            target="dram",
            pattern="sequential",
            footprint="1MiB",
            read_ratio=0.7,
            outstanding=16,
            measured=False,
        ),
        agent(
            core=2,
            target="nvdimm",
            read_ratio=0.5,
            footprint="1MiB",
            outstanding=48,
            measured=False,
        ),
    ),
)
SPARSE = Workload(
    "sparse",
    tuple(
        agent(
            core=core,
            target="dram",
            footprint="2GiB",
            read_ratio=0.5,
            outstanding=1,
            interval=interval,
            requests=60,
        )
        for core, interval in enumerate(("1500ns", "1537ns"))
    ),
)
# Reads of flash, and writes of whole pages in order, by lines. More lines are under way than a page
# has, because each ends with its program.
PAGES = Workload(
    "pages",
    (
        agent(
            core=2, target="nvdimm", read_ratio=1, footprint="1MiB", outstanding=48, requests=300
        ),
        agent(
            core=3,
            target="nvdimm",
            pattern="sequential",
            read_ratio=0,
            footprint="2MiB",
            outstanding=192,
            requests=640,
        ),
    ),
)


@cache
def statistics(name: str, change: bool) -> dict[str, Any]:
    """Return the statistics of a short run with another value of the parameter."""
    overrides = {**BASE, **COMPANY.get(name, HBF if name.startswith("hbf.") else {})}
    if change:
        overrides[name] = OTHER[name]
    workload = SPARSE if name.startswith(IDLE) else BUSY
    if name.startswith("hbf."):
        workload = PAGES
    if overrides.get("nvdimm.present") is False:
        workload = Workload("no NVDIMM", BUSY.agents[:-1])
    config = load_config("mascots16", overrides, where="test")
    return dict(run(config, workload, check=name not in DRAMSIM3).stats)


def names() -> list[str]:
    found = [entry["name"] for entry in Simulation.parameters()]
    return [name for name in found if name.startswith(PREFIXES)]


@pytest.mark.parametrize("name", names())
def test_every_parameter_acts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.ini").write_text(INI, encoding="utf-8")
    Path("misspelt.ini").write_text(INI.replace("tREFI", "REFI"), encoding="utf-8")
    if name in DRAMSIM3:  # the whole of it shows no commands; unmended it breaks tRTRS
        monkeypatch.setattr("hmsim.runs.runner.Simulation", Simulation)
    if name in DRAMSIM3 and not dram_comparison.available():
        with pytest.raises(InputError, match="dramsim3=1"):
            statistics(name, True)
        return
    if name == "dram.dramsim3_mend_ini":
        with pytest.raises(InputError, match="tREFI"):
            statistics(name, False)
        assert statistics(name, True)["dram.reads"] > 0
        return
    assert statistics(name, True) != statistics(name, False), "changes no statistic"


def test_the_tables_name_known_parameters() -> None:
    assert {*OTHER, *COMPANY, *DRAMSIM3} <= {*names()}


def test_no_parameter_is_left_out() -> None:
    # The others: test_parameters_act.py, test_agent_parameters_act.py, test_policy_parameters.py,
    # test_storage_parameters_act.py.
    left = {entry["name"] for entry in Simulation.parameters()} - {*names()}
    left -= {parameter["name"] for policy in policies() for parameter in policy["parameters"]}
    assert {name.split(".")[0] for name in left} == {"nvdimm", "frontend", "storage"}
