# SPDX-License-Identifier: BSD-3-Clause
"""Does `hmsim trace convert` keep what is chosen, all of it, and its times?"""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from hmsim.traces.file import TWO_MEMORIES, TraceFile
from messages import naming
from support import fail, parsed, succeed, write, write_records
from test_trace_info import two_memories

NVDIMM = 1 << 39
ESCAPE = 3


def mixed(path: Path) -> list[int]:
    """Write a trace of two memories and three vCPUs at random; return its records."""
    numbers = random.Random(4)
    words = []
    for _ in range(500):
        kind, vcpu = numbers.randrange(4), numbers.randrange(3)
        line = numbers.randrange(1 << 20) | numbers.choice([0, NVDIMM])
        high = numbers.randrange(3) if kind == ESCAPE else numbers.randrange(1 << 19)
        words.append(
            line % (NVDIMM if kind == ESCAPE else 1 << 40) | kind << 40 | vcpu << 42 | high << 45
        )
    write_records(path, words, TWO_MEMORIES, 3, (1, 2, 3), b"mixed", block_records=64)
    return words


def accesses(path: Path) -> list[tuple[int, int, int, int]]:
    return content(path)[0]


def content(path: Path) -> tuple[list[tuple[int, int, int, int]], list[int]]:
    """Return kind, line, vCPU and instructions so far of each access in the records.

    And the instructions of every vCPU.
    """
    times = [0] * 8
    found = []
    for block in TraceFile(path).records():
        for (word,) in struct.iter_unpack("<Q", block):
            line, kind, vcpu, high = (
                word & (1 << 40) - 1,
                word >> 40 & 3,
                word >> 42 & 7,
                word >> 45,
            )
            if kind == ESCAPE:
                times[vcpu] += line * (high == 0)
            else:
                times[vcpu] += high
                found.append((kind, line, vcpu, times[vcpu]))
    return found, times


@pytest.mark.parametrize("vcpu", [None, 0, 2])
@pytest.mark.parametrize("memory", ["dram", "nvdimm", "both"])
def test_a_selection_keeps_its_times(tmp_path: Path, memory: str, vcpu: int | None) -> None:
    source, target = tmp_path / "a.hmsim", tmp_path / "b.hmsim"
    mixed(source)
    choice = ["--memory", memory] + ([] if vcpu is None else ["--vcpu", str(vcpu)])
    succeed("trace", "convert", source, target, "--to", "hmsim", *choice)
    wanted = [
        (kind, line if memory == "both" else line % NVDIMM, owner if vcpu is None else 0, time)
        for kind, line, owner, time in accesses(source)
        if vcpu in (None, owner) and (memory == "both" or (line >= NVDIMM) == (memory == "nvdimm"))
    ]
    assert accesses(target) == wanted
    before, after = TraceFile(source).header, TraceFile(target).header
    assert after.two_memories == (memory == "both")
    assert (after.l1, after.l2, after.l3, after.label) == (1, 2, 3, before.label)
    assert after.vcpus == (3 if vcpu is None else 1)
    if vcpu is None:
        assert after.instructions == before.instructions
    if memory == "both" and vcpu is None:
        again = tmp_path / "c.hmsim"
        succeed("trace", "convert", target, again, "--to", "hmsim", "--memory", "both")
        assert again.read_bytes() == target.read_bytes()


