# SPDX-License-Identifier: BSD-3-Clause
"""Commands of ``hmsim trace``."""

import sys
from typing import Annotated, Optional

import typer

from hmsim._core import InputError
from hmsim.cli.capture import ProgramCommand, program
from hmsim.cli.profile import profile, synth
from hmsim.cli.support import (
    Force,
    Json,
    application,
    count,
    epilog,
    print_facts,
    print_json,
    print_table,
    terminal_width,
)
from hmsim.common.progress import Bars
from hmsim.traces import info as trace_info
from hmsim.traces.records import FORMATS

app = application("Summarise, convert and capture traces.")
app.command(epilog=epilog("trace profile mcf.hmsim.zst --out mcf.yaml", "workloads.md"))(profile)
app.command(epilog=epilog("trace synth --like mcf --out twin.hmsim.zst", "workloads.md"))(synth)
app.command(
    "capture",
    cls=ProgramCommand,
    epilog=epilog("trace capture --out ls.hmsim.zst -- ls -l", "capture.md"),
)(program)

# Labels for the names of a summary, and factors for their values.
MEBIBYTE = 1 / (1 << 20)
LABELS = {
    "format": ("format", 1),
    "records": ("requests", 1),
    "reads": ("reads", 1),
    "writes": ("writes", 1),
    "nvdimm_reads": ("reads of the NVDIMM", 1),
    "nvdimm_writes": ("writes to the NVDIMM", 1),
    "read_bytes": ("read (MiB)", MEBIBYTE),
    "write_bytes": ("written (MiB)", MEBIBYTE),
    "footprint_bytes": ("distinct 4 KB pages (MiB)", MEBIBYTE),
    "sources": ("devices or vCPUs", 1),
    "duration": ("{} up to the last request", 1),
    "read_mpki": ("reads per 1000 instructions", 1),
    "write_mpki": ("writes per 1000 instructions", 1),
    "requests_per_second": ("requests per second", 1),
    "skipped": ("records that move no data", 1),
    "zero_length": ("requests of length 0, left out", 1),
    "bad_records": ("malformed records, left out", 1),
    "completions": ("completions recorded", 1),
    "replay": ("can be replayed", 1),
}

MEMORY_LABELS = {
    "footprint_bytes": ("distinct 4 KB pages (MiB)", MEBIBYTE),
    "lines_per_page_visit": ("distinct lines in a visit to a page", 1),
    "sequential_reads": ("reads of the next line (%)", 100),
    "lines_per_read_page_run": ("lines read in a row in a page", 1),
    "lines_per_read_row_run": ("lines read in a row in 8 KB", 1),
    "sequential_writes": ("writes of the next line (%)", 100),
    "lines_per_write_page_run": ("lines written in a row in a page", 1),
    "lines_per_write_row_run": ("lines written in a row in 8 KB", 1),
}
CAUSE_LABELS = {
    "threads": "threads",
    "wakes": "wakes by threads",
    "alarms": "wakes by clocks and devices",
    "bios": "requests to the block device",
    "fences": "fences after non-temporal writes",
    "uses": "first uses of pages read",
    "written_before": "pages written before the trace",
}
CHART_NAMES = len("nvdimm writes ")  # characters before a row of bars

TraceArgument = Annotated[str, typer.Argument(metavar="PATH", help="A trace, compressed or not.")]
FormatOption = Annotated[
    Optional[str],
    typer.Option(
        "--format", help=f"Format: {', '.join(FORMATS)}; by default detected from the first line."
    ),
]

ColumnsOption = Annotated[
    Optional[str],
    typer.Option(
        metavar="KEY=VALUE,...",
        help="Keys columns.KEY of a csv trace, for example "
        "time=0,op=3,offset=4,size=5,time_unit=1us.",
    ),
]
LevelsOption = Annotated[
    Optional[str],
    typer.Option(metavar="N,...", help="Sizes of the levels of a ramulator2_rw trace."),
]


ZeroLengthOption = Annotated[
    Optional[str],
    typer.Option(
        metavar="skip|error", help="Requests of length 0 in block traces; by default skip."
    ),
]
BadRecordOption = Annotated[
    Optional[str],
    typer.Option(
        metavar="error|skip", help="Malformed block or memory requests; by default error."
    ),
]


