# SPDX-License-Identifier: BSD-3-Clause
"""The Python extension hmsim._core, for the interpreter that runs SCons."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pybind11
from SCons.Script import Action, Alias

from tools.rooms import units
from tools.scons import dramsim3
from tools.scons.generated import STANDARD, precompile, unit


def load_extension(target: Any, source: Any, env: Any) -> int:
    """Import the linked module, to find undefined symbols; the linker allows them for Python's."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import _core"
    module = Path(target[0].abspath)
    status = subprocess.run([sys.executable, "-c", code, str(module.parent)]).returncode
    if status:
        module.unlink()
    return status


def add(
    env: Any, plain: str, build: str, library: Any, bindings: Iterable[str], load: bool
) -> None:
    """Add the target ``extension``, the Python module.

    Args:
        plain: variant directory of the bindings' objects.
        build: variant directory of the module.
        load: whether to import the module after linking, as a test.
    """
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    includes = [pybind11.get_include(), sysconfig.get_path("include")]
    flags = [f"-isystem{path}" for path in includes]
    flags += [f"-ffile-prefix-map={path}=include" for path in includes]
    extension_env = env.Clone(LDMODULEPREFIX="", LDMODULESUFFIX=suffix)
    # Bindings convert and call, and take twice the time to compile when they are optimised fully.
    extension_env.Append(CCFLAGS=["-O1", "$(", *flags, "$)"])
    if env["mode"] == "release":  # the objects keep their line numbers, for profiles
        extension_env.Append(LINKFLAGS=["-Wl,--strip-debug"])
    # A precompiled header serves only the Python whose headers it includes.
    folder = f"{plain}/bindings/precompiled{suffix.replace('.so', '')}"
    precompile(extension_env, folder, f"{STANDARD} pybind11/pybind11.h pybind11/stl.h")
    objects = [
        unit(extension_env, plain, files, suffix.replace(".so", ".o"))
        for files in units(".", bindings, env["unity"])
    ]
    env.Depends(objects, env.Value(pybind11.__version__))
    # The library's objects first: of an inline function that both hold, the linker takes the first.
    module = extension_env.LoadableModule(f"{build}/_core", [library[0].sources, objects])
    if load:
        env.AddPostAction(module, Action(load_extension, "LOAD $TARGET"))
    installed = extension_env.Install("python/hmsim", module)
    extension_env["licence"] = dramsim3.licence(env)
    extension_env.AddPostAction(installed, Action(dramsim3.write_licence, None))
    Alias("extension", installed)
