# SPDX-License-Identifier: BSD-3-Clause
"""Does `hmsim trace info` report what a count by hand finds?"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.traces.escapes import BIO, BIO_END, ESCAPE, RUN, THREAD
from hmsim.traces.file import CAUSES, TWO_MEMORIES
from hmsim.traces.info import chart, info
from hmsim.traces.records import FORMATS
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import naming
from support import fail, parsed, succeed, write, write_records

NVDIMM = 1 << 39


def varint(value: int) -> bytes:
    more = b""
    while value > 127:
        more += bytes([value & 127 | 128])
        value >>= 7
    return more + bytes([value])


def message(*fields: int) -> bytes:
    """Return a protocol-buffer message with numbers in fields 1, 2, ...; None: field omitted."""
    content = b"".join(
        varint(number << 3) + varint(value) for number, value in enumerate(fields, 1) if value >= 0
    )
    return varint(len(content)) + content


def two_memories(path: Path) -> Path:
    """Write 100 pages read from front to back on the NVDIMM, and a DRAM write after each."""
    words = []
    for page in range(100):
        words += [NVDIMM + page * 64 + line | 10 << 45 for line in range(64)]
        words.append(page * 640 | 1 << 40)
    return write_records(path, words, TWO_MEMORIES)


def test_memories_are_counted_separately(tmp_path: Path) -> None:
    summary = parsed("trace", "info", two_memories(tmp_path / "t.hmsim"))
    assert (summary["records"], summary["nvdimm_reads"]) == (6500, 6400)
    dram, nvdimm = summary["memories"]["dram"], summary["memories"]["nvdimm"]
    assert (dram["reads"], dram["writes"]) == (0, 100)
    assert nvdimm["lines_per_page_visit"] == nvdimm["lines_per_read_page_run"] == 64
    assert nvdimm["lines_per_read_row_run"] == 128
    assert nvdimm["sequential_reads"] == pytest.approx(6399 / 6400)
    assert dram["lines_per_page_visit"] == dram["lines_per_write_row_run"] == 1
    assert dram["footprint_bytes"] == nvdimm["footprint_bytes"] == 100 * 4096
    assert summary["duration"] == 64_000
    for memory in (dram, nvdimm):
        intensity = memory["intensity"]
        assert sum(intensity["reads"]) == memory["reads"]
        assert sum(intensity["writes"]) == memory["writes"]
        assert 64_000 / 128 <= intensity["length"] <= 64_000 / 64


def test_causes_are_counted(tmp_path: Path) -> None:
    escapes = (THREAD << 45 | 7 | 7 << 24, RUN << 45 | 7, BIO << 45 | 1, BIO_END << 45)
    words = [*(word | ESCAPE << 40 for word in escapes), NVDIMM | 10 << 45]
    write_records(tmp_path / "t.hmsim", words, TWO_MEMORIES | CAUSES)
    causes = parsed("trace", "info", tmp_path / "t.hmsim")["causes"]
    assert (causes["threads"], causes["bios"], causes["fences"]) == (1, 1, 0)
    assert causes["busiest"] == [{"thread": 7, "name": "", "instructions": 10}]
    assert "requests to the block device" in succeed("trace", "info", tmp_path / "t.hmsim")
    assert "causes" not in parsed("trace", "info", two_memories(tmp_path / "u.hmsim"))


def test_a_chart_has_one_scale_and_fits() -> None:
    memories = {
        "dram": {"intensity": {"length": 1, "reads": (1, 1, 2, 4, 0, 8), "writes": (0,) * 6}},
        "nvdimm": {"intensity": {"length": 2, "reads": (16, 0, 1), "writes": ()}},
    }
    summary = {"memories": memories, "unit": "ns"}
    *rows, (_, scale) = chart(summary, 3)
    assert rows == [("dram reads", "▁▃▄"), ("nvdimm reads", "█ ▁")]
    assert scale == "a column is 2 ns, the highest 16 requests"
    *rows, _ = chart(summary, 2, plain=True)
    assert rows == [("dram reads", "=="), ("nvdimm reads", "@.")]


def test_intensity_counts_requests_without_times(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "".join(f"{n * 64:#x} R\n" for n in range(300)))
    summary = parsed("trace", "info", path)
    assert "duration" not in summary
    assert summary["memories"]["memory"]["intensity"]["reads"] == [4] * 75
    assert "a column is" in succeed("trace", "info", path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_packets_of_gem5_are_known(tmp_path: Path, pack: type) -> None:
    header = message(-1, 0, 10**12)
    packets = [message(1000 + 500 * n, (1, 4, 10)[n % 3], n * 64, 64) for n in range(9)]
    path = write(tmp_path / "t.gz", pack(b"gem5" + header + b"".join(packets)))
    summary = parsed("trace", "info", path)
    assert (summary["format"], summary["unit"]) == ("gem5", "ps")
    assert (summary["reads"], summary["writes"], summary["skipped"]) == (3, 3, 3)
    assert summary["duration"] == 7 * 500
    assert summary["requests_per_second"] == pytest.approx(6 / 3500e-12)


def test_packets_of_gem5_drive_a_memory(tmp_path: Path) -> None:
    packets = [message(10**9 + 10**6 * n, (1, 4, 10)[n % 3], n * 256, 128) for n in range(30)]
    write(tmp_path / "t.gz", gzip.compress(b"gem5" + message(-1, 0, 10**12) + b"".join(packets)))
    agent = "{kind: memory_trace, path: t.gz, format: gem5, mode: timed}"
    workload = write(tmp_path / "w.yaml", f"agents:\n  - {agent}\n")
    stats = parsed("run", "quick", "--workload", workload)
    assert (stats["dram.reads"], stats["dram.writes"]) == (20, 20)  # two lines a packet
    assert stats["agent.0.progress"] == 40
    # The last packet arrives 28 us after the first.
    assert 28e-6 < stats["agent.0.progress"] / stats["agent.0.rate"] < 28.1e-6


@settings(max_examples=100)
@given(st.binary(max_size=300), st.sampled_from([None, *FORMATS]))
def test_any_bytes_are_a_trace_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str | None
) -> None:
    path = write(tmp_path_factory.getbasetemp() / "any", content)
    try:
        assert info(path, name)["records"] > 0
    except InputError as error:
        assert str(path) in str(error)


def test_records_without_data_are_counted(tmp_path: Path) -> None:
    text = "fio version 2 iolog\n/x add\n/x read 0 4096\n/x sync 0 0\n/x trim 0 4096\n"
    assert parsed("trace", "info", write(tmp_path / "t", text))["skipped"] == 2


def test_other_files_than_traces_are_identified(tmp_path: Path) -> None:
    binary = fail("trace", "info", write(tmp_path / "champsim", bytes(range(256))))
    assert naming("champsim:", "not text", "ChampSim's").search(binary), binary
