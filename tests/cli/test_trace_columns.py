# SPDX-License-Identifier: BSD-3-Clause
"""Are traces of columns read as the user specifies, and other files rejected?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hmsim.traces.records import FORMATS
from messages import naming
from support import fail, invoke, parsed, succeed, write

TABLE = b"""at;what;where;long;disk;took
1.25;Read;8;2;0;0.5
1.5;Write;16;1;1;
2;F;;;0;0.25
3;Trim;0;8;0;1
"""
COLUMNS = (
    "time=at,op=what,offset=where,size=long,device=disk,response=took,time_unit=1ms,"
    "offset_unit=512B,size_unit=512B,header=1,separator=semicolon"
)
WORKLOAD = """agents:
  - kind: block_trace
    path: table
    format: csv
    replay: timed
    columns:
      {time: at, op: what, offset: where, size: long, time_unit: 1ms, offset_unit: 512B,
       size_unit: 512B, header: 1, separator: semicolon}
"""


def test_columns_are_summarised_and_converted(tmp_path: Path) -> None:
    table = write(tmp_path / "table", TABLE)
    summary = parsed("trace", "info", table, "--format", "csv", "--columns", COLUMNS)
    assert (summary["reads"], summary["writes"], summary["skipped"]) == (1, 1, 2)
    assert (summary["read_bytes"], summary["write_bytes"]) == (1024, 512)
    assert summary["completions"] == 3 and summary["sources"] == 2
    out = tmp_path / "out"
    lost = parsed(
        *("trace", "convert", table, out, "--to", "mqsim", "--format", "csv"),
        *("--columns", COLUMNS),
    )
    assert out.read_text(encoding="ascii") == "1250000 0 8 2 1\n1500000 1 16 1 0\n"
    assert lost["dropped_completions"] == 3 and lost["dropped_records"] == 2


def test_a_workload_names_its_columns(tmp_path: Path) -> None:
    write(tmp_path / "table", TABLE)
    workload = write(tmp_path / "workload.yaml", WORKLOAD.encode())
    succeed("run", "mascots16", "--workload", workload, "--out", tmp_path / "out")
    agent = json.loads((tmp_path / "out" / "stats.json").read_text())["agent"]["0"]
    # The trace has a read, a write and a discard; the last request arrives at 1.75 ms.
    assert agent["rate"] == pytest.approx(2 / 1.75e-3, rel=0.01)


@pytest.mark.parametrize(
    ("columns", "parts"),
    [
        ("", ("table: columns.time:",)),
        ("time", ("--columns:", "'time'", "KEY=VALUE")),
        ("tme=0", ("columns.tme:", "'columns.time'?")),
        (COLUMNS.replace("where", "nowhere"), ("table:1:", "'nowhere'")),
        (COLUMNS.replace("1ms", "2s"), ("table: columns.time_unit:", "'2s'", "1s")),
        (COLUMNS.replace("1ms", "1ps"), ("table: columns.time_unit:", "nanoseconds")),
    ],
)
def test_wrong_columns_are_reported(tmp_path: Path, columns: str, parts: tuple[str, ...]) -> None:
    table = write(tmp_path / "table", TABLE)
    refused = fail("trace", "info", table, "--format", "csv", "--columns", columns)
    assert naming(*parts).search(refused), refused


def test_columns_and_levels_are_of_their_formats(tmp_path: Path) -> None:
    blocks = write(tmp_path / "blocks", b"1 0 8 8 1\n")
    refused = fail("trace", "info", blocks, "--columns", "time=0")
    assert naming("columns.time:", "csv").search(refused), refused
    assert naming("levels:", "'mqsim'").search(fail("trace", "info", blocks, "--levels", "2,2"))
    vectors = write(tmp_path / "vectors", b"R 1,3\nW 0,0\n")
    assert "vectors: levels: " in fail("trace", "info", vectors)
    assert parsed("trace", "info", vectors, "--levels", "2,4")["footprint_bytes"] == 4096


@pytest.mark.parametrize("name", [*FORMATS, None])
def test_an_empty_file_is_reported_as_empty(tmp_path: Path, name: str | None) -> None:
    empty = write(tmp_path / "empty", b"")
    assert "empty: is empty" in fail("trace", "info", empty, *(("--format", name) if name else ()))


def test_records_without_data_are_counted(tmp_path: Path) -> None:
    flushes = write(tmp_path / "flushes", b"8,0 0 1 0.000000001 1 Q F [x]\n" * 3)
    refused = invoke("trace", "info", flushes)
    assert naming("flushes:", "blkparse", "3 other records").search(refused.stderr)
