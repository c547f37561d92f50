# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of the guest that continue in gem5: YAML files that define the machines to prepare.

job: sort
scale: 8
partners: [network_simplex 200000 1200000 1]
windows: [2MiB, 36MiB]
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Union

from hmsim._core import InputError
from hmsim.capture import leaving
from hmsim.capture.machine import DRIVERS, MOST_SCALE, VCPUS
from hmsim.common.directories import read_regular
from hmsim.common.paths import find_file
from hmsim.config import settings as yaml_settings
from hmsim.config.node_reader import NodeReader

SHIPPED = "configs/gem5/jobs"
KEYS = ("description", "job", "scale", "driver", "partners", "windows", "vcpus")
MOST_DESCRIPTION = 1 << 20  # bytes of machine.json

PATH = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class GuestJob:
    """Work of a machine that will continue in gem5, as for `hmsim.capture.leaving.leave`.

    Attributes:
        job: of the guest.
        scale: size of its input as a multiple of the usual size.
        driver: of the NVDIMM.
        partners: programs with their arguments, on the last cores.
        windows: bytes that the job has moved in its region when the machine leaves, one value for
            each departure. Empty: the machine leaves when the region begins.
        vcpus: cores.
    """

    job: str
    scale: int = 1
    driver: str = DRIVERS[0]
    partners: tuple[str, ...] = ()
    windows: tuple[str, ...] = ()
    vcpus: int = 4


def load_guest_job(path_or_name: PATH) -> GuestJob:
    """Return the job in a YAML file: a path, or the name of a shipped one.

    Raises InputError: names file, line, key and the nearest valid choice.
    """
    path = find_file(path_or_name, SHIPPED, "job")
    reader = NodeReader(path)
    root = yaml_settings.read_mapping(path)
    given = reader.keys(root, "", KEYS)
    if "job" not in given:
        reader.refuse(root, "job", "missing")

    def texts(name: str) -> tuple[str, ...]:
        if name not in given:
            return ()
        return tuple(each.text for each in reader.values(given[name], name, repeats=True))

    def number(name: str, most: int, default: int) -> int:
        return reader.number(given[name], root, name, most) if name in given else default

    return GuestJob(
        job=reader.value(given["job"], "job").text,
        scale=number("scale", MOST_SCALE, GuestJob.scale),
        driver=reader.choice(given["driver"], root, "driver", (*DRIVERS, leaving.DAX))
        if "driver" in given
        else GuestJob.driver,
        partners=texts("partners"),
        windows=texts("windows"),
        vcpus=number("vcpus", VCPUS, GuestJob.vcpus),
    )


def prepared(
    named: Sequence[str], folder: PATH, report: leaving.Report = lambda name, fraction: None
) -> list[Path]:
    """Return the folders of the named machines and of the named jobs' machines.

    A job's machines are prepared in the subfolder of ``folder`` with the job's name, unless they
    are there already.

    ``named``: folders of machines, job files, or names of shipped ones. Raises InputError.
    """
    found: list[Path] = []
    for name in named:
        if Path(name).is_dir():
            found.append(Path(name))
            continue
        found += _machines(load_guest_job(name), Path(folder, Path(name).stem), report)
    return found


def _machines(job: GuestJob, place: Path, report: leaving.Report) -> list[Path]:
    wanted = [place / window for window in job.windows] or [place]
    if place.is_dir():  # it was made as a whole
        for machine, window in zip(wanted, job.windows or (None,)):
            _check(job, machine, window)
        return wanted
    place.parent.mkdir(parents=True, exist_ok=True)
    return leaving.leave(
        **asdict(job), out=place, report=lambda step, done: report(f"{job.job}: {step}", done)
    )


def _check(job: GuestJob, machine: Path, window: str | None) -> None:
    """Raise InputError when a folder holds no machine of this job."""
    expected = {
        "job": job.job,
        "scale": job.scale,
        "driver": job.driver,
        "partners": [" ".join(each.split()) for each in job.partners],
        "window": window,
        "cores": job.vcpus,
    }
    try:
        found = json.loads(read_regular(machine / leaving.DESCRIPTION, MOST_DESCRIPTION))
        if {name: found[name] for name in expected} == expected:
            return
    except (InputError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise InputError(
        f"{machine}: not a machine of this job in its present version; choose another folder"
    )
