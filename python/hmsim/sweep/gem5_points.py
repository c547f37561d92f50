# SPDX-License-Identifier: BSD-3-Clause
"""Points of a sweep that gem5 runs with a script of configs/gem5, or with a similar script.

The script must take the options ``--config FILE --seed N --out DIR`` and, if the point has them,
``--warmup TIME`` and ``--checkpoint DIR``. It writes a run directory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hmsim._core import InputError
from hmsim.common.digests import file_digest
from hmsim.common.directories import scratch_directory
from hmsim.config.node_reader import NodeReader, located
from hmsim.points.point import Measurement, Point, TransientError
from hmsim.sweep.results import read_runs

KEYS = ("executable", "script", "checkpoint", "arguments", "workloads")
USERS_FAULT = 2  # exit status of the scripts
SHOWN = 3  # last lines of what gem5 says, in errors
CONFIG, RUN = "config.yaml", "run"


@dataclass(frozen=True)
class Gem5:
    """Runner of a point as a command.

    Attributes:
        executable: gem5, a path.
        script: its configuration script.
        checkpoint: folder of the checkpoint to continue from, or ''.
        arguments: of the script; those that name files count by content.
    """

    executable: str
    script: str
    checkpoint: str = ""
    arguments: tuple[str, ...] = ()

    def identity(self) -> Any:
        script = Path(self.script)
        files = [Path(self.executable), *sorted(script.parent.glob("*.py")), script]
        return [
            "gem5",
            [_content(path) for path in files],
            [(str(path.relative_to(self.checkpoint)), _content(path)) for path in self._saved()],
            [_content(Path(text)) if _is_file(text) else text for text in self.arguments],
        ]

    def _saved(self) -> Iterator[Path]:
        folder = Path(self.checkpoint)
        if not self.checkpoint:
            return
        if not folder.is_dir():
            raise InputError(f"gem5: checkpoint: {folder}: no such directory")
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file())

    def command(self, point: Point, folder: Path) -> list[str]:
        """Return the command whose run directory is below a folder."""
        options = ["--config", str(folder / CONFIG), "--seed", str(point.options.seed)]
        if point.options.warmup_instructions:
            raise InputError(
                "gem5: warmup: must be a time, because the script counts no instructions"
            )
        if point.options.warmup_ps:
            options += ["--warmup", f"{point.options.warmup_ps}ps"]
        if self.checkpoint:
            options += ["--checkpoint", self.checkpoint]
        gem5 = [self.executable, f"--outdir={folder / 'm5out'}", self.script]
        # gem5 dies with the worker that waits for it.
        tied = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
        return [*tied, *gem5, *options, "--out", str(folder / RUN), *self.arguments]

    def measure(self, point: Point) -> Measurement:
        started = time.perf_counter()
        with scratch_directory(tempfile.gettempdir()) as folder:
            (folder / CONFIG).write_text(point.config.to_yaml(), encoding="utf-8")
            command = self.command(point, folder)
            environment = {"HMSIM": f"{sys.executable} -m hmsim", **os.environ}
            with (folder / "log").open("wb") as log:
                status = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,  # at a terminal gem5 would listen for debuggers
                    stdout=log,
                    stderr=log,
                    env=environment,
                    check=False,
                ).returncode
            if status:
                said = (folder / "log").read_text(errors="replace").strip().splitlines()
                message = f"gem5 ended with status {status}: " + " | ".join(said[-SHOWN:])
                raise InputError(message) if status == USERS_FAULT else TransientError(message)
            (found,) = read_runs([folder / RUN])
        host = {"seconds": round(time.perf_counter() - started, 3)}
        return Measurement(found[1].values, found[1].units, host)


def _is_file(text: str) -> bool:
    return len(text) < 4096 and "\0" not in text and Path(text).is_file()


def _content(path: Path) -> str:
    with located("gem5: "):
        return file_digest(path)


def read_gem5(reader: NodeReader, node: yaml.Node) -> dict[str, Gem5]:
    """Return the runner of each workload of a sweep file's section ``gem5``.

    Paths are relative to the file if they exist there. Raises InputError.
    """
    given = reader.keys(node, "gem5: ", KEYS)

    def found(name: str) -> str:
        return _beside(reader, reader.value(given[name], name).text)

    for name in ("executable", "script", "workloads"):
        if name not in given:
            reader.refuse(node, f"gem5: {name}", "missing")
    executable, script = shutil.which(found("executable")), found("script")
    if executable is None:
        reader.refuse(given["executable"], "gem5: executable", "no such program")
    if not Path(script).is_file():
        reader.refuse(given["script"], "gem5: script", f"{script}: no such file")
    checkpoint = found("checkpoint") if "checkpoint" in given else ""
    shared = _arguments(reader, given, "arguments")
    workloads = reader.mapping(given["workloads"], "workloads")
    return {
        name: Gem5(
            os.path.abspath(executable),
            os.path.abspath(script),
            os.path.abspath(checkpoint) if checkpoint else "",
            (*shared, *_arguments(reader, {name: child}, name)),
        )
        for name, (_, child) in workloads.items()
    }


def _arguments(reader: NodeReader, given: Mapping[str, yaml.Node], name: str) -> Sequence[str]:
    if name not in given:
        return ()
    texts = (value.text for value in reader.values(given[name], name, repeats=True))
    return [_beside(reader, text) for text in texts]


def _beside(reader: NodeReader, text: str) -> str:
    """Return the path of a file beside the reader's; if there is none, the text unchanged."""
    near = reader.path.parent / text
    return os.path.abspath(near) if _is_file(os.fspath(near)) or near.is_dir() else text
