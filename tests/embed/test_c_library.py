# SPDX-License-Identifier: BSD-3-Clause
"""Can programs in C and C++ use the installed library?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import hmsim
import pytest

ROOT = Path(__file__).resolve().parents[2]
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1")


def build(source: Path, folder: Path) -> Path:
    program = folder / source.stem
    language = ("gcc", "-std=c99") if source.suffix == ".c" else ("g++", "-std=c++17")
    library = Path(hmsim.get_library())
    command = [*language, *WARNINGS, f"-I{hmsim.get_include()}", source, library]
    subprocess.run([*command, f"-Wl,-rpath,{library.parent}", "-o", program], check=True)
    return program


def output(program: Path, *arguments: Path) -> str:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_program_in_c_uses_every_function(tmp_path: Path) -> None:
    program = build(ROOT / "tests/embed/abi.c", tmp_path)
    assert output(program) == "75 and 25 done, 25 reads, 1 statistics, 2147483648 bytes\n"


def machine(folder: Path, name: str) -> Path:
    path = folder / "machine.txt"
    lines = (f"{key}={value}\n" for key, value in hmsim.load_config(name).flat())
    path.write_text("".join(lines))
    return path


def test_the_example_with_queues(tmp_path: Path) -> None:
    program = build(ROOT / "examples/queued_memory.cc", tmp_path)
    words = output(program, machine(tmp_path, "mascots16")).split()
    assert words[words.index("lines") - 1] == "13333"  # reads and prefetches of 20,000
    assert words[words.index("reads,") - 1] == "13333"
    assert words[words.index("writes,") - 1] == "6667"


def test_the_example_of_a_backend(tmp_path: Path) -> None:
    program = build(ROOT / "examples/memory_backend.cc", tmp_path)
    assert output(program, machine(tmp_path, "quick")).startswith("2000 requests, 0 left, ")


@pytest.mark.parametrize("example", ["queued_memory", "memory_backend"])
def test_examples_name_what_is_wrong(tmp_path: Path, example: str) -> None:
    program = build(ROOT / f"examples/{example}.cc", tmp_path)
    (tmp_path / "machine.txt").write_text("dram.rank=3\n")
    done = subprocess.run([program, tmp_path / "machine.txt"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"{example}: dram.rank: unknown parameter; did you mean 'dram.ranks'?\n"
