# SPDX-License-Identifier: BSD-3-Clause
"""JSON schemas of the files that users write, from the tables of parameters, for editors.

They name keys, choices and ranges; what spans several keys is left to ``hmsim check``. Draft 7,
which language servers of YAML know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hmsim._core import Simulation
from hmsim.config.configuration import RESERVED
from hmsim.config.settings import LISTED as MASKS

DRAFT = "http://json-schema.org/draft-07/schema#"
PARAMETER = "#/definitions/"
VALUES, RANGE = "values", "range"  # definitions: of mappings from axes to values, of ranges
NUMBER = r"[0-9]+(\.[0-9]+)?"
SCALED = rf"^{NUMBER}([kMG]|e[0-9]+)$"  # whole numbers such as 5M
UNITS = {  # of types whose values are texts
    "time": r"(ps|ns|us|ms|s)",
    "size": r"([KMGT]iB|[kMGT]?B)",
    "frequency": r"[kMG]?Hz",
    "rate": r"[kMGT]?(b/s|T/s)",
    "current": r"[um]?A",
    "voltage": r"[um]?V",
}
AGENT = r"^agent\.[0-9]{1,3}\.[a-z0-9_.]+$"
TEXT: dict[str, Any] = {"type": "string"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 1}
SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}
LISTED = ("cores", "nodes", "size", "levels", "windows")  # keys of agents that take a list
SWITCH = ("on", "off")  # words that YAML takes as truth values
Schema = dict[str, Any]
COMMON: Schema = {  # keys of sweeps and fits
    "description": TEXT,
    "config": TEXT,
    "warmup": {"type": ["string", "integer"]},
    "set": {"$ref": PARAMETER + VALUES},
}


def configuration() -> Schema:
    """Return the schema of a configuration: groups of parameters, or their dotted names."""
    known = {each["name"]: each for each in Simulation.parameters()}
    root = _object({name: TEXT for name in RESERVED})
    for name in known:
        node = root
        *groups, last = name.split(".")
        for group in groups:
            node = node["properties"].setdefault(group, _object({}))
            node.setdefault("properties", {})
        node["properties"][last] = _both(node["properties"].get(last), _reference(name))
        if groups:
            root["properties"][name] = _reference(name)
    return _whole("configuration", root, known.values())


def workload() -> Schema:
    """Return the schema of a workload: its agents, by kind."""
    kinds = []
    for kind in Simulation.agent_kinds():
        keys = {
            each["name"]: _value(each, listed=each["name"] in LISTED)
            for each in Simulation.agent_parameters(kind)
            if each["name"] != "copy_number"
        }
        kinds.append(
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": _object({"kind": TEXT, **_nested(keys)}),
            }
        )
    names: Schema = {"kind": {"enum": list(Simulation.agent_kinds())}}
    agent = {"type": "object", "properties": names, "required": ["kind"], "allOf": kinds}
    root = _object({"description": TEXT, "agents": {"type": "array", "items": agent}}, ["agents"])
    return _whole("workload", root, ())


def sweep() -> Schema:
    """Return the schema of a sweep."""
    known = list(Simulation.parameters())
    samples = {
        "method": {"enum": ["random", "sobol", "optimise"]},
        "count": COUNT,
        "seed": {"type": "integer", "minimum": 0},
        "over": _axes(known, _several),
        "objective": _one_or_more(TEXT),
        "direction": _one_or_more({"enum": ["minimise", "maximise"]}),
    }
    root = _object(
        {
            **COMMON,
            "runner": {"enum": ["hmsim", "gem5"]},
            "gem5": {"type": "object"},
            "grid": _axes(known, _several),
            "points": {"type": "array", "items": _reference(VALUES)},
            "samples": _object(samples, ["method", "count", "over"]),
            "seeds": _one_or_more({"type": "integer"}),
            "where": _one_or_more(TEXT),
            "show": _one_or_more(TEXT),
            "policy": TEXT,
            "workload": TEXT,
        }
    )
    return _whole("sweep", root, known, _axes(known, _reference))


def fit() -> Schema:
    """Return the schema of a fit."""
    known = list(Simulation.parameters())
    agents = workload()["properties"]["agents"]
    inline = _object({"agents": agents, "description": TEXT}, ["agents"])
    values = _axes(known, _reference)
    more = {"workload": {"anyOf": [TEXT, inline]}, "short": _reference(VALUES)}
    more["warmup"] = COMMON["warmup"]
    run = {**values, "properties": {**values["properties"], **more}}
    band = {"type": ["number", "string"]}
    target = {
        **dict.fromkeys(("of", "family", "constant", "claim", "group"), TEXT),
        **dict.fromkeys(("is", "at_least", "at_most", "within", "reads"), band),
        "at": _one_or_more({"type": "number"}),
        "saturation": {"type": "boolean"},
        "hold_out": {"type": "boolean"},
    }
    root = _object(
        {
            **COMMON,
            "seeds": COUNT,
            "over": _axes(known, _several),
            "constants": {"type": "object", "additionalProperties": _reference(RANGE)},
            "runs": {"type": "object", "additionalProperties": run},
            "targets": {"type": "object", "additionalProperties": _object(target)},
        },
        ["over", "targets"],
    )
    return _whole("fit", root, known, values)


SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    "configuration": configuration,
    "workload": workload,
    "sweep": sweep,
    "fit": fit,
}


def _whole(
    what: str, root: Schema, parameters: Iterable[Mapping[str, Any]], values: Schema | None = None
) -> Schema:
    definitions = {each["name"]: _value(each, listed=each["name"] == MASKS) for each in parameters}
    if values:
        end = {"type": ["string", "number"]}
        scale = {"enum": ["linear", "log"]}
        ends = {"from": end, "to": end, "scale": scale, "count": COUNT}
        definitions |= {VALUES: values, RANGE: _object(ends, ["from", "to"])}
    return {"$schema": DRAFT, "title": f"hmsim: {what}", **root, "definitions": definitions}


def _object(properties: Schema, required: Iterable[str] = ()) -> Schema:
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**found, "required": list(required)} if required else found


def _reference(name: str) -> Schema:
    return {"$ref": PARAMETER + name}


def _both(group: Schema | None, own: Schema) -> Schema:
    """Return the schema of a key that is a group, a value, or either."""
    return {"anyOf": [own, group]} if group else own


def _axes(known: Iterable[Mapping[str, Any]], of: Callable[[str], Schema]) -> Schema:
    """Return an object whose keys are parameters, other axes of points, or keys of agents."""
    found = _object({each["name"]: of(each["name"]) for each in known})
    free = SCALAR if of is _reference else of("")
    found["properties"] |= dict.fromkeys(("config", "policy", "workload", "seed"), free)
    found["patternProperties"] = {AGENT: free}
    return found


def _several(name: str) -> Schema:
    """Return an axis: a list, a range, or one value."""
    each = _reference(name) if name else SCALAR
    return {"anyOf": [{"type": "array", "items": each}, _reference(RANGE), each]}


def _one_or_more(each: Schema) -> Schema:
    return {"anyOf": [each, {"type": "array", "items": each}]}


def _nested(keys: Mapping[str, Schema]) -> Schema:
    """Return keys with dots, such as ``columns.time``, as groups of keys, too."""
    found: Schema = dict(keys)
    for name, each in keys.items():
        group, dot, rest = name.partition(".")
        if dot:
            found.setdefault(group, _object({}))["properties"][rest] = each
    return found


def _value(info: Mapping[str, Any], listed: bool = False) -> Schema:
    """Return the schema of a parameter's value."""
    words = [word.strip() for word in info["range"].split("|")] if info["range"] else []
    ends = [word.split(" .. ") for word in words if " .. " in word]
    words = [word for word in words if " .. " not in word]
    default = f" Default: {info['default']} {info['unit']}".rstrip()
    found: Schema = {"description": f"{info['doc']}.{default}."}
    switch = info["type"] == "boolean"
    kinds: list[Schema] = [{"enum": words}] if words and not switch else []
    if switch or any(word in SWITCH for word in words):
        kinds.append({"type": "boolean"})
    if info["type"] in ("integer", "real"):
        kinds.append(_number(info["type"], ends))
    if info["type"] == "integer":
        kinds.append({"type": "string", "pattern": SCALED})
    if info["type"] in UNITS:
        pattern = rf"^\s*{NUMBER}\s*{UNITS[info['type']]}\s*$"
        kinds.append({"type": "string", "pattern": pattern})
    if info["type"] == "text" or not kinds:
        kinds.append(SCALAR)
    if listed:
        kinds += [{"type": ["string", "integer"]}, {"type": "array"}]
    return {**found, **(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})}


def _number(kind: str, ends: Iterable[Iterable[str]]) -> Schema:
    found: Schema = {"type": "integer" if kind == "integer" else "number"}
    for low, high in ends:
        if re.fullmatch(r"-?[0-9.e+]+", low) and re.fullmatch(r"-?[0-9.e+]+", high):
            found |= {"minimum": float(low), "maximum": float(high)}
    return found
