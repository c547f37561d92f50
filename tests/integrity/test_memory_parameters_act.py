# SPDX-License-Identifier: BSD-3-Clause
"""Does every parameter of controller, DRAM, links and system change some statistic, or refuse?

The tables are one file, because one list of names proves that none is left out.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError
from hmsim._core import Simulation, policies
from hmsim.config.configuration import load_config
from hmsim.config.settings import from_mapping
from hmsim.running.runner import run
from hmsim.running.workload import Agent, Workload
from hmsim.validate import dram_comparison

pytestmark = pytest.mark.slow

# Flash so fast that much happens within 100 us.
BASE: dict[str, Any] = {
    "controller.address_map": "default",
    "dram.ranks": 2,
    "nvdimm.capacity": "8MiB",
    "nvdimm.ftl.over_provisioning": 60,
    "nvdimm.nand.pages_per_block": 8,
    "nvdimm.buffer.read_size": "64KiB",
    "nvdimm.buffer.write_size": "64KiB",
    "nvdimm.nand.program_time": "20us",
    "nvdimm.nand.read_time": "5us",
    "nvdimm.nand.erase_time": "40us",
}
# A value that differs from the default and the preset's.
OTHER: dict[str, Any] = {
    "controller.channels": 2,
    "controller.queues": "split",
    "controller.queue_depth": 32,
    "controller.nvdimm_queue_depth": 8,
    "controller.structure": "two_level",
    "controller.command_queue_depth": 4,
    "controller.nvdimm_command_queue_depth": 4,
    "controller.writes": "drained",
    "controller.drain_high": 24,
    "controller.drain_low": 2,
    "controller.scheduler": "fcfs_strict",
    "controller.nvdimm_scheduler": "fcfs",
    "controller.arbiter": "dram_first",
    "controller.contest": "legal",
    "controller.page_policy": "closed_page",
    "controller.address_map": "bank|row|rank|column|channel",
    "controller.bank_hash": "xor",
    "controller.channel_hash": "xor",
    "controller.ack": "auto",
    "controller.nvdimm_p.credits": 2,
    "controller.nvdimm_p.response_cycles": 40,
    "controller.ack_slots": 0,
    "controller.outstanding": 1,
    "controller.bus": "private",
    "controller.starvation_limit": "500ns",
    "dram.power.VDD": "1.2V",
    "dram.power.IDD0": "300mA",
    "dram.power.IDD2N": "80mA",
    "dram.power.IDD2P": "50mA",
    "dram.power.IDD3N": "90mA",
    "dram.power.IDD4R": "300mA",
    "dram.power.IDD4W": "300mA",
    "dram.power.IDD5": "400mA",
    "dram.power.IDD5C": "400mA",
    "dram.power.IDD6": "7mA",
    "dram.preset": "ddr3_1600k_4gb_x8",
    "dram.ranks": 4,
    "dram.ranks_per_dimm": 1,
    "dram.register_delay": 1,
    "dram.command_rate": "2N",
    "dram.refresh": False,
    "dram.refresh_mode": "same_bank",
    "dram.refresh_management": True,
    "dram.RAAIMT": 16,
    "dram.refresh_postpone": 4,
    "dram.refresh_pull_in": 4,
    "dram.precharge_delay": "paper",
    "dram.power_down": "fast",
    "dram.power_down_idle": "300ns",
    "dram.self_refresh": True,
    "dram.self_refresh_idle": "2us",
    "dram.timing.tCK": 1500,
    "dram.timing.CL": 14,
    "dram.timing.CWL": 12,
    "dram.timing.tRCD": 14,
    "dram.timing.tRP": 14,
    "dram.timing.tRAS": 34,
    "dram.timing.tRC": 50,
    "dram.timing.tRRD": 8,
    "dram.timing.tRRD_L": 12,
    "dram.timing.tFAW": 40,
    "dram.timing.tWR": 20,
    "dram.timing.tWTR": 12,
    "dram.timing.tWTR_L": 16,
    "dram.timing.tPPD": 8,
    "dram.timing.tRTP": 12,
    "dram.timing.tCCD": 6,
    "dram.timing.tCCD_L": 12,
    "dram.timing.tCCD_L_WR": 40,
    "dram.timing.tCCDR": 9,
    "dram.timing.burst": 3,
    "dram.timing.burst_gap": 4,
    "dram.timing.tRTRS": 4,
    "dram.timing.tRTRS_dimm": 6,
    "dram.timing.tREFI": 3120,
    "dram.timing.tRFC": 200,
    "dram.timing.tRFCsb": 300,
    "dram.timing.tREFSBRD": 150,
    "dram.timing.tPBR2PBR": 340,
    "dram.timing.tCKE": 60,
    "dram.timing.tXP": 20,
    "dram.timing.tCKESR": 400,
    "dram.timing.tXS": 300,
    "dram.timing.tXSDLL": 800,
    "dram.timing.tWCK_RD": 24,
    "dram.timing.tWCK_WR": 16,
    "dram.timing.tWCKPST": 60,
    "dram.backend": "dramsim3_full",
    "dram.dramsim3_ini": "good.ini",
    "dram.dramsim3_mend_ini": True,
    "dram.dramsim3_mend_timing": True,
    "dram.dramsim3_command_queue": 1,
    "dram.dramsim3_unified_queue": True,
    "system.store_data": True,
    "cxl.down.rate": "4GT/s",
    "cxl.down.latency": "300ns",
    "cxl.up.rate": "4GT/s",
    "cxl.up.latency": "300ns",
    "cxl.lanes": 1,
    "cxl.flit": 256,
    "cxl.messages_per_header": 4,
    "cxl.credits": 1,
    "cxl.load.optimal": 2,
    "cxl.load.moderate": 17,
    "cxl.load.severe": 3,
    "cxl.load.interval": "3us",
    "expander.channels": 1,
    "expander.down.rate": "4GT/s",
    "expander.down.latency": "300ns",
    "expander.up.rate": "4GT/s",
    "expander.up.latency": "300ns",
    "expander.lanes": 1,
    "expander.flit": 256,
    "expander.messages_per_header": 4,
    "expander.credits": 1,
    "hbf.grade": 1,
    "hbf.read_rate": 1000,
    "hbf.write_rate": 1000,
    "hbf.read_latency": "300ns",
    "hbf.write_latency": "300ns",
    "hbf.header": "256B",
    "hbf.read_granularity": "4KiB",
    "hbf.outstanding": 1,
    "hbf.dies": 2,
    "hbf.banks": 4,
    "hbf.cache_pages": 0,
    "hbf.merge": False,
    "hbf.gather": "2us",
    "hbf.ecc_read": "5us",
    "hbf.fixed": "3us",
    "hbf.refresh_reads": 1,
    "hbf.pending_writes": 1,
    "hbf.accumulate": "1ps",
    "hbf.ecc_write": "5us",
    "hbf.erased_at_start": False,
    "hbf.ftl": "host",
    "hbf.map_in": "hbm",
    "hbf.refresh": "deadline_refresh",
    "hbf.refresh_every": "20us",
    "hbf.copies": 1,
    "host.queue": "shared",
    "host.entries": 8,
    "host.nvdimm_entries": 8,
    "host.order": "fifo",
    "host.write_holds": "done",
    "host.limiter": "limit",
}
SPLIT: dict[str, Any] = {"controller.queues": "split", "controller.arbiter": "oldest_first"}
DRAINED: dict[str, Any] = {
    "controller.writes": "drained",
    "controller.drain_high": 48,
    "controller.drain_low": 16,
}
NVDIMM_P = {"controller.ack": "nvdimm_p"}
DDR4 = {"dram.preset": "ddr4_2400r_8gb_x8"}
DDR5 = {"dram.preset": "ddr5_4800b_16gb_x8"}
# Refreshes are so rare that a bank has many activates between them.
MANAGED = {**DDR5, "dram.timing.tREFI": 60_000}
SAME_BANK = {**DDR5, "dram.refresh_mode": "same_bank"}
LPDDR5 = {"dram.preset": "lpddr5_6400_16gb_x16", "nvdimm.present": False}
HBM3 = {"dram.preset": "hbm3_6400_8h_4gb_x32", "nvdimm.present": False}
POWER_DOWN = {"dram.power_down": "fast"}
SELF_REFRESH = {"dram.self_refresh": True, "dram.self_refresh_idle": "500ns"}
WHOLE = {"dram.backend": "dramsim3_full", "nvdimm.present": False}
CXL = {"nvdimm.attach": "cxl"}
EXPANDER = {**CXL, "expander.channels": 1}
HBF = {
    "nvdimm.attach": "hbf",
    "nvdimm.nand.cache": True,
    "nvdimm.ftl.over_provisioning": 200,
    "dram.preset": "hbm3_6400_4h_2gb_x32",
    "controller.nvdimm_queue_depth": 1024,
}
HOST_FTL = {**HBF, "hbf.ftl": "host"}
HOST = {"host.queue": "shared", "host.entries": 24}
# Other settings that a parameter needs to act.
COMPANY: dict[str, dict[str, Any]] = {
    "cxl.down.rate": CXL,
    "cxl.down.latency": CXL,
    "cxl.up.rate": CXL,
    "cxl.up.latency": CXL,
    "cxl.lanes": CXL,
    "cxl.flit": CXL,
    "cxl.messages_per_header": CXL,
    "cxl.credits": CXL,
    "cxl.load.optimal": CXL,
    "cxl.load.moderate": CXL,
    "cxl.load.severe": {**CXL, "cxl.load.optimal": 1, "cxl.load.moderate": 2},
    "cxl.load.interval": CXL,
    **{name: EXPANDER for name in OTHER if name.startswith("expander.")},
    "expander.channels": CXL,
    "hbf.refresh_reads": {**HBF, "hbf.erased_at_start": False},
    "hbf.map_in": HOST_FTL,
    "hbf.copies": HOST_FTL,
    "hbf.refresh": HOST_FTL,
    "hbf.refresh_every": {**HOST_FTL, "hbf.refresh": "deadline_refresh"},
    "host.queue": {"host.entries": 24},
    "host.entries": HOST,
    "host.nvdimm_entries": {**HOST, "host.queue": "divided"},
    "host.order": {**HOST, "host.limiter": "limit"},
    "host.write_holds": HOST,
    "host.limiter": HOST,
    "controller.queues": {"controller.queue_depth": 32},  # is full at times
    "controller.channel_hash": {"controller.channels": 4},
    "controller.nvdimm_queue_depth": SPLIT,
    "controller.nvdimm_command_queue_depth": {"controller.structure": "two_level"},
    "controller.nvdimm_scheduler": SPLIT,
    "controller.arbiter": SPLIT,
    "controller.contest": {**SPLIT, "controller.arbiter": "round_robin"},
    "controller.bus": SPLIT,
    "controller.drain_high": DRAINED,
    "controller.drain_low": DRAINED,
    "controller.nvdimm_p.credits": NVDIMM_P,
    "controller.nvdimm_p.response_cycles": NVDIMM_P,
    "dram.power.IDD2P": POWER_DOWN,
    "dram.power.IDD5C": SAME_BANK,
    "dram.power.IDD6": SELF_REFRESH,
    "dram.refresh_mode": DDR5,
    "dram.power_down_idle": POWER_DOWN,
    "dram.self_refresh": {"dram.self_refresh_idle": "500ns"},
    "dram.self_refresh_idle": SELF_REFRESH,
    "dram.ranks_per_dimm": {"dram.timing.tRTRS_dimm": 8},
    "dram.refresh_management": MANAGED,
    "dram.RAAIMT": {**MANAGED, "dram.refresh_management": True},
    "dram.timing.tRRD_L": DDR4,
    "dram.timing.tWTR_L": DDR4,
    "dram.timing.tCCD_L": DDR4,
    "dram.timing.tPPD": DDR5,
    "dram.timing.tCCD_L_WR": DDR5,
    "dram.timing.tCCDR": HBM3,
    "dram.timing.burst_gap": LPDDR5,
    "dram.timing.tWCK_RD": LPDDR5,
    "dram.timing.tWCK_WR": LPDDR5,
    "dram.timing.tWCKPST": LPDDR5,
    "dram.timing.tRFCsb": SAME_BANK,
    "dram.timing.tREFSBRD": SAME_BANK,
    # Regular refreshes of a rank are further apart than tPBR2PBR. Write recovery delays some here,
    # so that the next ones follow closely.
    "dram.timing.tPBR2PBR": {
        **LPDDR5,
        "dram.refresh_mode": "same_bank",
        "dram.timing.tWR": 150,
    },
    "dram.timing.tCKE": POWER_DOWN,
    "dram.timing.tXP": POWER_DOWN,
    "dram.timing.tCKESR": SELF_REFRESH,
    "dram.timing.tXS": SELF_REFRESH,
    "dram.timing.tXSDLL": SELF_REFRESH,
    "dram.backend": {"nvdimm.present": False},
    "dram.dramsim3_mend_ini": {"dram.dramsim3_ini": "misspelt.ini"},
    "dram.dramsim3_mend_timing": {"dram.backend": "dramsim3"},
    "dram.dramsim3_command_queue": WHOLE,
    "dram.dramsim3_unified_queue": WHOLE,
}
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
INERT = {
    "system.store_data": "what bytes memory holds is no statistic; tests/integrity/test_data.py",
    **dict.fromkeys(
        ("hbf.copies", "hbf.refresh", "hbf.refresh_every"),
        "no agent here writes whole pages; tests/cc/controller/hbf_system_test.cc",
    ),
}
# These have an effect, or are rejected, depending on whether DRAMsim3 is part of the build.
DRAMSIM3 = (
    "dram.backend",
    "dram.dramsim3_mend_timing",
    "dram.dramsim3_command_queue",
    "dram.dramsim3_unified_queue",
)
INI = """[dram_structure]
protocol = DDR3
bankgroups = 1
banks_per_group = 8
rows = 65536
columns = 1024
device_width = 8
BL = 8
[timing]
tCK = 1.25
CL = 11
CWL = 8
tRCD = 11
tRP = 11
tRAS = 28
tRFC = 208
tREFI = 6240
tRRD_S = 5
tWTR_S = 6
tFAW = 24
tWR = 12
tRTP = 6
tCCD_S = 4
tRTRS = 1
[system]
bus_width = 64
"""
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
# An FTL takes writes of whole pages only.
PAGE_READS = Workload("page reads", PAGES.agents[:-1])


@cache
def statistics(name: str, change: bool) -> dict[str, Any]:
    """Return the statistics of a short run with another value of the parameter."""
    overrides = {**BASE, **COMPANY.get(name, HBF if name.startswith("hbf.") else {})}
    if change:
        overrides[name] = OTHER[name]
    workload = SPARSE if name.startswith(IDLE) else BUSY
    if name.startswith("hbf."):
        workload = PAGE_READS if overrides.get("hbf.ftl") or name == "hbf.ftl" else PAGES
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
        monkeypatch.setattr("hmsim.running.runner.Simulation", Simulation)
    if name in DRAMSIM3 and not dram_comparison.available():
        with pytest.raises(InputError, match="dramsim3=1"):
            statistics(name, True)
        return
    if name == "dram.dramsim3_mend_ini":
        with pytest.raises(InputError, match="tREFI"):
            statistics(name, False)
        assert statistics(name, True)["dram.reads"] > 0
        return
    acts = statistics(name, True) != statistics(name, False)
    assert acts == (name not in INERT), INERT.get(name, "changes no statistic")


def test_the_tables_name_known_parameters() -> None:
    assert {*OTHER, *COMPANY, *INERT, *DRAMSIM3} <= {*names()}


def test_no_parameter_is_left_out() -> None:
    # The others: test_parameters_act.py, test_agent_parameters_act.py, test_policy_parameters.py,
    # test_storage_parameters_act.py.
    left = {entry["name"] for entry in Simulation.parameters()} - {*names()}
    left -= {parameter["name"] for policy in policies() for parameter in policy["parameters"]}
    assert {name.split(".")[0] for name in left} == {"nvdimm", "frontend", "storage"}
