# SPDX-License-Identifier: BSD-3-Clause
"""Does every room include only lower floors, and does gem5 compile the rooms that it needs?"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools import rooms

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
FLOOR = {room: number for number, floor in enumerate(rooms.FLOORS) for room in floor}
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)[^;\n]*\{", re.MULTILINE)
# gem5-ext lists the rooms that it may use, and belongs to no floor.
GEM5_MAY_INCLUDE = {*rooms.CONTROLLER, "gem5-ext"}
# Each package of python/hmsim may import the packages before it.
PACKAGES = (
    *("common", "bounds", "config", "traces", "clones", "fio", "workloads", "runs"),
    *("points", "curves", "comparisons", "sweep", "style", "capture", "timeline", "report"),
    *("reproduce", "fits", "cli"),
)


def sources(room: str, root: Path = ROOT) -> list[Path]:
    return [p for p in sorted((root / room).rglob("*")) if p.suffix in (".h", ".hh", ".cc")]


def includes(room: str, root: Path = ROOT) -> Iterator[tuple[str, str, str]]:
    """Yield file, kind of bracket and target of every include of a room."""
    for path in sources(room, root):
        for bracket, target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(root).as_posix(), bracket, target


@pytest.mark.parametrize("room", FLOOR)
def test_no_include_runs_up(room: str) -> None:
    assert sources(room), f"{room}/ is empty"
    wrong = []
    for file, bracket, target in includes(room):
        other = target.partition("/")[0]
        if bracket == "<" or "/" not in target:
            continue
        beside = FLOOR.get(other) == FLOOR[room] and other != room
        if other not in FLOOR or FLOOR[other] > FLOOR[room] or beside:
            wrong.append(f"{file} -> {target}")
    assert not wrong, f"includes that run up or aside: {wrong}"


def folder(file: str) -> str:
    """Return a file's folder within its room, "" for the room's top folder."""
    return file.split("/")[1] if file.count("/") > 1 else ""


def inner_climbs(room: str, root: Path) -> list[str]:
    """Return the includes within a room that run up, or aside, between its folders."""
    floor = {name: at for at, names in enumerate(rooms.INNER_FLOORS[room]) for name in names}
    return [
        f"{file} -> {target}"
        for file, _, target in includes(room, root)
        if target.startswith(f"{room}/") and (own := folder(file)) != (other := folder(target))
        if floor[other] >= floor[own]
    ]


@pytest.mark.parametrize("room", rooms.INNER_FLOORS)
def test_no_include_within_a_room_runs_up(room: str) -> None:
    named = {name for names in rooms.INNER_FLOORS[room] for name in names}
    assert named == {folder(path.relative_to(ROOT).as_posix()) for path in sources(room)}
    assert not inner_climbs(room, ROOT)


def test_an_include_that_runs_up_within_a_room_is_found(tmp_path: Path) -> None:
    files = {
        "nand/array.h": '#include "core/types.h"\n#include "nvdimm/module/lane.h"\n',
        "nand/climb.cc": '#include <vector>\n#include "nvdimm/nand/array.h"\n'
        '#include "nvdimm/parameters.h"\n',
        "ftl/aside.h": '#include "nvdimm/media/cells.h"\n#include "nvdimm/nand/array.h"\n',
        "media/skip.h": '  #include "nvdimm/buffer/frames.h"\n',
        "whole.h": '#include "nvdimm/buffer/frames.h"\n#include "nvdimm/parameters.h"\n',
    }
    for name, text in files.items():
        (tmp_path / "nvdimm" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "nvdimm" / name).write_text(text)
    assert inner_climbs("nvdimm", tmp_path) == [
        "nvdimm/ftl/aside.h -> nvdimm/media/cells.h",
        "nvdimm/media/skip.h -> nvdimm/buffer/frames.h",
        "nvdimm/nand/climb.cc -> nvdimm/parameters.h",
    ]


def test_no_two_types_have_one_name() -> None:
    """Two types of one name are an error that compilers and linkers need not report."""
    files: dict[str, list[str]] = {}
    for room in FLOOR:
        for path in sources(room):
            if path.suffix == ".h":
                for name in TYPE.findall(path.read_text(encoding="utf-8")):
                    files.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    assert len(files) > 300
    assert not {name: found for name, found in files.items() if len(set(found)) > 1}


def test_every_folder_of_the_library_has_a_floor() -> None:
    assert set(rooms.LIBRARY) <= set(FLOOR)
    holding = {path.parts[0] for path in map(Path, rooms.sources(ROOT, os.listdir(ROOT)))}
    beside = {"tests", "benchmarks", "examples", "workloads", "gem5-ext", "build"}
    assert {name for name in holding if not name.startswith(".")} - beside == set(FLOOR)


def test_only_bindings_know_python_and_only_gem5_ext_knows_gem5() -> None:
    for room in FLOOR:
        for file, _, target in includes(room):
            if room != "bindings":
                assert not target.startswith(("pybind11", "Python.h")), file
            assert not target.startswith(("sim/", "mem/", "base/", "params/")), file


LOADER = {  # loads libraries of policies, and asks the system who may change them
    ("policies/registry/policy_catalog.cc", "dlfcn.h"),
    ("policies/registry/code_file.cc", "sys/stat.h"),
    ("policies/registry/code_file.cc", "unistd.h"),
}


def test_the_c_library_and_gem5_compile_the_standard_library_only() -> None:
    for room in rooms.C_LIBRARY:
        for file, bracket, target in includes(room):
            if bracket == "<" and rooms.OPTIONAL not in file and (file, target) not in LOADER:
                # The header of the C library is C, too.
                pattern = r"std\w+\.h" if file == "session/hmsim.h" else r"[a-z_0-9]+"
                assert re.fullmatch(pattern, target), f"{file} includes <{target}>"


def test_gem5_compiles_exactly_the_rooms_that_the_extension_needs() -> None:
    """Runs gem5-ext/SConscript with stand-ins for what gem5 gives such a file."""
    compiled: list[str] = []

    class Environment(dict[str, Any]):
        def VariantDir(self, *_args: Any, **_keys: Any) -> None:
            pass

        def Value(self, value: Any) -> Any:
            return value

        def Command(self, target: str, *_args: Any) -> list[Any]:
            return [Place(target)]

    class Place:
        def __init__(self, path: str) -> None:
            self.abspath = str((ROOT / "gem5-ext" / path).resolve())

        def srcnode(self) -> Place:
            return self

        def Dir(self, path: str) -> Place:
            return Place(path)

    def nothing(*_args: Any, **_keys: Any) -> None:
        return None

    script = ROOT / "gem5-ext" / "SConscript"
    names = {
        **{"Import": nothing, "env": Environment(BUILDDIR="BUILD"), "Dir": Place},
        **{"Source": lambda path, **_keys: compiled.append(path), "Action": nothing},
        **{"SimObject": nothing, "DebugFlag": nothing, "PySource": nothing},
        "Glob": lambda pattern, **_keys: sorted((ROOT / "gem5-ext").glob(pattern)),
    }
    exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), names)
    core = os.path.join("BUILD", "hmsim-core", "")
    ours = sorted(path[len(core) :] for path in compiled if path.startswith(core))
    assert ours == rooms.sources(ROOT, rooms.CONTROLLER)
    for file, bracket, target in includes("gem5-ext"):
        if bracket == '"' and (ROOT / target).is_file():
            assert target.partition("/")[0] in GEM5_MAY_INCLUDE, f"{file} -> {target}"


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names that a module imports, also within functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def packages(path: Path) -> Iterator[str]:
    """Yield the packages of python/hmsim that a module imports."""
    for name in imports(path):
        first, _, rest = name.partition(".")
        if first == "hmsim" and (package := rest.partition(".")[0]) in PACKAGES:
            yield package


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_of_the_package_runs_up(package: str) -> None:
    folder = ROOT / "python" / "hmsim" / package
    may = PACKAGES[: PACKAGES.index(package) + 1]
    wrong = [
        f"{path.relative_to(folder.parent)} -> {other}"
        for path in sorted(folder.rglob("*.py"))
        for other in packages(path)
        if other not in may
    ]
    assert not wrong, f"imports that run up: {wrong}"


def test_every_package_has_its_place() -> None:
    folder = ROOT / "python" / "hmsim"
    found = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert found == set(PACKAGES)
    assert {path.name for path in folder.glob("*.py")} == {"__init__.py", "__main__.py"}


def import_graph(parent: Path, package: str) -> dict[str, set[str]]:
    """Return, for each module of a package below `parent`, the modules of it that it imports."""
    files = {
        path.relative_to(parent).as_posix()[:-3].removesuffix("/__init__").replace("/", "."): path
        for path in sorted((parent / package).rglob("*.py"))
    }

    def module(name: str) -> str:  # the longest prefix that is a module; "": another package
        while name and name not in files:
            name = name.rpartition(".")[0]
        return name

    return {name: {*map(module, imports(path))} - {name, ""} for name, path in files.items()}


def cycles(graph: dict[str, set[str]]) -> list[str]:
    """Return the edges that lie on a cycle."""

    def reachable(start: str) -> set[str]:
        seen, left = set(), [start]
        while left:
            new = graph[left.pop()] - seen
            seen |= new
            left += new
        return seen

    behind = {name: reachable(name) for name in graph}
    return [f"{one} -> {other}" for one in graph for other in graph[one] if one in behind[other]]


@pytest.mark.parametrize(("folder", "package"), [("python", "hmsim"), ("", "tools")])
def test_no_imports_form_a_cycle(folder: str, package: str) -> None:
    """Imports for annotations only and imports within functions count, too."""
    graph = import_graph(ROOT / folder, package)
    assert len(graph) > 5
    assert not cycles(graph), "modules that import each other"


def test_a_cycle_is_found_wherever_its_imports_are(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/a.py").write_text("from p import b\nfrom p.c import f\n")
    (tmp_path / "p/b.py").write_text("def g():\n    import p.a\n")
    (tmp_path / "p/c.py").write_text("import os.path\n")
    assert cycles(import_graph(tmp_path, "p")) == ["p.a -> p.b", "p.b -> p.a"]
