# SPDX-License-Identifier: BSD-3-Clause
"""Does a machine that left QEMU continue in gem5 at the same point?"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hmsim.capture import guest, leaving
from hmsim.capture.guest_tools import GuestError
from messages import naming
from outcomes import REPO, Outcome, run_gem5

pytestmark = pytest.mark.gem5

SCRIPT = REPO / "configs" / "gem5" / "fs_boot.py"
MIB = 1 << 20


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a machine of two cores that was kept at the first of two windows.

    One core reads a file from the NVDIMM without its page cache.
    """
    if shutil.which("qemu-system-x86_64") is None:
        pytest.skip("needs qemu-system-x86_64 (Debian: qemu-system-x86)")
    try:
        guest.find_guest("fio-direct-read")
    except GuestError as error:
        pytest.skip(str(error))
    folder, _ = leaving.leave(
        "fio-direct-read",
        tmp_path_factory.mktemp("left") / "read",
        partners=["network_simplex 20000 120000 1"],
        windows=["8MiB", "8448KiB"],
        vcpus=2,
        timeout=200,
    )
    return folder


@pytest.fixture(scope="module")
def booted(gem5: tuple[str, dict[str, Any]], x86: None, machine: Path) -> Path:
    checkpoint = machine / "checkpoint"
    made = run_gem5(gem5[0], SCRIPT, machine / "m5out", *of(machine, checkpoint))
    assert made.exit_code == 0, made.stdout + made.stderr
    reported = re.search(r"at the checkpoint: ([\d,]+) instructions", made.stdout)
    assert reported
    # The machine continues and does not boot again: a boot takes some 370 million instructions.
    assert int(reported[1].replace(",", "")) < 60_000_000
    return checkpoint


def of(machine: Path, checkpoint: Path, cores: int = 2) -> tuple[object, ...]:
    return ("--machine", machine, "--checkpoint", checkpoint, "--cores", cores)


def measured(gem5: str, machine: Path, checkpoint: Path, out: Path, *more: object) -> Any:
    how = ("--cpu", "timing", "--warm", "20us", "--duration", "1ms", "--check", "--out", out)
    done = run_gem5(gem5, SCRIPT, out.with_suffix(".m5"), *of(machine, checkpoint), *how, *more)
    assert done.exit_code == 0, done.stdout + done.stderr
    return json.loads((out / "stats.json").read_text())


def test_a_job_reads_its_file_and_its_partner_computes(
    gem5: tuple[str, dict[str, Any]], machine: Path, booted: Path, tmp_path: Path
) -> None:
    first = measured(gem5[0], machine, booted, tmp_path / "first")
    again = measured(gem5[0], machine, booted, tmp_path / "again")
    assert first == again
    assert first["nvdimm"]["reads"] > 100  # lines of the file, some microseconds each
    assert first["nvdimm"]["writes"] == 0
    assert first["core"]["1"]["ipc"] > 0.05
    later = measured(gem5[0], machine, booted, tmp_path / "later", "--seed", 2)
    assert later["core"]["1"]["instructions"] != first["core"]["1"]["instructions"]


def test_the_machine_does_not_leave_again_at_its_next_window(
    gem5: tuple[str, dict[str, Any]], machine: Path, booted: Path, tmp_path: Path
) -> None:
    for skipped in ("0us", "3ms"):  # by atomic cores, which read more than 1 MiB a millisecond
        out = tmp_path / skipped
        found = measured(gem5[0], machine, booted, out, "--skip", skipped)
        assert found["nvdimm"]["reads"] > 100
        console = (tmp_path / f"{skipped}.m5" / "board.pc.com_1.device").read_text()
        assert "leaves" not in console


