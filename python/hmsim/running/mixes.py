# SPDX-License-Identifier: BSD-3-Clause
"""The paper's mixes by name: ``mix:PROGRAM+PARTNER``, a big-data and a memory-intensive program."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from hmsim._core import InputError, nearest_name
from hmsim.common.paths import capture_file, shipped

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
SLAVES = 3  # of the online variant
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
ONLINE = "_online"  # ends the name of the profile of a program's worker
OPTIONS = ("online", "timed", "closed")


class Mix(NamedTuple):
    """A mix's parts."""

    program: str
    partner: str
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return ",".join((f"{PREFIX}{self.program}+{self.partner}", *self.options))


def base_cpi(profile: str) -> float | None:
    """Return the base CPI of the program of a shipped profile, or None."""
    return BASE_CPI.get(profile.removesuffix(ONLINE))


def online_profile(program: str) -> str:
    """Return the profile of one of three workers if it is shipped, otherwise the program's."""
    own = f"{program}{ONLINE}"
    return own if own in shipped("workloads/profiles") else program


def every(options: tuple[str, ...] = ()) -> list[Mix]:
    """Return all mixes."""
    return [Mix(program, partner, options) for partner in PARTNERS for program in PROGRAMS]


def parse(text: str) -> Mix:
    """Return the mix of a name. Raises InputError that names the nearest part."""

    def known(part: str, names: list[str], what: str) -> str:
        if part not in names:
            near = nearest_name(part, names)
            hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(names)}"
            raise InputError(f"{text}: unknown {what} '{part}'{hint}")
        return part

    pair, *options = text[len(PREFIX) :].split(",")
    if pair == ALL:
        raise InputError(
            f"{text}: means {len(every())} workloads, which only 'hmsim compare' supports"
        )
    for option in options:
        if options.count(option) > 1:
            raise InputError(f"{text}: '{option}' is given twice")
    program, plus, partner = pair.partition("+")
    if not plus:
        raise InputError(f"{text}: expected {PREFIX}PROGRAM+PARTNER[,timed|,closed][,online]")
    chosen = tuple(known(option, list(OPTIONS), "option") for option in options)
    ways = [option for option in chosen if option != "online"]
    if len(ways) > 1:
        raise InputError(f"{text}: '{ways[0]}' and '{ways[1]}' exclude each other")
    if "online" in chosen and not ways:
        raise InputError(f"{text}: 'online' needs 'timed' or 'closed'; add one of them")
    return Mix(
        known(program, list(PROGRAMS), "program"), known(partner, list(PARTNERS), "partner"), chosen
    )


def expand(workloads: Iterable[Any]) -> list[Any]:
    """Return workloads with every name ``mix:all[,OPTION]`` replaced by those of all mixes."""
    result: list[Any] = []
    for name in workloads:
        head, *options = name.split(",") if isinstance(name, str) else [""]
        if head == f"{PREFIX}{ALL}":
            wanted = parse(",".join((every()[0].name, *options))).options
            result += [mix.name for mix in every(wanted)]
        else:
            result.append(name)
    return result


def agents(mix: Mix) -> list[dict[str, Any]]:
    """Return the keys of a mix's agents: the partner's core and the agents of the program.

    Without options, the program is a job, whose tasks wait for their I/O. The controls ``closed``
    and ``timed`` replace the job by a core that does not wait for I/O, and separate block I/O.
    """
    partner = {
        "kind": "llc_trace",
        "core": 0,
        "path": f"twin:{mix.partner}",
        "format": "hmsim",
        "instructions": PARTNERS[mix.partner],
    }
    return [partner, *(_core_and_blocks(mix) if mix.options else [_job(mix.program)])]


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
    ``timed``, at their times in the capture and in the background. ``online`` adds the block I/O of
    three more nodes in the background. All nodes then use the profile of a single worker, if it is
    shipped.
    """
    online = "online" in mix.options
    twin = f"twin:{online_profile(mix.program) if online else mix.program}"
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
    if "timed" in mix.options:  # as long as the cores run: requests may be far apart
        blocks |= {"replay": "timed", "requests": 0, "measured": False}
    found = [core, {**blocks, "core": 2}]
    if online:
        for node in range(1, SLAVES + 1):
            path = f"{twin}@{node + 1}"
            found.append({**blocks, "core": 2 + node, "path": path, "measured": False})
    return found
