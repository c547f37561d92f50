# SPDX-License-Identifier: BSD-3-Clause
"""Workloads: the agents that drive a memory system, and the traces that they read."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from hmsim._core import InputError, Simulation, parse_integer
from hmsim.clones import files as twin_files
from hmsim.common.paths import CAPTURES, capture_file, data_directory, find_file, neighbour, shipped
from hmsim.config import settings as yaml_settings
from hmsim.config.configuration import Config
from hmsim.config.node_reader import NodeReader, located
from hmsim.config.python_nodes import at
from hmsim.config.python_nodes import mapping as python_mapping
from hmsim.config.settings import Setting
from hmsim.workloads import mixes

if TYPE_CHECKING:  # not for mixes
    from hmsim.workloads.simpoints import SimPoint

PROFILES = "workloads/profiles"
UNKNOWN = "unknown parameter"  # the core's message about a key that is near no other
PYTHON = "workload"  # name of a workload given as a dict, and of its place in messages
MOST_COPIES = 256
MOST_AGENTS = 1024  # of a run
TWIN = "twin:"  # begins a path that asks for the twin of a profile (docs/workloads.md)
PROFILE_PATH = re.compile(
    r"(?P<folder>.*/)?(?P<stem>[^/]*)\.yaml(?P<rest>(@[0-9]+)?(:[a-z_]+)?)", re.DOTALL
)
COMPUTES = ("llc_trace", "job")  # kinds of agents whose instructions take time
LISTS = ("cores", "nodes", "size", "levels")  # keys whose value may be a list of numbers
STREAM = "random_stream"  # key of agents that draw random numbers
SHORT = 2_000_000  # requests
INSTRUCTIONS = 20  # for which a request is taken, where only they are limited
BACKGROUND = [("measured", text) for text in ("false", "no", "off")]


class Agent(NamedTuple):
    """One agent: its keys as in the file, and their places there.

    Attributes:
        settings: all keys, ``kind`` among them.
        where: ``file:line`` of the agent.
        trace: the trace's file, or None for an agent without one.
    """

    settings: tuple[Setting, ...]
    where: str
    trace: Path | None

    @property
    def kind(self) -> str:
        return next((setting.text for setting in self.settings if setting.name == "kind"), "")

    @property
    def measured(self) -> bool:
        """False for a background agent: runs do not wait for it, and it cannot run alone."""
        return not any(s.pair in BACKGROUND for s in self.settings)

    def with_stream(self, number: int) -> Agent:
        """Return the agent with a stream of random numbers, unless it names one or draws none."""
        named = any(s.name == STREAM and s.text.strip() != "own" for s in self.settings)
        if named or not _has_key(self.kind, STREAM):
            return self
        others = (setting for setting in self.settings if setting.name != STREAM)
        return self._replace(settings=(*others, Setting(STREAM, str(number), self.where)))

    def limit(self) -> float:
        """Return the agent's own limit in requests; 0 without one."""
        for name, share in (("requests", 1), ("instructions", INSTRUCTIONS)):
            for setting in self.settings:
                with contextlib.suppress(InputError):
                    if setting.name == name:
                        return parse_integer(setting.text.strip()) / share
        return 0

    def flat(self) -> list[tuple[str, str]]:
        """Return (key, text) of every key, as the core takes them."""
        return [setting.pair for setting in self.settings]


