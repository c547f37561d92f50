# SPDX-License-Identifier: BSD-3-Clause
"""The same traces through this simulator's DRAM, DRAMsim3's devices, and the whole of DRAMsim3.

All share timings, address map and page policy (open). With DRAMsim3's devices the controller is
this simulator's, so commands can be compared one by one. The whole DRAMsim3 has several queues, so
the comparison is at equal capacity: this simulator's queue is as deep as DRAMsim3's queues together
were full, on average, in the same trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hmsim import _core
from hmsim.reproduce.validate.row import Row

LINE = 64  # bytes
FOOTPRINT = 1 << 24  # lines of random traces: 1 GiB
BURST = 8  # lines
PARTS = {"DDR3-1600 11-11-11-28": "ddr3_1600_4gb_x8", "DDR4-2400 17-17-17-39": "ddr4_2400t_8gb_x8"}
BANKS = {"ddr3_1600_4gb_x8": 8, "ddr4_2400t_8gb_x8": 16}  # of a rank
PEAKS = {"ddr3_1600_4gb_x8": 12.8, "ddr4_2400t_8gb_x8": 19.2}  # GB/s: 8 bytes x transfer rate
ROW = 128 * LINE  # bytes of a rank's row; rows are the highest field of the address map
QUEUE = 32  # DRAMsim3's transaction queues, each; its bank queues hold 8 commands
BATCH = (32, 1)  # of writes: DRAMsim3 begins with a full buffer and takes what is in it
ABSENT = (
    "DRAMsim3 is not part of this build, so there is no comparison; build "
    "with 'scons dramsim3=1' (needs cargo)"
)


def available() -> bool:
    """Return whether DRAMsim3 is part of this build."""
    return bool(_core.dram_backends()["dramsim3"])


@dataclass(frozen=True)
class Trace:
    """Requests as `_core.run_dram_trace` takes them.

    Attributes:
        name: of the trace.
        tolerance: largest relative difference of cycles from the whole DRAMsim3, on the first part
            and 4 ranks. None: the policies differ too much for a tolerance.
        addresses: int64 array of bytes.
        writes: uint8 array, 1 for a write.
        cycles: int64 array of arrivals, empty when each comes as soon as the last is admitted.
        overrides: parameters by dotted name.
    """

    name: str
    tolerance: float | None
    addresses: Any
    writes: Any
    cycles: Any
    overrides: tuple[tuple[str, str], ...] = ()


def numbers(seed: int, count: int, limit: int) -> Any:
    """Return ``count`` pseudo-random integers 0 .. ``limit`` - 1 as an int64 array (splitmix64)."""
    with np.errstate(over="ignore"):
        state = np.uint64(seed << 32) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(
            0x9E3779B97F4A7C15
        )
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return (state >> np.uint64(16)).astype(np.int64) % limit


def traces(preset: str, ranks: int, count: int) -> list[Trace]:
    """Return the validation traces of about ``count`` requests each."""
    values = dict(_core.Simulation.resolve(list(_settings(preset, ranks).items())))
    interval = int(values["dram.timing.tREFI"])
    none = np.zeros(0, np.int64)
    reads = np.zeros(count, np.uint8)
    sequence = np.arange(count, dtype=np.int64) % FOOTPRINT
    anywhere = numbers(1, count, FOOTPRINT)
    third = (numbers(2, count, 3) == 0).astype(np.uint8)
    starts = numbers(3, -(-count // BURST), FOOTPRINT // BURST) * BURST
    bursts = (starts[:, None] + np.arange(BURST)).ravel()[:count]
    burst_third = np.repeat((numbers(4, len(starts), 3) == 0).astype(np.uint8), BURST)[:count]
    few = max(1, count // 20)
    arrivals = np.sort(numbers(5, few, 200 * few))
    rows = numbers(6, count // 4, 1 << 14) * (ROW * BANKS[preset] * ranks)
    conflicts = rows + np.arange(len(rows)) % (ROW // LINE) * LINE  # no line twice in a queue
    often = (("dram.timing.tREFI", str(interval // 4)),)
    return [
        Trace("stream", 0.001, sequence * LINE, reads, none),
        Trace("write stream", 0.003, sequence * LINE, reads + np.uint8(1), none),
        Trace("random", None, anywhere * LINE, reads, none),
        Trace("random mix", 0.015, anywhere * LINE, third, none),
        Trace("bursts", 0.015, bursts * LINE, reads, none),
        Trace("burst mix", None, bursts * LINE, burst_third, none),
        Trace("conflicts", 0.001, conflicts, reads[: len(conflicts)], none),
        Trace("frequent refresh", 0.015, bursts * LINE, reads, none, often),
        Trace("sparse", 0.001, anywhere[:few] * LINE, third[:few], arrivals),
    ]


def _settings(preset: str, ranks: int, **overrides: Any) -> dict[str, str]:
    values = {
        "nvdimm.present": "false",
        "dram.preset": preset,
        "dram.ranks": str(ranks),
        "controller.queue_depth": str(QUEUE),
    }
    values.update({name.replace("__", "."): str(value) for name, value in overrides.items()})
    return values


@dataclass(frozen=True)
class Outcome:
    """Results of one model for a trace; latencies are those of reads, None without reads."""

    cycles: int
    gb_per_s: float
    mean_ns: float | None
    p99_ns: float | None
    hit_ratio: float
    refreshes: int
    occupancy: float
    commands: Any


def play(trace: Trace, preset: str, ranks: int, log: bool = False, **overrides: Any) -> Outcome:
    """Run a trace; ``overrides`` are parameters with ``__`` for dots."""
    values = {**_settings(preset, ranks, **overrides), **dict(trace.overrides)}
    answer = _core.run_dram_trace(
        list(values.items()), trace.addresses, trace.writes, trace.cycles, log
    )
    found = {entry["path"]: entry["value"] for entry in answer["statistics"]}
    latency = found["dram.device_read_latency_ns"] or {"mean": None, "p99": None}
    return Outcome(
        answer["cycles"],
        found["dram.bandwidth_gb_per_s"],
        latency["mean"],
        latency["p99"],
        found["dram.row_hit_ratio"],
        found["dram.refreshes"],
        found["dram.queue.occupancy"],
        answer["commands"],
    )


@dataclass(frozen=True)
class Comparison:
    """One trace on one part, through all models.

    Attributes:
        differing: numbers of commands in which this simulator's log differs from that over
            DRAMsim3's devices: with the mended timing table, and with the original one.
        native: this simulator; its queue is as deep as those of ``whole`` were full on average.
        whole: DRAMsim3's own controller.
        mended: the same over the mended timing table.
        steady: cycles of the trace's second half, here and in the whole DRAMsim3, which exclude the
            costs of the beginning and the end. None: not compared.
    """

    part: str
    trace: str
    ranks: int
    requests: int
    tolerance: float | None
    commands: int
    differing: tuple[int, int]
    native: Outcome
    whole: Outcome
    mended: Outcome
    steady: tuple[int, int] | None

    @property
    def residual(self) -> float:
        """Relative excess of this simulator's cycles over those of the whole DRAMsim3."""
        return self.native.cycles / self.whole.cycles - 1


