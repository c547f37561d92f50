# SPDX-License-Identifier: BSD-3-Clause
"""The memory system as a C library: where its header and its shared object are."""

from __future__ import annotations

from pathlib import Path

from hmsim._core import InputError

FOLDER = Path(__file__).resolve().parents[1] / "_library"


def get_include() -> str:
    """Return the folder of ``hmsim.h``, for a compiler's ``-I``.

    Raises InputError if the library was not built.
    """
    return str(_built("hmsim.h").parent)


def get_library() -> str:
    """Return the path of the shared library, to link with or to load.

    Raises InputError if the library was not built.
    """
    return str(_built("libhmsim.so.*"))


def _built(pattern: str) -> Path:
    found = sorted(FOLDER.glob(pattern))
    if not found:
        raise InputError(f"{FOLDER}: no C library: build it with 'scons library'")
    return found[-1]
