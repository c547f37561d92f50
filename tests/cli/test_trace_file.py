# SPDX-License-Identifier: BSD-3-Clause
"""Do files of hmsim's format hold the records they were given, and is every damage an error?"""

from __future__ import annotations

import io
import random
import struct
import zlib
from pathlib import Path

import pytest
import zstandard
from hmsim import InputError
from hmsim.traces.file import FIRST_BLOCK, HEADER, TWO_MEMORIES, TraceFile, TraceWriter
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import naming
from support import fail, succeed, write

FILL, WRITE_BACK, NT_WRITE, ESCAPE = range(4)


def word(line: int, kind: int = FILL, vcpu: int = 0, high: int = 1) -> int:
    return line | kind << 40 | vcpu << 42 | high << 45


def packed(words: list[int], block_records: int = 8, **header: object) -> bytes:
    content = io.BytesIO()
    writer = TraceWriter(content, block_records=block_records)
    writer.write(struct.pack(f"<{len(words)}Q", *words))
    writer.close(**{"flags": 0, **header})  # type: ignore[arg-type]
    return content.getvalue()


def read_all(path: Path) -> bytes:
    return b"".join(TraceFile(path).records())


def words_of(seed: int, count: int) -> list[int]:
    numbers = random.Random(seed)
    return [
        word(numbers.getrandbits(40), numbers.randrange(3), numbers.randrange(3), 9)
        for _ in range(count)
    ]


WORDS = st.lists(
    st.builds(
        word, st.integers(0, (1 << 40) - 1), st.integers(0, 3), st.integers(0, 7), st.integers(0, 2)
    ),
    max_size=40,
)


@given(WORDS, st.integers(1, 50), st.integers(1, 20))
def test_records_survive_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, words: list[int], block: int, piece: int
) -> None:
    content = struct.pack(f"<{len(words)}Q", *words)
    path = tmp_path_factory.getbasetemp() / "t.hmsim"
    with path.open("wb") as file:
        writer = TraceWriter(file, block_records=block)
        for at in range(0, len(content), piece):
            writer.write(content[at : at + piece])
        total = writer.close(TWO_MEMORIES, 2, (32, 2048, 8192), b"a program")
    trace = TraceFile(path)
    assert b"".join(trace.records()) == content
    header = trace.header
    assert (header.records, header.two_memories) == (len(words), True)
    assert header.vcpus == max([2, *((each >> 42 & 7) + 1 for each in words)])
    assert (header.l1, header.l2, header.l3) == (32, 2048, 8192)
    assert header.label == b"a program".ljust(24, b"\0")
    added = [
        each >> 45 if each >> 40 & 3 != ESCAPE else (each & (1 << 40) - 1) * (each >> 45 == 0)
        for each in words
    ]
    assert header.instructions == total == sum(added)


def test_the_layout_of_the_file_matches_its_table(tmp_path: Path) -> None:
    """The file is a sequence of zstd frames: the header, one per block, the index."""
    content = packed(words_of(1, 20), vcpus=4, caches=(1, 2, 3), label=b"x" * 30)
    assert struct.unpack_from("<II", content) == (0x184D2A50, 88)
    assert content[8:16] == b"HMSIMTRC"
    fields = struct.unpack_from("<HHBBHQQHHI24sIIQII", content, 16)
    assert fields[:6] == (2, 0, 6, 4, 0, 20) and fields[7:10] == (1, 2, 3)
    assert fields[10] == b"x" * 23 + b"\0"
    assert fields[11:13] == (8, 3)
    index, index_checksum, checksum = fields[13:]
    assert zlib.crc32(content[8:92]) == checksum
    assert struct.unpack_from("<II", content, index) == (0x184D2A50, 3 * 8 + 3 * 4 * 8)
    assert zlib.crc32(content[index + 8 :]) == index_checksum
    at = 96
    for block, records in enumerate((8, 8, 4)):
        size, block_checksum = struct.unpack_from("<II", content, index + 8 + 8 * block)
        frame = content[at : at + size]
        assert zlib.crc32(frame) == block_checksum
        assert len(zstandard.decompress(frame)) == 9 * records
        counts = struct.unpack_from("<4Q", content, index + 8 + 3 * 8 + 32 * block)
        found = struct.unpack(
            f"<{records}Q", list(TraceFile(write(tmp_path / "t", content)).records())[block]
        )
        assert counts == tuple(
            9 * sum(each >> 42 & 7 == vcpu for each in found) for vcpu in range(4)
        )
        at += size
    assert at == index


