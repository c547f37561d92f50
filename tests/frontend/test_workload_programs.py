# SPDX-License-Identifier: BSD-3-Clause
"""Do captured programs compute correct results, and do their generators write correct inputs?"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
PROGRAMS = REPO / "workloads" / "programs"
GENERATORS = REPO / "workloads" / "guest" / "programs"

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


def run(binary: Path, source: Path, *arguments: object) -> str:
    """Compile a program unless that is done, and return what it prints."""
    compiler = ["g++", "-std=c++17"] if source.suffix == ".cc" else ["gcc"]
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-o", str(binary)]
    subprocess.run([*compiler, *flags, str(source)], check=True)
    command = [str(binary), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_lid_moves_the_fluid_below_it(tmp_path: Path) -> None:
    side = 20
    words = run(tmp_path / "p", PROGRAMS / "lattice_boltzmann.cc", side, 1).split()
    # After one step: each of the 2 * 18^2 populations that came back from the lid got 6 w u.
    inside = side - 2
    assert float(words[1]) == pytest.approx(inside**3, abs=1e-3)
    assert float(words[3]) == pytest.approx(2 * inside**2 * 6 / 36 * 0.02, abs=1e-3)


def test_the_gauge_field_keeps_its_energy(tmp_path: Path) -> None:
    lines = run(tmp_path / "p", PROGRAMS / "su3_lattice.cc", 4, 20).splitlines()
    (plaquette, energy), (later_plaquette, later_energy) = (
        (float(line.split()[1]), float(line.split()[3])) for line in lines
    )
    assert abs(later_plaquette - plaquette) > 0.05
    assert later_energy == pytest.approx(energy, abs=1e-3)


def test_the_sort_makes_runs_as_large_as_memory_and_merges_them(tmp_path: Path) -> None:
    for records, memory, runs in ((10_000, 64, 16), (655, 64, 1), (656, 64, 2)):
        words = run(
            tmp_path / "p", PROGRAMS / "external_sort.cc", records, memory, tmp_path
        ).split()
        assert (words[1], words[-1]) == (str(runs), "ascending")
        made = (tmp_path / "input").read_bytes()
        cut = [made[at : at + 100] for at in range(0, len(made), 100)]
        assert len(cut) == records
        assert (tmp_path / "output").read_bytes() == b"".join(
            sorted(cut, key=lambda each: each[:10])
        )


@pytest.mark.parametrize("name", ["words", "links", "pages", "samples"])
def test_generators_are_deterministic(tmp_path: Path, name: str) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    for file in files:
        run(tmp_path / "p", GENERATORS / f"{name}.c", file, 1)
    content = files[0].read_text()
    assert files[1].read_text() == content
    lines = content.splitlines()
    assert 1 << 20 <= len(content) <= (1 << 20) + max(map(len, lines)) + 1
    fields = {len(line.split(" ")) for line in lines}
    assert fields == {{"words": 10, "links": 2, "pages": 202, "samples": 20}[name]}
    if name == "pages":
        assert {int(line.split(" ")[0]) for line in lines} == set(range(100))
        assert [int(line.split(" ")[1]) for line in lines] == list(range(len(lines)))
    if name == "links":
        assert max(int(page) for line in lines for page in line.split(" ")) < (1 << 20) // 12 // 8