@dataclass(frozen=True)
class Workload:
    """Agents under a name.

    Attributes:
        notes: a sentence about each part that is not modelled, or each SimPoint.
        simpoints: parts of a program, each a run of its own, whose results are weighted.
    """

    name: str
    agents: tuple[Agent, ...]
    notes: tuple[str, ...] = ()
    simpoints: tuple[SimPoint, ...] = ()

    def runs(self) -> list[Workload]:
        """Return the workload of each SimPoint, or this one if it has none."""
        found = []
        for index, (*_, own, trace, where) in enumerate(self.simpoints):
            merged = [{s.name: s for s in (*agent.settings, *own)} for agent in self.agents]
            agents = tuple(Agent(tuple(keys.values()), where, trace) for keys in merged)
            found.append(Workload(f"{self.name}.{index}", agents))
        return found or [self]

    def check(self, config: Config, warmup: bool = False) -> None:
        """Raise InputError, one line per error, when the agents do not fit the configuration.

        ``warmup``: the run has one of its own.
        """
        flat = config.flat()
        lines = []
        for agent in (agent for run in self.runs() for agent in run.agents):
            places = {setting.name: setting.where for setting in agent.settings}
            for name, message in Simulation.check_agent(flat, agent.flat()):
                kinds = [kind for kind in Simulation.agent_kinds() if _has_key(kind, name)]
                of = f"; a key of {', '.join(kinds)}" if message == UNKNOWN and kinds else ""
                lines.append(f"{at(places.get(name, agent.where), name)}: {message}{of}")
            windows = [s for s in agent.settings if s.name.split(".")[0] == "windows"]
            if warmup and windows:
                lines.append(
                    f"{at(windows[0].where, 'windows')}: each has its own warmup, so --warmup is "
                    "not allowed"
                )
        if lines:
            raise InputError(yaml_settings.joined([*dict.fromkeys(lines)]))

    def locate(self, message: str) -> str:
        """Return a message of the core with places in files instead of the agents' numbers."""

        def place(match: re.Match[str]) -> str:
            number = int(match["number"])
            if number >= len(self.agents):
                return match[0]
            agent = self.agents[number]
            places = {setting.name: setting.where for setting in agent.settings}
            return at(places.get(match["rest"].partition(":")[0], agent.where), match["rest"])

        return re.sub(r"^agent[ .](?P<number>\d+)[:.] ?(?P<rest>.*)", place, message, flags=re.M)

    def is_short(self) -> bool:
        """Return whether all measured agents have limits, in sum less than two million requests."""
        limits = [a.limit() for run in self.runs() for a in run.agents if a.measured]
        return all(limits) and sum(limits) < SHORT

    def alone(self, index: int) -> Workload:
        """Return a workload of one of the agents, which draws the random numbers it draws here."""
        agent = self.agents[index]
        here = Simulation.random_streams([each.flat() for each in self.agents])[index]
        if here not in Simulation.random_streams([agent.flat()]):
            agent = agent.with_stream(here)
        return replace(self, agents=(agent,))


def load_workload(path_or_name: str | os.PathLike[str] | Mapping[str, Any]) -> Workload:
    """Return the workload in a YAML file: a path, or the name of a shipped one (``demo``).

    A file that ends with ``.fio``, or begins with a section, is a job file of fio
    (`hmsim.fio.job`).

    A dict with the file's content, ``{"agents": [{"kind": "io_pattern", ...}, ...]}``, is the same
    workload; messages name ``workload: agents[0].key`` in place of file and line, and the paths of
    traces are relative to the current folder.

    A trace's path, and keys of its agent as in ``mcf.champsim.xz,cores=0-3``, is a workload of one
    agent (`hmsim.workloads.trace_workload`), that of a list of SimPoints one of a run for each
    (`hmsim.workloads.simpoints`). A name such as ``mix:sort+mcf`` is one of the paper's
    mixes (`hmsim.workloads.mixes`). Traces must exist; they are searched for in the file's folder,
    and those below ``workloads/`` also among the shipped ones. ``twin:PROFILE`` is the twin of a
    profile. The agents' keys are checked when a configuration is known (`Workload.check`). An agent
    with ``copies: N`` becomes N agents.

    Raises:
        InputError: names file, line, key and nearest valid name.
    """
    if isinstance(path_or_name, Mapping):
        node = python_mapping(path_or_name, PYTHON, "agents")
        return Workload(PYTHON, _agents(Path(PYTHON), node))
    name = os.fspath(path_or_name)
    if name.startswith(mixes.PREFIX):
        mix = mixes.parse(name)
        found = [yaml_settings.from_mapping(keys, name) for keys in mixes.agents(mix)]
        return Workload(mix.name, tuple(load_agent(keys) for keys in found))
    from hmsim.fio import job  # not for mixes
    from hmsim.workloads import simpoints, trace_workload

    if trace := trace_workload.trace_of(name):
        if simpoints.is_list(trace):
            points, shared = simpoints.read_list(trace, name, _trace)
            agents = tuple(_copies(load_agent(shared)))
            name = trace.name.partition(".")[0]
            return Workload(name, agents, simpoints.notes(points), tuple(points))
        agent = load_agent(trace_workload.keys_of(trace, name))
        return Workload(trace.name.partition(".")[0], tuple(_copies(agent)))
    before, comma, _ = name.partition(",")
    if comma and not os.path.isfile(name):
        find_file(before, "workloads", "workload")
        raise InputError(f"{name}: keys after a comma are for traces, '{before}' is not one")
    path = find_file(path_or_name, "workloads", "workload")
    if job.is_job_file(path):
        jobs, notes = job.load(path)
        return Workload(path.stem, tuple(load_agent(keys) for keys in jobs), tuple(notes))
    return Workload(path.stem, _agents(path, yaml_settings.read_mapping(path)))


