# SPDX-License-Identifier: BSD-3-Clause
"""A trace as a workload of its own, ``FILE[,KEY=VALUE,...]``, and as the file of one."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hmsim._core import InputError, Simulation
from hmsim.config.settings import LARGEST_FILE, Setting
from hmsim.fio.file import is_job_file
from hmsim.traces.file import TraceFile, is_trace_file
from hmsim.traces.records import FORMATS, find_format

KINDS = {  # of agents, by what a format's records are
    "accesses": "memory_trace",
    "blocks": "block_trace",
    "instructions": "cpu_trace",
    "jobs": "job",
    "misses": "llc_trace",
}
CORES = ("llc_trace", "cpu_trace")  # kinds that run on one core, and may have copies
WORKLOADS = (".yaml", ".yml")  # suffixes
COLUMNS = re.compile(r"--format csv --columns ([\w=,]+)")
FORMAT = re.compile(r"--format\b(?: (\w+))?")
PLAIN = re.compile(r"[\w./+-]+")  # text that YAML takes as it is
START = 4096  # bytes of a file in which a workload without such a suffix names its agents


def trace_of(text: str) -> Path | None:
    """Return the trace that a workload's name begins with, or None if it does not name one."""
    path = Path(text.partition(",")[0])
    if not path.is_file() or path.suffix in WORKLOADS:
        return None
    if path.stat().st_size <= LARGEST_FILE and is_job_file(path):
        return None
    try:
        with path.open("rb") as file:
            return None if b"agents:" in file.read(START) else path
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def keys_of(path: Path, text: str) -> list[Setting]:
    """Return the keys of the agent that replays a trace.

    Its format is found by content; its kind follows. ``cores=0-3`` are the cores of a job, and of
    other traces with cores a copy each.

    Args:
        path: the trace.
        text: it, and keys of its agent as ``,KEY=VALUE``.

    Raises:
        InputError: no format fits, or a key has no value.
    """
    given: dict[str, str] = {}
    for pair in text.split(",")[1:]:
        key, equals, value = pair.partition("=")
        if not equals:
            raise InputError(f"{text}: '{pair}' is not KEY=VALUE")
        given[key.strip()] = value.strip()
    try:
        name = find_format(path, given.pop("format", None))
    except InputError as error:  # which advises the options of 'hmsim trace'
        advice = COLUMNS.sub(lambda m: f"{path},format=csv,{_prefixed(m[1])}", str(error))
        advice = FORMAT.sub(lambda m: f"',format={m[1] or 'NAME'}'", advice)
        raise InputError(advice) from error
    kind = KINDS[FORMATS[name].kind]
    if is_trace_file(path) and TraceFile(path).header.causes:
        kind = "job"
    kind = given.pop("kind", kind)
    if kind in CORES and "cores" in given:
        for other in sorted(given.keys() & {"core", "copies"}):
            raise InputError(f"{text}: {other}: must not be beside cores={given['cores']}")
        first, copies = _range(given.pop("cores"), text)
        given = {"core": str(first), "copies": str(copies), **given}
    keys = {"kind": kind, "path": os.fspath(path), "format": name, **given}
    return [Setting(key, value, text) for key, value in keys.items()]


def written(agents: Sequence[Sequence[Setting]], folder: Path) -> str:
    """Return the YAML of a workload of agents that replay traces, with the other keys as comments.

    If there are several, those whose keys name no core get the lowest free ones.

    Args:
        agents: keys of each (`keys_of`).
        folder: of the file, to which paths are relative.
    """
    lines = ["agents:"]
    several = [{setting.name: setting.text for setting in keys} for keys in agents]
    taken = {core for given in several for core in _cores(given)}
    for given in several:
        key = "cores" if given["kind"] == "job" else "core"
        if len(several) > 1 and not _cores(given):
            places = ({**given, key: str(core)} for core in itertools.count())
            given.update(next(each for each in places if taken.isdisjoint(_cores(each))))
            taken.update(_cores(given))
        given["path"] = os.path.relpath(given["path"], folder)
        marks = ("  - ", *("    ",) * len(given))
        lines += (
            f"{mark}{key}: {_quoted(text)}" for mark, (key, text) in zip(marks, given.items())
        )
        for each in Simulation.agent_parameters(given["kind"]):
            name = each["name"]
            if name not in (*given, "copy_number") and not name.startswith("columns."):
                lines.append(f"    # {name}: {each['default']}  # {each['doc']}")
    return "\n".join(lines) + "\n"


def _prefixed(columns: str) -> str:
    return ",".join(f"columns.{each}" for each in columns.split(","))


def _cores(given: Mapping[str, str]) -> range:
    """Return the cores that the keys of an agent name, or none. Raises InputError."""
    if (named := given.get("cores", given.get("core"))) is None:
        return range(0)
    first, number = _range(named, given["path"])
    copies = given.get("copies", "1")
    return range(first, first + number * (int(copies) if copies.isdecimal() else 1))


def _quoted(text: str) -> str:
    return text if PLAIN.fullmatch(text) else "'" + text.replace("'", "''") + "'"


def _range(cores: str, text: str) -> tuple[int, int]:
    """Return the first of some cores, ``2`` or ``0-3``, and their number. Raises InputError."""
    first, _, last = cores.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal() or int(last or first) < int(first):
        raise InputError(f"{text}: cores: must be a core or a range such as 0-3, got '{cores}'")
    return int(first), int(last or first) - int(first) + 1