@pytest.mark.parametrize("vcpu", [None, 2])
def test_concatenated_windows_equal_the_whole(tmp_path: Path, vcpu: int | None) -> None:
    source, whole = tmp_path / "a.hmsim", tmp_path / "whole.hmsim"
    mixed(source)
    choice = ["--to", "hmsim", "--memory", "both"] + ([] if vcpu is None else ["--vcpu", "2"])
    succeed("trace", "convert", source, whole, *choice)
    total = TraceFile(whole).header.instructions
    ends = [0, total // 3, total // 3 + 10_000_000, 2 * total]
    times = [0] * 8
    found = []
    for begin, end in zip(ends, ends[1:]):
        cut = ["--skip", str(begin), "--limit", str(end - begin)]
        part = tmp_path / f"{begin}.hmsim"
        succeed("trace", "convert", source, part, *choice, *cut)
        own, lengths = content(part)
        assert TraceFile(part).header.instructions == min(end, total) - begin == sum(lengths)
        found += [(kind, line, owner, times[owner] + time) for kind, line, owner, time in own]
        times = [time + length for time, length in zip(times, lengths)]
    assert (found, times) == content(whole)
    text = tmp_path / "text"
    cut = ["--skip", str(ends[1]), "--limit", str(ends[2] - ends[1])]
    succeed("trace", "convert", source, text, "--to", "ramulator_rw", *choice[2:], *cut)
    assert len(text.read_text().splitlines()) == len(accesses(tmp_path / f"{ends[1]}.hmsim"))


def test_the_nvdimm_part_becomes_block_requests(tmp_path: Path) -> None:
    source, target = two_memories(tmp_path / "a.hmsim"), tmp_path / "b.mqsim"
    succeed("trace", "convert", source, target, "--to", "mqsim", "--memory", "nvdimm")
    rows = [list(map(int, line.split())) for line in target.read_text().splitlines()]
    assert rows == [[10 + 640 * page, 0, 8 * page, 8, 1] for page in range(100)]


def test_texts_hold_one_memory_or_both(tmp_path: Path) -> None:
    source = two_memories(tmp_path / "a.hmsim")
    part, both = tmp_path / "part", tmp_path / "both"
    succeed("trace", "convert", source, part, "--to", "ramulator", "--memory", "nvdimm")
    rows = [list(map(int, line.split())) for line in part.read_text().splitlines()]
    assert rows == [[9, 64 * line] for line in range(6400)]
    succeed("trace", "convert", source, both, "--to", "ramulator_rw", "--memory", "both")
    lines = both.read_text().splitlines()
    assert lines[:2] == [f"{1 << 45:#x} R", f"{(1 << 45) + 64:#x} R"]
    assert lines[64] == "0x0 W"


def test_several_vcpus_become_one_in_the_order_of_their_records(tmp_path: Path) -> None:
    words = [5 | 10 << 45, 6 | 1 << 42 | 4 << 45, 7 | 3 << 45]
    source, target = write_records(tmp_path / "a.hmsim", words, 0), tmp_path / "b"
    succeed("trace", "convert", source, target, "--to", "ramulator")
    assert target.read_text() == f"9 {5 * 64}\n3 {6 * 64}\n2 {7 * 64}\n"
    succeed("trace", "convert", source, target, "--to", "ramulator", "--vcpu", "0", "--force")
    assert target.read_text() == f"9 {5 * 64}\n2 {7 * 64}\n"


def test_long_distances_survive(tmp_path: Path) -> None:
    text = f"3 64\n{1 << 42} 128\n{(1 << 19) - 1} 192\n{(1 << 19) - 2} 256\n"
    source, packed, back = write(tmp_path / "a", text), tmp_path / "b.hmsim", tmp_path / "c"
    succeed("trace", "convert", source, packed, "--to", "hmsim")
    succeed("trace", "convert", packed, back, "--to", "ramulator")
    assert back.read_text() == text
    assert parsed("trace", "info", packed)["duration"] == (1 << 42) + (1 << 20) + 4


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("--memory", "nvdim"), ("memory", "'nvdim'", "dram, nvdimm, both")),
        ((), ("a.hmsim:", "two memories", "--memory")),
        (("--memory", "dram", "--vcpu", "3"), ("a.hmsim:", "vCPU 3")),
    ],
)
def test_invalid_selections_are_rejected(
    tmp_path: Path, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    mixed(tmp_path / "a.hmsim")
    command = ("trace", "convert", tmp_path / "a.hmsim", tmp_path / "b", "--to", "ramulator")
    assert naming(*parts).search(fail(*command, *arguments))
    assert not (tmp_path / "b").exists()


def test_options_need_the_memories_or_vcpus_that_they_select(tmp_path: Path) -> None:
    source = write(tmp_path / "a", "3 64\n")
    for option, message in (("--memory=dram", "one memory"), ("--vcpu=0", "vCPUs")):
        assert message in fail("trace", "convert", source, tmp_path / "b", "--to", "hmsim", option)


def test_requests_are_the_same_in_binary(tmp_path: Path) -> None:
    lines = "".join(
        f"{line * 64:#x} {'WRITE' if line % 3 == 0 else 'READ'} {7 * line}\n" for line in range(500)
    )
    text, binary = write(tmp_path / "t.trace", lines), tmp_path / "t.rw.zst"
    succeed("trace", "convert", text, binary, "--to", "hmsim_rw")
    summaries = [parsed("trace", "info", path) for path in (text, binary)]
    assert [each.pop("format") for each in summaries] == ["dramsim3", "hmsim_rw"]
    assert summaries[0] == summaries[1]
    stats = []
    for path, form in ((text, "dramsim3"), (binary, "hmsim_rw")):
        agent = f"{{kind: memory_trace, path: {path}, format: {form}, mode: timed}}"
        workload = write(tmp_path / "w.yaml", f"agents:\n  - {agent}\n")
        stats.append(parsed("run", "quick", "--workload", workload))
    assert stats[0]["dram.writes"] == 167
    assert stats[0] == stats[1]
    again = tmp_path / "again.trace"
    succeed("trace", "convert", binary, again, "--to", "dramsim3")
    assert again.read_text() == lines
