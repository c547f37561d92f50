# SPDX-License-Identifier: BSD-3-Clause
"""hmsim: a simulator of memory controllers whose DDR channels hold DRAM DIMMs and flash NVDIMMs.

Names are imported when they are first asked for, so that ``import hmsim`` takes no
time; __init__.pyi says what they are.
"""

from importlib import import_module
from typing import Any

from hmsim.common.policy_folder import leave_out

HOMES = {  # module below hmsim: what it gives
    "common.c_library": "get_include get_library",
    "_core": "InputError OutOfMemory SimulatorFault",
    "config.configuration": "Config load_config",
    "config.policies": "COPIES DRAM NVDIMM READS WRITES Bundle BusArbiter MapReplacement "
    "PagePlacement TransactionScheduler WearLeveler",
    "comparisons.comparison": "compare",
    "curves.device": "device_curve",
    "curves.model": "DeviceCurve",
    "fits.run": "fit",
    "points.run": "run_points",
    "points.point": "Point point",
    "runs.result": "Result",
    "runs.runner": "run",
    "runs.session": "Future Receipt",
    "runs.system": "Completion System",
    "workloads.workload": "Workload load_workload",
    "style.plot": "plot",
    "sweep.results": "bootstrap_interval geometric_mean harmonic_speedup load_results "
    "maximum_slowdown speedup summary weighted_speedup",
    "sweep.run": "run_sweep",
}
PACKAGES = ("capture", "report", "style", "timeline")  # public ones
_HOME_OF = {name: home for home, names in HOMES.items() for name in names.split()}

__all__ = [*_HOME_OF, "__version__"]

leave_out()


def __getattr__(name: str) -> Any:
    if name in PACKAGES:
        return import_module(f"hmsim.{name}")
    if name == "__version__":
        return import_module("hmsim._core").version
    if name not in _HOME_OF:
        raise AttributeError(f"module 'hmsim' has no attribute {name!r}")
    value = getattr(import_module(f"hmsim.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *PACKAGES})
