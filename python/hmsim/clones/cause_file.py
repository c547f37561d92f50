# SPDX-License-Identifier: BSD-3-Clause
"""The causes of profiles as YAML (docs/profiles.md)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import yaml

from hmsim.clones.causes import (
    MOST_ROLES,
    MOST_THREADS,
    PARTS,
    REQUESTS,
    SLEEP,
    WITHOUT_PAGES,
    Causes,
    Copy,
    Request,
    Role,
    Step,
)
from hmsim.clones.profile import PAGE_LINES, PHASES, STREAMS, Bins
from hmsim.clones.profile_parts import MOST, Reader, bins_text, listed, short, stream_lines

LONGEST_NAME = 17  # of a role: 15 letters in brackets
MOST_GAP = 1 << 20  # instructions of a copy between two lines
MOST_RPKI = 8000.0
MOST_COPIED = 8  # lines an instruction
BINNED = ("after", "length", "sizes", "rows", "depth", "uses")


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _inline(values: Any) -> str:
    """Return the fields of a dataclass that are not empty in one line."""
    parts = []
    for field in fields(values):
        value = getattr(values, field.name)
        if isinstance(value, dict):
            parts += [f"{field.name}: {bins_text(value)}"] if value else []
        elif value:
            parts.append(f"{field.name}: {short(value)}")
    return "{" + ", ".join(parts) + "}"


def causes_lines(causes: Causes) -> list[str]:
    """Return the text of a profile's causes."""
    lines = ["causes:"]
    for key in ("turn", "non_temporal", "fences"):
        lines.append(f"  {key}: {short(getattr(causes, key))}")
    for key in ("read", "write"):
        lines.append(f"  {key}: {_inline(getattr(causes, key))}")
    if causes.outside:
        lines.append("  outside:  # lines of the NVDIMM that no request copied")
        for name, stream in causes.outside.items():
            lines += stream_lines(name, stream, "    ")
    lines.append("  roles:")
    for name, role in causes.roles.items():
        lines += [f"    {_quoted(name)}:", f"      threads: {role.threads}"]
        lines += [f"      {key}: {listed(getattr(role, key))}" for key in ("work", "phases")]
        lines += [f"      {key}: {short(getattr(role, key))}" for key in ("ended", "rpki")]
        for key in ("begin", "steps"):
            steps = getattr(role, key)
            lines += [f"      {key}:"] if steps else []
            lines += [f"        {_quoted(who)}: {_inline(step)}" for who, step in steps.items()]
        lines += ["      requests:"] if role.requests else []
        for kind, request in role.requests.items():
            lines.append(f"        {kind}:")
            for field in fields(request):
                value = getattr(request, field.name)
                if isinstance(value, list):
                    lines.append(f"          {field.name}: {listed(value)}")
                elif isinstance(value, dict):
                    lines += [f"          {field.name}: {bins_text(value)}"] if value else []
                elif value:
                    lines.append(f"          {field.name}: {short(value)}")
    return lines


def read_causes(reader: Reader, node: yaml.Node, instructions: int) -> Causes:
    """Return the causes of a profile that was measured over so many instructions.

    Raises InputError.
    """
    found = reader.mapping(node, "causes", [field.name for field in fields(Causes)])
    causes = Causes()
    if "roles" not in found:
        raise reader.fail(node, "causes", "roles is missing")
    for key, value in found.items():
        if key == "turn":
            causes.turn = reader.whole(value, key, 1, MOST)
        elif key in ("read", "write"):
            setattr(causes, key, _copy(reader, value, key))
        elif key in ("non_temporal", "fences"):
            setattr(causes, key, reader.number(value, key, 0, 1))
        elif key == "outside":
            known = [name for name in STREAMS if name.startswith("nvdimm")]
            for name, stream in reader.mapping(value, key, known).items():
                causes.outside[name] = reader.stream(stream, name)
    roles = reader.mapping(found["roles"], "roles", [])
    if not 1 <= len(roles) <= MOST_ROLES:
        raise reader.fail(found["roles"], "roles", f"{len(roles)} roles, not 1 .. {MOST_ROLES}")
    for name, value in roles.items():
        if not 1 <= len(name) <= LONGEST_NAME or not (name.isascii() and name.isprintable()):
            raise reader.fail(value, "roles", f"a role is named by 1 .. {LONGEST_NAME} letters")
        causes.roles[name] = _role(reader, value, name, [*roles])
    requests = [request for role in causes.roles.values() for request in role.requests.values()]
    pages = sum(sum(request.phases) for request in requests)
    if pages * PAGE_LINES > MOST_COPIED * instructions:
        raise reader.fail(found["roles"], "roles", f"{pages} pages copied in {instructions}")
    return causes


