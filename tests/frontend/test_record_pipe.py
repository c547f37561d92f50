# SPDX-License-Identifier: BSD-3-Clause
"""Does the trace hold every record written to the pipe, and do errors end the pipe?"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.traces.file import RENUMBERED_PAGES, TraceFile
from hmsim.traces.record_pipe import RecordPipe
from messages import naming

RECORDS = struct.pack("<300000Q", *(n % 1000 | 1 << 45 for n in range(300_000)))


def test_records_become_a_trace_as_they_arrive(tmp_path: Path) -> None:
    pipe, target = tmp_path / "pipe", tmp_path / "t.hmsim"
    with RecordPipe(pipe, target, 3) as records:
        for at in range(0, len(RECORDS), 99_999):  # opened anew each time, within a record
            with pipe.open("wb") as file:
                file.write(RECORDS[at : at + 99_999])
        records.finish(RENUMBERED_PAGES, 2, (1, 2, 3), b"name", 300_000)
    trace = TraceFile(target)
    assert b"".join(trace.records()) == RECORDS
    assert (trace.header.vcpus, trace.header.instructions) == (2, 300_000)


def test_lost_records_are_detected(tmp_path: Path) -> None:
    with RecordPipe(tmp_path / "pipe", tmp_path / "t", 3) as records:
        (tmp_path / "pipe").write_bytes(RECORDS[:80])
        with pytest.raises(InputError, match=naming("name:", "10 records", "11")):
            records.finish(0, 1, (1, 2, 3), b"name", 11)


def test_a_full_disk_ends_the_writer_and_is_reported(tmp_path: Path) -> None:
    numbers = b"".join(struct.pack("<Q", n * n * 977 % (1 << 40)) for n in range(400_000))
    pipe = tmp_path / "pipe"
    with (
        pytest.raises(OSError, match="No space left"),
        RecordPipe(pipe, Path("/dev/full"), 1),
        pipe.open("wb") as file,
    ):
        while True:
            file.write(numbers)


def test_a_pipe_without_a_writer_does_not_block(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mine"), RecordPipe(tmp_path / "pipe", tmp_path / "t", 3):
        raise InputError("mine")
