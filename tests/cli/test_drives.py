# SPDX-License-Identifier: BSD-3-Clause
"""What do commands print of a drive: trims, bytes programmed, lifetime?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim.common.labels import Line
from support import fail, invoke, parsed, succeed, write

# 64 MiB of flash behind 16 pages of buffer.
SMALL = {
    "capacity": "32MiB",
    "flash.capacity": "64MiB",
    "flash.ftl.over_provisioning": "50",
    "flash.nand.channels": "2",
    "flash.nand.chips": "1",
    "flash.nand.dies": "1",
    "flash.nand.planes": "1",
    "flash.nand.pages_per_block": "64",
    "flash.buffer.read_size": "64KiB",
    "flash.buffer.write_size": "64KiB",
}
FLASH = "storage.device.flash"


def small(**more: str) -> list[str]:
    """Return the options of a small drive."""
    keys = SMALL | {key.replace("__", "."): value for key, value in more.items()}
    return [text for key, value in keys.items() for text in ("--set", f"storage.{key}={value}")]


def pattern(folder: Path, keys: str) -> Path:
    return write(folder / "w.yaml", f"agents:\n  - {{kind: io_pattern, {keys}}}\n")


def test_trims_spare_copies_on_a_drive(tmp_path: Path) -> None:
    """Extents of 256 KiB are rewritten at random places, with and without trims before."""
    stats = []
    for trims in ("false", "true"):
        workload = pattern(
            tmp_path,
            f"size: 256KiB, read_share: 0, access: random, trim_writes: {trims}, "
            f"requests: {2000 if trims == 'true' else 1000}",
        )
        stats.append(parsed("run", "storage/mqsim_ssd", *small(), "--workload", workload))
    without, given = stats
    assert without["storage.trims"] == 0
    assert given["storage.trims"] == given["storage.device.trims"] == 1000
    assert given["storage.write_bytes"] == without["storage.write_bytes"]
    assert given[f"{FLASH}.ftl.trimmed_pages"] > 0
    assert given[f"{FLASH}.ftl.gc_pages"] <= without[f"{FLASH}.ftl.gc_pages"]


def test_a_trace_s_trims_reach_a_drive(tmp_path: Path) -> None:
    lines = [f"{n},W,{n * 65536},65536" for n in range(64)]
    lines += [f"{100 + n},T,{n * 131072},65536" for n in range(32)]
    write(tmp_path / "t.csv", "time,op,offset,size\n" + "\n".join(lines) + "\n")
    columns = (
        "{time: time, op: op, offset: offset, size: size, time_unit: 1us, header: 1, write: W, "
        "trim: T}"
    )
    workload = write(
        tmp_path / "w.yaml",
        "agents:\n  - {kind: block_trace, path: t.csv, format: csv, replay: closed, threads: 1, "
        f"columns: {columns}}}\n",
    )
    stats = parsed("run", "storage/mqsim_ssd", *small(), "--workload", workload)
    assert stats["storage.trims"] == 32
    # 512 pages, except those that are still in the buffer of 16 pages.
    assert 512 - 16 <= stats[f"{FLASH}.ftl.trimmed_pages"] <= 512
    sets = ("storage/mqsim_ssd", *small(), "--policy", "lru_pages", "--workload", workload)
    text = " ".join(succeed("run", *sets, "--warmup", "50k").split())
    assert "--warmup has no effect: it counts instructions" in text
    assert "trims had" not in text and "flash.ftl.map_replacement lru_pages not used" in text
    text = succeed("run", "storage/nvme", "--policy", "lru_pages", "--workload", workload)
    assert "32 trims had no effect" in text and "not used" not in text


def test_small_writes_print_the_bytes_that_they_program(tmp_path: Path) -> None:
    """Writes of 512 B at random places of 32 MiB fill pages of 8 KiB: 8 to 16 bytes for one."""
    workload = pattern(tmp_path, "size: 512B, read_share: 0, requests: 2000, threads: 8")
    stats = parsed("run", "storage/mqsim_ssd", *small(), "--workload", workload)
    ratio = stats[f"{FLASH}.ftl.flash_bytes_per_host_byte"]
    programs, written = stats[f"{FLASH}.nand.programs"], stats["storage.device.write_bytes"]
    assert written == 2000 * 512
    assert ratio == pytest.approx(programs * 8192 / written)
    assert 7 < ratio < 16
    days = stats["sim.ticks"] / 1e12 / 86400
    assert stats[f"{FLASH}.nand.lifetime_days"] == pytest.approx(
        10_000 * (64 << 20) * days / (programs * 8192)
    )
    told = succeed("run", "storage/mqsim_ssd", *small(), "--workload", workload)
    assert "drive: flash/host bytes" in told
    assert "drive: lifetime (days)" in told
    assert "absorbed in the buffer" not in told
    compared = succeed(
        "compare", "storage/mqsim_ssd", "--policy", "split", *small(), "--workload", workload
    )
    assert "drive: flash/host bytes" in compared


def test_members_of_a_stripe_have_their_own_numbers(tmp_path: Path) -> None:
    workload = pattern(tmp_path, "size: 512B, read_share: 0, requests: 500")
    stripe = small(stripe__members="2", stripe__unit="64KiB")
    told = succeed("run", "storage/mqsim_ssd", *stripe, "--workload", workload)
    assert "drive 0: flash/host bytes" in told
    assert "drive 1: flash/host bytes" in told


def test_a_buffer_that_absorbs_writes_is_named(tmp_path: Path) -> None:
    workload = pattern(tmp_path, "read_share: 0, footprint: 96KiB, requests: 300")
    told = succeed("run", "storage/mqsim_ssd", *small(), "--workload", workload)
    (line,) = (each for each in told.splitlines() if "flash/host bytes" in each)
    assert "absorbed in the buffer" in line
    assert Line("nvdimm.ftl.flash_bytes_per_host_byte", "", 1).remark(1) == ""


def test_shares_of_reads_and_trims_are_at_most_all(tmp_path: Path) -> None:
    workload = pattern(tmp_path, "read_share: 0.7, trim_share: 0.4")
    told = fail("run", "storage/mqsim_ssd", "--workload", workload)
    assert "trim_share" in told and "0.3" in told and "0.4" in told
    workload = pattern(tmp_path, "trim_shar: 0.4")
    assert "'trim_share'?" in invoke("run", "storage/nvme", "--workload", workload).stderr
