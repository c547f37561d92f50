# SPDX-License-Identifier: BSD-3-Clause
"""Are the traces that people bring read, or refused in one line that shows the way?"""

from __future__ import annotations

import bz2
import io
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hmsim.traces.reader import BLOCK, read_pieces
from hmsim.traces.records import find_format, read
from messages import naming
from support import fail, parsed, succeed, write

STL = b"0:\tWrite\t0x7ffd0689818\n1:\tWrite\t0x7ffd0689810\n7:\tRead\t0x7fec743ce68\n"
MSR = b"128166372003061629,usr,0,Read,7014609920,24576,41286\n"
MSR_TWO = MSR + b"128166372016382155,usr,0,write,1317441536,8192,1963\n"
MSR_NAMES = b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n"
K6 = b"0x7f64768732D0 P_FETCH 1\n0x7ffff7fe1da0 P_MEM_WR 12\n0x7f64768732D0 P_MEM_RD 16\n"
GEM5 = (
    b'# <<< protobuf header start\n# obj_id: "m"\n# tick_freq: 1000000000000\n'
    b"# >>> protobuf header end\ntick,cmd,addr,size,flags,pkt_id,pc\n"
    b"1000,1,4096,64,0,5,\n2000,4,8192,64,0,5,\n2500,7,12288,64,0,5,\n"
)
ORACLE = b"".join(
    struct.pack("<IQIq", 1000 + at, 12345 + 7 * at, 4096, -1 if at else 2) for at in range(3)
)
MSR_FIRST = (128166372003061629 * 100, 7014609920, False, 24576)
# Content, format (None: detected), accesses, and time, address, write and bytes of the first.
READ: dict[str, tuple[bytes, str | None, int, tuple[int, int, bool, int]]] = {
    "stl": (STL, None, 3, (0, 0x7FFD0689800, True, 64)),
    "stl, lower case and a length": (b"31: (32) read 0x4f0\n", None, 2, (31, 0x4C0, False, 64)),
    "stl, after comments": (
        *(b"# a\r\n\n  # b\n31: read 0x4f0\r\n", None, 1, (31, 0x4C0, False, 64)),
    ),
    "msr, header": (MSR_NAMES + MSR_TWO, None, 2, MSR_FIRST),
    "msr, header of other words": (
        *(b"\xef\xbb\xbftime stamp,host_name,disk,op,offset,length\r\n" + MSR_TWO, None, 2),
        MSR_FIRST,
    ),
    "msr, quotes and blanks": (
        *(MSR_TWO.replace(b",", b', "', 1).replace(b",0", b'" , 0', 1), None, 2),
        MSR_FIRST,
    ),
    "alibaba, header": (
        *(b"device_id,opcode,offset,length,timestamp\n419,W,4096,512,7\n", None, 1),
        (7000, 4096, True, 512),
    ),
    "k6": (K6, None, 3, (1, 0x7F64768732D0, False, 64)),
    "oracleGeneral": (ORACLE, "oraclegeneral", 3, (10**12, 12345 * 512, False, 4096)),
    "gem5": (GEM5, None, 3, (0, 4096, False, 64)),
    "gem5, names in a comment": (GEM5.replace(b"tick,", b"# tick,"), None, 3, (0, 4096, False, 64)),
    "blkparse, issues": (
        b"8,0 1 1 0.000000100 9 D R 8 + 8 [a]\n8,0 1 5 0.000000500 9 C R 8 + 8 [0]\n",
        *(None, 1, (100, 4096, False, 4096)),
    ),
}
REFUSED: dict[str, tuple[bytes, tuple[str, ...], tuple[str, ...]]] = {
    "stl, an unknown word": (STL + b"9: fetch 0x40\n", (), ("t:4:", "read|write", "fetch")),
    "msr, a header without records": (MSR_NAMES, ("msr",), ("t: ", "no records")),
    "msr, a header of unknown words": (
        *(b"a,b,c,d,e,f\n" + MSR, ()),
        ("t: ", "a,b,c,d,e,f", "--columns time=0,op=3,offset=4,size=5,time_unit=100ns,header=1"),
    ),
    "oracleGeneral, not detected": (ORACLE * 60, (), ("t: ", "not text", "--format")),
}


@pytest.mark.parametrize("case", READ)
def test_a_trace_is_read(tmp_path: Path, case: str) -> None:
    content, name, count, first = READ[case]
    path = write(tmp_path / "t", content)
    chosen = ("--format", name) if name else ()
    assert parsed("trace", "info", path, *chosen)["records"] == count
    access = next(iter(read(path, find_format(path, name))))
    assert (access.time, access.address, access.write, access.size) == first