def load_inline(path: Path, node: yaml.MappingNode, name: str) -> Workload:
    """Return the workload in a part of another YAML file, ``{agents: [...]}``. Raises InputError.

    Paths of traces are relative to the file's folder.
    """
    return Workload(name, _agents(path, node))


def _agents(path: Path, root: yaml.MappingNode) -> tuple[Agent, ...]:
    """Return the agents in the root of a workload. Raises InputError."""
    reader = NodeReader(path)
    given = reader.keys(root, "", ("agents", "description"))
    if "description" in given:
        reader.value(given["description"], "description")
    if "agents" not in given:
        raise InputError(f"{path}: agents: is required: a list of agents")
    agents: list[Agent] = []
    for index, node in enumerate(reader.sequence(given["agents"], "agents")):
        if not isinstance(node, yaml.MappingNode):
            kind = yaml_settings.kind(node)
            what = f"entry {index}: expected 'key: value' pairs, found a {kind}"
            reader.refuse(node, "agents", what)
        agents += _copies(_agent(path, node))
        if len(agents) > MOST_AGENTS:
            reader.refuse(node, "agents", f"must be at most {MOST_AGENTS}, including copies")
    return tuple(agents)


def _agent(path: Path, node: yaml.MappingNode) -> Agent:
    listed = [pair for pair in node.value if _is_list(*pair)]
    windows = [_windows(path, *pair) for pair in listed if pair[0].value == "windows"]
    if len(windows) > 1:
        raise InputError(f"{at(windows[1].where, 'windows')}: already set")
    numbers = [_numbers(path, *pair) for pair in listed if pair[0].value in LISTS]
    others = [pair for pair in node.value if not _is_list(*pair)]
    mapping = yaml.MappingNode(node.tag, others, node.start_mark)
    settings = [*yaml_settings.flatten(path, mapping), *windows, *numbers]
    return load_agent(settings, path.parent, yaml_settings.place(path, node))


def load_agent(given: Sequence[Setting], folder: Path = Path(), where: str = "") -> Agent:
    """Return the agent that has these keys. Its path is relative to a folder, or shipped. Raises
    InputError.

    Cores and jobs over the twin of a shipped profile have its program's base CPI, unless their keys
    give another.
    """
    settings = []
    trace = None
    keys = dict(setting.pair for setting in given)
    for kind in (setting for setting in given if setting.name == "kind" and "path" in keys):
        for name, message in Simulation.check_agent((), [kind.pair]):
            if name == "kind":  # before the trace, which the kind says how to read
                raise InputError(f"{at(kind.where, name)}: {message}")
    for setting in given:
        if setting.name == "path":
            trace = _trace(folder, setting, keys)
            cpi = _base_cpi(setting.text)
            if cpi and keys.get("kind") in COMPUTES and "base_cpi" not in keys:
                settings.append(setting._replace(name="base_cpi", text=f"{cpi:g}"))
            setting = setting._replace(text=os.fspath(trace))
        settings.append(setting)
    return Agent(tuple(settings), where or given[0].where, trace)


def _trace(folder: Path, setting: Setting, keys: Mapping[str, str]) -> Path:
    """Return the trace file of an agent with these keys. Raises InputError."""
    text = setting.text
    if text.startswith(TWIN):
        with located(f"{at(setting.where, 'path')}: {text}: "):
            return twin_files.resolve(text[len(TWIN) :], folder, keys)
    if profile := PROFILE_PATH.fullmatch(text):
        of_shipped = (profile["folder"] or "").endswith("profiles/")
        known = of_shipped and profile["stem"] in shipped(PROFILES)
        name = f"{profile['stem']}{profile['rest']}" if known else text
        raise InputError(
            f"{at(setting.where, 'path')}: must be a trace, got the profile {text}; for its "
            f"twin use '{TWIN}{name}'"
        )
    with located(f"{at(setting.where, 'path')}: {text}: "):
        trace = _place(folder, text)
    _check_trace(trace, setting)
    return trace


