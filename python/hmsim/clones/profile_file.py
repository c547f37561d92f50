# SPDX-License-Identifier: BSD-3-Clause
"""Profiles as YAML files of a few kilobytes (docs/profiles.md)."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import Union

import yaml

from hmsim._core import InputError, nearest_name
from hmsim.clones.profile import (
    LONGEST_REUSE,
    LONGEST_VISIT,
    MOST_PACES,
    PAGE_LINES,
    PHASES,
    PIECES,
    POWERS,
    QUEUE,
    RUNS,
    STREAMS,
    SWEEPS,
    VERSION,
    VISITS,
    Bins,
    Groups,
    Profile,
    Stream,
)
from hmsim.common.directories import open_regular
from hmsim.config import settings
from hmsim.traces.records import AnyPath

MARK = "hmsim_profile"  # first key of every such file
MOST = 1 << 50  # instructions, accesses
MOST_PAGES = 1 << 40
MOST_ENTRIES = 1 << 20
MOST_PER_INSTRUCTION = 8  # accesses
MOST_CPI = 1000  # as `base_cpi` of an agent
SKIPS = (*(1 - 2 * p for p in POWERS[:1:-1]), *POWERS)
# Where bins of a key begin, the largest number, and how many values each bin has.
BINS: dict[str, tuple[tuple[int, ...], int, int]] = {
    "jumped": (VISITS, LONGEST_VISIT, 5),
    "followed": (VISITS, LONGEST_VISIT, 5),
    "swept": (VISITS, LONGEST_VISIT, 5),
    "follow": (SWEEPS, 0, 6),
    "mixes": (VISITS, LONGEST_VISIT, 3),
    "reuse": (POWERS, LONGEST_REUSE - 1, 2),
    "inside": (POWERS, POWERS[-1], 2),
    "between": (POWERS, POWERS[-1], 2),
    "skips": (SKIPS, POWERS[-1], 2),
    "edges": (PIECES, PAGE_LINES, 2),
    "pieces": (PIECES, PAGE_LINES, 2),
    "runs": (RUNS, POWERS[-1], 2),
}
GROUPS: dict[str, tuple[int, ...]] = {  # of bins: their names
    "inside": tuple(range(MOST_PACES)),
    "between": tuple(range(MOST_PACES)),
    "edges": VISITS,
    "pieces": VISITS,
    "mixes": tuple(range(MOST_PACES)),
}
Value = Union[int, float, str, list["Value"], dict[str, "Value"]]


def is_profile(path: AnyPath) -> bool:
    """Tell whether a file begins as a profile does; False when it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(len(MARK) + 1) == f"{MARK}:".encode()
    except (InputError, OSError):
        return False


def _short(number: float) -> str:
    if isinstance(number, int):
        return str(number)
    short = float(f"{number:.6g}")
    return str(int(short)) if short.is_integer() else f"{short:.6g}"


def _list(numbers: list[float] | list[int]) -> str:
    return "[" + ", ".join(_short(number) for number in numbers) + "]"


def dump(profile: Profile) -> str:
    """Return a profile's text."""
    lines = [f"{MARK}: {VERSION}"]
    for key in ("description", "calibrated"):
        if text := getattr(profile, key):
            lines.append(
                f"{key}: {yaml.safe_dump(text, default_style=chr(34), width=10**6).strip()}"
            )
    for key in ("instructions", "dram_pages", "nvdimm_pages"):
        lines.append(f"{key}: {getattr(profile, key)}")
    if profile.base_cpi:
        lines.append(f"base_cpi: {_short(profile.base_cpi)}  # docs/profiles.md")
    lines.append("figures:  # for readers; twins are made of the streams")
    lines += [f"  {name}: {_short(figure)}" for name, figure in profile.figures().items()]
    if profile.queue:
        lines.append("queue:  # NVDIMM entries of 128, simulated: docs/workloads.md")
        lines += [f"  {name}: {_short(value)}" for name, value in profile.queue.items()]
    lines.append("streams:")
    for name, stream in profile.streams.items():
        lines.append(f"  {name}:")
        for field in fields(stream):
            value = getattr(stream, field.name)
            if isinstance(value, int):
                lines.append(f"    {field.name}: {value}")
            elif isinstance(value, list):
                lines.append(f"    {field.name}: {_list(value)}")
            elif value and field.name in GROUPS:
                lines.append(f"    {field.name}:")
                for name, bins in value.items():
                    row = ", ".join(f"{low}: {_list(numbers)}" for low, numbers in bins.items())
                    lines.append(f"      {name}: {{{row}}}")
            elif value:
                lines.append(f"    {field.name}:")
                lines += [f"      {low}: {_list(row)}" for low, row in value.items()]
    return "\n".join(lines) + "\n"