@pytest.mark.parametrize("case", REFUSED)
def test_a_rejection_is_one_line_with_advice(tmp_path: Path, case: str) -> None:
    content, name, parts = REFUSED[case]
    path = write(tmp_path / "t", content)
    refused = fail("trace", "info", path, *(("--format", *name) if name else ()))
    assert refused.count("\n") == 1
    assert naming(*parts).search(refused), refused


WORKLOAD = """\
agents:
  - {kind: block_trace, core: 0, path: t, format: mqsim, replay: closed, RULES}
"""
FAULTY = (
    b"0 0 0 8 1\n1 0 8 0 0\n2 0 8 8 0\n3 0 8 20000000000000000 0\n4 0 16 x 0\n"
    b"5 0 8 8 1\n6 0 0 0 1\n"
)


def test_skipped_records_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "t", FAULTY)
    workload = write(tmp_path / "w.yaml", WORKLOAD.replace("RULES", "on_bad_record: skip"))
    stats = parsed("run", "quick", "--workload", workload)
    assert stats["frontend.zero_length_requests"] == 2
    assert stats["frontend.bad_records"] == 2
    told = succeed("run", "quick", "--workload", workload)
    assert "2 requests of length 0" in told and "2 malformed records" in told
    summary = parsed("trace", "info", tmp_path / "t", "--on-bad-record", "skip")
    assert (summary["records"], summary["zero_length"], summary["bad_records"]) == (3, 2, 2)


@pytest.mark.parametrize(
    ("rules", "parts"),
    [
        ("zero_length: error", ("t:2: ", "0 sectors", "zero_length: skip")),
        ("zero_length: skip", ("t:4: ", "2^63", "on_bad_record: skip")),
        ("zero_length: maybe", ("zero_length", "skip", "error", "maybe")),
    ],
)
def test_rules_end_a_run(tmp_path: Path, rules: str, parts: tuple[str, ...]) -> None:
    write(tmp_path / "t", FAULTY)
    workload = write(tmp_path / "w.yaml", WORKLOAD.replace("RULES", rules))
    assert naming(*parts).search(fail("run", "quick", "--workload", workload))


MEMORY = """\
agents:
  - {kind: memory_trace, path: t, format: FORMAT, RULES}
"""
# Memory traces of two requests and of records that end a run: format, keys, trace, where, count.
BAD_ACCESSES = {
    "operation": ("dramsim3", "", b"0x40 READ 1\n0x80 TRIM 2\n0xc0 WRITE 3\n", ":2:", 1),
    "number": ("ramulator_rw", "", b"0x40 R\nzz R\n0x80\n0xc0 W\n", ":2:", 2),
    "time": (
        *("dramsim3", "mode: timed"),
        *(b"0x40 READ 1\n0x80 READ 9999999999999999\n0xc0 WRITE 3\n", "longest", 1),
    ),
    "address": (
        *("gem5_text", ""),
        *(b"r,64,64,5\nw,18446744073709551600,64,6\nw,128,64,7\n", ":2:", 1),
    ),
    "source": (
        *("gem5_text", "sources: trace"),
        *(b"1,r,64,64,5\n70000,r,64,64,6\n1,w,128,64,7\n", "requestor 70000", 1),
    ),
}


@pytest.mark.parametrize("case", BAD_ACCESSES)
def test_skipped_memory_requests_are_counted(tmp_path: Path, case: str) -> None:
    name, keys, trace, place, bad = BAD_ACCESSES[case]
    write(tmp_path / "t", trace)
    text = MEMORY.replace("FORMAT", name)
    workload = write(tmp_path / "w.yaml", text.replace("RULES", keys))
    assert naming(place, "on_bad_record: skip").search(fail("run", "quick", "--workload", workload))
    keys = f"{keys + ', ' if keys else ''}on_bad_record: skip"
    stats = parsed("run", "quick", "--workload", write(workload, text.replace("RULES", keys)))
    assert (stats["frontend.bad_records"], stats["agent.0.progress"]) == (bad, 2)


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, text in members:
            archive.writestr(name, text)
    return content.getvalue()


