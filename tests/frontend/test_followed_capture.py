# SPDX-License-Identifier: BSD-3-Clause
"""Does a block trace hold the I/O of all processes that a program starts, each request once?"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from captured import needs_qemu
from hmsim.capture import CaptureError, CaptureSummary, ProgramSettings, capture

pytestmark = needs_qemu


def followed(
    folder: Path, *command: str, check: bool = True, **options: Any
) -> tuple[CaptureSummary, list[tuple[str, int, int]]]:
    """Return the summary, and kind, first sector and sectors of each request."""
    blocks = folder / "b.blkparse"
    options = {"follow": True, "files": f"{folder}/*.dat", "timeout": 120, **options}
    settings = ProgramSettings("blkparse", **options)
    out = subprocess.DEVNULL
    summary = capture(command, None, settings, blocks=blocks, check=check, force=True, stdout=out)
    words = [line.split() for line in blocks.read_text().splitlines()]
    times = [float(line[3]) for line in words]
    assert times == sorted(times)
    assert [int(line[2]) for line in words] == list(range(1, len(words) + 1))
    return summary, [(line[6], int(line[7]), int(line[9])) for line in words]


def test_processes_share_the_device_and_the_clock(tmp_path: Path) -> None:
    one, two = tmp_path / "one.dat", tmp_path / "two.dat"
    one.write_bytes(bytes(5000))
    script = f"cat {one} >{two}; (head -c 512 {two} | cat >/dev/null); sync {one}; cat {two}"
    summary, requests = followed(tmp_path, "sh", "-c", f"{script} >/dev/null")
    copied = [("R", 0, 10), ("W", 2048, 10)]  # each file in an extent of its own
    assert requests[:2] == copied
    assert requests[2][:2] == ("R", 2048)  # head
    assert requests[3:] == [("FN", 0, 0), ("R", 2048, 10)]
    assert (summary.block_reads, summary.block_writes, summary.block_flushes) == (3, 1, 1)
    assert summary.block_extents == 2
    _, alone = followed(tmp_path, "sh", "-c", script, follow=False)
    assert alone == []


def test_scripts_receive_their_arguments(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('#!/bin/sh -e\nprintf "%s," "$0" "$@" >"$OUT"\nfalse\nprintf no >"$OUT"\n')
    script.chmod(0o755)
    out = tmp_path / "out.dat"
    command = f"OUT={out} PATH={tmp_path}:$PATH; export OUT; script 'a b' '' c || exit 3"
    summary, requests = followed(tmp_path, "sh", "-c", command, check=False)
    assert summary.exit_status == 3
    text = f"{script},a b,,c,"
    assert out.read_text() == text
    assert sum(kind == "W" for kind, _, _ in requests) >= 1
    assert summary.block_write_bytes == len(text)


def test_a_program_may_replace_itself(tmp_path: Path) -> None:
    file = tmp_path / "in.dat"
    file.write_bytes(bytes(600))
    summary, requests = followed(tmp_path, "sh", "-c", f"exec cat {file}")
    assert requests == [("R", 0, 2)]
    assert summary.exit_status == 0


def test_a_missing_command_fails_as_without_capture(tmp_path: Path) -> None:
    summary, requests = followed(
        tmp_path, "sh", "-c", "/nothing/of/this/name 2>/dev/null", check=False
    )
    assert summary.exit_status == 127
    assert requests == []


def test_invalid_options_of_follow_are_rejected(tmp_path: Path) -> None:
    for options in ({"limit": 5}, {"skip": 5}, {"roi": True}):
        with pytest.raises(CaptureError, match="follow: "):
            followed(tmp_path, "true", **options)
    with pytest.raises(CaptureError, match="follow: "):
        capture(["true"], tmp_path / "t.zst", ProgramSettings(follow=True))
    assert not list(tmp_path.iterdir())
