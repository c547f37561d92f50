# SPDX-License-Identifier: BSD-3-Clause
"""Hashes of all that a simulation's result depends on: settings, traces and the simulator's code.

Files are hashed by content; their names and paths do not matter.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hmsim import _core
from hmsim._core import InputError
from hmsim.common.digests import file_digest
from hmsim.config.configuration import Config
from hmsim.config.node_reader import located
from hmsim.config.policies import PolicyMaker
from hmsim.workloads.workload import Agent, Workload

PACKAGE = Path(__file__).resolve().parents[1]
ENTRY = "runs.runner"  # the module that simulates; what it imports takes part
FILES = ("dram.dramsim3_ini", "nvdimm.precondition.load")  # parameters that name one
IMPORT = re.compile(
    r"^[ \t]*(?:from|import) (?P<module>hmsim[\w.]*)(?: import (?P<names>\([^)]*\)|[^\n]*))?",
    re.MULTILINE,
)
PLAIN = (str, int, float, bool, type(None))


def digest(content: Any) -> str:
    """Return the SHA-256 of anything that JSON can hold."""
    return hashlib.sha256(_text(content).encode()).hexdigest()


def digest_with(config: Config, content: Sequence[Any]) -> str:
    """Return the `digest` of a list with `of_config` as second item. Raises InputError as it."""
    plain = not config.objects and all(name not in FILES for name, _ in config.flat())
    own = _text_of_plain(config) if plain else _text(of_config(config))
    first, *rest = map(_text, content)
    return hashlib.sha256(f"[{', '.join([first, own, *rest])}]".encode()).hexdigest()


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=True)


@lru_cache(maxsize=256)  # the seeds of a sweep share a configuration
def _text_of_plain(config: Config) -> str:
    return _text(of_config(config))


def of_config(config: Config) -> dict[str, Any]:
    """Return every parameter and the identity of every policy in Python; files by their digests.

    Raises InputError if a file is unreadable, or the source of a policy in Python is unknown.
    """
    values: dict[str, Any] = config.resolved()
    for name in FILES:
        if values.get(name):
            values[name] = _file(Path(values[name]), name)
    return {"values": values, "objects": {name: of_policy(maker) for name, maker in config.objects}}


def of_workload(workload: Workload) -> list[Any]:
    """Return the keys of every agent, of each SimPoint if it has some; traces by their digests.

    Raises InputError if a trace is unreadable.
    """
    runs = [[_of_agent(agent) for agent in run.agents] for run in workload.runs()]
    points = [[each.weight, each.warmup, keys] for each, keys in zip(workload.simpoints, runs)]
    return points or runs[0]


def _of_agent(agent: Agent) -> dict[str, str]:
    keys = dict(agent.flat())
    if agent.trace is not None:
        keys["path"] = _file(agent.trace, agent.where)
    return keys


def _file(path: Path, where: str) -> str:
    with located(f"{where}: "):
        return file_digest(path)


def of_policy(maker: PolicyMaker) -> list[Any]:
    """Return the identity of a policy in Python: its name, and the digest of its file.

    Raises InputError for a policy that may depend on anything outside its file: a lambda, a nested
    function, a function typed into an interpreter, or a partial with arguments other than texts and
    numbers.
    """
    if isinstance(maker, functools.partial):
        arguments = [list(maker.args), dict(maker.keywords)]
        if all(isinstance(v, PLAIN) for v in (*maker.args, *maker.keywords.values())):
            return [of_policy(maker.func), arguments]
    name = getattr(maker, "__qualname__", repr(maker))
    try:
        file = inspect.getsourcefile(maker)
    except TypeError:
        file = None
    if file is None or "<" in name or not Path(file).is_file():
        raise InputError(
            f"{name}: must be a class or function at the top level of a file, so that "
            "its source identifies the policy"
        )
    return [name, file_digest(Path(file))]


@lru_cache(maxsize=1)
def of_code() -> str:
    """Return one hash of the code that simulates.

    It covers the extension, the package's modules that a simulation imports, and the libraries of
    policies in C++.
    """
    files = {name: file_digest(file) for name, file in modules(PACKAGE).items()}
    libraries = [file_digest(Path(library)) for library in _core.policy_libraries()]
    return digest([file_digest(Path(str(_core.__file__))), files, *libraries])


def modules(package: Path) -> dict[str, Path]:
    """Return the files of the module that simulates and of all modules it imports, transitively.

    The packages of these modules are included, because importing a module runs its packages.
    """
    found: dict[str, Path] = {}
    waiting = [ENTRY]
    while waiting:
        name = waiting.pop()
        file = package.joinpath(*name.split("."))
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        if name and name not in found and file.is_file():
            found[name] = file
            waiting += [name.rpartition(".")[0], *_imports(file.read_text(encoding="utf-8"))]
    return dict(sorted(found.items()))


def _imports(source: str) -> Iterator[str]:
    """Yield the names below ``hmsim`` that a module imports; not all of them are modules.

    Examines only lines that look like imports, which is ten times as fast as parsing the file.
    """
    for match in IMPORT.finditer(source):
        module = match["module"].partition(".")[2]
        if module:
            yield module
        for name in re.findall(r"\w+", match["names"] or ""):
            yield f"{module}.{name}" if module else name
