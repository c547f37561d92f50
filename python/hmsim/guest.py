# SPDX-License-Identifier: BSD-3-Clause
"""Guests for full-system captures: a Linux kernel and an image of programs, from Debian packages.

Everything is made from the files in ``workloads/guest`` and pinned packages, and kept in the user's
cache under a hash of what went in; ``manifest.json`` beside it tells versions and digests.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from hmsim import guest_tools as tools
from hmsim._core import nearest_name
from hmsim.directories import file_digest, new_directory
from hmsim.guest_tools import Entry, GuestError
from hmsim.paths import cache_directory, data_directory

RECIPE = 1  # of this module; a change of what it makes from the same files needs a new number
MANIFEST = "manifest.json"
KERNEL_PACKAGE = "linux-source-6.1"
KERNEL_LINES = 1700  # that its compilation prints, about
KERNEL_TOOLS = [
    "apt-get",
    "bc",
    "bison",
    "dpkg-deb",
    "flex",
    "gcc",
    "gzip",
    "ld",
    "make",
    "perl",
    "tar",
    "xz",
]
MODULE_TREE = "modules.tar.gz"  # what compiling a module needs
MODULE_TREE_FLAGS = (
    *("--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"),
    *("--exclude=*.[coa]", "--exclude=*.cmd", "--exclude=arch/x86/boot"),
)
MODULE_TREE_PARTS = (
    *(".config", "Kbuild", "Makefile", "Module.symvers", "arch/x86", "include", "scripts"),
    "tools/objtool/objtool",
)
IMAGE_TOOLS = ["apt-get", "dpkg-deb", "gcc", "gzip", "ld", "make", "tar"]
# A kernel's banner tells who built it, where and when.
KERNEL_ENVIRONMENT = {
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 1970",
    "KBUILD_BUILD_USER": "hmsim",
    "KBUILD_BUILD_HOST": "hmsim",
    "KBUILD_BUILD_VERSION": "1",
}
APPLETS = [
    "cat",
    "cp",
    "dd",
    "echo",
    "insmod",
    "ls",
    "mkdir",
    "mount",
    "poweroff",
    "printf",
    "rm",
    "sh",
    "sleep",
    "sync",
    "umount",
]
Report = Callable[[str, Optional[float]], None]


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


def source() -> Path:
    """Return the folder of the guest's sources."""
    return data_directory() / "workloads" / "guest"


def job_names() -> tuple[str, ...]:
    """Return the names of all jobs."""
    return tuple(sorted(path.name for path in (source() / "jobs").iterdir()))


def check_job(name: str) -> None:
    """Raise GuestError when there is no such job."""
    names = job_names()
    if name not in names:
        near = nearest_name(name, list(names))
        hint = f"; did you mean '{near}'?" if near else f"; there are: {', '.join(names)}"
        raise GuestError(f"job '{name}' is unknown{hint}")


def small_guest() -> Guest:
    """Return the small guest of these sources, built or not."""
    folder = cache_directory() / "guest"
    kernel = f"kernel-{_key('kernel.config', KERNEL_PACKAGE)}"
    image = f"small-{_key('init', 'jobs', 'programs', 'driver', 'busybox-static', kernel)}"
    return Guest(folder / kernel, folder / image, job_names())


def find_small() -> Guest:
    """Return the small guest. Raises GuestError when it is not built."""
    guest = small_guest()
    if not all((folder / MANIFEST).is_file() for folder in (guest.kernel, guest.image)):
        raise GuestError("the small guest is not built: run 'hmsim guest build --small'")
    return guest


def build_small(report: Report = lambda name, fraction: None) -> Guest:
    """Build what the cache lacks of the small guest: some minutes for the kernel, then seconds.

    ``report`` gets the name of a step and how much of it is done. Raises GuestError.
    """
    guest = small_guest()
    guest.image.parent.mkdir(parents=True, exist_ok=True)
    with _locked(guest.image.parent):
        for folder, make in ((guest.kernel, _build_kernel), (guest.image, _build_small_image)):
            if not (folder / MANIFEST).is_file():
                with new_directory(folder) as fresh, _scratch(folder) as scratch:
                    _write_manifest(fresh, make(guest, fresh, scratch, report))
    return guest


def _pinned() -> dict[str, str]:
    """Return the versions of Debian packages that ``packages.txt`` asks for."""
    lines = (source() / "packages.txt").read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def _key(*inputs: str) -> str:
    """Return a hash of recipe, compiler and inputs: files, folders, packages, or other results."""
    digest = hashlib.sha256(f"{RECIPE}\n{_compiler()}\n".encode())
    versions = _pinned()
    for name in inputs:
        path = source() / name
        if name in versions:
            digest.update(f"{name} {versions[name]}\n".encode())
            continue
        if not path.exists():
            digest.update(f"{name}\n".encode())
            continue
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            digest.update(f"{file.relative_to(source())} {file_digest(file)}\n".encode())
    return digest.hexdigest()[:16]


