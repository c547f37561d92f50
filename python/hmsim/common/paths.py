# SPDX-License-Identifier: BSD-3-Clause
"""Locations of shipped files and caches, and the lookup of shipped files by name or path."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from hmsim._core import InputError, nearest_name, version

# Folders of shipped files, and what a file in each is.
KINDS = {
    "configs": "configuration",
    "configs/policies": "policy bundle",
    "workloads": "workload",
    "configs/sweeps": "sweep",
    "configs/fits": "fit",
    "configs/clusters": "cluster",
}
# Folders within one, whose files have names GROUP/STEM.
GROUPS = {"configs": ("storage",), "workloads": ("llm", "xdd")}
CAPTURES = Path("workloads", "captures")
PACKED = "data"  # folder of an installed package


def data_directory() -> Path:
    """Return the folder that holds ``configs`` and ``workloads``: package data, or the source."""
    package = Path(__file__).resolve().parents[1]
    packed = package / PACKED
    return packed if packed.is_dir() else package.parents[1]


def shipped(folder: str) -> dict[str, Path]:
    """Return the shipped YAML files of a folder such as ``configs/policies`` by name.

    A name is the file's stem, or ``GROUP/STEM`` for a file in one of the folder's groups.
    """
    root = data_directory() / folder
    own = {path.stem: path for path in sorted(root.glob("*.yaml"))}
    for group in GROUPS.get(folder, ()):
        own |= {f"{group}/{path.stem}": path for path in sorted((root / group).glob("*.yaml"))}
    return own


def shipped_file(name: str | os.PathLike[str], folder: str) -> Path | None:
    """Return the shipped file of a name in `shipped`, without reading the folder."""
    stem = os.fspath(name).removesuffix(".yaml").removeprefix(f"{folder}/")
    group, _, _ = stem.rpartition("/")
    path = data_directory() / folder / f"{stem}.yaml"
    return path if group in ("", *GROUPS.get(folder, ())) and path.is_file() else None


def capture_file(name: str) -> Path:
    """Return the capture that a file name such as ``sort.hmsim.zst`` means.

    A wheel holds only the captures that shipped workloads name. Others are searched for in the
    folder that the environment variable HMSIM_WORKLOADS names, which is like ``workloads``.

    Raises InputError that says where to get the capture, or names the nearest one.
    """
    root = data_directory()
    given = os.environ.get("HMSIM_WORKLOADS")
    folders = [root / CAPTURES]
    if given:
        folders.append(Path(given, CAPTURES.name))
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    if root.name == PACKED and not given:
        raise InputError(
            f"captures/{name}: not in the wheel; unpack hmsim-workloads-{version}.tar and set "
            "HMSIM_WORKLOADS to the new folder, or to 'workloads' of a checkout"
        )
    known = {path.name: path for path in sorted(folders[-1].glob("*.zst"))}
    places = " or ".join(map(str, folders))
    raise InputError(f"captures/{name}: no such file in {places}{_suggestion(name, known)}")


def cache_directory() -> Path:
    """Return the folder of files that can be regenerated. The folder may not exist yet.

    Raises InputError if neither HOME nor XDG_CACHE_HOME gives its place.
    """
    root = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if root.is_absolute():  # others are to be ignored: XDG Base Directory Specification, 0.8
        return root / "hmsim"
    try:
        return Path.home() / ".cache" / "hmsim"
    except RuntimeError as error:
        raise InputError("no folder for caches: set HOME or XDG_CACHE_HOME") from error


def neighbour(path: Path) -> str:
    """Return the file in a missing file's folder with the nearest name, or ''."""
    try:
        names = [name for name in os.listdir(path.parent) if nearest_name(path.name, [name])]
    except (OSError, ValueError):
        return ""
    # A shared suffix alone makes no two names near.
    alike = [name for name in sorted(names) if nearest_name(path.stem, [Path(name).stem])]
    return nearest_name(path.name, alike)


def require_folder(path: Path) -> None:
    """Raise InputError if a path is not a folder; a misspelt one gets the nearest name."""
    if not path.is_dir():
        near = neighbour(path)
        guess = f"; did you mean '{path.parent / near}'?" if near else ""
        reason = "is not a directory" if path.exists() else f"no such directory{guess}"
        raise InputError(f"{path}: {reason}")


def find_file(
    name: str | os.PathLike[str], folder: str, what: str, others: Sequence[str] = ()
) -> Path:
    """Return the file that a user means: a path, or the name of a shipped file.

    Raises InputError that names the nearest shipped file, or one of ``others``.
    """
    path = Path(name)
    if path.is_file():
        return path
    if own := shipped_file(name, folder):
        return own
    stem = os.fspath(name).removesuffix(".yaml").removeprefix(f"{folder}/")
    known = shipped(folder)
    if path.exists():
        raise InputError(f"{name}: is not a file: a {what} must be one")
    if path.stem in known:
        raise InputError(f"{name}: no such {what}; did you mean the shipped '{path.stem}'?")
    for other, kind in KINDS.items():
        if stem in shipped(other):
            raise InputError(f"{name}: no such {what}; it is the name of a {kind}")
    if path.suffix and not nearest_name(stem, [*known, *others]):
        near = neighbour(path)
        guess = f"; did you mean '{path.parent / near}'?" if near else ""
        raise InputError(f"{name}: no such file, nor a shipped {what}{guess}")
    raise InputError(f"{name}: no such {what}{_suggestion(stem, known, others)}")


def _suggestion(stem: str, known: Mapping[str, Path], others: Sequence[str] = ()) -> str:
    nearest = nearest_name(stem, [*known, *others])
    if nearest:
        return f"; did you mean '{nearest}'?"
    return f"; shipped: {', '.join(known)}" if known else ""