def differing_commands(one: Any, other: Any) -> int:
    """Return the number of places at which two command logs differ."""
    shorter = min(len(one), len(other))
    places = int((one[:shorter] != other[:shorter]).any(axis=1).sum())
    return places + abs(len(one) - len(other))


def as_deep_as(occupancy: float, trace: Trace) -> dict[str, Any]:
    """Return overrides: a queue as deep as DRAMsim3's mean occupancy, and its batches of writes."""
    depth = max(2, round(occupancy))
    keys: dict[str, Any] = {"controller__queue_depth": depth}
    if trace.writes.any():
        most, least = BATCH
        keys["controller__writes"] = "drained"
        keys["controller__drain_high"], keys["controller__drain_low"] = min(most, depth), least
    return keys


def compare(
    trace: Trace, logged: Trace, part: str, ranks: int, half: Trace | None = None
) -> Comparison:
    """Run a trace through all models, and compare the commands for ``logged``, all or part of it.

    ``half``: the first half of the trace, for `Comparison.steady`.
    """
    preset = PARTS[part]
    log = play(logged, preset, ranks, log=True).commands
    differing = [
        differing_commands(
            log,
            play(
                logged,
                preset,
                ranks,
                log=True,
                dram__backend="dramsim3",
                dram__dramsim3_mend_timing=mended_table,
            ).commands,
        )
        for mended_table in ("true", "false")
    ]
    whole = play(trace, preset, ranks, dram__backend="dramsim3_full")
    mended = whole  # which acts between writes only
    if trace.writes.any():
        mended = play(
            *(trace, preset, ranks),
            dram__backend="dramsim3_full",
            dram__dramsim3_mend_timing="true",
        )
    keys = as_deep_as(whole.occupancy, trace)
    native = play(trace, preset, ranks, **keys)
    checked = part == next(iter(PARTS)) and ranks == MOST_RANKS and trace.tolerance is not None
    steady = None
    if checked and half is not None:
        ends = (native.cycles, whole.cycles)
        begins = (
            play(half, preset, ranks, **keys).cycles,
            play(half, preset, ranks, dram__backend="dramsim3_full").cycles,
        )
        steady = (ends[0] - begins[0], ends[1] - begins[1])
    return Comparison(
        part=part,
        trace=trace.name,
        ranks=ranks,
        requests=len(trace.addresses),
        tolerance=trace.tolerance if checked else None,
        commands=len(log),
        differing=(differing[0], differing[1]),
        native=native,
        whole=whole,
        mended=mended,
        steady=steady,
    )


