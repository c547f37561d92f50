# SPDX-License-Identifier: BSD-3-Clause
"""One request, step by step: its commands, waits and transfers, with their times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hmsim import _core
from hmsim._core import InputError
from hmsim.timeline.channels import BURSTS, line_cycles, takes_slot
from hmsim.timeline.kinds import CODES, KINDS
from hmsim.timeline.tracks import Timeline

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

WAITS = {  # what a request does after its command, until the next one
    "precharge": "precharge (tRP)",
    "activate": "activate (tRCD)",
    "nvdimm_ack": "waits for the data bus",
}
NEAR = 64  # cycles between a page's arrival from flash and its ack, at most


@dataclass(frozen=True)
class Phase:
    """Part of a request's time, in picoseconds.

    ``kind`` is a key of `KINDS` if the phase occupies a bus, otherwise "".
    """

    start: int
    end: int
    name: str
    kind: str = ""


@dataclass(frozen=True)
class Story:
    """Phases of a request, one after the other, and the flash block of the page that it reads."""

    request: int
    title: str
    channel: int
    bank: tuple[int, int] | None  # DRAM: rank and bank
    block: int | None
    phases: list[Phase]


def story_of(timeline: Timeline, request: int) -> Story:
    """Return the phases of a request. Raises InputError if the command log lacks the request."""
    commands = timeline.commands
    own = commands[commands["request"] == request]
    last = own["command"].astype(str).isin(BURSTS).to_numpy().nonzero()[0] if len(own) else []
    if not len(last):
        requests = commands.loc[commands["request"] >= 0, "request"]
        known = (
            f"; it contains requests from {requests.min()} to {requests.max()}"
            if len(requests)
            else ""
        )
        raise InputError(
            f"{timeline.run.path}: the command log does not contain request {request}{known}"
        )
    own = own.iloc[: int(last[-1]) + 1]
    first = own.iloc[0]
    burst = str(own.iloc[-1]["command"])
    nvdimm = burst.startswith("nvdimm")
    what = "write" if burst.endswith("write") else "read"
    if nvdimm:
        page = int(own.iloc[-1]["row"])
        title = f"Request {request}: {timeline.slow} {what} of logical page {page}"
    else:
        title = (
            f"Request {request}: DRAM {what}, rank {int(first['rank'])}, bank {int(first['bank'])}"
        )
    phases, block = _phases(timeline, own)
    return Story(
        request,
        title,
        int(first["channel"]),
        None if nvdimm else (int(first["rank"]), int(first["bank"])),
        block,
        phases,
    )


def _phases(timeline: Timeline, own: pd.DataFrame) -> tuple[list[Phase], int | None]:
    run, period = timeline.run, timeline.period_ps
    phases: list[Phase] = []
    block = None
    names = own["command"].astype(str).tolist()
    starts = [cycle * period for cycle in own["cycle"].tolist()]
    for index, (name, at) in enumerate(zip(names, starts)):
        if phases and at > phases[-1].end:
            before = names[index - 1]
            if before.endswith("_command"):
                inside, block = _inside(timeline, phases[-1].end, at)
                phases += inside
            else:
                phases.append(Phase(phases[-1].end, at, WAITS.get(before, "waits")))
        if takes_slot(name, run) or name == "nvdimm_ack":
            phases.append(Phase(at, at + period, KINDS[name].label, name))
    kind, latency = BURSTS[names[-1]]
    data = starts[-1] + run.number(f"dram.timing.{latency}") * period
    began = phases[-1].end if phases else starts[-1]
    if data > began:
        phases.append(Phase(began, data, f"until data (t{latency})"))
    phases.append(Phase(data, data + line_cycles(run) * period, "data (tBL)", kind))
    return phases, block


def _inside(timeline: Timeline, start: int, ack: int) -> tuple[list[Phase], int | None]:
    """From an NVDIMM command to its ack: the lookup, then flash if the lookup does not suffice."""
    lookup = min(
        start + _core.parse_time(timeline.run.config.get("nvdimm.buffer.lookup", "0s")), ack
    )
    edge = -(-lookup // timeline.period_ps) * timeline.period_ps
    if edge >= ack:
        return [Phase(start, ack, "lookup (tBC)")], None
    slices = timeline.slices
    out = slices[
        (slices["kind"] == CODES["data_out"])
        & (slices["end_ps"] > lookup)
        & (slices["end_ps"] <= ack)
        & (slices["end_ps"] > ack - NEAR * timeline.period_ps)
    ].sort_values("end_ps")
    phases = [Phase(start, lookup, "lookup (tBC)")]
    if not len(out):
        return [*phases, Phase(lookup, ack, "waits for buffer or flash")], None
    block = int(out.iloc[-1]["row"])
    of_block = slices[slices["row"] == block]
    ends = int(out.iloc[-1]["start_ps"])
    found = [Phase(ends, int(out.iloc[-1]["end_ps"]), "page from the chip", "data_out")]
    for kind, name in (("flash_read", "flash cells (tR)"), ("command", "flash command (tAT)")):
        before = of_block[(of_block["kind"] == CODES[kind]) & (of_block["end_ps"] <= ends)]
        if not len(before):
            break
        best = before.sort_values("end_ps").iloc[-1]
        if int(best["start_ps"]) < start:
            break
        if int(best["end_ps"]) < ends:
            found.insert(0, Phase(int(best["end_ps"]), ends, "waits for the flash channel"))
        ends = int(best["start_ps"])
        found.insert(0, Phase(ends, int(best["end_ps"]), name, kind))
    if ends > lookup:
        phases.append(Phase(lookup, ends, "waits for its LUN"))
    elif ends < lookup:
        found[0] = Phase(lookup, found[0].end, found[0].name, found[0].kind)
    phases += found
    if phases[-1].end < ack:
        phases.append(Phase(phases[-1].end, ack, "next clock edge"))
    return phases, block
