# SPDX-License-Identifier: BSD-3-Clause
"""Runs of another simulator that hosts our controller, read from the record that it wrote.

gem5's interpreter cannot import our packages, so its scripts (``configs/gem5``) write a record, one
JSON file. This module converts it to a `Result`, whose directory is like that of any other run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from hmsim._core import InputError
from hmsim.common.json_schema import NUMBER, TEXT, WHOLE, ListOf, Maybe, Record, Schema, TableOf
from hmsim.common.statistic_names import renamed
from hmsim.config import settings as yaml_settings
from hmsim.config.configuration import Config
from hmsim.config.node_reader import located
from hmsim.config.settings import Setting
from hmsim.runs.directory import read_json
from hmsim.runs.options import options
from hmsim.runs.result import Result
from hmsim.workloads.workload import Agent, Workload

KEYS: dict[str, Schema] = {
    "simulator": TableOf(TEXT),
    "config": TEXT,
    "policy": Maybe(TEXT),
    "parameters": TableOf(TEXT),
    "workload": Record({"name": TEXT, "agents": ListOf(TableOf(TEXT))}, ("name", "agents")),
    "seed": WHOLE,
    "host": TableOf(NUMBER, ("seconds",)),
    "statistics": TableOf(NUMBER, ("sim.ticks",)),
}


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
    record = read_json(file)
    with located(f"{file}: "):
        if set(record) != set(KEYS):
            raise InputError(f"expected the keys {', '.join(KEYS)}")
        Record(KEYS).check(record, "")
    statistics = renamed(record["statistics"])
    try:
        yaml_settings.nested(statistics.items())
    except ValueError as error:
        raise InputError(f"{file}: statistics: {error}") from error
    parameters = _settings(record["parameters"], f"{file}: parameters")
    config = Config(record["config"], parameters, policy=record["policy"])
    config.check()
    agents = [
        Agent(_settings(keys, f"{file}: workload.agents[{number}]"), str(file), None)
        for number, keys in enumerate(record["workload"]["agents"])
    ]
    return Result(
        config,
        Workload(record["workload"]["name"], tuple(agents)),
        options(record["seed"]),
        tuple({"path": name, "unit": "", "value": value} for name, value in statistics.items()),
        record["host"],
        simulator=record["simulator"],
    )


def _settings(values: Mapping[str, str], where: str) -> tuple[Setting, ...]:
    return tuple(Setting(name, text, where) for name, text in values.items())