def _place(folder: Path, text: str) -> Path:
    """Resolve a path relative to a folder, or, below ``workloads/``, to a shipped file.

    Raises InputError if the file is a shipped capture that this installation lacks.
    """
    own, packed = folder / text, data_directory() / text
    if not text.startswith("workloads/") or own.exists():
        return own
    if text.startswith(f"{CAPTURES}/"):
        return capture_file(text[len(f"{CAPTURES}/") :])
    return packed if packed.is_file() else own


def _base_cpi(path: str) -> float | None:
    """Return the base CPI of the shipped profile that a path asks for a twin of, or None."""
    if not path.startswith(TWIN):
        return None
    return mixes.BASE_CPI.get(re.split("[@:]", path[len(TWIN) :])[0])


def _is_list(key: yaml.Node, value: yaml.Node) -> bool:
    return key.value in (*LISTS, "windows") and isinstance(value, yaml.SequenceNode)


def _numbers(path: Path, key: yaml.Node, value: yaml.Node) -> Setting:
    """Return a list of cores, nodes, sizes or levels as the core takes it: ``1, 2, 3``."""
    texts = [yaml_settings.scalar(path, each, key.value) for each in value.value]
    return Setting(key.value, ", ".join(texts), yaml_settings.place(path, key))


def _windows(path: Path, key: yaml.Node, value: yaml.Node) -> Setting:
    """Return a list of windows as the core takes it: ``skip=N, instructions=N; skip=N, ...``."""
    windows = []
    for number, window in enumerate(value.value):
        if not isinstance(window, yaml.MappingNode):
            raise InputError(
                f"{at(yaml_settings.place(path, window), 'windows')}: window {number}: expected "
                f"'key: value' pairs, found a {yaml_settings.kind(window)}"
            )
        pairs = yaml_settings.flatten(path, window)
        for pair in pairs:
            if any(mark in "".join(pair.pair) for mark in ",;="):
                raise InputError(
                    f"{at(pair.where, 'windows')}: {pair.name}: must be a number, got '{pair.text}'"
                )
        windows.append(", ".join(f"{pair.name}={pair.text}" for pair in pairs))
    where = yaml_settings.place(path, key)
    if not windows or not all(windows):
        raise InputError(
            f"{at(where, 'windows')}: expected a list of windows, each with instructions or, "
            "for block traces, requests"
        )
    return Setting("windows", "; ".join(windows), where)


def _copies(agent: Agent) -> list[Agent]:
    """Expand an agent with ``copies: N`` into N agents; errors in it are reported later."""
    values = {setting.name: setting for setting in agent.settings}
    copies = values.get("copies")
    if copies is None or "copy_number" in values or not _has_key(agent.kind, "copies"):
        return [agent]
    try:
        count = parse_integer(copies.text)
        core = parse_integer(values["core"].text if "core" in values else "0")
    except InputError:
        return [agent]
    if not 1 <= count <= MOST_COPIES or not 0 <= core <= MOST_COPIES:
        return [agent]
    where = values.get("core", copies).where
    others = [setting for setting in agent.settings if setting.name != "core"]
    return [
        agent._replace(
            settings=(
                *others,
                Setting("core", str(core + number), where),
                Setting("copy_number", str(number), copies.where),
            )
        )
        for number in range(count)
    ]


def _has_key(kind: str, key: str) -> bool:
    return kind in Simulation.agent_kinds() and any(
        entry["name"] == key for entry in Simulation.agent_parameters(kind)
    )


def _check_trace(trace: Path, setting: Setting) -> None:
    try:
        mode = trace.stat().st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        near = neighbour(trace)
        guess = f"; did you mean '{near}'?" if near else ""
        raise InputError(f"{at(setting.where, 'path')}: {trace}: {reason}{guess}") from error
    if not stat.S_ISREG(mode):
        raise InputError(f"{at(setting.where, 'path')}: {trace}: must be a regular file")
    if not os.access(trace, os.R_OK):
        raise InputError(f"{at(setting.where, 'path')}: {trace}: is not readable")
