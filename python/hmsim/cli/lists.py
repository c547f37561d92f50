# SPDX-License-Identifier: BSD-3-Clause
"""The commands that list or check without simulating."""

import textwrap
from typing import Annotated, Any, Optional, Union

import typer

from hmsim import _core
from hmsim._core import InputError, Simulation
from hmsim.cli.support import (
    ConfigArgument,
    Json,
    Sets,
    configuration,
    print_json,
    print_table,
    print_wrapped,
)
from hmsim.common import c_library
from hmsim.common.paths import shipped
from hmsim.config import write_modes
from hmsim.config.configuration import Config, description
from hmsim.config.policy_names import PARAMETERS, packaged
from hmsim.runs.calibration import with_table
from hmsim.runs.machine import description as machine
from hmsim.runs.machine import needs
from hmsim.runs.options import options
from hmsim.runs.runner import built
from hmsim.workloads import mixes
from hmsim.workloads.workload import load_workload

KINDS = {  # of policies, where their names do not say it
    "gc_scheduler": "garbage-collection schedulers",
    "buffer_replacement": "buffer replacement",
    "host_limiter": "limiters of the host queue",
    "refresh_pacer": "pacing of refreshes of high bandwidth flash",
    "page_placement": "streams of pages",
    "wear_leveler": "static wear levelling",
    "map_replacement": "cached maps",
}


def kind_of_policies(kind: str) -> str:
    """Return the heading of a kind: its name in the plural, and the parameters that name it."""
    plural = kind.replace("_", " ").replace("policy", "policie") + "s"
    return f"{KINDS.get(kind, plural)} ({', '.join(PARAMETERS[kind])})"


def check(
    config: ConfigArgument,
    policy: Annotated[
        Optional[str], typer.Option("--policy", help="A policy bundle to apply to it.")
    ] = None,
    workload: Annotated[
        Optional[str], typer.Option("--workload", help="A workload to check with it.")
    ] = None,
    sets: Sets = None,
    flat: Annotated[
        bool, typer.Option("--flat", help="Print every parameter as a line NAME=VALUE.")
    ] = False,
    json: Json = False,
) -> None:
    """Check a configuration, and a workload with it, without a run, and print what it is."""
    agents = None if workload is None else load_workload(workload)
    system = with_table(configuration(config, sets, policy), calibrate=False)
    if agents is not None:
        built(system, agents, options(1, None))
    resolved = system.resolved()
    if json:
        print_json(resolved)
    elif flat:
        sizes = [(f"# bytes of {memory}", size) for memory, size in system.capacities().items()]
        print("".join(f"{name}={text}\n" for name, text in [*sizes, *resolved.items()]), end="")
    else:
        rows = machine(system)
        if agents is not None:
            rows += needs(system, (dict(agent.flat()) for agent in agents.agents))
        print(f"{config}: in order, {len(system.flat())} of {len(resolved)} parameters set")
        for part, what in rows:
            print_wrapped(f"{part}: {what}" if part else f"  {what}")


def policies(json: Json = False) -> None:
    """List the policy bundles and the policies."""
    bare = Config("defaults", ())
    bundles = [
        {**each, "writes": bare.with_policy(each["path"]).write_mode()}
        for each in _described("configs/policies")
    ]
    pieces = _core.policies()
    if json:
        print_json({"bundles": bundles, "policies": pieces})
        return
    rows: list[Union[tuple[str, str], str]] = [
        "bundles (--policy NAME; NAME,drained; NAME,mixed; BUNDLE+POLICY)",
        *((each["name"], f"{each['description']} ({_mode(each['writes'])})") for each in bundles),
        *((name, f"of a package: {point.value}") for name, point in packaged().items()),
    ]
    for kind in dict.fromkeys(piece["kind"] for piece in pieces):
        rows.append(kind_of_policies(kind))
        rows += [(piece["name"], piece["doc"]) for piece in pieces if piece["kind"] == kind]
    print_table(("policy", "description"), rows)


def _mode(writes: str) -> str:
    return writes if writes == write_modes.ITSELF else f"writes {writes}"


