# SPDX-License-Identifier: BSD-3-Clause
"""Is too little memory of the host reported as such, with the key that requires it?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hmsim import OutOfMemory

LIMIT = 6 << 30  # bytes of address space
BEGIN = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({LIMIT}, {LIMIT}))\n"
RUN = "from hmsim.cli import main; main()"
START = 'import hmsim; system = hmsim.System("mascots16", {"nvdimm.capacity": "%s"})\n'
MOST = "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"  # KiB


def limited(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BEGIN + program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("command", "config", "keys", "least"),
    [
        ("run", "mascots16", ["nvdimm.precondition.fill=0"], "18"),
        ("run", "hbm3_hbf", ["hbf.ftl=host"], "18752MiB"),
        ("precondition", "hbm3_hbf", ["hbf.ftl=host", "nvdimm.precondition.fill=1"], "18752MiB"),
        ("run", "hbm3_hbf", ["nvdimm.nand.pages_per_block=8"], "10GiB"),
    ],
)
def test_a_command_names_the_key_that_asks_for_too_much(
    tmp_path: Path, workload: Path, command: str, config: str, keys: list[str], least: str
) -> None:
    out = tmp_path / "out"
    of_run = ["--workload", workload] if command == "run" else []
    sets = [f"--set={each}" for each in ["nvdimm.capacity=8TiB", *keys]]
    ended = limited(RUN, command, config, *of_run, "--out", out, *sets)
    assert ended.returncode == 2, ended.stderr
    line = ended.stderr.splitlines()[-1]
    assert line.startswith(f"hmsim: nvdimm.capacity: 8TiB may take {least}"), line
    assert "fault" not in ended.stderr and "Traceback" not in ended.stderr
    assert not out.exists()


def test_the_library_raises_its_own_memory_error() -> None:
    assert issubclass(OutOfMemory, MemoryError)
    assert "OutOfMemory: nvdimm.capacity: 8TiB" in limited(START % "8TiB").stderr


def test_maps_take_memory_where_they_are_used() -> None:
    ended = limited(START % "2TiB" + MOST)
    assert int(ended.stdout) < 100_000, ended


@pytest.mark.parametrize("key", ["nvdimm.capacity", "nvdimm.buffer.write_size"])
def test_smaller_systems_run_under_the_same_limit(workload: Path, key: str) -> None:
    ended = limited(RUN, "run", "mascots16", "--workload", workload, "--set", f"{key}=8GiB")
    assert ended.returncode == 0, ended.stderr