def _copy(reader: Reader, node: yaml.Node, name: str) -> Copy:
    copy = Copy()
    for key, value in reader.mapping(node, name, [field.name for field in fields(Copy)]).items():
        most = {"lines": PAGE_LINES, "rpki": MOST_RPKI, "cold": 1}.get(key, MOST_GAP)
        number = reader.number(value, f"{name}.{key}", 0, most)
        setattr(copy, key, int(number) if key == "lead" else number)
    return copy


def _role(reader: Reader, node: yaml.Node, name: str, names: list[str]) -> Role:
    found = reader.mapping(node, name, [field.name for field in fields(Role)])
    for key in ("threads", "work", "phases"):
        if key not in found:
            raise reader.fail(node, name, f"{key} is missing")
    role = Role(threads=reader.whole(found["threads"], "threads", 1, MOST_THREADS))
    role.work = _counts(reader, found["work"], "work", min(PARTS, role.threads), MOST)
    role.phases = _counts(reader, found["phases"], "phases", PHASES, 1000)
    if "ended" in found:
        role.ended = reader.number(found["ended"], "ended", 0, 1)
    if "rpki" in found:
        role.rpki = reader.number(found["rpki"], "rpki", 0, MOST_RPKI)
    if "begin" in found:
        role.begin = _steps(reader, found["begin"], "begin", names, ("cases", "length"))
    if "steps" in found:
        keys = ("cases", "after", "length")
        role.steps = _steps(reader, found["steps"], "steps", [*names, SLEEP], keys)
    if "requests" in found:
        for kind, request in reader.mapping(found["requests"], name, [*REQUESTS]).items():
            role.requests[kind] = _request(reader, request, kind)
    return role


def _steps(
    reader: Reader, node: yaml.Node, name: str, names: list[str], keys: tuple[str, ...]
) -> dict[str, Step]:
    steps = {}
    for who, value in reader.mapping(node, name, names).items():
        found = reader.mapping(value, who, [*keys])
        for key in keys:
            if key not in found:
                raise reader.fail(value, who, f"{key} is missing")
        steps[who] = Step(
            reader.whole(found["cases"], "cases", 1, MOST),
            _bins(reader, found["after"], "after") if "after" in found else {},
            _bins(reader, found["length"], "length"),
        )
    return steps


def _bins(reader: Reader, node: yaml.Node, key: str) -> Bins:
    bins = reader.bins(node, key)
    if not bins:
        raise reader.fail(node, key, "has no bins")
    return bins


def _counts(reader: Reader, node: yaml.Node, key: str, length: int, most: int) -> list[int]:
    counts = reader.numbers(node, key, length, float(most))
    if not all(count >= 0 and count == int(count) for count in counts):
        raise reader.fail(node, key, "expected whole numbers")
    return [int(count) for count in counts]


def _request(reader: Reader, node: yaml.Node, kind: str) -> Request:
    found = reader.mapping(node, kind, [field.name for field in fields(Request)])
    needed = ["cases", "phases", "after", *([] if kind in WITHOUT_PAGES else ["sizes"])]
    for key in needed:
        if key not in found:
            raise reader.fail(node, kind, f"{key} is missing")
    request = Request()
    for key, value in found.items():
        if key == "cases":
            request.cases = reader.whole(value, key, 1, MOST)
        elif key == "phases":
            request.phases = _counts(reader, value, key, PHASES, MOST)
        elif key in BINNED:
            setattr(request, key, _bins(reader, value, key))
        else:
            setattr(request, key, reader.number(value, key, 0, 1))
    return request
