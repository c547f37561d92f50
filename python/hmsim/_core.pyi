# SPDX-License-Identifier: BSD-3-Clause
"""The C++ core. Times are integers of picoseconds; assignments are (dotted name, text) pairs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

Assignments = Sequence[tuple[str, str]]

version: str

class InputError(ValueError):
    """The user's input is at fault; the message is meant for the user."""

class OutOfMemory(MemoryError):
    """The machine gives no more memory; names the parameter that asks for most."""

class SimulatorFault(RuntimeError):
    """An invariant of the simulator broke: component, time and request are named."""

class RequestView:
    """One transaction; the fields of policies/policy.h. Raises RuntimeError after the call."""

    @property
    def slot(self) -> int: ...
    @property
    def id(self) -> int: ...
    @property
    def arrival(self) -> int: ...
    @property
    def memory(self) -> str: ...
    @property
    def write(self) -> bool: ...
    @property
    def source(self) -> int: ...
    @property
    def rank(self) -> int: ...
    @property
    def bank(self) -> int: ...
    @property
    def row(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def row_hit(self) -> bool: ...
    @property
    def epoch(self) -> int: ...

class ArbiterView:
    """The best ready request of each class, and the queues; likewise."""

    @property
    def dram(self) -> RequestView: ...
    @property
    def nvdimm(self) -> RequestView: ...
    @property
    def dram_key(self) -> int: ...
    @property
    def nvdimm_key(self) -> int: ...
    @property
    def dram_pending(self) -> int: ...
    @property
    def nvdimm_pending(self) -> int: ...
    @property
    def now(self) -> int: ...

def pack_records(records: bytes) -> tuple[bytes, list[int], int]:
    """Return a block of hmsim's trace format, not yet compressed, of records of 8 bytes.

    With it: the instructions of each of 8 vCPUs in it, and how many vCPUs there are at least.
    """

def cause_index(file: str, source: Callable[[int], bytes]) -> bytes:
    """Return the index of a trace with causes (traces/cause_index.h).

    ``file`` names it in messages; ``source`` gives bytes of its unpacked form by offset. Raises
    InputError.
    """

def unpack_records(columns: bytes) -> bytes:
    """Return the records of such a block. Raises InputError."""

class Clone:
    """A workload clone: records that are generated to be like a profile."""

    def __init__(
        self, streams: list[dict[str, Any]], instructions: int, speed: float, seed: int
    ) -> None:
        """Take the streams as clones.clone makes them. Raises InputError."""

    def records(self, count: int) -> bytes:
        """Return about ``count`` more records, 8 bytes each; nothing at the end."""

class TraceFormat:
    """A trace format, as its file in traces/ describes it."""

    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str:
        """What a record looks like, in one line."""

    @property
    def kind(self) -> str:
        """What a record is: misses, accesses, blocks or instructions."""

    @property
    def clock_step_ns(self) -> int:
        """Of blocks: nanoseconds of a step of its clock."""

    @property
    def clock_is_coarse(self) -> bool:
        """Of blocks: whether too many requests have one time to tell which came first."""

    @property
    def has_completions(self) -> bool:
        """Of blocks: whether its traces may tell when requests were done."""

    @property
    def unit(self) -> str:
        """What its times count: instructions, cycles, ns, ps, or nothing."""

    def looks_like(self, start: bytes) -> bool:
        """Whether a trace that begins so may be of this format; at most one format says so."""

def infer_causes(requests: list[tuple[int, int | None]]) -> list[tuple[list[int], int]]:
    """Return why each request of a block trace comes, as far as times tell (docs/block-drivers.md).

    Args:
        requests: arrival and completion (None: not known) in nanoseconds, in order of arrival.

    Returns:
        Of each request the numbers of its parents, the latest first, and the think time in
        nanoseconds behind the last of them; without parents, behind the request before it.

    Raises:
        InputError: more than 1,024 requests are under way at once.
    """

def guessed_columns(line: bytes) -> str:
    """Return the options that read a line of columns as format csv, or '' if none do."""

def trace_formats() -> list[TraceFormat]:
    """Return the formats, in the order of their names."""

class TraceRecords:
    """The accesses of a trace in one of the formats."""

    def __init__(
        self,
        format: str,
        file: str,
        source: Callable[[int], bytes],
        options: Sequence[tuple[str, str]] = ...,
    ) -> None:
        """Open a trace; ``file`` names it in messages, ``source(offset)`` returns its bytes.

        ``options``: keys of agents, as ``columns.time``. Raises InputError.
        """

    def read(self, count: int) -> list[tuple[int, int, bool, int, int]]:
        """Return ``count`` accesses or one more: time, address, write, bytes, device.

        Nothing at the trace's end. Raises InputError.
        """

    @property
    def zero_length(self) -> int:
        """Block requests of length 0 so far that were left out."""

    @property
    def bad_records(self) -> int:
        """Malformed records of a block trace so far that were left out."""

    @property
    def note(self) -> str:
        """A remark on the meaning of the records so far, or ''."""

    @property
    def completions(self) -> int:
        """Block requests so far of which the trace tells when they were done."""

    @property
    def skipped(self) -> int:
        """Records so far that move no data."""

class TraceSummary:
    """What accesses of a trace have in common, in bounded memory."""

    def __init__(self, nvdimm: int, timed: bool, from_first: bool = False) -> None:
        """Addresses from ``nvdimm`` on are of the second memory; not ``timed``: requests count.

        ``from_first``: times count from the first access's.
        """

    def add(self, records: TraceRecords, count: int) -> bool:
        """Add so many records; false at the trace's end. Raises InputError."""

    @property
    def sources(self) -> int: ...
    @property
    def last_time(self) -> int: ...
    @property
    def memories(self) -> tuple[dict[str, Any], dict[str, Any]]: ...

class Simulation:
    """One memory system and the agents that drive it; to be used by one thread at a time."""

    def __init__(
        self,
        config: Assignments,
        agents: Sequence[Assignments],
        seed: int,
        warmup_ps: int,
        warmup_instructions: int,
        source: Callable[[int, int], bytes],
        trace_bytes: Sequence[int],
        check: bool = False,
        log_requests: bool = False,
        log_commands: int = 0,
        policies: Mapping[str, Callable[[], Any]] = {},
        preconditioning: Callable[[float], None] | None = None,
    ) -> None:
        """Build a simulation.

        ``source(agent, offset)`` returns bytes of an agent's trace, none at its end;
        ``trace_bytes`` are the traces' expected lengths for `progress`, 0 where unknown;
        ``check`` judges every command, so that `run` and `advance` raise SimulatorFault when a rule
        of a device, a bus or the ack protocol is broken; ``log_requests`` keeps what
        `take_requests` returns, and ``log_commands`` so many rows of what `take_commands` does;
        ``policies`` make those in Python, by the parameter that would name them (config.policies);
        ``preconditioning`` is told now and then which share of that is done, before this returns.
        """

    def run(self, steps: int) -> bool:
        """Run at most ``steps`` kernel steps; true at the run's end. Releases the GIL."""

    def advance(self, until_ps: Optional[int], steps: int, to_receipt: bool = False) -> bool:
        """Run to a time, at most ``steps`` kernel steps; true at that time. Releases the GIL.

        None: while events are left. ``to_receipt``: stop before while `take_receipts` has some.
        """

    def take_warnings(self) -> list[str]:
        """Return lines that the user should see during the run, found by `run` since the last call.

        A class of memory that starves is reported once.
        """

    def progress(self) -> float: ...
    @property
    def now(self) -> int: ...
    @property
    def checked_commands(self) -> int: ...
    @property
    def logged_requests(self) -> int: ...
    @property
    def logged_io(self) -> int: ...
    def take_io(self) -> dict[str, Any]:
        """Return the columns, by name, of block requests that ended since the last call."""

    def take_requests(self) -> dict[str, Any]:
        """Return what became of the requests that were done since the last call.

        An int64 array by column; those of times end in ``_ps``. ``class``: 0 DRAM, 1 NVDIMM.
        """

    @property
    def logged_commands(self) -> int: ...
    @property
    def command_log_full(self) -> bool: ...
    def take_commands(self) -> Optional[dict[str, dict[str, Any]]]:
        """Return what happened since the last call, or None without ``log_commands``.

        ``commands`` on the channels and what NVDIMMs do inside, ``modules``: an int64 array by
        column (runs.command_log).
        """

    @property
    def logged_threads(self) -> int: ...
    @property
    def thread_log_full(self) -> bool: ...
    def end_thread_log(self) -> None:
        """End what threads of jobs are doing in their log, and the log."""

    def take_threads(self) -> Optional[tuple[dict[str, Any], list[str]]]:
        """Return what threads did since the last call, or None without ``log_commands``.

        An int64 array by column (runs.command_log), and the names that those of ``name`` mean.
        """

    def statistics(self) -> list[dict[str, Any]]:
        """Return dictionaries with path, unit, description, kind and value.

        A value is a number, None where there is none, or for a histogram a dictionary of its
        mean, quantiles, max and count.
        """

    def series(self) -> Optional[dict[str, Any]]:
        """Return the time series, or None when ``frontend.series_interval`` is 0.

        ``interval_ps``; ``columns``: dictionaries as of `statistics`, without meaningful values;
        ``times_ps``: int64 array of n rows; ``values``: float64 array (n, columns), NaN for none.
        """

    def enqueue(
        self, address: int, size: int, write: bool, source: int, data: Optional[bytes]
    ) -> Optional[int]: ...
    def submit(
        self,
        target: int,
        kind: int,
        address: int,
        size: int,
        source: int,
        stream: int,
        after: Sequence[int],
        at_ps: Optional[int],
    ) -> int: ...
    def submitted(self) -> list[int]:
        """Return the ids of submitted requests that have not ended."""

    def capacity(self, target: int) -> int: ...
    def take_receipts(self) -> list[tuple[int, int, int, str, tuple[int, ...]]]: ...
    def flush(self, source: int) -> Optional[int]: ...
    def peek(self, address: int, size: int) -> bytes: ...
    def trim(self, address: int, size: int) -> int: ...
    def power_fail(self, save_for_ps: int, nvdimm: int | None) -> None: ...
    def power_on(self, recover_for_ps: int) -> bool: ...
    def take_completions(self) -> list[tuple[int, int, int, Optional[bytes], str]]:
        """Return (id, arrival, finish, data, status) of the requests done since the last call.

        ``data`` is what a read returned, in data mode; else None. ``status`` is "done", or what HBF
        answered instead.
        """

    def save(self) -> bytes: ...
    def preconditioned(self) -> bytes: ...
    def load(self, checkpoint: bytes, file: str) -> None: ...
    @staticmethod
    def check(config: Assignments) -> list[tuple[str, str]]:
        """Return (name, message) of every error."""

    @staticmethod
    def check_agent(config: Assignments, agent: Assignments) -> list[tuple[str, str]]: ...
    @staticmethod
    def resolve(config: Assignments) -> list[tuple[str, str]]: ...
    @staticmethod
    def capacities(config: Assignments) -> tuple[int, int]: ...
    @staticmethod
    def preconditioning(config: Assignments, seed: int) -> tuple[int, str]:
        """Return the logical pages that are written before a run, and what shapes their state."""

    @staticmethod
    def parameters() -> list[dict[str, str]]:
        """Return dictionaries with name, type, unit, default, range, doc and source."""

    @staticmethod
    def agent_kinds() -> list[str]: ...
    @staticmethod
    def agent_parameters(kind: str) -> list[dict[str, str]]: ...
    @staticmethod
    def random_streams(agents: list[Assignments]) -> list[int]:
        """Return the stream of random numbers of each agent that has no key ``random_stream``."""

policy_interface: str  # what a library of a policy must have been built against

def policy_libraries() -> list[str]:
    """Return the files of libraries of policies that this process has loaded."""

def policies() -> list[dict[str, Any]]:
    """Return dictionaries with kind, name, doc, source and parameters.

    Those of transaction schedulers have ``sets_direction``, too.
    """

def untimed_amplification(
    victim: str,
    assignments: Assignments,
    blocks: int,
    pages: int,
    over_provisioning: int,
    settle: float,
    measure: float,
    seed: int,
    parts: int = 1,
    partial_writes: str = "combine",
    placement: str = "single",
    hot_pages: int = 0,
    hot_writes: int = 0,
) -> float:
    """Return the write amplification of uniform overwrites of one LUN, without time.

    The LUN has ``blocks`` of ``pages``, ``over_provisioning`` percent of them spare; it is filled,
    overwritten ``settle`` times, and measured for another ``measure`` times its capacity.
    ``victim`` chooses blocks, with its parameters from ``assignments``. A flash page has 1, 2 or 4
    ``parts`` of 4 KiB; ``partial_writes``, as ``nvdimm.ftl.partial_writes``, says what fills it.
    ``placement`` other than ``single`` has two streams. With ``hot_pages``, the first ones, in
    percent, get ``hot_writes`` percent of the overwrites, and handle 0; the others have handle 1.
    """

def dram_backends() -> dict[str, bool]:
    """Return the models of DRAM by name, and whether each is part of this build."""

def run_dram_trace(
    config: Assignments, addresses: Any, writes: Any, cycles: Any, commands: bool
) -> dict[str, Any]:
    """Send requests for DRAM lines straight into a memory system.

    Args:
        config: as of a `Simulation`.
        addresses: int64 array, bytes.
        writes: uint8 array, as long.
        cycles: int64 array of arrivals in clock cycles, ascending; empty: one always waits.
        commands: log every command.

    Returns:
        ``cycles`` until the last completion; ``statistics`` as of a `Simulation`; ``commands``:
        int64 array (n, 6) of cycle, command, rank, bank, row, request.
    """

def nearest_name(name: str, candidates: Sequence[str]) -> str:
    """Return the candidate that is most likely meant, or '' when none is near."""

def parse_integer(text: str) -> int:
    """Return a count as users write it: 5000000, 5M, 5e6.

    Raises:
        InputError: it is not a whole number of 64 bits.
    """

def parse_time(text: str) -> int: ...
def format_time(ps: int) -> str: ...
