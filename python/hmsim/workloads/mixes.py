# SPDX-License-Identifier: BSD-3-Clause
"""The paper's mixes by name: ``mix:PROGRAM+PARTNER``, a big-data and a memory-intensive program."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.common.paths import capture_file

PREFIX = "mix:"
ALL = "all"  # in the place of a pair
PROGRAMS = (
    "bayes",
    "dfsioe_r",
    "dfsioe_w",
    "kmeans",
    "nutchindexing",
    "pagerank",
    "sort",
    "wordcount",
)
# Instructions of a run: some 10 ms alone, so that a partner meets what the program writes.
PARTNERS = {"mcf": 10_000_000, "lbm": 20_000_000, "milc": 40_000_000}
PROGRAM_INSTRUCTIONS = 10_000_000
REQUESTS = 400  # of a block agent
JOB_CORES = "1-3"
# Window of a program's capture that a job runs. Its four tasks alternated on one processor every
# four million instructions, so a window has ten slices. It is the median window by NVDIMM lines
# among those with I/O; position breaks ties (`tests/cli/test_mixes.py` recomputes it).
WINDOW = 40_000_000  # instructions
WINDOW_BEGINS = {
    "bayes": 280_000_000,
    "dfsioe_r": 360_000_000,
    "dfsioe_w": 120_000_000,
    "kmeans": 160_000_000,
    "nutchindexing": 120_000_000,
    "pagerank": 160_000_000,
    "sort": 120_000_000,
    "wordcount": 360_000_000,
}
# Cycles per instruction while nothing misses, measured in gem5: docs/gem5.md, "Base CPI".
BASE_CPI = {
    "mcf": 0.7089,
    "lbm": 0.5074,
    "milc": 0.5093,
    "bayes": 1.0117,
    "dfsioe_r": 0.9465,
    "dfsioe_w": 1.0045,
    "kmeans": 1.1779,
    "nutchindexing": 0.8761,
    "pagerank": 0.7433,
    "sort": 0.931,
    "wordcount": 0.8525,
}
CONTROLS = ("timed", "closed")


class Mix(NamedTuple):
    """A mix's parts; ``control`` is one of `CONTROLS`, or ""."""

    program: str
    partner: str
    control: str = ""

    @property
    def name(self) -> str:
        return f"{PREFIX}{self.program}+{self.partner}{self.control and f',{self.control}'}"


def every(control: str = "") -> list[Mix]:
    """Return all mixes."""
    return [Mix(program, partner, control) for partner in PARTNERS for program in PROGRAMS]


def parse(text: str) -> Mix:
    """Return the mix of a name. Raises InputError that names the nearest part."""

    def known(part: str, names: Iterable[str], what: str) -> str:
        if part not in names:
            raise InputError(f"{text}: unknown {what} '{part}'; {hint(part, names)}")
        return part

    pair, comma, control = text[len(PREFIX) :].partition(",")
    if pair == ALL:
        raise InputError(
            f"{text}: means {len(every())} workloads, which only 'hmsim compare' supports"
        )
    program, plus, partner = pair.partition("+")
    if not plus:
        raise InputError(f"{text}: expected {PREFIX}PROGRAM+PARTNER[,timed|,closed]")
    if comma:
        known(control, CONTROLS, "option")
    return Mix(known(program, PROGRAMS, "program"), known(partner, PARTNERS, "partner"), control)


def expand(workloads: Iterable[Any]) -> list[Any]:
    """Return workloads with every name ``mix:all[,CONTROL]`` replaced by those of all mixes."""
    result: list[Any] = []
    for name in workloads:
        head, comma, control = name.partition(",") if isinstance(name, str) else ("", "", "")
        if head == f"{PREFIX}{ALL}":
            control = parse(f"{every()[0].name}{comma}{control}").control
            result += [mix.name for mix in every(control)]
        else:
            result.append(name)
    return result


def agents(mix: Mix) -> list[dict[str, Any]]:
    """Return the keys of a mix's agents: the partner's core and the agents of the program.

    Without a control, the program is a job, whose tasks wait for their I/O. The controls ``closed``
    and ``timed`` replace the job by a core that does not wait for I/O, and separate block I/O.
    """
    partner = {
        "kind": "llc_trace",
        "core": 0,
        "path": f"twin:{mix.partner}",
        "format": "hmsim",
        "instructions": PARTNERS[mix.partner],
    }
    return [partner, *(_core_and_blocks(mix) if mix.control else [_job(mix.program)])]


def capture(program: str) -> Path:
    """Return the path of a program's capture, which holds the causes of its threads' waits.

    Raises InputError if this installation lacks it.
    """
    return capture_file(f"{program}.hmsim.zst")


def _job(program: str) -> dict[str, Any]:
    return {
        "kind": "job",
        "base_cpi": BASE_CPI[program],
        "path": str(capture(program)),
        "format": "hmsim",
        "cores": JOB_CORES,
        "skip": WINDOW_BEGINS[program],
        "instructions": WINDOW,
        "skip_idle": True,  # the ends of many windows are the JVM's own timers
    }


def _core_and_blocks(mix: Mix) -> list[dict[str, Any]]:
    """Return the program's core, without its NVDIMM accesses, and the program's block I/O.

    The block I/O uses the paper's driver. Requests are issued as fast as they are served; with
    ``timed``, at their times in the capture and in the background.
    """
    twin = f"twin:{mix.program}"
    core = {
        "kind": "llc_trace",
        "core": 1,
        "path": f"{twin}:dram",
        "format": "hmsim",
        "instructions": PROGRAM_INSTRUCTIONS,
    }
    blocks: dict[str, Any] = {
        "kind": "block_trace",
        "path": twin,
        "format": "mqsim",
        "driver": "pmbd",
        "replay": "closed",
        "requests": REQUESTS,
    }
    if mix.control == "timed":  # as long as the cores run: requests may be far apart
        blocks |= {"replay": "timed", "requests": 0, "measured": False}
    return [core, {**blocks, "core": 2}]
