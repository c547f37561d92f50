# SPDX-License-Identifier: BSD-3-Clause
"""The command that draws a run: timeline."""

import importlib.util
import sys
from typing import Annotated, Optional

import typer

from hmsim import _core
from hmsim._core import InputError
from hmsim.cli.support import Force
from hmsim.common.directories import check_output, new_directory
from hmsim.common.progress import Bars
from hmsim.config.node_reader import located
from hmsim.runs.result import versions, write_json


def timeline(
    directory: Annotated[
        str, typer.Argument(metavar="DIR", help="A run made with 'hmsim run --command-log'.")
    ],
    begin: Annotated[
        Optional[str],
        typer.Option(
            "--from", metavar="TIME", help="Begin at this time ('120us'); by default with the log."
        ),
    ] = None,
    end: Annotated[
        Optional[str],
        typer.Option("--to", metavar="TIME", help="End at this time; by default with the log."),
    ] = None,
    request: Annotated[
        Optional[int],
        typer.Option(min=0, help="Draw one request step by step: its 'id' in requests.parquet."),
    ] = None,
    out: Annotated[
        Optional[str],
        typer.Option(metavar="DIR", help="Directory to write; must not exist yet. [DIR/timeline]"),
    ] = None,
    force: Force = False,
) -> None:
    """Draw the activity of threads, cores, buses, banks, flash channels and LUNs.

    Writes timeline.svg, timeline.json (open it in https://ui.perfetto.dev or chrome://tracing) and,
    if matplotlib is installed, timeline.png.
    """
    from hmsim.timeline import read_timeline
    from hmsim.timeline.perfetto import MOST_EVENTS, write_trace
    from hmsim.timeline.phases import story_of
    from hmsim.timeline.picture import request_picture, window_picture

    if request is not None and (begin is not None or end is not None):
        raise InputError("--request: must be used without --from and --to")
    target = out if out is not None else f"{directory}/timeline"
    with Bars(True) as bars:
        bars.report(f"reading {directory}")
        whole = read_timeline(directory)
    check_output(target, force)
    if request is not None:
        story = story_of(whole, request)
        part = whole.window(story.phases[0].start, story.phases[-1].end)
        drawing = request_picture(whole, story)
    else:
        first = whole.begin_ps if begin is None else _time("--from", begin)
        last = whole.end_ps if end is None else _time("--to", end)
        first, last = max(first, whole.begin_ps), min(last, whole.end_ps)
        if first >= last:
            raise InputError(
                f"{directory}: nothing is between --from and --to; the log covers "
                f"{_core.format_time(whole.begin_ps)} to {_core.format_time(whole.end_ps)}"
            )
        part = whole.window(first, last)
        drawing = window_picture(part)
        if begin is None and end is None:
            part = part.first(MOST_EVENTS)
    with new_directory(target, force) as fresh:
        slices = write_trace(part, fresh / "timeline.json")
        (fresh / "timeline.svg").write_text(drawing.svg(), encoding="utf-8")
        pictures = "timeline.svg"
        if importlib.util.find_spec("matplotlib") is not None:
            drawing.write_png(fresh / "timeline.png")
            pictures += ", timeline.png"
        write_json(fresh / "run.json", {"versions": versions(), "command": sys.argv})
    if request is None and part.end_ps < last:
        span = f"{_core.format_time(part.begin_ps)} to {_core.format_time(part.end_ps)}"
        print(f"timeline.json covers {span}; --from and --to select another part")
    print(f"{target}: timeline.json ({slices:,} slices; open it in ui.perfetto.dev), {pictures}")


def _time(option: str, text: str) -> int:
    with located(f"{option}: "):
        return _core.parse_time(text)
