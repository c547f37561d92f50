# SPDX-License-Identifier: BSD-3-Clause
"""hmsim: a simulator of memory controllers whose DDR channels hold DRAM DIMMs and flash NVDIMMs."""

from hmsim._core import InputError, SimulatorFault
from hmsim._core import version as __version__
from hmsim.comparison import compare
from hmsim.config import Config, load_config
from hmsim.points import Point, point, run_points
from hmsim.policies import (
    DRAM,
    NVDIMM,
    READS,
    WRITES,
    Bundle,
    BusArbiter,
    TransactionScheduler,
)
from hmsim.results import (
    bootstrap_interval,
    geometric_mean,
    harmonic_speedup,
    load_results,
    maximum_slowdown,
    speedup,
    summary,
    weighted_speedup,
)
from hmsim.runner import Result, run
from hmsim.sweep_run import run_sweep
from hmsim.system import Completion, System
from hmsim.workload import Workload, load_workload

__all__ = [
    "DRAM",
    "NVDIMM",
    "READS",
    "WRITES",
    "Bundle",
    "BusArbiter",
    "Completion",
    "Config",
    "InputError",
    "Point",
    "Result",
    "SimulatorFault",
    "System",
    "TransactionScheduler",
    "Workload",
    "__version__",
    "bootstrap_interval",
    "compare",
    "geometric_mean",
    "harmonic_speedup",
    "load_config",
    "load_results",
    "load_workload",
    "maximum_slowdown",
    "point",
    "run",
    "run_points",
    "run_sweep",
    "speedup",
    "summary",
    "weighted_speedup",
]
