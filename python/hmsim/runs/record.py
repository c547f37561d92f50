# SPDX-License-Identifier: BSD-3-Clause
"""Runs of another simulator that hosts our controller, read from the record that it wrote.

gem5's interpreter cannot import our packages, so its scripts (``configs/gem5``) write a record, one
JSON file. This module converts it to a `Result`, whose directory is like that of any other run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from hmsim._core import InputError
from hmsim.common.statistic_names import renamed
from hmsim.config import settings as yaml_settings
from hmsim.config.configuration import Config
from hmsim.config.settings import Setting
from hmsim.runs.options import options
from hmsim.runs.result import Result
from hmsim.workloads.workload import Agent, Workload

LARGEST = 1e300
KEYS = ("simulator", "config", "policy", "parameters", "workload", "seed", "host", "statistics")


def read_record(path: str | os.PathLike[str]) -> Result:
    """Return the run that a record describes.

    The record is a JSON object: ``simulator`` {name: version}; ``config``, a name; ``policy``, a
    name or null; ``parameters`` {dotted name: text}, those of the controller; ``workload``
    {"name": text, "agents": a list of {key: text}}; ``seed``; ``host`` {name: number}, the cost of
    the run; ``statistics`` {dotted path: number}.

    Raises:
        InputError: names the file and the key.
    """
    file = Path(path)
    record = _Reader(str(file), _parse(file))
    if set(record.content) != set(KEYS):
        record.refuse("", f"expected the keys {', '.join(KEYS)}")
    policy = record.content["policy"]
    if policy is not None:
        policy = record.text("policy", policy)
    config = Config(
        record.text("config", record.content["config"]),
        tuple(record.settings("parameters", record.content["parameters"])),
        policy=policy,
    )
    config.check()
    seed = record.content["seed"]
    if not isinstance(seed, int) or isinstance(seed, bool):
        record.refuse("seed", "expected a whole number")
    statistics = renamed(record.table("statistics", record.number, needed="sim.ticks"))
    try:
        yaml_settings.nested(statistics.items())
    except ValueError as error:
        record.refuse("statistics", str(error))
    return Result(
        config,
        record.workload(),
        options(seed),
        tuple({"path": name, "unit": "", "value": value} for name, value in statistics.items()),
        record.table("host", record.number, needed="seconds"),
        simulator=record.table("simulator", record.text),
    )


def _parse(path: Path) -> dict[str, Any]:
    def no_number(text: str) -> NoReturn:
        raise ValueError(f"must be a number, got {text}")

    try:
        content = json.loads(yaml_settings.read_text_file(path), parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not a record of a run: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: is not a record of a run: expected a JSON object")
    return content


class _Reader:
    """Reader of a record's values that checks the type of each."""

    def __init__(self, where: str, content: dict[str, Any]) -> None:
        self.where = where
        self.content = content

    def refuse(self, key: str, message: str) -> NoReturn:
        raise InputError(f"{self.where}: {key}: {message}" if key else f"{self.where}: {message}")

    def text(self, key: str, value: Any) -> str:
        if not isinstance(value, str):
            self.refuse(key, "expected a text")
        return value

    def number(self, key: str, value: Any) -> float:
        whole_or_not = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not whole_or_not or not -LARGEST <= value <= LARGEST:
            self.refuse(key, "expected a number")
        return value

    def table(self, key: str, check: Callable[[str, Any], Any], needed: str = "") -> dict[str, Any]:
        values = self.content[key]
        if not isinstance(values, dict) or (needed and needed not in values):
            self.refuse(key, f"expected an object{f' with {needed}' if needed else ''}")
        return {name: check(f"{key}: {name}", value) for name, value in values.items()}

    def settings(self, key: str, values: Any) -> list[Setting]:
        if not isinstance(values, dict):
            self.refuse(key, "expected an object")
        where = f"{self.where}: {key}"
        return [Setting(name, self.text(f"{key}: {name}", v), where) for name, v in values.items()]

    def workload(self) -> Workload:
        given = self.content["workload"]
        if not isinstance(given, dict) or set(given) != {"name", "agents"}:
            self.refuse("workload", "expected an object of name and agents")
        if not isinstance(given["agents"], list):
            self.refuse("workload: agents", "expected a list")
        agents = [
            Agent(tuple(self.settings(f"workload: agent {number}", keys)), self.where, None)
            for number, keys in enumerate(given["agents"])
        ]
        return Workload(self.text("workload: name", given["name"]), tuple(agents))