class _Reader:
    """Reads nodes of one file; every error names file, line and key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, node: yaml.Node, key: str, what: str) -> InputError:
        return InputError(f"{settings.place(self.path, node)}: {key}: {what}")

    def mapping(self, node: yaml.Node, key: str, known: list[str]) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            raise self.fail(node, key, f"a {settings.kind(node)} where 'name: value' is expected")
        found = {}
        for name, name_node, value in settings.items(self.path, node):
            if known and name not in known:
                near = nearest_name(name, known)
                hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(known)}"
                raise self.fail(name_node, name, f"unknown key{hint}")
            found[name] = value
        return found

    def number(self, node: yaml.Node, key: str, low: float, high: float) -> float:
        text = settings.scalar(self.path, node, key)
        try:
            value = float(text)
        except ValueError:
            raise self.fail(node, key, f"'{text}' is no number") from None
        if not low <= value <= high:
            raise self.fail(node, key, f"{text} lies outside {low:g} .. {high:g}")
        return value

    def whole(self, node: yaml.Node, key: str, low: int, high: int) -> int:
        value = self.number(node, key, low, high)
        if value != int(value):
            raise self.fail(node, key, "must be a whole number")
        return int(value)

    def numbers(self, node: yaml.Node, key: str, count: int, high: float) -> list[float]:
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != count:
            raise self.fail(node, key, f"expected a list of {count} numbers")
        return [self.number(child, key, -high, high) for child in node.value]

    def shares(self, node: yaml.Node, key: str, values: list[float]) -> list[float]:
        if not all(0 <= value <= 1 for value in values):
            raise self.fail(node, key, "shares lie between 0 and 1")
        return values

    def bins(self, node: yaml.Node, key: str) -> Bins:
        starts, most, count = BINS[key]
        result: Bins = {}
        for name, value in self.mapping(node, key, []).items():
            if not name.lstrip("-").isdigit() or int(name) not in starts:
                raise self.fail(value, key, f"no bin begins at '{name}'")
            low = int(name)
            row = self.numbers(value, f"{key}.{name}", count, float(MOST))
            result[low] = row
            if key in ("follow", "mixes"):
                self.shares(value, key, row)
                continue
            self.shares(value, f"{key}.{name}", [row[0], *row[2:]])
            after = starts.index(low) + 1
            high = starts[after] - 1 if after < len(starts) else most
            if key != "runs" and not low <= row[1] <= max(low, high):
                raise self.fail(
                    value, f"{key}.{name}", f"a mean of {row[1]:g} is no mean of its bin"
                )
        if key != "follow" and result:
            of_bins = 3 if key == "mixes" else 1
            total = math.fsum(math.fsum(row[:of_bins]) for row in result.values())
            if abs(total - 1) > 1e-3:
                raise self.fail(node, key, f"its shares add up to {total:g}, not 1")
        return dict(sorted(result.items()))

    def groups(self, node: yaml.Node, key: str) -> Groups:
        result: Groups = {}
        for name, value in self.mapping(node, key, []).items():
            if not name.isdigit() or int(name) not in GROUPS[key]:
                raise self.fail(value, key, f"there is no group '{name}'")
            result[int(name)] = self.bins(value, key)
        return dict(sorted(result.items()))

    def stream(self, node: yaml.Node, name: str) -> Stream:
        known = [field.name for field in fields(Stream)]
        found = self.mapping(node, name, known)
        stream = Stream()
        for key, value in found.items():
            where = f"streams.{name}.{key}"
            if key in GROUPS:
                setattr(stream, key, self.groups(value, key))
            elif key in BINS:
                setattr(stream, key, self.bins(value, key))
            elif key == "kinds":
                stream.kinds = self.shares(value, where, self.numbers(value, where, 3, 1.0))
            elif key in ("phases", "paces"):
                most = float(MOST if key == "phases" else MOST_PACES - 1)
                counts = self.numbers(value, where, PHASES, most)
                if not all(count >= 0 and count == int(count) for count in counts):
                    raise self.fail(value, where, "expected whole numbers")
                setattr(stream, key, [int(count) for count in counts])
            else:
                setattr(stream, key, self.whole(value, where, 1, MOST))
        for key in ("accesses", "pages", "visits", "phases", "paces", "mixes", "jumped", "reuse"):
            if key not in found:
                raise self.fail(node, name, f"{key} is missing")
        if sum(stream.phases) != stream.accesses:
            raise self.fail(found["phases"], name, "phases do not add up to accesses")
        if not stream.jumped or not stream.reuse:
            raise self.fail(node, name, "jumped and reuse must have bins")
        if stream.visits > stream.accesses or stream.pages > min(stream.visits, MOST_PAGES):
            raise self.fail(node, name, "more pages than visits, or more visits than accesses")
        return stream


def load(path: AnyPath) -> Profile:
    """Return the profile in a file. Raises InputError that names file, line and key."""
    file = Path(path)
    reader = _Reader(file)
    root = settings.read_mapping(file)
    known = [
        *(MARK, "description", "calibrated", "instructions", "dram_pages", "nvdimm_pages"),
        *("base_cpi", "figures", "queue", "streams"),
    ]
    found = reader.mapping(root, "profile", known)
    for key in (MARK, "instructions", "dram_pages", "nvdimm_pages", "streams"):
        if key not in found:
            raise InputError(f"{file}: {key}: missing, so no profile")
    if reader.whole(found[MARK], MARK, 0, 1 << 20) != VERSION:
        raise reader.fail(found[MARK], MARK, f"only version {VERSION} is known")
    instructions = reader.whole(found["instructions"], "instructions", 1, MOST)
    streams = {
        name: reader.stream(node, name)
        for name, node in reader.mapping(found["streams"], "streams", list(STREAMS)).items()
    }
    accesses = sum(stream.accesses for stream in streams.values())
    if not accesses or accesses > MOST_PER_INSTRUCTION * instructions:
        raise reader.fail(found["streams"], "streams", f"{accesses} accesses in {instructions}")

    queue = {}
    if "queue" in found:
        for name, node in reader.mapping(found["queue"], "queue", list(QUEUE)).items():
            queue[name] = reader.number(node, f"queue.{name}", 0, MOST_ENTRIES)

    def text(key: str) -> str:
        return settings.scalar(file, found[key], key) if key in found else ""

    return Profile(
        instructions,
        reader.whole(found["dram_pages"], "dram_pages", 0, MOST_PAGES),
        reader.whole(found["nvdimm_pages"], "nvdimm_pages", 0, MOST_PAGES),
        {name: streams[name] for name in STREAMS if name in streams},
        text("description"),
        text("calibrated"),
        queue,
        reader.number(found["base_cpi"], "base_cpi", 0, MOST_CPI) if "base_cpi" in found else 0.0,
    )