def params(
    prefix: Annotated[
        str, typer.Argument(metavar="PREFIX", help="Beginning of the names to list.")
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="List everything, also without PREFIX.")
    ] = False,
    json: Json = False,
) -> None:
    """List parameters; those of parts, policies and agents only with a PREFIX or --all."""
    known: list[dict[str, Any]] = list(Simulation.parameters())
    for kind in Simulation.agent_kinds():
        keys = Simulation.agent_parameters(kind)
        known += [{**key, "name": f"agents.{kind}.{key['name']}"} for key in keys]
    found = [info for info in known if info["name"].startswith(prefix)]
    if not prefix and not everything:
        found = [info for info in known if not info["of_part"] and not _is_of_plug_in(info)]
    if not found:
        near = _core.nearest_name(prefix, _prefixes(known))
        hint = f"; did you mean '{near}'?" if near else ""
        raise InputError(f"{prefix}: no parameter begins with this{hint}")
    if json:
        print_json(found)
        return
    most = 24  # choices of one parameter in a listing; all of them when it is asked for alone
    for info in found:
        choices = info["range"].split(" | ")
        if len(choices) > most and len(found) > 1:
            info["range"] = f"{' | '.join(choices[:3])} | ... {len(choices)} names"
        default = f"{info['default']} {info['unit']}".strip()
        _print_wrapped(f"{info['name']} = {default}  ({info['range'] or info['type']})", 0)
        _print_wrapped(info["doc"] + (f" [{info['source']}]" if info["source"] else ""), 4)
    if left_out := 0 if prefix else len(known) - len(found):
        print(
            f"{left_out} more describe parts, policies and agents: --all lists them, or a PREFIX,"
        )
        print("for example dram.timing, policies.tcm or agents.job")


def _is_of_plug_in(info: dict[str, Any]) -> bool:
    return str(info["name"]).startswith(("policies.", "agents."))


def configs(json: Json = False) -> None:
    """List the shipped configurations."""
    _print_described(_described("configs"), "configuration", json)


def workloads(json: Json = False) -> None:
    """List the shipped workloads, the paper's mixes, and profiles."""
    entries = _described("workloads")
    names = [mix.name for mix in mixes.every()]
    of_mixes = [{"name": name, "description": _mixed(name), "path": ""} for name in names]
    profiles = _described("workloads/profiles")
    if json:
        print_json([*entries, *of_mixes])
        return
    rows: list[Union[tuple[str, str], str]] = [*_rows(entries)]
    if names:
        rows += ["the paper's mixes; NAME,timed and NAME,closed: controls; mix:all: all of them"]
        rows += _rows(of_mixes)
    if profiles:
        rows += ["profiles; use them instead of a trace (path: twin:NAME)"]
        rows += _rows(profiles)
    print_table(("workload", "description"), rows)


def library(
    cmake: Annotated[
        bool, typer.Option("--cmake", help="Print the folder for hmsim_DIR of CMake instead.")
    ] = False,
) -> None:
    """Print a compiler's arguments for programs that use the C library.

    They link it and record its path: cc main.c $(hmsim library).
    """
    folder, shared = c_library.get_include(), c_library.get_library()
    print(folder if cmake else f"-I{folder} {shared} -Wl,-rpath,{folder}")


def _mixed(name: str) -> str:
    mix = mixes.parse(name)
    return f"{mix.program}, which waits for its I/O, beside {mix.partner}"


def _print_wrapped(text: str, indent: int) -> None:
    first, others = " " * indent, " " * max(indent, 8)
    print(textwrap.fill(text, 80, initial_indent=first, subsequent_indent=others))


def _described(folder: str) -> list[dict[str, str]]:
    return [
        {"name": name, "description": description(path), "path": str(path)}
        for name, path in shipped(folder).items()
    ]


def _rows(entries: list[dict[str, str]]) -> list[tuple[str, str]]:
    return [(entry["name"], entry["description"]) for entry in entries]


def _print_described(entries: list[dict[str, str]], what: str, json: bool) -> None:
    if json:
        print_json(entries)
    else:
        print_table((what, "description"), _rows(entries))


def _prefixes(known: list[dict[str, Any]]) -> list[str]:
    """Return all names and all sections, each once, in order."""
    names: dict[str, None] = {}
    for info in known:
        parts = info["name"].split(".")
        for length in range(1, len(parts) + 1):
            names[".".join(parts[:length])] = None
    return list(names)
