# SPDX-License-Identifier: BSD-3-Clause
"""The user's folder of compiled policies, and the digests of what 'hmsim policy build' put there.

A damaged library can end a process as it is loaded, so the core must not see it. `leave_out` runs
when hmsim is imported, before the core searches the folder.
"""

from __future__ import annotations

import os
import sys

VARIABLE = "HMSIM_POLICIES"  # files and folders that the core searches instead


def own_folder() -> str | None:
    """Return the folder that is searched if `VARIABLE` is not set; None: the user has no home."""
    root = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(root):  # is to be ignored: XDG Base Directory Specification, 0.8
        home = os.path.expanduser("~")
        root = os.path.join(home, ".local", "share")
    return os.path.join(root, "hmsim", "policies") if os.path.isabs(root) else None


def remember(library: str | os.PathLike[str]) -> None:
    """Keep the digest of a library of `own_folder`, in a file beside the folder."""
    with open(f"{own_folder()}.sha256", "a", encoding="utf-8") as record:
        record.write(f"{_digest(library)}  {os.path.basename(library)}\n")


def leave_out() -> None:
    """Hide libraries of `own_folder` whose digest is not known from the core, and name them."""
    folder = own_folder()
    if folder is None or VARIABLE in os.environ or not os.path.isdir(folder):
        return
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    libraries = [path for path in paths if path.endswith(".so") and os.path.isfile(path)]
    try:
        with open(f"{folder}.sha256", encoding="utf-8", errors="replace") as record:
            known = {line.partition(" ")[0] for line in record}
    except OSError:
        known = set()
    damaged = [path for path in libraries if _digest(path) not in known]
    for path in damaged:
        text = "skipped: damaged, or not made by 'hmsim policy build' here; build it again"
        print(f"hmsim: {path}: {text}", file=sys.stderr)
    if damaged:  # processes that this one starts inherit the list
        sound = [] if ":" in folder else [path for path in libraries if path not in damaged]
        os.environ[VARIABLE] = ":".join(sound)


def _digest(path: str | os.PathLike[str]) -> str:
    import hashlib  # only for users with libraries

    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""
