# SPDX-License-Identifier: BSD-3-Clause
"""The page that shows how the DRAM model compares with DRAMsim3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from hmsim._core import InputError
from hmsim.validate.dram_comparison import BATCH, LOGGED, QUEUE, Comparison, Outcome, comparisons
from hmsim.validate.row import Row

INTRODUCTION = """\
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Validation of the DRAM model

This page is written by

```
scons dramsim3=1
hmsim validate dram --requests {requests} --report docs/validation.md
```

and `hmsim validate dram` repeats its checks on shorter traces. DRAMsim3 (the crate `dramsim3`
0.2.2, MIT licence) is taken through cargo when building with `dramsim3=1`; without it the closed
forms remain. Both sides run with the same timings, the same address map (row, bank, rank, column;
for DDR4 the bank group lowest), open pages, and the refresh interval that the part has: DRAMsim3's
own DDR3 files misspell it (below).

## Closed forms
"""

LOGS = """
## Commands, one by one

`dram.backend: dramsim3` puts this simulator's controller on DRAMsim3's device model. Every command
(cycle, kind, rank, bank, row, request) of the first {logged:,} requests of each trace is compared
with the log of the native timing engine. "As it is" is DRAMsim3's timing table unchanged; "mended"
has tRTRS between writes to different ranks (`dram.dramsim3_mend_timing`), the only rule in which
the two tables differ.
"""

WHOLE = """
## The whole of DRAMsim3

`dram.backend: dramsim3_full` sends the same traces of {requests:,} requests (conflicts: a quarter
of that, sparse: a twentieth) through DRAMsim3's own controller, as it is: transaction queues of
{queue} for reads and for writes, and 8 commands for each bank. The native engine's queue is as deep
as those were full on average ("queue"); it drains writes in batches from {high} waiting ones down
to {low} where the trace has any. "Residual" is the excess of native cycles; "of tRTRS" is what the
mended timing table adds to DRAMsim3's cycles, which is part of it. Latencies are those of reads.
"""

EXPLANATIONS = """
## The residuals, explained

- **stream, conflicts, sparse**: next to nothing for a policy to decide; both agree.
- **write stream**: DRAMsim3 calls a write done when its buffer takes it, so its run ends a queue of
  writes earlier, whatever the length of the run; and its gap between ranks lacks tRTRS.
- **random, bursts, frequent refresh**: DRAMsim3 takes the banks' queues in turn, and the first
  legal command wins, so an activate or precharge may go before a column command that is legal too
  and leave the data bus idle for that cycle. Here a legal column command goes first. With that one
  change made to DRAMsim3's `GetCommandToIssue` (50,000 requests, 4 ranks) the residuals shrink:
  random from -4.7 % to -1.2 % and bursts from -1.0 % to -0.2 % on DDR3; random from -9.0 % to
  -4.0 % and bursts from -4.8 % to -2.4 % on DDR4, where a burst opens a row in each of four bank
  groups. The rest is the shape of the queues: a bank's commands are limited to 8, and the oldest
  requests wait in front of full banks.
- **random mix, burst mix**: as above, and batches of writes. DRAMsim3 hands a batch over to the
  banks' queues, where it mixes with the reads that are already there; here a batch has the banks
  for itself until {low} is left or all that is left is for ranks under refresh, and its end has few
  banks to choose from: the more so the fewer banks there are. DRAMsim3's missing tRTRS adds to
  that.
- **p99 latency** is longer in DRAMsim3 wherever banks compete: in turn is not oldest first.
- A read of a line whose write waits is answered by DRAMsim3 from its buffer, and reads of one line
  merge; here each goes to the DRAM. Traces of small footprint would show it, these do not.

## Named faults of DRAMsim3

1. **No tRTRS between writes to different ranks** (`timing.cc`, `write_to_write_o`). Shortest trace:
   two writes to closed banks of two ranks in one cycle. The gap of their write commands is
   burst + tRTRS = 5 cycles here, and 4 in DRAMsim3; reads have it in both.
2. **`REFI` in twelve DDR3 and three LPDDR3 files**, where its parser reads `tREFI`: it silently
   refreshes every 7800 cycles instead of 6240 (DDR3-1600). `dram.dramsim3_ini` refuses such a file
   and names the right key; `dram.dramsim3_mend_ini: true` reads it as meant.
3. **The last writes are never written**: up to 8 stay in its buffer until more come.
"""


def write(
    rows: Iterable[Row],
    requests: int,
    page: Path,
    report: Callable[[float], None] | None = None,
) -> None:
    """Run all comparisons and write the page.

    Args:
        rows: of the closed forms, for the page.
        requests: in each trace.
        page: the Markdown file, replaced if it exists.
        report: told the share that is done.

    Raises:
        InputError: the file cannot be written.
    """
    cases = list(comparisons(requests, report))
    try:
        page.write_text(markdown(rows, cases, requests), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from error


def markdown(rows: Iterable[Row], cases: Sequence[Comparison], requests: int) -> str:
    """Return the page."""
    closed = [row for row in rows if ":" not in row.name]
    parts = [
        INTRODUCTION.format(requests=requests),
        _table(
            ("check", "expected", "got", "unit", "from"),
            [(r.name, f"{r.expected:g}", f"{r.got:g}", r.unit, r.source) for r in closed],
        ),
        LOGS.format(logged=LOGGED),
        _table(
            ("part", "ranks", "trace", "commands", "unlike, mended", "unlike, as it is"),
            [
                (c.part, c.ranks, c.trace, f"{c.commands:,}", *(f"{d:,}" for d in c.differing))
                for c in cases
            ],
        ),
        WHOLE.format(requests=requests, queue=QUEUE, high=BATCH[0], low=BATCH[1]),
    ]
    for part in dict.fromkeys(c.part for c in cases):
        parts.append(f"\n### {part}\n")
        lines = [line for c in cases if c.part == part for line in _whole_lines(c)]
        names = "trace|ranks|model|queue|cycles|GB/s|mean ns|p99 ns|row hits|refreshes|residual"
        parts.append(_table((*names.split("|"), "of tRTRS"), lines))
    parts.append(EXPLANATIONS.format(low=BATCH[1]))
    return "".join(parts)


def _whole_lines(case: Comparison) -> list[tuple[Any, ...]]:
    whole, native = case.whole, case.native
    rtrs = case.mended.cycles / whole.cycles - 1
    return [
        (case.trace, case.ranks, "DRAMsim3", f"{whole.occupancy:.0f}", *_cells(whole), "", ""),
        ("", "", "native", "", *_cells(native), f"{case.residual:+.2%}", f"{rtrs:+.2%}"),
    ]


def _cells(outcome: Outcome) -> tuple[str, ...]:
    latency = ("-" if v is None else f"{v:.0f}" for v in (outcome.mean_ns, outcome.p99_ns))
    return (
        f"{outcome.cycles:,}",
        f"{outcome.gb_per_s:.2f}",
        *latency,
        f"{outcome.hit_ratio:.3f}",
        f"{outcome.refreshes:,}",
    )


def _table(names: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    rows = [names, ["---"] * len(names), *lines]
    return "\n" + "".join("| " + " | ".join(str(cell) for cell in row) + " |\n" for row in rows)
