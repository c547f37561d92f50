# SPDX-License-Identifier: BSD-3-Clause
"""Do trace streams and tools give the same bytes for any compression and order of reads?"""

from __future__ import annotations

import gzip
import json
import lzma
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hmsim import InputError
from hmsim.traces.reader import BLOCK, TraceReader, read_pieces
from messages import naming
from support import REPO, core_trace, parsed, succeed, write

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda content: content,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zstd": lambda content: zstandard.ZstdCompressor(write_checksum=True).compress(content),
}
COMPRESSED = [name for name in PACKERS if name != "plain"]


def content_of(size: int) -> bytes:
    return random.Random(1).randbytes(size)


@pytest.mark.parametrize("packer", PACKERS)
def test_compression_is_recognised_by_content(tmp_path: Path, packer: str) -> None:
    content = content_of(3 * BLOCK + 17)
    reader = TraceReader(write(tmp_path / "trace", PACKERS[packer](content)))
    found = b""
    while block := reader.read(len(found)):
        found += block
    assert found == content


@pytest.mark.parametrize("packer", PACKERS)
def test_any_offset_can_be_read(tmp_path: Path, packer: str) -> None:
    content = content_of(2 * BLOCK + 1000)
    reader = TraceReader(write(tmp_path / "trace", PACKERS[packer](content)))
    for offset in (0, 10, 2 * BLOCK + 999, 0, BLOCK, BLOCK - 1, len(content), 5):
        block = reader.read(offset)
        assert bool(block) == (offset < len(content))
        assert content[offset : offset + len(block)] == block


@pytest.mark.parametrize("packer", COMPRESSED)
def test_frames_follow_one_another_and_zeros_fill_up(tmp_path: Path, packer: str) -> None:
    packed = PACKERS[packer](b"one\n") + PACKERS[packer](b"two\n") + bytes(2048)
    assert b"".join(read_pieces(write(tmp_path / "trace", packed))) == b"one\ntwo\n"


@pytest.mark.parametrize("packer", COMPRESSED)
@pytest.mark.parametrize("cut", [1, 5, 400])
def test_a_truncation_is_detected(tmp_path: Path, packer: str, cut: int) -> None:
    path = write(tmp_path / "trace", PACKERS[packer](content_of(5000))[:-cut])
    with pytest.raises(InputError, match=naming("trace:", "cut short")):
        b"".join(read_pieces(path))


@pytest.mark.parametrize("packer", COMPRESSED)
def test_damage_is_detected(tmp_path: Path, packer: str) -> None:
    packed = bytearray(PACKERS[packer](content_of(5000)))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(InputError, match="trace: damaged compression"):
        b"".join(read_pieces(write(tmp_path / "trace", bytes(packed))))


@pytest.mark.parametrize("packer", COMPRESSED)
def test_a_bomb_is_read_in_small_pieces(tmp_path: Path, packer: str) -> None:
    path = write(tmp_path / "trace", PACKERS[packer](bytes(64 << 20)))
    assert path.stat().st_size < 1 << 17
    largest = total = 0
    for piece in read_pieces(path):
        largest = max(largest, len(piece))
        total += len(piece)
    assert total == 64 << 20
    assert largest <= 32 << 20


# Its pages are numbered in the order of first access.
RAMULATOR = "3 64\n0 4096 8256\n5000000 12288 704\n7 128\n"


def test_a_summary_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "t.gz", gzip.compress(RAMULATOR.encode()))
    summary = parsed("trace", "info", path)
    assert summary["format"] == "ramulator"
    assert (summary["reads"], summary["writes"], summary["records"]) == (4, 2, 6)
    assert summary["duration"] == 3 + 0 + 5000000 + 7 + 4
    assert summary["footprint_bytes"] == 4 * 4096
    assert summary["read_mpki"] == pytest.approx(4000 / 5000014)


