# SPDX-License-Identifier: BSD-3-Clause
"""Sweep over machines that continue in gem5: one checkpoint of each, then every policy from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import yaml

from hmsim._core import InputError
from hmsim.common.directories import new_directory, read_regular
from hmsim.common.paths import data_directory

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

SCRIPT = Path("gem5", "fs_boot.py")  # below configs
DESCRIPTION = "machine.json"  # of a machine: what hmsim.capture.leaving tells of it
CHECKPOINTS, SWEEP = "checkpoints", "sweep.yaml"  # in a folder of results
MOST_DESCRIPTION = 1 << 20  # bytes
SAID = 3  # last lines of what gem5 says, in errors
SHOWN = (
    *("dram.read_latency_ns.mean", "nvdimm.reads", "nvdimm.writes"),
    *("nvdimm.line_latency_ns.mean", "nvdimm.queue.occupancy", "nvdimm.queue.greatest_occupancy"),
)

PATH = Union[str, "os.PathLike[str]"]
Report = Callable[[str, Optional[float]], None]


@dataclass(frozen=True)
class Jobs:
    """Runs of left machines in gem5 under policies.

    Attributes:
        machines: folders that `hmsim.capture.leaving.leave` made; their names name the workloads.
        gem5: gem5 with the extension, a path.
        config: a configuration of as much memory as the machines have.
        policies: policy bundles.
        seeds: runs of each machine and policy, which begin at different times.
        arguments: further arguments of ``configs/gem5/fs_boot.py``, such as ``--duration 20ms``.
    """

    machines: Sequence[Path]
    gem5: Path
    config: str
    policies: Sequence[str]
    seeds: int
    arguments: Sequence[str]

    def names(self) -> list[str]:
        """Return a name for each machine: its folder's; for a window ``PARENT_FOLDER``."""
        names = []
        for path in (machine.resolve() for machine in self.machines):
            window = _description(path).get("window")
            names.append(f"{path.parent.name}_{path.name}" if window else path.name)
        if len(set(names)) < len(names):
            raise InputError(f"machines: two have the same name: {', '.join(names)}")
        return names


def find_gem5(name: str) -> Path:
    """Return gem5's path. Raises InputError."""
    found = shutil.which(name)
    if found is None:
        raise InputError(f"{name}: no such program (docs/gem5-programs.md shows how to build gem5)")
    return Path(found).resolve()


def prepare(jobs: Jobs, folder: PATH, report: Report = lambda name, fraction: None) -> Path:
    """Make a result folder's missing checkpoints and its sweep file; return the file's path.

    ``report`` gets the name of a step and how much of it is done. Raises InputError.
    """
    place = Path(folder)
    workloads = {}
    cores = 0
    for name, machine in zip(jobs.names(), jobs.machines):
        described = _description(machine)
        options = ["--machine", os.path.abspath(machine), "--cores", str(described["cores"])]
        cores = max(cores, int(described["cores"]))
        checkpoint = place / CHECKPOINTS / name
        if not checkpoint.exists():
            step = f"checkpoint of {name}"
            report(step, None)
            _make_checkpoint(jobs, checkpoint, options)
            report(step, 1)
        workloads[name] = [*options, "--checkpoint", os.path.abspath(checkpoint)]
    text = yaml.safe_dump(_sweep(jobs, workloads, cores), sort_keys=False)
    file = place / SWEEP
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise InputError(f"{folder}: contains results of another comparison; choose another folder")
    file.write_text(text, encoding="utf-8")
    return file


def quiet_windows(table: pd.DataFrame) -> list[str]:
    """Return a warning for each workload that has runs without a request to the NVDIMM.

    In such runs, no policy chooses between DRAM and NVDIMM requests. Failed runs do not count.
    """
    requests = table.reindex(columns=["nvdimm.reads", "nvdimm.writes"]).sum(axis=1, min_count=1)
    lines = []
    for name, own in requests[table["error"] == ""].groupby(table["workload"]):
        if quiet := int((own == 0).sum()):
            lines.append(
                f"{name}: {quiet} of {len(own)} runs had no NVDIMM request: the job did "
                "not use the NVDIMM in that time; start where it does with --io 64KiB (in "
                "a new folder), or elsewhere with another --window of 'hmsim guest "
                "prepare'"
            )
    return lines


def _description(machine: Path) -> Mapping[str, Any]:
    """Return the description in a machine's folder. Raises InputError."""
    try:
        described = json.loads(read_regular(machine / DESCRIPTION, MOST_DESCRIPTION))
        if isinstance(described, dict) and int(described["cores"]) > 0:
            return described
    except (InputError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise InputError(f"{machine}: is not a machine of 'hmsim guest prepare'")


def _make_checkpoint(jobs: Jobs, checkpoint: Path, options: Sequence[str]) -> None:
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    with new_directory(checkpoint) as fresh:
        command = [str(jobs.gem5), f"--outdir={fresh / 'm5out'}"]
        command += [str(data_directory() / "configs" / SCRIPT), *options]
        command += ["--config", jobs.config, "--checkpoint", str(fresh), *jobs.arguments]
        environment = {"HMSIM": f"{sys.executable} -m hmsim", **os.environ}
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            check=False,
        )
        if done.returncode:
            said = done.stdout.decode(errors="replace").strip().splitlines()
            last = " | ".join(said[-SAID:])
            raise InputError(f"gem5 ended with status {done.returncode}: {last}")


def _sweep(jobs: Jobs, workloads: Mapping[str, Sequence[str]], cores: int) -> dict[str, Any]:
    """Return the content of a sweep file."""
    return {
        "description": "Machines that continue in gem5, under policies",
        "runner": "gem5",
        "config": jobs.config,
        "gem5": {
            "executable": str(jobs.gem5),
            "script": str(data_directory() / "configs" / SCRIPT),
            "arguments": list(jobs.arguments),
            "workloads": {name: list(arguments) for name, arguments in workloads.items()},
        },
        "grid": {"workload": list(workloads), "policy": list(jobs.policies)},
        "seeds": jobs.seeds,
        "show": [*(f"core.{number}.ipc" for number in range(cores)), *SHOWN],
    }
