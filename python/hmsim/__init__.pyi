# SPDX-License-Identifier: BSD-3-Clause
"""The names of the package, which __init__.py imports when they are asked for."""

from hmsim import capture as capture
from hmsim import report as report
from hmsim import timeline as timeline
from hmsim._core import InputError as InputError
from hmsim._core import OutOfMemory as OutOfMemory
from hmsim._core import SimulatorFault as SimulatorFault
from hmsim.config.configuration import Config as Config
from hmsim.config.configuration import load_config as load_config
from hmsim.config.policies import DRAM as DRAM
from hmsim.config.policies import NVDIMM as NVDIMM
from hmsim.config.policies import READS as READS
from hmsim.config.policies import WRITES as WRITES
from hmsim.config.policies import Bundle as Bundle
from hmsim.config.policies import BusArbiter as BusArbiter
from hmsim.config.policies import TransactionScheduler as TransactionScheduler
from hmsim.running.comparison import compare as compare
from hmsim.running.point_runs import run_points as run_points
from hmsim.running.points import Point as Point
from hmsim.running.points import point as point
from hmsim.running.result import Result as Result
from hmsim.running.runner import run as run
from hmsim.running.system import Completion as Completion
from hmsim.running.system import System as System
from hmsim.running.workload import Workload as Workload
from hmsim.running.workload import load_workload as load_workload
from hmsim.sweep.results import bootstrap_interval as bootstrap_interval
from hmsim.sweep.results import geometric_mean as geometric_mean
from hmsim.sweep.results import harmonic_speedup as harmonic_speedup
from hmsim.sweep.results import load_results as load_results
from hmsim.sweep.results import maximum_slowdown as maximum_slowdown
from hmsim.sweep.results import speedup as speedup
from hmsim.sweep.results import summary as summary
from hmsim.sweep.results import weighted_speedup as weighted_speedup
from hmsim.sweep.run import run_sweep as run_sweep