def test_a_checkpoint_where_the_job_uses_the_nvdimm(
    gem5: tuple[str, dict[str, Any]], machine: Path, x86: None, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    made = of(machine, checkpoint)
    done = refused(gem5[0], tmp_path, *made, "--io", "1GiB", "--io-within", "2ms")
    assert naming("--io 1GiB:", "2ms").search(done.stderr), done.stderr
    done = refused(gem5[0], tmp_path, *made, "--io", "1GiB", "--io-within", "2us")
    assert naming("--io-within 2us:", "1ms").search(done.stderr), done.stderr
    assert not checkpoint.exists()
    reported = run_gem5(gem5[0], SCRIPT, tmp_path / "m5out", *made, "--io", "256KiB")
    assert reported.exit_code == 0, reported.stdout + reported.stderr
    moved = re.search(r"([\d,]+) bytes of the NVDIMM moved", reported.stdout)
    assert moved
    assert int(moved[1].replace(",", "")) >= 256 << 10
    # The run continues from the checkpoint: it does not wait for a region's begin, and options need
    # not be repeated.
    assert measured(gem5[0], machine, checkpoint, tmp_path / "run")["nvdimm"]["reads"] > 100
    done = refused(gem5[0], tmp_path, *made, "--io", "1MiB")
    assert naming("--io 256KiB", "1MiB").search(done.stderr), done.stderr


def test_private_second_levels_take_misses_from_the_last_one(
    gem5: tuple[str, dict[str, Any]], machine: Path, booted: Path, tmp_path: Path
) -> None:
    with_l2 = measured(gem5[0], machine, booted, tmp_path / "l2", "--llc", "256KiB")
    without = measured(gem5[0], machine, booted, tmp_path / "none", "--llc", "256KiB", "--l2", "")
    assert with_l2["dram"]["reads"] < without["dram"]["reads"]


def test_memories_that_answer_at_once_leave_base_cpis(
    gem5: tuple[str, dict[str, Any]], machine: Path, booted: Path, tmp_path: Path
) -> None:
    how = ("--warm", "20us", "--duration", "500us", "--llc", "256KiB", "--l2", "")
    run = measured(gem5[0], machine, booted, tmp_path / "run", "--cpu", "o3", *how)
    reported = tmp_path / "reported.json"
    out = ("--base-cpi-out", reported)
    done = run_gem5(gem5[0], SCRIPT, tmp_path / "m5", *of(machine, booted), *how, *out)
    assert done.exit_code == 0, done.stdout + done.stderr
    cores = json.loads(reported.read_text())["cores"]
    for number in (0, 1):
        core = run["core"][str(number)]
        assert 0 < core["busy"] <= 500_000_000
        assert core["busy_ipc"] >= core["ipc"] > 0
        assert 1 / 4 < cores[number]["base_cpi"] < 1 / core["busy_ipc"]
    # It waits for neither flash nor DRAM.
    assert cores[0]["instructions"] > 2 * run["core"]["0"]["instructions"]
    done = refused(gem5[0], tmp_path, *of(machine, booted), "--policy", "all", *out)
    assert "--base-cpi-out: needs O3 cores" in done.stderr


def refused(gem5: str, folder: Path, *arguments: object) -> Outcome:
    done = run_gem5(gem5, SCRIPT, folder / "m5out", *arguments)
    assert done.exit_code == 2, done.stdout + done.stderr
    return done


def test_another_machine_is_rejected(
    gem5: tuple[str, dict[str, Any]], machine: Path, booted: Path, tmp_path: Path
) -> None:
    done = refused(gem5[0], tmp_path, *of(machine, booted, cores=1))
    assert "'cores': 2" in done.stderr
    done = refused(gem5[0], tmp_path, *of(machine, booted), "--clock", "3GHz")
    assert naming("clock", "2GHz", "3GHz").search(done.stderr), done.stderr
    done = refused(gem5[0], tmp_path, *of(tmp_path, booted))
    assert naming(f"{tmp_path}:", "'hmsim guest prepare'").search(done.stderr), done.stderr
    done = refused(gem5[0], tmp_path, *of(machine, booted), "--skip", "10s", "--l1", "8KiB")
    assert naming("--skip:", "region").search(done.stderr), done.stderr
    done = refused(gem5[0], tmp_path, *of(machine, booted), "--patience", "1ns")
    assert naming("--patience 1ns:", "workbegin").search(done.stderr), done.stderr
