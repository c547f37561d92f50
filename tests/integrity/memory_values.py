# SPDX-License-Identifier: BSD-3-Clause
"""Another value of each parameter of controller, DRAM and links, and what each needs to act."""

from __future__ import annotations

from typing import Any

from keys import keys

# Flash so fast that much happens within 100 us.
BASE: dict[str, Any] = {
    "controller.address_map": "default",
    "dram.ranks": 2,
    "nvdimm.capacity": "8MiB",
    "nvdimm.ftl.over_provisioning": 60,
    **keys("nvdimm.nand.", "pages_per_block=8 program_time=20us read_time=5us erase_time=40us"),
    **keys("nvdimm.buffer.", "read_size=64KiB write_size=64KiB"),
}
# A value that differs from the default and the preset's.
OTHER: dict[str, Any] = {
    **keys(
        "controller.",
        "channels=2 queues=split queue_depth=32 nvdimm_queue_depth=8 structure=two_level "
        "command_queue_depth=4 nvdimm_command_queue_depth=4 writes=drained drain_high=24 "
        "drain_low=2 scheduler=fcfs_strict nvdimm_scheduler=fcfs arbiter=dram_first contest=legal "
        "page_policy=closed_page address_map=bank|row|rank|column|channel bank_hash=xor "
        "channel_hash=xor ack=auto ack_slots=0 outstanding=1 bus=private starvation_limit=500ns",
    ),
    **keys("controller.nvdimm_p.", "credits=2 response_cycles=40"),
    **keys(
        "dram.power.",
        "VDD=1.2V IDD0=300mA IDD2N=80mA IDD2P=50mA IDD3N=90mA IDD4R=300mA IDD4W=300mA IDD5=400mA "
        "IDD5C=400mA IDD6=7mA",
    ),
    **keys(
        "dram.",
        "preset=ddr3_1600k_4gb_x8 ranks=4 ranks_per_dimm=1 register_delay=1 command_rate=2N "
        "refresh=false refresh_mode=same_bank refresh_management=true RAAIMT=16 "
        "refresh_postpone=4 refresh_pull_in=4 precharge_delay=paper power_down=fast "
        "power_down_idle=300ns self_refresh=true self_refresh_idle=2us backend=dramsim3_full "
        "dramsim3_ini=good.ini dramsim3_mend_ini=true dramsim3_mend_timing=true "
        "dramsim3_command_queue=1 dramsim3_unified_queue=true",
    ),
    **keys(
        "dram.timing.",
        "tCK=1500 CL=14 CWL=12 tRCD=14 tRP=14 tRAS=34 tRC=50 tRRD=8 tRRD_L=12 tFAW=40 tWR=20 "
        "tWTR=12 tWTR_L=16 tPPD=8 tRTP=12 tCCD=6 tCCD_L=12 tCCD_L_WR=40 tCCDR=9 burst=3 "
        "burst_gap=4 tRTRS=4 tRTRS_dimm=6 tREFI=3120 tRFC=200 tRFCsb=300 tREFSBRD=150 "
        "tPBR2PBR=340 tCKE=60 tXP=20 tCKESR=400 tXS=300 tXSDLL=800 tWCK_RD=24 tWCK_WR=16 "
        "tWCKPST=60",
    ),
    "system.store_data": True,
    **keys("cxl.down.", "rate=4GT/s latency=300ns"),
    **keys("cxl.up.", "rate=4GT/s latency=300ns"),
    **keys("cxl.", "lanes=1 flit=256 messages_per_header=4 credits=1"),
    **keys("cxl.load.", "optimal=2 moderate=17 severe=3"),
    **keys("expander.", "channels=1 lanes=1 flit=256 messages_per_header=4 credits=1"),
    **keys("expander.down.", "rate=4GT/s latency=300ns"),
    **keys("expander.up.", "rate=4GT/s latency=300ns"),
    **keys(
        "hbf.",
        "grade=1 read_rate=1000 write_rate=1000 read_latency=300ns write_latency=300ns "
        "header=256B read_granularity=4KiB outstanding=1 dies=2 banks=4 cache_pages=0 merge=false "
        "ecc_read=5us refresh_reads=1 pending_writes=1 accumulate=1ps ecc_write=5us "
        "write_period=3us write_phase=1us erased_at_start=false ftl=host map_in=hbm "
        "refresh=deadline_refresh refresh_every=20us copies=1 streams=2",
    ),
    **keys(
        "host.",
        "queue=shared entries=8 slow_entries=8 order=fifo write_holds=done limiter=limit",
    ),
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
SMALL_BLOCKS = {**HOST_FTL, "hbf.banks": 1, "nvdimm.nand.pages_per_block": 4}
HOST = {"host.queue": "shared", "host.entries": 24}
# Other settings that a parameter needs to act.
COMPANY: dict[str, dict[str, Any]] = {
    **{name: CXL for name in OTHER if name.startswith("cxl.")},
    "cxl.load.severe": {**CXL, "cxl.load.optimal": 1, "cxl.load.moderate": 2},
    **{name: EXPANDER for name in OTHER if name.startswith("expander.")},
    "expander.channels": CXL,
    "hbf.refresh_reads": {**HBF, "hbf.erased_at_start": False},
    "hbf.write_period": {**HBF, "hbf.write_phase": "1us"},
    "hbf.write_phase": {**HBF, "hbf.write_period": "200us"},
    "hbf.map_in": HOST_FTL,
    "hbf.copies": {**SMALL_BLOCKS, "hbf.refresh": "deadline_refresh", "hbf.refresh_every": "200us"},
    "hbf.streams": HOST_FTL,
    "hbf.refresh": {**SMALL_BLOCKS, "hbf.refresh_every": "200us"},
    "hbf.refresh_every": {**SMALL_BLOCKS, "hbf.refresh": "deadline_refresh"},
    "host.queue": {"host.entries": 24},
    "host.entries": HOST,
    "host.slow_entries": {**HOST, "host.queue": "divided"},
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
    "dram.timing.tPBR2PBR": {**LPDDR5, "dram.refresh_mode": "same_bank", "dram.timing.tWR": 150},
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
