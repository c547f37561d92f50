# SPDX-License-Identifier: BSD-3-Clause
"""The page that shows how the DRAM model compares with DRAMsim3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from hmsim._core import InputError
from hmsim.validate.dram_comparison import (
    BATCH,
    LOGGED,
    PARTS,
    PEAKS,
    QUEUE,
    Comparison,
    comparisons,
)
from hmsim.validate.row import Row

INTRODUCTION = """\
<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Validation of the DRAM model

After this page you know how far the DRAM model is from closed forms and from DRAMsim3, and why.

```
scons dramsim3=1
hmsim validate dram --requests {requests} --report docs/validation.md
```

These commands write this page; `hmsim validate dram` repeats its checks on shorter traces.
[DRAMsim3](dramsim3.md) is the crate `dramsim3` 0.2.2 (MIT licence). Without it, the closed forms
remain. Both simulators use the same timings, address map (row, bank, rank, column; DDR4: bank group
lowest), open pages and refresh interval.

## Closed forms

The closed forms are for these parts:

- **Reads, refreshes of a rank, energy**: `configs/validate_ddr3.yaml`, 4 ranks of DDR3-1600
  11-11-11-28 with devices of 4 Gb x8. Latencies count from the first command to the last data beat.
- **Cycles lost to a refresh**: the part of `configs/mascots16.yaml` (`table3`), one rank of
  DDR3-1600 11-11-11-28 with devices of 1 Gb x4.
- **Same-bank refreshes**: 2 ranks of DDR5-4800B with devices of 16 Gb x8.
- **Writes to two ranks**: 2 ranks of the first part.

`hmsim validate dram` also checks closed forms of LPDDR5-6400 and of HBM3 at 6.4 Gb/s
(`configs/validate_lpddr5.yaml`, `configs/validate_hbm3.yaml`).
"""

LOGS = """
## Traces

Both comparisons below use these traces:

| trace | requests |
| --- | --- |
| stream, write stream | reads, or writes, of consecutive lines |
| random | reads of random lines of 1 GiB |
| random mix | the same, a third of them writes |
| bursts | reads of 8 consecutive lines at random places |
| burst mix | the same, a third of the bursts writes |
| conflicts | reads of random rows of one bank |
| frequent refresh | bursts, with a quarter of the refresh interval |
| sparse | random mix, one request in 200 cycles on average |

## Commands, one by one

`dram.backend: dramsim3` runs hmsim's controller on DRAMsim3's device model. The check compares each
command (cycle, kind, rank, bank, row, request) with that of the native timing engine, on traces of
{logged:,} requests (a quarter for *conflicts*, a twentieth for *sparse*). The two timing tables
differ in one rule: DRAMsim3 lacks tRTRS between writes to different ranks. "Mended" adds it
(`dram.dramsim3_mend_timing`); "original" does not.
"""

WHOLE = """
## The whole of DRAMsim3

`dram.backend: dramsim3_full` sends the same traces through DRAMsim3's own controller: {requests:,}
requests, or a quarter for *conflicts* and a twentieth for *sparse*. DRAMsim3 has queues of {queue}
reads and {queue} writes, and 8 commands for each bank. "Queue" is the average number of requests
in all of these; hmsim's single queue has that depth. hmsim's controller drains writes in batches,
from {high} waiting writes down to {low}.

Cycles, latencies of reads (mean and 99th percentile, in ns) and GB/s are DRAMsim3's, then hmsim's.
In parentheses is the share of the peak:
{peaks}.
"Residual" is hmsim's excess of cycles; below 0, hmsim finishes sooner. "tRTRS" is the same excess
of DRAMsim3 with the mended timing table: the part that tRTRS explains. The share of row hits
differs by {hits:.2f} at most.
"""

EXPLANATIONS = """
## The residuals, explained

- **stream, conflicts, sparse.** Both agree, because requests leave the controller nothing to
  choose.
- **write stream.** DRAMsim3 completes a write when its buffer accepts it. Its run therefore ends
  one queue of writes earlier. It also lacks tRTRS between ranks.
- **random, bursts, frequent refresh.** hmsim is faster, because it keeps the data bus busier.
  DRAMsim3 visits the banks' queues in turn and issues the first legal command. This can be an
  activate or precharge while a column command is also legal; the data bus then idles for a cycle.
  hmsim issues the column command first. With that change in DRAMsim3's `GetCommandToIssue` (50,000
  requests, 4 ranks), the residuals shrink. On DDR3, random goes from -4.7 to -1.2 % and bursts from
  -1.0 to -0.2 %. On DDR4, random goes from -9.0 to -4.0 % and bursts from -4.8 to -2.4 %. The rest
  comes from DRAMsim3's limit of 8 commands a bank: requests to a full bank wait in the transaction
  queue and occupy its entries.