@pytest.mark.parametrize(
    "pack",
    [
        bz2.compress,
        lambda text: bz2.compress(text[:30]) + bz2.compress(text[30:]),
        lambda text: zipped(("t.csv", text)),
        lambda text: zipped(("folder/", b""), ("folder/t", text), method=zipfile.ZIP_STORED),
        lambda text: zipped(("chunk.0001", text[30:]), ("chunk.0000", text[:30])),
    ],
)
def test_bzip2_and_zip_are_read(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = write(tmp_path / "t", pack(MSR_TWO))
    assert parsed("trace", "info", path)["records"] == 2


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (bz2.compress(MSR)[:-4], ("cut short",)),
        (bz2.compress(MSR)[:20] + b"\0" * 30, ("damaged compression",)),
        (zipped(("a", MSR), ("b", MSR)), ("one file", "2 (a, b)")),
        (zipped(), ("holds no file",)),
        (zipped(("a", MSR), method=zipfile.ZIP_BZIP2), ("a: ", "deflated", "12")),
        (zipped(("a", MSR))[:-30], ("damaged compression",)),
        (zipped(("a", MSR)).replace(b"a", b"b", 1), ("damaged compression",)),
        (zipped(*((f"chunk.{at:080}", b"") for at in range(9000))), ("directory", "1048576")),
    ],
)
def test_damaged_archives_are_rejected(
    tmp_path: Path, content: bytes, parts: tuple[str, ...]
) -> None:
    assert naming("t: ", *parts).search(fail("trace", "info", write(tmp_path / "t", content)))


@pytest.mark.parametrize("pack", [bz2.compress, lambda text: zipped(("t", text))])
def test_a_bomb_is_read_in_small_pieces(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    bomb = write(tmp_path / "t", pack(bytes(48 << 20)))
    assert bomb.stat().st_size < 1 << 20
    sizes = [len(piece) for piece in read_pieces(bomb)]
    assert sum(sizes) == 48 << 20 and max(sizes) <= BLOCK


def converted(tmp_path: Path, content: bytes, *options: object) -> tuple[str, Any]:
    source, out = write(tmp_path / "in", content), tmp_path / "out"
    summary = parsed("trace", "convert", source, out, *options)
    return out.read_text(encoding="ascii"), summary


BLOCKS = b"".join(b"%d 0 %d 8 %d\n" % (1000 * at, 8 * at, at % 2) for at in range(10))


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (("--skip", 3), [3, 4, 5, 6, 7, 8, 9]),
        (("--take", 2), [0, 1]),
        (("--every", 4), [0, 4, 8]),
        (("--skip", 1, "--every", 3, "--take", 2), [1, 4]),
        (("--every", 3, "--take", 9), [0, 3, 6, 9]),
    ],
)
def test_a_cut_keeps_the_clock(
    tmp_path: Path, options: tuple[object, ...], kept: list[int]
) -> None:
    text, summary = converted(tmp_path, BLOCKS, "--to", "mqsim", *options)
    lines = BLOCKS.decode().splitlines()
    assert text.splitlines() == [lines[at] for at in kept]
    assert summary["accesses"] == len(kept)
    requests = b"".join(b"%#x READ %d\n" % (64 * at, 9 * at) for at in range(10))
    text, _ = converted(tmp_path, requests, "--to", "dramsim3", "--force", *options)
    lines = requests.decode().splitlines()
    assert text.splitlines() == [lines[at] for at in kept]


def test_a_cut_reads_nothing_after_it(tmp_path: Path) -> None:
    text, summary = converted(tmp_path, BLOCKS + b"1 0 x 8 1\n", "--to", "mqsim", "--take", 10)
    assert text == BLOCKS.decode() and summary["accesses"] == 10
    _, summary = converted(tmp_path, FAULTY, "--to", "mqsim", "--force", "--on-bad-record", "skip")
    assert (summary["zero_length"], summary["bad_records"]) == (2, 2)


@pytest.mark.parametrize(
    ("content", "options", "parts"),
    [
        (b"3 64\n", ("--to", "hmsim", "--take", 1), ("ramulator", "--take", "misses")),
        (b"3 64\n", ("--to", "hmsim", "--skip", 1), ("ramulator", "--skip")),
        (BLOCKS, ("--to", "mqsim", "--limit", 1), ("--limit", "--take")),
        (BLOCKS, ("--to", "mqsim", "--every", 0), ("1", "0")),
        (BLOCKS, ("--to", "mqsim", "--skip", 10), ("no record",)),
    ],
)
def test_invalid_cuts_are_rejected(
    tmp_path: Path, content: bytes, options: tuple[object, ...], parts: tuple[str, ...]
) -> None:
    source, out = write(tmp_path / "in", content), tmp_path / "out"
    refused = fail("trace", "convert", source, out, *options)
    assert not out.exists()
    assert naming(*parts).search(refused), refused


def test_a_request_above_its_device_and_1_gib_is_an_error(tmp_path: Path) -> None:
    trace = write(tmp_path / "big.txt", "1 0 8 9000000000 1\n")
    agent = f"agents: [{{kind: block_trace, path: {trace}, format: mqsim}}]\n"
    message = fail("run", "quick", "--workload", write(tmp_path / "w.yaml", agent))
    assert re.search(naming("agent.0.path: ", "4500000000KiB", "larger device"), message)
