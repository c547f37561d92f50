# SPDX-License-Identifier: BSD-3-Clause
"""Hash of the headers of policies. A library compiled with other headers must not be loaded."""

from __future__ import annotations

import hashlib
from pathlib import Path

FOLDERS = ("core", "policies")


def headers(root: str | Path) -> list[Path]:
    """Return the headers that a policy may include, relative to ``root``, in a fixed order."""
    found = (path for folder in FOLDERS for path in Path(root, folder).rglob("*.h"))
    return sorted(path.relative_to(root) for path in found)


def digest(root: str | Path) -> str:
    """Return the hash of their names and contents, in hexadecimal."""
    sum_ = hashlib.sha256()
    for path in headers(root):
        content = Path(root, path).read_bytes()
        sum_.update(f"{path.as_posix()} {len(content)}\n".encode() + content)
    return sum_.hexdigest()[:32]
