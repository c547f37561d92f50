# SPDX-License-Identifier: BSD-3-Clause
"""Generated sources: tables of descriptors, and headers that are compiled once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from SCons.Builder import ListEmitter
from SCons.Script import Action
from SCons.Tool import SourceFileScanner, createObjBuilders

from tools.descriptor_tables import Table

STANDARD = "algorithm array cstdint functional map memory optional string string_view vector"
# Headers of the core that most files of the library include, and that change seldom.
CORE = ["archive", "descriptor_table", "errors", "event_queue", "kernel", "key_map", "parameters"]
CORE += ["pool", "preset_table", "random", "request", "ring", "slot_list", "statistics", "types"]
CORE += ["units"]


def write_text(target: Any, source: Any, env: Any) -> None:
    Path(target[0].abspath).write_text(source[0].read())


def source_file(env: Any, path: str, text: str) -> Any:
    """Return the generated source file with this text."""
    return env.Command(path, env.Value(text), Action(write_text, "GENERATE $TARGET"))


def descriptor_table(env: Any, folder: str, table: Table) -> Any:
    """Return the object of a table of descriptors."""
    path = f"{folder}/generated/{table.word.lower()}_table.cc"
    return env.Object(source_file(env, path, table.source(table.names("."))))


def unit(env: Any, folder: str, files: Sequence[str], suffix: str = ".o") -> Any:
    """Return the object of files of one folder that compile together."""
    path = Path(files[0])
    if len(files) > 1:
        path = path.with_name(f"{path.stem}_and_{len(files) - 1}_more.cc")
        source_file(env, f"{folder}/{path}", "".join(f'#include "{file}"\n' for file in files))
    return env.Object(f"{folder}/{path.with_suffix(suffix)}", f"{folder}/{path}")


def depend_on_precompiled(target: Any, source: Any, env: Any) -> tuple[Any, Any]:
    env.Depends(target, env["PRECOMPILED"])
    return target, source


def use_precompiled(env: Any) -> None:
    """Let C++ files depend on their environment's precompiled header."""
    builder = createObjBuilders(env)[0]  # its emitter lists commands for compile_commands, too
    builder.add_emitter(".cc", ListEmitter([builder.emitter[".cc"], depend_on_precompiled]))
    env.Append(CXXFLAGS=["$BEGIN_WITH"])


def precompile(env: Any, folder: str, headers: str) -> None:
    """Let the environment's C++ files begin with these headers, sorted, and with the core's.

    Standard headers save half a second of each file's time, the core's as much again. clang-tidy
    reads the files without a precompiled header (precompiled=0), to find files that miss one.
    clang has none: its file names the folder in which it was made, so a cache of objects could not
    serve another clone.
    """
    env["PRECOMPILED"] = []
    env["BEGIN_WITH"] = []
    if env["precompiled"] and env["compiler"] == "gcc":
        lines = "".join(f"#include <{name}>\n" for name in sorted(headers.split()))
        lines += "".join(f'#include "core/{name}.h"\n' for name in CORE)
        header = env.Command(f"{folder}/precompiled.h", env.Value(lines), Action(write_text, None))
        command = "$CXX -x c++-header -o $TARGET -c $CXXFLAGS $CCFLAGS $_CCCOMCOM $SOURCE"
        shown = None if env["verbose"] else "CXX $SOURCE"
        compiled = env.Command(
            f"{folder}/precompiled.h.gch",
            header,
            Action(command, shown),
            source_scanner=SourceFileScanner,
        )
        env["PRECOMPILED"] = compiled
        env["BEGIN_WITH"] = ["-include", str(header[0])]