def _compiler() -> str:
    tools.need_tools(["gcc"])
    return tools.version_of(["gcc", "--version"])


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one build at a time work in a folder; others wait, and find what it made."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """Give a folder on the same disk that goes away: a kernel's source takes 2 GB."""
    with tempfile.TemporaryDirectory(prefix=".build.", dir=folder.parent) as name:
        yield Path(name)


def _write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": file_digest(path)}
        for path in sorted(folder.iterdir())
    }
    content = {"recipe": RECIPE, "compiler": _compiler(), **facts, "files": files}
    (folder / MANIFEST).write_text(json.dumps(content, indent=2) + "\n")


def _build_kernel(_guest: Guest, folder: Path, scratch: Path, report: Report) -> dict[str, Any]:
    tools.need_tools(KERNEL_TOOLS, ["gelf.h"])
    report("kernel: source", None)
    version = tools.unpack_package(KERNEL_PACKAGE, _pinned()[KERNEL_PACKAGE], scratch / "package")
    archive = scratch / "package" / "usr" / "src" / f"{KERNEL_PACKAGE}.tar.xz"
    tree = scratch / "tree"
    tree.mkdir()
    unpack = ["tar", "-xJf", str(archive), "--strip-components=1"]
    tools.run_tool("the kernel's source", unpack, tree)
    report("kernel: source", 1)

    def make(*targets: str, on_line: Callable[[int], None] = lambda lines: None) -> None:
        command = ["make", f"-j{os.cpu_count() or 1}", *targets]
        tools.run_tool("the kernel", command, tree, KERNEL_ENVIRONMENT, on_line)

    fragment = source() / "kernel.config"
    make("tinyconfig")
    merge = ["scripts/kconfig/merge_config.sh", "-m", ".config", str(fragment)]
    tools.run_tool("the kernel's configuration", merge, tree)
    make("olddefconfig")
    _check_configuration(fragment.read_text(), (tree / ".config").read_text())
    step = "kernel: compile"
    make("bzImage", "modules", on_line=lambda lines: report(step, min(lines / KERNEL_LINES, 0.99)))
    report(step, 1)
    shutil.copyfile(tree / "arch" / "x86" / "boot" / "bzImage", folder / "bzImage")
    shutil.copyfile(tree / "vmlinux", folder / "vmlinux")
    shutil.copyfile(tree / ".config", folder / "config")
    pack = ["tar", "-C", str(tree), "-I", "gzip -n", "-cf", str(folder / MODULE_TREE)]
    tools.run_tool("the kernel's headers", [*pack, *MODULE_TREE_FLAGS, *MODULE_TREE_PARTS], tree)
    return {"packages": {KERNEL_PACKAGE: version}}


def _check_configuration(fragment: str, result: str) -> None:
    """Refuse a kernel to which an option of the fragment was not given, say after a renaming."""
    given = set(result.splitlines())
    for line in fragment.splitlines():
        if line.startswith("CONFIG_") and line not in given:
            raise GuestError(f"the kernel's configuration: {line} was not accepted")


def _build_small_image(guest: Guest, folder: Path, scratch: Path, report: Report) -> dict[str, Any]:
    tools.need_tools(IMAGE_TOOLS, ["libc.a"])
    report("image", None)
    version = tools.unpack_package(
        "busybox-static", _pinned()["busybox-static"], scratch / "package"
    )
    busybox = scratch / "package" / "bin" / "busybox"
    entries: dict[str, Entry] = {
        name: tools.FOLDER for name in ("bin", "data", "dev", "jobs", "proc", "sys", "tmp")
    }
    entries["bin/busybox"] = tools.program(busybox.read_bytes())
    entries |= {f"bin/{name}": tools.link("busybox") for name in APPLETS}
    entries["init"] = tools.program((source() / "init").read_bytes())
    for name in job_names():
        entries[f"jobs/{name}"] = tools.data((source() / "jobs" / name).read_bytes())
    for path in sorted((source() / "programs").glob("*.c")):
        binary = scratch / path.stem
        flags = ["-O2", "-static", "-s", "-Wl,--build-id=none", "-o", str(binary)]
        tools.run_tool(path.name, ["gcc", *flags, path.name], path.parent)
        entries[f"bin/{path.stem}"] = tools.program(binary.read_bytes())
    entries["lib"] = tools.FOLDER
    entries["lib/hmsim_pmbd.ko"] = tools.data(_build_driver(guest.kernel, scratch))
    (folder / "initramfs.cpio").write_bytes(tools.cpio(entries))
    report("image", 1)
    return {"packages": {"busybox-static": version}, "jobs": list(job_names())}


def _build_driver(kernel: Path, scratch: Path) -> bytes:
    """Return our block driver as a module of the kernel."""
    tree, driver = scratch / "modules", scratch / "driver"
    tree.mkdir()
    unpack = ["tar", "-xzf", str(kernel / MODULE_TREE)]
    tools.run_tool("the kernel's headers", unpack, tree)
    shutil.copytree(source() / "driver", driver)
    make = ["make", "-C", str(tree), f"M={driver}", "modules"]
    tools.run_tool("the driver", make, driver, KERNEL_ENVIRONMENT)
    return (driver / "hmsim_pmbd.ko").read_bytes()
