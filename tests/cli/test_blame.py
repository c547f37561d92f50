# SPDX-License-Identifier: BSD-3-Clause
"""If parameters contradict each other, does the error name their places and a valid value?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from messages import naming
from support import fail, invoke, succeed, write


@pytest.mark.parametrize(
    ("sets", "parts"),
    [
        (
            ["nvdimm.nand.chips=3"],
            ("quick.yaml:11: nvdimm.capacity:", "256MiB", "258MiB", "--set", "nvdimm.nand.chips"),
        ),
        (
            ["controller.channels=2", "nvdimm.ftl.gc_threshold=0.5"],
            (
                *("quick.yaml:21: nvdimm.ftl.over_provisioning:", "15", "115.2"),
                *("--set", "nvdimm.ftl.gc_threshold to 0.5"),
            ),
        ),
        (["nvdimm.capacity=33MiB"], ("--set: nvdimm.capacity:", "33MiB", " 32MiB")),
        (["controller.channels=33"], ("--set: controller.channels:", "33", "32")),
        (
            ["controller.channels=6", "controller.channel_hash=xor"],
            ("--set: controller.channel_hash:", "power of two", "6", "'none'"),
        ),
    ],
)
def test_the_setting_is_blamed_and_a_sufficient_value_is_named(
    sets: list[str], parts: tuple[str, ...]
) -> None:
    done = fail("check", "quick", *(f"--set={each}" for each in sets))
    assert naming(*parts).search(done), done
    assert len(done.splitlines()) == 1


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5])
def test_the_suggested_over_provisioning_is_the_smallest(threshold: float) -> None:
    given = ("check", "quick", f"--set=nvdimm.ftl.gc_threshold={threshold}")
    reported = invoke(*given, "--set=nvdimm.ftl.over_provisioning=0.1").stderr
    enough = float(re.search(r"; ([\d.]+) is enough", reported)[1])  # type: ignore[index]
    succeed(*given, f"--set=nvdimm.ftl.over_provisioning={enough}")
    fail(*given, f"--set=nvdimm.ftl.over_provisioning={enough - 0.1:.1f}")


@pytest.mark.parametrize(
    ("wrong", "would_do"),
    [
        ("dram.timing.tRAS=100", "dram.timing.tRC={}"),
        ("dram.timing.tRFC=5000", "dram.timing.tREFI={}"),
        ("dram.timing.CL=4", "dram.timing.CWL={}"),
        ("dram.timing.tCCD=2", "dram.timing.tCCD={}"),
        ("dram.power.IDD0=1mA", "dram.power.IDD0={}uA"),
        ("nvdimm.ftl.reserve_blocks=1000", "nvdimm.ftl.reserve_blocks={}"),
        ("nvdimm.nand.fast_program_time=2ms", "nvdimm.nand.program_time={}ms"),
    ],
)
def test_the_suggested_value_is_accepted(wrong: str, would_do: str) -> None:
    given = ["--set=nvdimm.nand.program_model=mlc"]
    reported = fail("check", "quick", *given, f"--set={wrong}")
    found = re.findall(r"(?:, |; |least |most |nearest: )(\d+)(?: cycles|uA| of them|ms)", reported)
    succeed("check", "quick", *given, f"--set={wrong}", f"--set={would_do.format(found[0])}")


def test_a_value_of_the_base_is_not_a_change(tmp_path: Path) -> None:
    mine = write(tmp_path / "mine.yaml", "base: quick\nnvdimm.buffer.write_size: 1TiB\n")
    reported = invoke("check", mine).stderr
    assert reported.endswith(f"; since {mine}:2 sets nvdimm.buffer.write_size to 1TiB\n")


def test_a_line_of_a_derived_file_is_blamed(tmp_path: Path) -> None:
    mine = write(tmp_path / "mine.yaml", "base: quick\nnvdimm:\n  nand:\n    chips: 3\n")
    assert f"; since {mine}:4 sets nvdimm.nand.chips to 3" in invoke("check", mine).stderr
