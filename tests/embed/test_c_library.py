# SPDX-License-Identifier: BSD-3-Clause
"""Can programs in C and C++ use the installed library?"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import hmsim
import pytest

ROOT = Path(__file__).resolve().parents[2]
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1")


def build(source: Path, folder: Path) -> Path:
    program = folder / source.stem
    language = ("gcc", "-std=c99") if source.suffix == ".c" else ("g++", "-std=c++17")
    flags = subprocess.check_output([sys.executable, "-m", "hmsim", "library"], text=True).split()
    subprocess.run([*language, *WARNINGS, source, *flags, "-o", program], check=True)
    return program


def output(program: Path, *arguments: Path) -> str:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_program_in_c_uses_every_function(tmp_path: Path) -> None:
    program = build(ROOT / "tests/embed/abi.c", tmp_path)
    assert output(program) == "77 and 25 done, 26 reads, 1 statistics, 2147483648 bytes\n"


def typed(commands: str, folder: Path) -> str:
    """Return the output of a page's commands in a folder, by this Python and its hmsim."""
    commands = re.sub(r"\bhmsim (?=check|library)", f"{sys.executable} -m hmsim ", commands)
    commands = commands.replace("cmake -S", "cmake -Wdev -Werror=dev -S")
    commands = re.sub(r"^python ", f"{sys.executable} ", commands)
    shell = ["bash", "-euo", "pipefail", "-c", commands]
    done = subprocess.run(shell, cwd=folder, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_page_s_program_compiles_in_an_empty_folder(tmp_path: Path) -> None:
    page = (ROOT / "docs/c-library.md").read_text().split("\n## 2. ")[0]
    for name, content in re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)^```", page, re.M | re.S):
        (tmp_path / name).write_text(content)
    plain, with_cmake = re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)
    (printed,) = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)
    for commands in [plain, *([with_cmake] if shutil.which("cmake") else [])]:
        assert typed(commands, tmp_path).endswith(printed)


def test_the_servers_of_the_page_print_its_output(tmp_path: Path) -> None:
    page = (ROOT / "docs/sessions.md").read_text()
    for name in ("kv_server.c", "kv_server.py"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    blocks = re.findall(r"^```sh\n(.*?)^```\n\n```text\n(.*?)^```", page, re.M | re.S)
    assert len(blocks) == 2
    for commands, printed in blocks:
        assert typed(commands, tmp_path) == printed


def machine(folder: Path, name: str) -> Path:
    path = folder / "machine.txt"
    lines = (f"{key}={value}\n" for key, value in hmsim.load_config(name).flat())
    path.write_text("".join(lines))
    return path


def test_the_example_with_queues_completes_all_requests(tmp_path: Path) -> None:
    program = build(ROOT / "examples/queued_memory.cc", tmp_path)
    words = output(program, machine(tmp_path, "mascots16")).split()
    assert words[words.index("lines") - 1] == "13333"  # reads and prefetches of 20,000
    assert words[words.index("reads,") - 1] == "13333"
    assert words[words.index("writes,") - 1] == "6667"


def test_the_example_of_a_backend_completes_all_requests(tmp_path: Path) -> None:
    program = build(ROOT / "examples/memory_backend.cc", tmp_path)
    assert output(program, machine(tmp_path, "quick")).startswith("2000 requests, 0 left, ")


@pytest.mark.parametrize("example", ["queued_memory", "memory_backend"])
def test_examples_name_wrong_parameters(tmp_path: Path, example: str) -> None:
    program = build(ROOT / f"examples/{example}.cc", tmp_path)
    path = tmp_path / "machine.txt"
    path.write_text("dram.rank=3\n")
    done = subprocess.run([program, path], capture_output=True, text=True)
    assert done.returncode == 2
    assert (
        done.stderr
        == f"{example}: {path}:1: dram.rank: unknown parameter; did you mean 'dram.ranks'?\n"
    )
