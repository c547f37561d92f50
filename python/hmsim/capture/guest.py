# SPDX-License-Identifier: BSD-3-Clause
"""Guests for full-system captures: a Linux kernel and an image of programs, from Debian packages.

Everything is built from the files in ``workloads/guest`` and pinned packages, and kept in the
user's cache under a hash of these inputs; ``manifest.json`` next to it lists versions and digests.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmsim.capture import guest_image
from hmsim.capture import guest_tools as tools
from hmsim.capture.guest_image import PROGRAMS, build_image, job_names
from hmsim.capture.guest_kernel import KERNEL_PACKAGE, build_kernel
from hmsim.capture.guest_tools import GuestError, Report, pinned, source
from hmsim.common.digests import file_digest
from hmsim.common.directories import new_directory, scratch_directory
from hmsim.common.hints import hint
from hmsim.common.paths import cache_directory

RECIPE = 1  # of kernels; a change of what guest_kernel.py makes of the same files needs a new one
MANIFEST = "manifest.json"
SMALL_INPUTS = ("init", "jobs", "programs", PROGRAMS, "driver", "packages.txt")
FULL_INPUTS = (*SMALL_INPUTS, "java", "jvm")


@dataclass(frozen=True)
class Guest:
    """A kernel and an image that can be started."""

    kernel: Path  # folder of bzImage and vmlinux (uncompressed ELF)
    image: Path  # folder of initramfs.cpio
    jobs: tuple[str, ...]  # names

    @property
    def bzimage(self) -> Path:
        return self.kernel / "bzImage"

    @property
    def vmlinux(self) -> Path:
        return self.kernel / "vmlinux"

    @property
    def initramfs(self) -> Path:
        return self.image / "initramfs.cpio"

    def manifest(self) -> dict[str, Any]:
        """Return versions, digests and sizes of both parts."""
        return {
            part: {"directory": str(folder), **json.loads((folder / MANIFEST).read_text())}
            for part, folder in (("kernel", self.kernel), ("image", self.image))
        }


def check_job(name: str) -> None:
    """Raise GuestError when there is no such job."""
    names = job_names(small=False)
    if name not in names:
        raise GuestError(f"unknown job '{name}'; {hint(name, names)}")


def guest_of(small: bool) -> Guest:
    """Return the small or the full guest of these sources, built or not."""
    folder = cache_directory() / "guest"
    kernel = f"kernel-{_key('kernel.config', f'{KERNEL_PACKAGE} {pinned()[KERNEL_PACKAGE]}')}"
    kind, inputs = ("small", SMALL_INPUTS) if small else ("full", FULL_INPUTS)
    builder = file_digest(Path(guest_image.__file__))
    image = f"{kind}-{_key(*inputs, kernel, builder)}"
    return Guest(folder / kernel, folder / image, job_names(small))


def find_guest(job: str) -> Guest:
    """Return the smallest guest that has a job. Raises GuestError when it is not built."""
    small = job in job_names(small=True)
    guest = guest_of(small)
    if not all((folder / MANIFEST).is_file() for folder in (guest.kernel, guest.image)):
        what, option = ("small", " --small") if small else ("full", "")
        raise GuestError(f"the {what} guest is not built: run 'hmsim guest build{option}'")
    return guest


def build(small: bool, report: Report = lambda name, fraction: None) -> Guest:
    """Build the parts of a guest that the cache lacks: minutes for the kernel, seconds for others.

    ``report`` receives the name of a step and the share that is done. Raises GuestError.
    """
    guest = guest_of(small)
    folder = guest.image.parent
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        if not (guest.kernel / MANIFEST).is_file():
            with new_directory(guest.kernel) as fresh, scratch_directory(folder) as scratch:
                _write_manifest(fresh, build_kernel(fresh, scratch, report))
        if not (guest.image / MANIFEST).is_file():
            with new_directory(guest.image) as fresh, scratch_directory(folder) as scratch:
                facts = build_image(guest.kernel, small, fresh, scratch, report)
                _write_manifest(fresh, facts)
    return guest


def _key(*inputs: str) -> str:
    """Return a hash of recipe, compiler and inputs: files and folders in the source, or words."""
    digest = hashlib.sha256(f"{RECIPE}\n{_compiler()}\n".encode())
    for name in inputs:
        path = source() / name
        if not path.exists():
            digest.update(f"{name}\n".encode())
            continue
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            digest.update(f"{os.path.relpath(file, source())} {file_digest(file)}\n".encode())
    return digest.hexdigest()[:16]


def _compiler() -> str:
    tools.need_tools(["gcc"])
    return tools.version_of(["gcc", "--version"])


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let only one build work in a folder; others wait, and then find its results."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": file_digest(path)}
        for path in sorted(folder.iterdir())
    }
    content = {"recipe": RECIPE, "compiler": _compiler(), **facts, "files": files}
    (folder / MANIFEST).write_text(json.dumps(content, indent=2) + "\n")
