# SPDX-License-Identifier: BSD-3-Clause
"""Do captures with causes record running threads, wakes and requests to the NVDIMM?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from hmsim.capture.settings import SystemSettings
from hmsim.capture.system import SystemCaptureSummary, capture_system
from hmsim.traces import escapes
from hmsim.traces.causes import summarise
from hmsim.traces.file import CAUSES, TWO_MEMORIES, TraceFile
from test_system_capture import ESCAPE, LINES, NVDIMM, needs_guest, records

PAGE_LINES = 64
NAME_RECORDS = 5


def captured(
    job: str, path: Path, snapshot: Path | None = None, force: bool = False, **options: Any
) -> SystemCaptureSummary:
    settings = SystemSettings(causes=True, timeout=180, **options)
    return capture_system(job, path, settings, snapshot=snapshot, force=force)


def reported(path: Path) -> list[tuple[int, int, int]]:
    """Return the code, vCPU and content of each cause, once they are consistent."""
    header, found = records(path)
    assert (header.version, header.flags) == (3, TWO_MEMORIES | CAUSES)
    result = [
        (word >> 45, word >> 42 & 7, word & (1 << 40) - 1)
        for word in found
        if word >> 40 & 3 == ESCAPE and word >> 45 >= escapes.RUN
    ]
    names: Counter[int] = Counter()  # records of each thread introduced
    running: dict[int, int] = {}  # by vCPU
    waiting: set[int] = set()
    for code, vcpu, content in result:
        number = content & 0xFFFF
        if code == escapes.THREAD:
            names[number] = 0
        elif code == escapes.NAME:
            assert number in names
            names[number] += 1
        elif code in (escapes.RUN, escapes.WAKE, escapes.ALARM):
            assert number == 0 or (number in names and names[number] % NAME_RECORDS == 0)
        if code == escapes.RUN:
            if content >> 16 == escapes.WAITS:
                waiting.add(running[vcpu])
            running[vcpu] = number
            assert number not in waiting
            assert number == 0 or list(running.values()).count(number) == 1
        elif code in (escapes.WAKE, escapes.ALARM):
            waiting.discard(number)
    assert set(running) == set(range(header.vcpus))
    return result


@needs_guest
def test_a_direct_write_records_its_requests_and_fences(tmp_path: Path) -> None:
    names = [tmp_path / "a.hmsim.zst", tmp_path / "b.hmsim.zst"]
    for name in names:
        summary = captured("fio-direct-write", name, icount=True, driver="pmbd-nt")
    assert names[0].read_bytes() == names[1].read_bytes()
    causes = reported(names[0])
    bios = [content for code, _, content in causes if code == escapes.BIO]
    writes = [bio & 0xFFFF for bio in bios if bio >> 16 & 7 == escapes.WRITE]
    assert len(bios) == sum(code == escapes.BIO_END for code, _, _ in causes)
    assert sum(writes) == summary.nvdimm_nt_writes // PAGE_LINES
    assert sum(code == escapes.FENCE for code, _, _ in causes) >= sum(writes)
    found = summarise(TraceFile(names[0]).records())
    assert found["busiest"][0]["name"] == "fileio"
    # The trace contains neither instructions nor lines of the module.
    settings = SystemSettings(driver="pmbd-nt", icount=True)
    plain = capture_system("fio-direct-write", names[1], settings, force=True)
    assert plain.instructions < summary.instructions < 1.02 * plain.instructions
    assert plain.nvdimm_nt_writes == summary.nvdimm_nt_writes
    assert abs(plain.fills - summary.fills) < 200


@needs_guest
def test_a_buffered_read_uses_each_page_once(tmp_path: Path) -> None:
    path = tmp_path / "r.hmsim.zst"
    captured("fio-buffered-read", path, icount=True)
    causes = reported(path)
    uses = [content for code, _, content in causes if code == escapes.USE]
    assert len(uses) == len(set(uses)) == LINES // PAGE_LINES
    _, found = records(path)
    filled = {
        (word & (1 << 39) - 1) // PAGE_LINES
        for word in found
        if word >> 40 & 3 == 0 and word & NVDIMM
    }
    assert set(uses) == filled
    written: set[int] = set()
    for code, _, content in causes:
        if code == escapes.WRITTEN:
            first = content & (1 << escapes.PAGE_BITS) - 1
            written |= set(range(first, first + (content >> escapes.PAGE_BITS) + 1))
    assert set(uses) < written and len(written) < 1.01 * len(uses), "preparation wrote the file"
    ahead = [content for code, _, content in causes if code == escapes.BIO and content >> 19 & 1]
    assert sum(bio & 0xFFFF for bio in ahead) > 0.9 * len(uses)


@needs_guest
def test_a_saved_state_records_its_threads(tmp_path: Path) -> None:
    snapshot, path = tmp_path / "snapshot", tmp_path / "t.hmsim.zst"
    for _ in range(2):
        captured("fio-buffered-write", path, vcpus=2, snapshot=snapshot, force=True)
        causes = reported(path)
        assert sum(code == escapes.FENCE for code, _, _ in causes)
        assert sum(code == escapes.WAKE for code, _, _ in causes)