def _options(
    columns: Optional[str],
    levels: Optional[str],
    zero_length: Optional[str],
    on_bad_record: Optional[str],
) -> dict[str, str]:
    """Return the given options, each under the key that an agent has for it. Raises InputError."""
    chosen = {"levels": levels, "zero_length": zero_length, "on_bad_record": on_bad_record}
    found = {key: value for key, value in chosen.items() if value is not None}
    for pair in columns.split(",") if columns else ():
        key, equals, value = pair.partition("=")
        if not equals:
            raise InputError(f"--columns: '{pair}' is not KEY=VALUE")
        found[f"columns.{key.strip()}"] = value.strip()
    return found


@app.command(epilog=epilog("trace info my.trace.gz", "traces.md"))
def info(
    path: TraceArgument,
    name: FormatOption = None,
    columns: ColumnsOption = None,
    levels: LevelsOption = None,
    zero_length: ZeroLengthOption = None,
    on_bad_record: BadRecordOption = None,
    json: Json = False,
) -> None:
    """Summarise a trace: length, mix, footprint, locality, intensity over time."""
    options = _options(columns, levels, zero_length, on_bad_record)
    with Bars(True) as bars:
        summary = trace_info.info(path, name, lambda share: bars.report(path, share), options)
    if json:
        print_json(summary)
        return
    unit = summary.get("unit", "")
    rows: list[tuple[object, ...]] = []
    for key, value in summary.items():
        if key in LABELS:
            label, factor = LABELS[key]
            rows.append((label.format(unit), value if factor == 1 else value * factor))
    print_table(("", ">"), rows, path)
    if "note" in summary:
        print(f"note: {summary['note']}")
    memories = summary["memories"]
    rows = [
        (
            label,
            *(memory[key] if factor == 1 else memory[key] * factor for memory in memories.values()),
        )
        for key, (label, factor) in MEMORY_LABELS.items()
    ]
    print()
    print_table(("locality", *(f">{name}" for name in memories)), rows)
    if "causes" in summary:
        causes = summary["causes"]
        print()
        print_table(("causes", ">"), [(text, causes[key]) for key, text in CAUSE_LABELS.items()])
        print()
        print_table(
            ("thread", ">number", ">instructions"),
            [(each["name"], each["thread"], each["instructions"]) for each in causes["busiest"]],
        )
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    lines = trace_info.chart(summary, terminal_width() - CHART_NAMES, plain)
    print("\nintensity over time")
    for name, bars_row in lines:
        print(f"{name:<{CHART_NAMES}}{bars_row}" if name else bars_row)


@app.command(epilog=epilog("trace convert my.trace.gz my.hmsim.zst --to hmsim", "trace-format.md"))
def convert(
    path: TraceArgument,
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="File to write; .gz .xz .zst .bz2 compress.")
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="Format to write: ramulator, ramulator_rw, dramsim3, hmsim_rw, mqsim or hmsim.",
        ),
    ],
    name: FormatOption = None,
    columns: ColumnsOption = None,
    levels: LevelsOption = None,
    memory: Annotated[
        Optional[str],
        typer.Option(metavar="NAME", help="Memories to keep, of two: dram, nvdimm or both."),
    ] = None,
    vcpu: Annotated[
        Optional[int], typer.Option(metavar="N", help="Keep only the records of this vCPU.")
    ] = None,
    skip: Annotated[
        int,
        typer.Option(
            parser=count(0), metavar="N", help="Skip the first N records (hmsim: instructions)."
        ),
    ] = 0,
    take: Annotated[
        Optional[int], typer.Option(parser=count(1), metavar="N", help="Keep at most N records.")
    ] = None,
    every: Annotated[
        int,
        typer.Option(parser=count(1), metavar="N", help="Keep each N-th record, at its own time."),
    ] = 1,
    limit: Annotated[
        Optional[int],
        typer.Option(parser=count(1), metavar="N", help="Keep at most N instructions."),
    ] = None,
    zero_length: ZeroLengthOption = None,
    on_bad_record: BadRecordOption = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a trace, or a part of it, in another format."""
    from hmsim.traces import tools as trace_tools  # with numpy: not for help
    from hmsim.traces.part import Part

    with Bars(True) as bars:
        summary = trace_tools.convert(
            *(path, out, to, Part(memory, vcpu, skip, limit, take, every)),
            name=name,
            options=_options(columns, levels, zero_length, on_bad_record),
            force=force,
            report=lambda share: bars.report(path, share),
        )
    print_facts(summary, out, json)
