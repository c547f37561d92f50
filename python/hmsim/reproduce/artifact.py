# SPDX-License-Identifier: BSD-3-Clause
"""Experiments for artifact evaluation, and the comparison of their output with expected values.

``analysis/artifact/artifact.yaml`` lists experiments: commands of ``hmsim`` that print JSON.
``analysis/artifact/expected`` holds their output from when the results were last generated, one
file each. A command whose exit status judges its own output has no such file.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from hmsim._core import InputError
from hmsim.common.directories import new_file, read_regular
from hmsim.common.paths import data_directory
from hmsim.config import settings as yaml_settings
from hmsim.config.node_reader import NodeReader
from hmsim.runs.identity import of_code

KEYS = ("what", "command", "minutes", "tolerance", "first")
LARGEST_FILE = 64 << 20  # bytes of what an experiment prints
Leaf = Union[str, float, bool, None]


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes:
        name: name of its file, without suffix.
        what: one line on what it shows.
        command: arguments of hmsim; ``{out}`` stands for the folder of results.
        minutes: approximate duration on two processors.
        tolerance: largest accepted difference of a number, relative to the larger of both; None:
            the exit status of the command judges.
        first: whether it runs by default, without names and without --all.
    """

    name: str
    what: str
    command: str
    minutes: float
    tolerance: float | None
    first: bool


@dataclass(frozen=True)
class Verdict:
    """Comparison of an experiment's output with the expected output.

    Attributes:
        name: name of the experiment.
        values: number of compared values, or of printed ones that the exit status judges.
        differing: number of values that differ by more than the tolerance, or that only one side
            has.
        worst: the largest relative difference of two numbers.
        example: path and both values of the first difference, '' without one.
        seconds: duration.
    """

    name: str
    values: int
    differing: int
    worst: float
    example: str
    seconds: float


def folder() -> Path:
    """Return the folder of the list and the expected values. Raises InputError if not found."""
    found = data_directory() / "analysis" / "artifact"
    if not found.is_dir():
        raise InputError(f"{found}: is missing; experiments are part of the source tree")
    return found


def experiments() -> dict[str, Experiment]:
    """Return the experiments by name, in their order. Raises InputError."""
    path = folder() / "artifact.yaml"
    reader = NodeReader(path)
    found = {}
    for name, (_, node) in reader.mapping(yaml_settings.read_mapping(path), "file").items():
        own = reader.keys(node, f"{name}.", KEYS)
        text = {key: reader.value(child, f"{name}.{key}").text for key, child in own.items()}
        try:
            found[name] = Experiment(
                name,
                text["what"],
                text["command"],
                float(text["minutes"]),
                float(text["tolerance"]) if "tolerance" in text else None,
                text.get("first", "false") == "true",
            )
        except (KeyError, ValueError) as error:
            raise InputError(f"{reader.place(node)}: {name}: {error}") from error
    return found


def run(experiment: Experiment, out: Path) -> bool:
    """Run an experiment unless it has results of this code; return whether it ran.

    Its file holds the command, the code's hash, the duration in seconds and the output; it is
    written atomically. Raises InputError, also if the command ends with another status than 0.
    """
    target = out / f"{experiment.name}.json"
    if target.is_file() and _read(target).get("code") == of_code():
        return False
    out.mkdir(parents=True, exist_ok=True)
    arguments = [each.replace("{out}", str(out)) for each in shlex.split(experiment.command)]
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "hmsim", *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )
    if done.returncode:
        raise InputError(f"{experiment.name}: its command ended with status {done.returncode}")
    content = {
        "command": experiment.command,
        "code": of_code(),
        "seconds": round(time.perf_counter() - started, 1),
        "output": json.loads(done.stdout),
    }
    with new_file(target, force=True) as scratch:
        scratch.write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")
    return True


def compare(experiment: Experiment, out: Path) -> Verdict:
    """Compare an experiment's output with the expected one. Raises InputError if one is missing.

    Without a tolerance nothing is compared: results exist only if the command ended with status 0.
    """
    result = out / f"{experiment.name}.json"
    if not result.exists():
        raise InputError(f"{result}: is missing; 'hmsim artifact run --out {out}' makes it")
    got_file = _read(result)
    seconds = float(got_file.get("seconds", 0))
    if experiment.tolerance is None:
        count = sum(1 for _ in leaves(got_file.get("output")))
        return Verdict(experiment.name, count, 0, 0.0, "", seconds)
    wanted_file = _read(folder() / "expected" / f"{experiment.name}.json")
    got, wanted = (dict(leaves(each.get("output"))) for each in (got_file, wanted_file))
    worst, differing, example = 0.0, 0, ""
    names = list(dict.fromkeys([*wanted, *got]))
    for name in names:
        difference = _difference(got, wanted, name)
        if math.isfinite(difference):
            worst = max(worst, difference)
        if difference > experiment.tolerance:
            differing += 1
            values = (_written(each, name) for each in (wanted, got))
            example = example or "{}: expected {}, got {}".format(name, *values)
    return Verdict(experiment.name, len(names), differing, worst, example, seconds)


def pack(out: Path, force: bool = False) -> None:
    """Write an archive of the committed files of the source tree.

    Raises InputError if there is no git checkout, git is not installed, or the file cannot be
    written.
    """
    root = data_directory()
    command = ["git", "-C", str(root), "archive", "--format=tar.gz", "--prefix=hmsim/", "HEAD"]
    if not (root / ".git").exists() or shutil.which("git") is None:
        raise InputError(f"{root}: is not a git checkout, from which the archive is made")
    with new_file(out, force) as scratch, scratch.open("wb") as file:
        subprocess.run(command, stdout=file, check=True)


def leaves(content: Any, path: str = "") -> Iterator[tuple[str, Leaf]]:
    """Yield each value of JSON content with its path: names and list positions between slashes."""
    if isinstance(content, dict):
        for name, child in content.items():
            yield from leaves(child, f"{path}/{name}")
    elif isinstance(content, list):
        for index, child in enumerate(content):
            yield from leaves(child, f"{path}/{index}")
    else:
        yield path, content


def _difference(got: Mapping[str, Leaf], wanted: Mapping[str, Leaf], name: str) -> float:
    """Return the difference of two values relative to the larger; infinity if not comparable."""
    if name not in got or name not in wanted:
        return math.inf
    one, two = got[name], wanted[name]
    if one == two:
        return 0.0
    if isinstance(one, (int, float)) and isinstance(two, (int, float)):
        return abs(one - two) / max(abs(one), abs(two))
    return math.inf


def _written(values: Mapping[str, Leaf], name: str) -> str:
    return str(values[name])[:40] if name in values else "none"


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_regular(path, LARGEST_FILE))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: damaged: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: damaged: it contains no experiment")
    return content