def test_any_offset_can_be_read(tmp_path: Path) -> None:
    path = write(tmp_path / "t", packed(words_of(2, 43)))
    trace = TraceFile(path)
    whole = b""
    while piece := trace.read(len(whole)):
        whole += piece
    assert len(whole) == trace.size
    for offset in random.Random(1).choices(range(len(whole)), k=50):
        piece = trace.read(offset)
        assert piece and whole[offset : offset + len(piece)] == piece
    assert trace.read(trace.size) == b""


def test_every_changed_bit_is_detected(tmp_path: Path) -> None:
    content = packed(words_of(3, 20))
    path = tmp_path / "t.hmsim"
    for at in range(len(content)):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        with pytest.raises(InputError, match=r"t\.hmsim: "):
            read_all(write(path, bytes(damaged)))


def test_every_truncation_is_detected(tmp_path: Path) -> None:
    content = packed(words_of(4, 20))
    path = tmp_path / "t.hmsim"
    for size in range(len(content)):
        with pytest.raises(InputError, match=r"t\.hmsim: (cut short|is not a trace)"):
            read_all(write(path, content[:size]))
    with pytest.raises(InputError, match=naming("t.hmsim:", "1 bytes")):
        read_all(write(path, content + b"x"))


@settings(max_examples=100)
@given(st.data())
def test_damaged_files_are_rejected_without_other_effects(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Checksums are corrected, so that damage reaches the code after their check."""
    content = bytearray(packed(words_of(5, 20)))
    index = struct.unpack_from("<Q", content, 80)[0]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(8, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    at = FIRST_BLOCK
    for block in range(3):
        size = struct.unpack_from("<I", content, index + 8 + 8 * block)[0]
        frame = content[at : at + size]
        struct.pack_into("<I", content, index + 12 + 8 * block, zlib.crc32(frame))
        at += size
    struct.pack_into("<I", content, 88, zlib.crc32(content[index + 8 :]))
    struct.pack_into(
        "<I", content, 8 + HEADER.size - 4, zlib.crc32(content[8 : 8 + HEADER.size - 4])
    )
    path = write(tmp_path_factory.getbasetemp() / "h.hmsim", bytes(content))
    try:
        trace = TraceFile(path)
        list(trace.records())
        trace.read(trace.size - 1)
    except InputError as error:
        assert "h.hmsim: " in str(error) or "record" in str(error)


def test_a_block_that_unpacks_to_more_is_not_unpacked(tmp_path: Path) -> None:
    content = packed(words_of(6, 4))
    bomb = zstandard.compress(bytes(1 << 28))
    index = struct.unpack_from("<Q", content, 80)[0]
    entries = bytearray(content[index + 8 :])
    struct.pack_into("<II", entries, 0, len(bomb), zlib.crc32(bomb))
    header = bytearray(content[8:96])
    struct.pack_into("<QI", header, 72, 96 + len(bomb), zlib.crc32(entries))
    struct.pack_into("<I", header, 84, zlib.crc32(header[:84]))
    frame = struct.pack("<II", 0x184D2A50, len(entries))
    path = write(tmp_path / "t", content[:8] + header + bomb + frame + entries)
    with pytest.raises(InputError, match=naming("t: ", "block 1", "36")):
        read_all(path)


def test_the_message_names_file_and_block(tmp_path: Path) -> None:
    content = bytearray(packed(words_of(7, 20)))
    size = struct.unpack_from("<I", content, struct.unpack_from("<Q", content, 80)[0] + 8)[0]
    content[FIRST_BLOCK + size + 5] ^= 1
    path = write(tmp_path / "t.hmsim.zst", bytes(content))
    assert naming("t.hmsim.zst:", "checksum", "block 2").search(fail("trace", "info", path))


def test_a_run_that_skips_unpacks_only_blocks_that_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "t.hmsim", packed([word(n, high=10) for n in range(800)]))  # 100 blocks
    agent = "{kind: llc_trace, path: t.hmsim, format: hmsim, skip: 6000, instructions: 50}"
    workload = write(tmp_path / "w.yaml", f"agents:\n  - {agent}\n")
    asked = set()
    columns = TraceFile._columns

    def counted(trace: TraceFile, block: int) -> bytes:
        asked.add(block)
        return columns(trace, block)

    monkeypatch.setattr(TraceFile, "_columns", counted)
    succeed("run", "quick", "--workload", workload)
    assert asked and asked <= {74, 75, 76}  # record 600 is the first of block 75
