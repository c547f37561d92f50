# SPDX-License-Identifier: BSD-3-Clause
"""Do traces with causes report what records can express, and reject anything else?"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.traces import escapes
from hmsim.traces.causes import summarise
from hmsim.traces.file import CAUSES, RENUMBERED_PAGES, TWO_MEMORIES, TraceFile, TraceWriter
from hmsim.traces.part import Part
from hmsim.traces.tools import convert
from messages import naming

CAUSAL = TWO_MEMORIES | CAUSES
NVDIMM = 1 << 39


def escape(code: int, content: int = 0, vcpu: int = 0) -> int:
    return content | 3 << 40 | vcpu << 42 | code << 45


def line(number: int, instructions: int, vcpu: int = 0) -> int:
    return number | vcpu << 42 | instructions << 45


def introduced(number: int, name: str, process: int = 1, kernel: bool = False) -> list[int]:
    parts = name.encode().ljust(15, b"\0")
    content = [int.from_bytes(parts[at : at + 3], "little") for at in range(0, 15, 3)]
    thread = escape(escapes.THREAD, number | kernel << 16 | process << 24)
    return [thread, *(escape(escapes.NAME, number | part << 16) for part in content)]


# Two vCPUs: the first runs thread 7, which is renamed, reads a page and is preempted by 9.
RECORDS = [
    escape(escapes.REGION_BEGIN),
    *introduced(7, "sh"),
    escape(escapes.RUN, 7),
    escape(escapes.RUN, 0, vcpu=1),
    line(5, 10),
    *introduced(7, "fifteen letters")[1:],
    escape(escapes.ADD, 100),
    escape(escapes.BIO, 1 | 1 << 19),
    line(NVDIMM | 64, 20),
    escape(escapes.BIO_END),
    escape(escapes.ADD, 30),
    escape(escapes.USE, 1),
    line(6, 0),
    *introduced(9, "kworker/0:1", kernel=True),
    escape(escapes.ALARM, 9 | 250 << 16),
    escape(escapes.ADD, 5),
    escape(escapes.RUN, 9 | escapes.GOES_ON << 16),
    line(7, 1000),
    escape(escapes.WAKE, 7),
    line(8, 3, vcpu=1),
    escape(escapes.RUN, 7 | escapes.WAITS << 16),
    line(2 | 2 << 40, 40),
    escape(escapes.FENCE),
    escape(escapes.REGION_END),
]


def write(path: Path, records: list[int], flags: int = CAUSAL, block: int = 8) -> Path:
    with path.open("wb") as file:
        writer = TraceWriter(file, block_records=block)
        writer.write(struct.pack(f"<{len(records)}Q", *records))
        writer.close(flags, 2, (1, 2, 3), b"job")
    return path


def read(path: Path) -> list[int]:
    content = b"".join(TraceFile(path).records())
    return list(struct.unpack(f"<{len(content) // 8}Q", content))


def test_a_trace_with_causes_is_of_version_3(tmp_path: Path) -> None:
    path = write(tmp_path / "t.hmsim.zst", RECORDS)
    header = TraceFile(path).header
    assert (header.version, header.flags, header.causes) == (3, CAUSAL, True)
    assert read(path) == RECORDS
    plain = TraceFile(write(tmp_path / "plain", RECORDS[:1], TWO_MEMORIES)).header
    assert (plain.version, plain.causes) == (2, False)


@pytest.mark.parametrize("block", [1, 8, 1 << 16])
def test_causes_are_counted_and_instructions_given_to_threads(tmp_path: Path, block: int) -> None:
    path = write(tmp_path / "t.hmsim.zst", RECORDS, block=block)
    assert summarise(TraceFile(path).records()) == {
        "threads": 2,
        "wakes": 1,
        "alarms": 1,
        "bios": 1,
        "fences": 1,
        "uses": 1,
        "written_before": 0,
        "busiest": [
            {"thread": 9, "name": "kworker/0:1", "instructions": 1000},
            {"thread": 7, "name": "fifteen letters", "instructions": 205},
            {"thread": 0, "name": "(idle)", "instructions": 3},
        ],
    }


@pytest.mark.parametrize("code", range(3, 13))
def test_causes_need_version_3(tmp_path: Path, code: int) -> None:
    path = write(tmp_path / "t.hmsim.zst", [escape(0, 1), escape(code)], TWO_MEMORIES)
    with pytest.raises(InputError, match=naming("block 1: record 2:", f"escape code {code}", "2")):
        read(path)


@pytest.mark.parametrize(
    ("code", "content"),
    [
        (escapes.RUN, 1 << 18),
        (escapes.RUN, 3 << 16),
        (escapes.WAKE, 1 << 16),
        (escapes.BIO, 1 << 24),
        (escapes.BIO, 4 << 16),
        (escapes.BIO_END, 1),
        (escapes.FENCE, 1 << 39),
        (escapes.THREAD, 1 << 17),
    ],
)
def test_bits_that_a_cause_does_not_have_are_rejected(
    tmp_path: Path, code: int, content: int
) -> None:
    path = write(tmp_path / "t.hmsim.zst", [*RECORDS, escape(code, content)])
    at = len(RECORDS) % 8 + 1
    with pytest.raises(InputError, match=naming(f"record {at}:", "bits", f"escape code {code}")):
        read(path)


def test_other_codes_are_rejected(tmp_path: Path) -> None:
    path = write(tmp_path / "t.hmsim.zst", [escape(13)])
    with pytest.raises(InputError, match=naming("block 1: record 1:", "escape code 13", "12")):
        read(path)


@pytest.mark.parametrize("flags", [CAUSES, CAUSES | RENUMBERED_PAGES, 8])
def test_a_header_that_contradicts_itself_is_rejected(tmp_path: Path, flags: int) -> None:
    path = write(tmp_path / "t.hmsim.zst", RECORDS[:1], flags)
    with pytest.raises(InputError, match=naming("t.hmsim.zst:", "header")):
        TraceFile(path)


def test_conversions_keep_causes_in_copies_of_all(tmp_path: Path) -> None:
    source, target = write(tmp_path / "t.hmsim.zst", RECORDS), tmp_path / "o.hmsim.zst"
    convert(source, target, "hmsim", Part("both"))
    assert read(target) == RECORDS
    for part in (Part("dram"), Part("both", vcpu=0)):
        convert(source, target, "hmsim", part, force=True)
        assert TraceFile(target).header.version == 2
        assert {word >> 45 for word in read(target) if word >> 40 & 3 == 3} <= {0, 1, 2}


def test_a_window_begins_with_the_running_threads(tmp_path: Path) -> None:
    source, target = write(tmp_path / "t.hmsim.zst", RECORDS), tmp_path / "o.hmsim.zst"
    convert(source, target, "hmsim", Part("both", skip=170, limit=2000))
    assert read(target) == [
        introduced(7, "fifteen letters")[0],
        *introduced(7, "fifteen letters")[1:],
        *introduced(9, "kworker/0:1", kernel=True),
        escape(escapes.RUN, 9),
        escape(escapes.RUN, 0, vcpu=1),
        line(7, 995),
        *RECORDS[RECORDS.index(line(7, 1000)) + 1 :],
    ]
    assert summarise(TraceFile(target).records())["busiest"][0]["instructions"] == 995


def test_a_window_begins_with_the_pages_written_before(tmp_path: Path) -> None:
    def writes(page: int) -> int:
        return line(NVDIMM | page * 64 | 1 << 40, 10)

    def written(first: int, pages: int) -> int:
        return escape(escapes.WRITTEN, first | pages - 1 << 28)

    beginning = [*introduced(7, "sh"), escape(escapes.RUN, 7), escape(escapes.RUN, 0, vcpu=1)]
    records = [
        written(8, 4),
        *beginning,
        line(NVDIMM | 1 << 20, 10),
        *(writes(page) for page in (9, 12, 13)),
        line(5, 10),
    ]
    source, target = write(tmp_path / "t.hmsim.zst", records), tmp_path / "o.hmsim.zst"
    assert summarise(TraceFile(source).records())["written_before"] == 4
    convert(source, target, "hmsim", Part("both", limit=100))
    assert read(target) == records
    convert(source, target, "hmsim", Part("both", skip=31), force=True)
    kept = [written(8, 1), written(10, 2), written(9, 1), written(12, 1)]
    assert read(target) == [*kept, *beginning, line(NVDIMM | 13 * 64 | 1 << 40, 9), line(5, 10)]
    assert summarise(TraceFile(target).records())["written_before"] == 5
