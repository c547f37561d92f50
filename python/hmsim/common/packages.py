# SPDX-License-Identifier: BSD-3-Clause
"""Optional packages, and how to install them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from hmsim._core import InputError
from hmsim.common.paths import PACKED, data_directory


def command(extra: str) -> str:
    """Return the command that installs an extra: of the checkout that runs, or of the wheel."""
    root = data_directory()
    what = "hmsim" if root.name == PACKED else str(root)
    edited = "" if root.name == PACKED else "-e "
    return f"{Path(sys.executable).with_name('pip')} install {edited}'{what}[{extra}]'"


def need(what: str, extra: str, *modules: str) -> None:
    """Raise InputError unless these modules, of an extra of the package, are installed."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise InputError(f"{what} needs {module}: {command(extra)}")
