# SPDX-License-Identifier: BSD-3-Clause
"""Parts of profile files: numbers, bins and streams, read and written (docs/workloads.md)."""

from __future__ import annotations

import math
from dataclasses import fields

import yaml

from hmsim.clones.profile import (
    LONGEST_REUSE,
    LONGEST_VISIT,
    MOST_PACES,
    PAGE_LINES,
    PHASES,
    PIECES,
    POWERS,
    RUNS,
    SWEEPS,
    VISITS,
    Bins,
    Groups,
    Stream,
)
from hmsim.config import settings
from hmsim.config.node_reader import NodeReader

MOST = 1 << 50  # instructions, accesses
MOST_PAGES = 1 << 40
SKIPS = (*(1 - 2 * p for p in POWERS[:1:-1]), *POWERS)
# Lower bounds of a key's bins, the largest number, and the values per bin.
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


def short(number: float) -> str:
    if isinstance(number, int):
        return str(number)
    short = float(f"{number:.6g}")
    return str(int(short)) if short.is_integer() else f"{short:.6g}"


def listed(numbers: list[float] | list[int]) -> str:
    return "[" + ", ".join(short(number) for number in numbers) + "]"


def stream_lines(name: str, stream: Stream, indent: str) -> list[str]:
    """Return the text of a stream, under its name."""
    lines = [f"{indent}{name}:"]
    indent += "  "
    for field in fields(stream):
        value = getattr(stream, field.name)
        if isinstance(value, int):
            lines.append(f"{indent}{field.name}: {value}")
        elif isinstance(value, list):
            lines.append(f"{indent}{field.name}: {listed(value)}")
        elif value and field.name in GROUPS:
            lines.append(f"{indent}{field.name}:")
            for group, bins in value.items():
                lines.append(f"{indent}  {group}: {bins_text(bins)}")
        elif value:
            lines.append(f"{indent}{field.name}:")
            lines += [f"{indent}  {low}: {listed(row)}" for low, row in value.items()]
    return lines


def bins_text(bins: Bins) -> str:
    """Return bins in one line."""
    return "{" + ", ".join(f"{low}: {listed(numbers)}" for low, numbers in bins.items()) + "}"


class Reader(NodeReader):
    """Reader of the YAML nodes of one file. Every error names file, line and key."""

    def real(self, node: yaml.Node, key: str, low: float, high: float) -> float:
        text = settings.scalar(self.path, node, key)
        try:
            value = float(text)
        except ValueError:
            self.refuse(node, key, f"'{text}' is not a number")
        if not low <= value <= high:
            self.refuse(node, key, f"must be in {low:g} .. {high:g}, got {text}")
        return value

    def whole(self, node: yaml.Node, key: str, low: int, high: int) -> int:
        value = self.real(node, key, low, high)
        if value != int(value):
            self.refuse(node, key, "must be a whole number")
        return int(value)

    def numbers(self, node: yaml.Node, key: str, count: int, high: float) -> list[float]:
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != count:
            self.refuse(node, key, f"expected a list of {count} numbers")
        return [self.real(child, key, -high, high) for child in node.value]

    def shares(self, node: yaml.Node, key: str, values: list[float]) -> list[float]:
        if not all(0 <= value <= 1 for value in values):
            self.refuse(node, key, "shares must be between 0 and 1")
        return values

    def bins(self, node: yaml.Node, key: str) -> Bins:
        starts, most, count = BINS[key]
        result: Bins = {}
        for name, (_, value) in self.mapping(node, key).items():
            if not name.lstrip("-").isdigit() or int(name) not in starts:
                self.refuse(value, key, f"no bin begins at '{name}'")
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
                self.refuse(value, f"{key}.{name}", f"a mean of {row[1]:g} is outside its bin")
        if key != "follow" and result:
            of_bins = 3 if key == "mixes" else 1
            total = math.fsum(math.fsum(row[:of_bins]) for row in result.values())
            if abs(total - 1) > 1e-3:
                self.refuse(node, key, f"its shares must add up to 1, got {total:g}")
        return dict(sorted(result.items()))

    def groups(self, node: yaml.Node, key: str) -> Groups:
        result: Groups = {}
        for name, (_, value) in self.mapping(node, key).items():
            if not name.isdigit() or int(name) not in GROUPS[key]:
                self.refuse(value, key, f"unknown group '{name}'")
            result[int(name)] = self.bins(value, key)
        return dict(sorted(result.items()))

    def stream(self, node: yaml.Node, name: str) -> Stream:
        known = [field.name for field in fields(Stream)]
        found = self.keys(node, f"{name}: ", known)
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
                    self.refuse(value, where, "expected whole numbers")
                setattr(stream, key, [int(count) for count in counts])
            else:
                setattr(stream, key, self.whole(value, where, 1, MOST))
        for key in ("accesses", "pages", "visits", "phases", "paces", "mixes", "jumped", "reuse"):
            if key not in found:
                self.refuse(node, name, f"{key} is required")
        if sum(stream.phases) != stream.accesses:
            self.refuse(found["phases"], name, "phases must add up to accesses")
        if not stream.jumped or not stream.reuse:
            self.refuse(node, name, "jumped and reuse must have bins")
        if stream.visits > stream.accesses or stream.pages > min(stream.visits, MOST_PAGES):
            self.refuse(
                node, name, "must not have more pages than visits, or more visits than accesses"
            )
        return stream
