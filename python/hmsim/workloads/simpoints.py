# SPDX-License-Identifier: BSD-3-Clause
"""A list of SimPoints: a line ``PATH WEIGHT [SKIP] [WARMUP] [INSTRUCTIONS]`` for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from hmsim._core import InputError, parse_integer
from hmsim.config.node_reader import located
from hmsim.config.settings import Setting, read_text_file
from hmsim.traces.records import FORMATS
from hmsim.workloads.trace_workload import CORES, START, keys_of

SUFFIX = ".simpoints"
LINE = "PATH WEIGHT [SKIP] [WARMUP] [INSTRUCTIONS]"
OF_TRACE = ("kind", "format")  # keys that depend on the trace
FindTrace = Callable[[Path, Setting, Mapping[str, str]], Path]


class SimPoint(NamedTuple):
    """A part of a program, which runs alone: its share of the instructions, and its agents' keys.

    ``warmup`` is a number of instructions in place of the run's warm-up, if it is not None.
    """

    weight: float
    warmup: int | None
    settings: tuple[Setting, ...]
    trace: Path
    where: str


def is_list(path: Path) -> bool:
    """Return whether a file is a list: by its name, or it begins with a name and a number."""
    with path.open("rb") as file:
        start = file.read(START)
    lines = start.decode(errors="replace").splitlines()
    name, weight, *rest = [*next(filter(None, map(_fields, lines)), []), "", ""]
    is_line = math.isnan(_number(name)) and not math.isnan(_number(weight)) and len(rest) < 6
    is_trace = any(each.looks_like(start) for each in FORMATS.values())  # such as LD 4096
    return path.suffix == SUFFIX or (is_line and not is_trace)


def read_list(path: Path, text: str, find: FindTrace) -> tuple[list[SimPoint], list[Setting]]:
    """Return the SimPoints of a list, and the keys of the agents of all. Raises InputError.

    Args:
        path: the list.
        text: it, and keys of every SimPoint's agent as ``,KEY=VALUE``; those of a line win.
        find: returns the trace that a setting names, relative to a folder.
    """
    try:
        lines = read_text_file(path).decode().splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not text; expected lines {LINE}") from error
    fields = {f"{path}:{at}": _fields(line) for at, line in enumerate(lines, 1)}
    points = [_simpoint(path, where, each, text, find) for where, each in fields.items() if each]
    if not points:
        raise InputError(f"{path}: has no SimPoint; expected lines {LINE}")
    total = math.fsum(point.weight for point in points)
    points = [point._replace(weight=point.weight / total) for point in points]
    return points, [key for key in keys_of(points[0].trace, text) if key.name != "path"]


def notes(points: list[SimPoint]) -> tuple[str, ...]:
    """Return a sentence about each SimPoint."""
    texts = enumerate(f"{each.trace.name}, weight {each.weight:.4g}" for each in points)
    return tuple(f"SimPoint {index}: {text}" for index, text in texts)


def _simpoint(path: Path, where: str, fields: list[str], text: str, find: FindTrace) -> SimPoint:
    if not 2 <= len(fields) <= 5:
        raise InputError(f"{where}: expected {LINE}, got '{' '.join(fields)[:40]}'")
    name, weight, *counts = fields
    if not 0 < _number(weight) < math.inf:
        raise InputError(f"{where}: weight: must be a number above 0, got '{weight}'")
    trace = find(path.parent, Setting("path", name, where), {})
    with located(f"{where}: "):
        keys = {key.name: key.text for key in keys_of(trace, text) if key.name in OF_TRACE}
        if keys["kind"] not in CORES:
            raise InputError(f"{name}: must be a trace of instructions or misses")
    keys |= {"path": str(trace)} | dict(zip(("skip", "warmup", "instructions"), counts))
    warmup = None
    if "warmup" in keys:
        with located(f"{where}: warmup: "):
            warmup = parse_integer(keys.pop("warmup"))
            if warmup < 0:
                raise InputError(f"must not be negative, got {warmup}")
    settings = tuple(Setting(*pair, where) for pair in keys.items())
    return SimPoint(_number(weight), warmup, settings, trace, where)


def _fields(line: str) -> list[str]:
    return line.partition("#")[0].split()


def _number(text: str) -> float:
    """Return a number in decimal, or in hexadecimal after 0x; NaN for other text."""
    try:
        return float.fromhex(text) if text.startswith("0x") else float(text)
    except (ValueError, OverflowError):
        return math.nan