BLOCKS = {
    "msr": "7,hm,1,Read,4096,4096,10\n27,hm,1,Write,1000,100,9\n",
    "blkparse": (
        "  8,1  0  1  0.000000700  9  Q   R 8 + 8 [a]\n"
        "  8,1  0  2  0.000002700  9  Q  WS 1 + 2 [a]\nCPU0 (8,0):\n"
    ),
    "fio": "fio version 3 iolog\n0 /a add\n1 /b add\n7 /b read 4096 4096\n27 /b write 1000 100\n",
    "qemu_nvme": (
        "5@0.000007:pci_nvme_read cid 0 nsid 1 nlb 8 count 4096 lba 0x8\n"
        "5@0.000027:pci_nvme_write cid 1 opname 'X' nsid 1 nlb 2 count 1024 lba 0x1\n"
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_block_formats_are_recognised_and_converted(tmp_path: Path, name: str) -> None:
    source, target = write(tmp_path / "b", BLOCKS[name]), tmp_path / "b.mqsim"
    assert parsed("trace", "info", source)["format"] == name
    succeed("trace", "convert", source, target, "--to", "mqsim")
    requests = [line.split() for line in target.read_text().splitlines()]
    assert [request[2:] for request in requests] == [["8", "8", "1"], ["1", "2", "0"]]
    factor = 1000 if name in ("fio", "qemu_nvme") else 100
    assert [int(request[0]) for request in requests] == [7 * factor, 27 * factor]
    assert parsed("trace", "info", target)["write_bytes"] == 1024


def test_a_log_of_qemu_holds_the_requests_of_a_boot_sector(tmp_path: Path) -> None:
    """After the BIOS has read it: 4 KiB read and written back at sectors 64, 72, ... 120."""
    log, target = REPO / "tests/fuzz/seeds/qemu_nvme/boot_sector", tmp_path / "t"
    succeed("trace", "convert", log, target, "--to", "mqsim")
    asked = [line.split()[1:] for line in target.read_text().splitlines()]
    places = [str(sector) for sector in range(64, 128, 8)]
    wanted = [["0", place, "8", kind] for place in places for kind in ("1", "0")]
    assert asked == [["0", "0", "1", "1"], *wanted]
    assert parsed("trace", "info", log)["completions"] == len(asked)


def test_hmsim_and_back_is_the_same_trace(tmp_path: Path) -> None:
    source = write(tmp_path / "a.trace", RAMULATOR)
    packed, back = tmp_path / "b.hmsim.zst", tmp_path / "c.trace"
    succeed("trace", "convert", source, packed, "--to", "hmsim")
    succeed("trace", "convert", packed, back, "--to", "ramulator")
    assert back.read_text() == RAMULATOR
    assert (
        parsed("trace", "info", packed)["duration"] == parsed("trace", "info", source)["duration"]
    )


def test_conversions_to_text_keep_the_records(tmp_path: Path) -> None:
    source = write(tmp_path / "a.trace", RAMULATOR)
    succeed("trace", "convert", source, tmp_path / "rw", "--to", "ramulator_rw")
    assert (tmp_path / "rw").read_text().splitlines()[:3] == ["0x40 R", "0x1000 R", "0x2040 W"]
    succeed("trace", "convert", source, tmp_path / "d.xz", "--to", "dramsim3")
    lines = lzma.decompress((tmp_path / "d.xz").read_bytes()).decode().splitlines()
    assert lines[:3] == ["0x40 READ 4", "0x1000 READ 5", "0x2040 WRITE 5"]
    blocks = write(tmp_path / "b", "5 0 1 1 1\n")
    succeed("trace", "convert", blocks, tmp_path / "lines", "--to", "ramulator_rw")
    assert (tmp_path / "lines").read_text().count("\n") == 8


def test_a_long_trace_survives_the_round_trip_but_for_page_numbers(tmp_path: Path) -> None:
    source = core_trace(tmp_path / "core.gz", 20_000, gap=4_000, pages=1_300, written=0.1)
    packed, back = tmp_path / "core.hmsim.zst", tmp_path / "back"
    succeed("trace", "convert", source, packed, "--to", "hmsim")
    succeed("trace", "convert", packed, back, "--to", "ramulator")
    before = [list(map(int, line.split())) for line in b"".join(read_pieces(source)).splitlines()]
    after = [list(map(int, line.split())) for line in back.read_text().splitlines()]
    assert [line[0] for line in after] == [line[0] for line in before]
    pages: dict[int, int] = {}
    for old, new in zip(before, after):
        assert len(old) == len(new)
        for one, other in zip(old[1:], new[1:]):
            page = pages.setdefault(one // 4096, len(pages))
            assert other == page * 4096 + one % 4096 // 64 * 64


def test_capture_writes_a_trace(tmp_path: Path) -> None:
    if shutil.which("qemu-x86_64") is None:
        pytest.skip("qemu-x86_64 is not installed")
    out = tmp_path / "true.hmsim.zst"
    summary = json.loads(succeed("trace", "capture", "--json", "--out", out, "--", "true"))
    assert summary["instructions"] > 0
    assert parsed("trace", "info", out)["format"] == "hmsim"