- **random mix, burst mix.** Write batches add an effect in the other direction. In DRAMsim3 the
  writes of a batch enter the banks' queues, where reads can issue between them. In hmsim reads wait
  until {low} write of the batch is left, or only writes to ranks under refresh. Their mean latency
  is therefore longer. The last writes of a batch also use few banks, so the data bus idles. This
  costs most if there are few banks: *random mix* takes longer than in DRAMsim3 on one or two ranks,
  and less time on four.
- **p99 latency.** DRAMsim3's is longer when banks compete, because it does not serve the oldest
  request first.
- **Forwarding.** DRAMsim3 answers a read of a line that waits to be written from its buffer, and
  merges reads of one line. In hmsim each read goes to DRAM. The results of these traces do not
  show this difference.

## Named faults of DRAMsim3

1. **No tRTRS between writes to different ranks** (`timing.cc`, `write_to_write_o`). The shortest
   trace is two writes to closed banks of two ranks in one cycle. Their write commands are 5 cycles
   apart in hmsim (burst + tRTRS) and 4 in DRAMsim3. Reads have the gap in both.
2. **`REFI` in twelve DDR3 and three LPDDR3 files.** DRAMsim3's parser knows only the key `tREFI`.
   It silently uses its default, 7800 cycles instead of 6240 (DDR3-1600). `dram.dramsim3_ini`
   rejects such a file and names the right key. `dram.dramsim3_mend_ini: true` reads it as intended.
3. **The last writes never reach DRAM.** Up to 8 stay in the buffer until more arrive.

## Measured machines

`hmsim validate --card card.html` compares latency against bandwidth with measured curves. At 100 %
reads, the largest share of the peak is 94.1 % (measured: 91.3) on Skylake with 6 x DDR4-2666, and
91.1 % (92.6) on Graviton 3 with 8 x DDR5-4800. At 50 % reads it is 77.1 % (80.7) and 70.4 % (84.6),
at 0 % 93.5 % (74.6) and 90.4 % (79.5). [Hardware anchors](anchors.md) has all errors.

Next: [Validation of the FTL](validation-ftl.md), or [DRAMsim3](dramsim3.md) to build it in.
"""


def write(
    rows: Iterable[Row],
    requests: int,
    page: Path,
    report: Callable[[float], None] | None = None,
) -> None:
    """Run all comparisons and write the page.

    Args:
        rows: results of the closed forms, which the page also shows.
        requests: number of requests in each trace.
        page: Markdown file, replaced if it exists.
        report: called with the share of the comparisons that is done.

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
            ("check", "expected", "measured", "unit", "formula"),
            [(r.name, f"{r.expected:g}", f"{r.got:g}", r.unit, r.source) for r in closed],
        ),
        LOGS.format(logged=LOGGED),
        _table(
            ("part", "ranks", "trace", "commands", "differ, mended", "differ, original"),
            [
                (c.part, c.ranks, c.trace, f"{c.commands:,}", *(f"{d:,}" for d in c.differing))
                for c in cases
            ],
        ),
        WHOLE.format(
            requests=requests,
            queue=QUEUE,
            high=BATCH[0],
            low=BATCH[1],
            peaks=" and ".join(f"{PEAKS[preset]} GB/s on {part}" for part, preset in PARTS.items()),
            hits=max(abs(c.native.hit_ratio - c.whole.hit_ratio) for c in cases),
        ),
    ]
    for part in dict.fromkeys(c.part for c in cases):
        parts.append(f"\n### {part}\n")
        lines = [_whole_line(c) for c in cases if c.part == part]
        names = "trace|ranks|queue|cycles|hmsim|residual|tRTRS|GB/s|hmsim|mean|hmsim|p99|hmsim"
        parts.append(_table(names.split("|"), lines))
    parts.append(EXPLANATIONS.format(low=BATCH[1]))
    return "".join(parts)


def _whole_line(case: Comparison) -> tuple[str, ...]:
    whole, native = case.whole, case.native
    return (
        *(case.trace, f"{case.ranks}", f"{whole.occupancy:.0f}"),
        *(f"{whole.cycles:,}", f"{native.cycles:,}"),
        *(f"{case.residual:+.2%}", f"{case.mended.cycles / whole.cycles - 1:+.2%}"),
        *(_rate(whole.gb_per_s, case.part), _rate(native.gb_per_s, case.part)),
        *(_latency(whole.mean_ns), _latency(native.mean_ns)),
        *(_latency(whole.p99_ns), _latency(native.p99_ns)),
    )


def _rate(gb_per_s: float, part: str) -> str:
    return f"{gb_per_s:.2f} ({gb_per_s / PEAKS[PARTS[part]]:.0%})"


def _latency(ns: float | None) -> str:
    return "-" if ns is None else f"{ns:.0f}"


def _table(names: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    rows = [names, ["---"] * len(names), *lines]
    return "\n" + "".join("| " + " | ".join(str(cell) for cell in row) + " |\n" for row in rows)