MOST_RANKS = 4
FEWER_RANKS = ("write stream", "random mix", "bursts")  # traces run on 1 and 2 ranks too
WRITE = 3  # ChannelCommand::write
MODEL_REQUESTS = 40_000  # of each trace of a self-check
LOGGED = 50_000  # requests whose commands are compared, at most


def comparisons(count: int, steady: bool = False) -> Iterator[Comparison]:
    """Yield all comparisons with traces of ``count`` requests.

    ``steady``: also that of the traces' second halves.
    """
    cases = [
        (part, ranks, index)
        for part, preset in PARTS.items()
        for ranks in (MOST_RANKS, 2, 1)
        for index, trace in enumerate(traces(preset, ranks, BURST))
        if ranks == MOST_RANKS or trace.name in FEWER_RANKS
    ]
    for part, ranks, index in cases:
        trace = traces(PARTS[part], ranks, count)[index]
        logged = traces(PARTS[part], ranks, min(count, LOGGED))[index]
        half = traces(PARTS[part], ranks, count // 2)[index] if steady else None
        yield compare(trace, logged, part, ranks, half)


def write_gap(backend: str, mend: bool) -> int:
    """Return the cycles between the write commands of two writes to two ranks, sent at once.

    This is the shortest trace that distinguishes DRAMsim3's timing table from JEDEC's practice.
    With tRTRS the gap is burst + tRTRS, while DRAMsim3 uses the burst alone.
    """
    preset = next(iter(PARTS.values()))
    trace = Trace(
        *("two writes", 0.0, np.array([0, ROW]), np.ones(2, np.uint8)), np.zeros(0, np.int64)
    )
    log = play(
        trace,
        preset,
        2,
        log=True,
        dram__backend=backend,
        dram__dramsim3_mend_timing=str(mend).lower(),
    ).commands
    cycles = log[log[:, 1] == WRITE][:, 0]
    return int(cycles[1] - cycles[0])


def models() -> Iterator[Row]:
    """Yield self-checks with DRAMsim3's devices and with all of it, if the build includes it."""
    if not available():
        return
    for backend, expected in (("native", 5), ("dramsim3", 4)):
        got = write_gap(backend, False)
        source = "burst (+ tRTRS, which DRAMsim3 leaves out)"
        name = f"writes to two ranks, {backend}"
        yield Row("dram", name, expected, got, "cycles", 0, source)
    unlike: dict[str, list[int]] = {}
    for case in comparisons(MODEL_REQUESTS, steady=True):
        channel = f"{case.part.split()[0]}, ranks {case.ranks}"
        unlike.setdefault(channel, []).append(case.differing[0])
        if case.tolerance is not None and case.steady is not None:
            got, cycles = case.steady
            source = "the whole DRAMsim3 at equal capacity, second half"
            name = f"{channel}: {case.trace}"
            yield Row("dram", name, cycles, got, "cycles", case.tolerance * cycles, source)
    for channel, counts in unlike.items():
        name = f"{channel}: unlike commands, {len(counts)} traces"
        source = "DRAMsim3's devices, timing table mended"
        yield Row("dram", name, 0, sum(counts), "", 0, source)
