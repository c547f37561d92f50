# SPDX-License-Identifier: BSD-3-Clause
"""Does a full-system capture hold exactly what a job did to the NVDIMM, or say why not?"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from captured import without_guest
from hmsim.capture import guest, guest_tools
from hmsim.capture import system as system_capture
from hmsim.capture.emulation import BROKE_OFF, PLUGIN, CaptureError
from hmsim.capture.guest_tools import GuestError
from hmsim.capture.settings import SystemSettings
from hmsim.capture.snapshot import Beginning
from hmsim.capture.system import SystemCaptureSummary, capture_system
from hmsim.common.directories import LOCK, SCRATCH
from hmsim.traces.file import TWO_MEMORIES, Header, TraceFile
from messages import naming

JAR = hashlib.sha256(b"jar").hexdigest()
REPO = Path(__file__).resolve().parents[2]
FILL, WRITE_BACK, NON_TEMPORAL, ESCAPE = range(4)
NVDIMM = 1 << 39  # in a line number
LINES = (32 << 20) // 64  # of the file that jobs read or write
METADATA = (1 << 20) // 64  # more lines than ext4 needs for it, however slow the host is


def why_not() -> str:
    """Return the missing requirement of a capture, or ""."""
    if shutil.which("gcc") is None or not PLUGIN.is_file():
        return "needs gcc and the built plug-in (scons capture)"
    return without_guest("mke2fs")


def needs_guest(test: Callable[..., None]) -> Callable[..., None]:
    skip = pytest.mark.skipif(bool(why_not()), reason=why_not() or "all is there")
    return pytest.mark.guest(skip(test))


def records(path: Path) -> tuple[Header, array[int]]:
    file = TraceFile(path)
    return file.header, array("Q", b"".join(file.records()))


def lines(path: Path, wanted: int) -> list[int]:
    """Return the NVDIMM's lines of records of a kind, in order."""
    _, found = records(path)
    numbers = [word & (1 << 40) - 1 for word in found if word >> 40 & 3 == wanted]
    return [number - NVDIMM for number in numbers if number >= NVDIMM]


@needs_guest
def test_a_direct_read_fills_each_line_once_and_is_repeatable(tmp_path: Path) -> None:
    names = [tmp_path / "a.hmsim.zst", tmp_path / "b.hmsim.zst"]
    settings = SystemSettings(icount=True, timeout=180)
    summaries = [capture_system("fio-direct-read", name, settings) for name in names]
    assert names[0].read_bytes() == names[1].read_bytes()
    summary = summaries[0]
    assert summary.nvdimm_fills == LINES
    assert summary.nvdimm_write_backs == summary.nvdimm_nt_writes == 0
    assert not summary.limited
    fills = lines(names[0], FILL)
    assert len(fills) == len(set(fills)) == LINES
    assert not lines(names[0], WRITE_BACK) + lines(names[0], NON_TEMPORAL)
    # A page is read from front to back.
    successors = sum(after == before + 1 for before, after in zip(fills, fills[1:]))
    assert successors >= LINES - LINES // 64
    header, found = records(names[0])
    assert (header.vcpus, header.flags) == (1, TWO_MEMORIES)
    assert header.records == len(found) == summary.records
    assert header.label == b"fio-direct-read".ljust(24, b"\0")
    deltas = sum(word >> 45 for word in found if word >> 40 & 3 != ESCAPE)
    escapes = [word for word in found if word >> 40 & 3 == ESCAPE and word >> 45 == 0]
    total = deltas + sum(word & (1 << 40) - 1 for word in escapes)
    assert total == header.instructions == summary.instructions


@needs_guest
def test_the_image_does_not_depend_on_its_build_directory() -> None:
    assert b"/.build." not in guest.find_guest("fio-direct-read").initramfs.read_bytes()


@needs_guest
def test_a_direct_write_is_non_temporal(tmp_path: Path) -> None:
    path = tmp_path / "w.hmsim"
    summary = capture_system("fio-direct-write", path, SystemSettings(timeout=180))
    # Besides the program's lines, ext4's journal writes whole blocks of 4 KB, at fsync and every 5
    # s.
    assert LINES <= summary.nvdimm_nt_writes < LINES + METADATA
    assert summary.nvdimm_nt_writes % 64 == 0
    assert summary.nvdimm_write_backs == 0
    assert summary.nvdimm_fills < METADATA
    assert len(set(lines(path, NON_TEMPORAL))) >= LINES


@needs_guest
@pytest.mark.parametrize(
    ("driver", "fills", "write_backs", "non_temporal"),
    [
        ("pmbd-nt", 0, 0, 1),  # per line written
        ("pmbd-wb", 1, 1, 0),  # write allocate, flush
        ("pmbd-uc", 0, 0, 8),  # words of 8 bytes
    ],
)
def test_each_driver_writes_with_its_instructions(
    tmp_path: Path, driver: str, fills: int, write_backs: int, non_temporal: int
) -> None:
    path = tmp_path / "w.hmsim"
    settings = SystemSettings(driver=driver, timeout=180)
    summary = capture_system("fio-direct-write", path, settings)
    written = lines(path, WRITE_BACK if write_backs else NON_TEMPORAL)
    assert len(set(written)) >= LINES
    for found, per_line in (
        (summary.nvdimm_fills, fills),
        (summary.nvdimm_write_backs, write_backs),
        (summary.nvdimm_nt_writes, non_temporal),
    ):
        assert 0 <= found - LINES * per_line < METADATA * max(per_line, 1)
    if driver == "pmbd-wb":
        assert summary.flushes == summary.nvdimm_write_backs


@needs_guest
def test_a_window_is_taken_again_from_a_snapshot(tmp_path: Path) -> None:
    snapshot = tmp_path / "snapshot"
    files = [tmp_path / f"{name}.hmsim" for name in ("made", "all", "first", "second")]
    windows = [{}, {}, {"limit": 300_000}, {"skip": 300_000, "limit": 300_000}]
    settings = SystemSettings(icount=True, timeout=180)
    summaries = [
        capture_system("fio-direct-read", file, replace(settings, **window), snapshot=snapshot)
        for file, window in zip(files, windows)
    ]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert summaries[1].total_instructions < summaries[0].total_instructions / 2  # no boot
    # The windows are consecutive parts of the whole.
    whole, first, second = (lines(file, FILL) for file in files[1:])
    assert len(first) > 1000 < len(second)
    at = whole.index(second[0])
    assert whole[: len(first)] == first
    assert whole[at : at + len(second)] == second
    assert abs(at - len(first)) < 10
    with pytest.raises(CaptureError, match=naming("nd_pmem", "pmbd-nt")):
        other = replace(settings, driver="pmbd-nt")
        capture_system("fio-direct-read", tmp_path / "t", other, snapshot=snapshot)
    (snapshot / "state").write_bytes(b"damaged")
    with pytest.raises(CaptureError, match=r"(state cannot be loaded|closed the connection)\n"):
        capture_system("fio-direct-read", tmp_path / "t", settings, snapshot=snapshot)
    assert not (tmp_path / "t").exists()


@needs_guest
def test_limits_end_the_machine(tmp_path: Path) -> None:
    path = tmp_path / "part.hmsim"
    settings = SystemSettings(vcpus=2, skip=500_000, limit=1_000_000, timeout=180)
    summary = capture_system("fio-direct-read", path, settings)
    assert summary.limited
    # Both ends of the window move to the begin of the next block.
    assert abs(summary.instructions - 1_000_000) < 1000
    settings = SystemSettings(size_limit="1MiB", timeout=180)
    summary = capture_system("fio-direct-read", path, settings, force=True)
    assert summary.limited
    # After the last record follow the instructions of each vCPU and the region's end.
    assert (1 << 20) // 8 <= summary.records <= (1 << 20) // 8 + 9
    assert TraceFile(path).header.records == summary.records


@needs_guest
def test_a_wrong_map_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = system_capture.plugin_option
    monkeypatch.setattr(
        system_capture, "plugin_option", lambda options: real({**options, "nvdimm": 128 << 20})
    )
    with pytest.raises(CaptureError, match=naming("calibration:", "268435456 bytes")):
        capture_system("fio-direct-read", tmp_path / "t.hmsim", SystemSettings(timeout=180))
    assert not any(tmp_path.iterdir())


def run(tmp_path: Path, script: str, timeout: float = 60) -> SystemCaptureSummary:
    """Let a shell script stand in for the machine; it may write $0, the plug-in's summary."""
    summary = tmp_path / "summary"
    command = ["sh", "-c", script, str(summary)]
    return system_capture._run(
        command, "job", summary, timeout, lambda name, fraction: None, Beginning()
    )


@pytest.mark.parametrize(
    ("script", "parts"),
    [
        ("echo Kernel panic", ("the guest ended", "console: Kernel panic")),
        (f"echo 'self-test: wrong' >$0; exit {BROKE_OFF}", ("self-test: wrong",)),
        ("echo no such machine; exit 1", ("QEMU", "status 1", "no such machine")),
        ("kill -SEGV $$", ("QEMU", "signal 11")),
    ],
)
def test_a_failed_machine_is_reported(tmp_path: Path, script: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(CaptureError, match=naming("job:", *parts)):
        run(tmp_path, script)


TOTALS = (
    '{"limited": 0, "vcpus": 1, "total_instructions": 9, "instructions": %d, "records": 0, '
    '"fills": 0, "write_backs": 0, "nt_writes": 0, "nvdimm_fills": 0, "nvdimm_write_backs": 0, '
    '"nvdimm_nt_writes": 0, "flushes": 0, "pages": 0, "elsewhere": 0, "block_reads": 0}'
)


@pytest.mark.parametrize(
    ("instructions", "status", "message"),
    [(5, 3, r"job: .*status 3"), (0, 0, r"job: .*region of interest")],
)
def test_a_job_that_fails_is_reported(
    tmp_path: Path, instructions: int, status: int, message: str
) -> None:
    script = f"echo '{TOTALS % instructions}' >$0; echo hmsim-guest: status {status}"
    with pytest.raises(CaptureError, match=message):
        run(tmp_path, script)


def test_a_successful_job_is_summarised(tmp_path: Path) -> None:
    summary = run(tmp_path, f"echo '{TOTALS % 5}' >$0; echo hmsim-guest: status 0")
    assert summary.instructions == 5
    assert summary.limited is False


def test_a_machine_that_hangs_is_ended(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=naming("job:", "0.2 s", "step one")):
        run(tmp_path, "echo hmsim-guest: step one; exec sleep 600", timeout=0.2)


def test_unknown_jobs_and_sizes_are_reported(tmp_path: Path) -> None:
    out = tmp_path / "t.hmsim"
    with pytest.raises(GuestError, match=naming("job", "'fio-direct-reed'", "'fio-direct-read'?")):
        capture_system("fio-direct-reed", out)
    with pytest.raises(CaptureError, match=naming("driver", "'pmbd_nt'", "'pmbd-nt'?")):
        capture_system("fio-direct-read", out, SystemSettings(driver="pmbd_nt"))
    for name, value in (("memory", "4GiB"), ("nvdimm", "63MiB"), ("nvdimm", "lots"), ("scale", 0)):
        with pytest.raises(CaptureError, match=f"{name}: "):
            capture_system("fio-direct-read", out, SystemSettings(**{name: value}))  # type: ignore


def test_killed_builds_are_cleaned_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "_compiler", lambda: "some compiler")
    monkeypatch.setattr(guest, "build_kernel", lambda *arguments: {})
    monkeypatch.setattr(guest, "build_image", lambda *arguments: {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = guest.guest_of(small=True)
    for name in ("killed", "killed-too"):
        (made.kernel.parent / f"{SCRATCH}{name}" / "tree").mkdir(parents=True)
        (made.kernel.parent / f"{SCRATCH}{name}" / LOCK).touch()
    guest.build(small=True)
    names = {path.name for path in made.kernel.parent.iterdir()}
    assert names == {"lock", made.kernel.name, made.image.name}


def test_a_wrong_or_missing_jar_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_tools, "MAVEN", (tmp_path / "maven").as_uri())
    with pytest.raises(GuestError, match=r"maven/a/b/c/1/c-1-tests\.jar: "):
        guest_tools.download_jar("a.b:c:tests", "1", JAR, tmp_path)
    folder = tmp_path / "maven" / "a" / "b" / "c" / "1"
    folder.mkdir(parents=True)
    (folder / "c-1-tests.jar").write_bytes(b"jar")
    guest_tools.download_jar("a.b:c:tests", "1", JAR, tmp_path)
    assert (tmp_path / "c-1-tests.jar").read_bytes() == b"jar"
    (folder / "c-2-tests.jar").write_bytes(b"another")
    (folder / "c-2-tests.jar").rename(folder / "c-1-tests.jar")
    (tmp_path / "other").mkdir()
    with pytest.raises(GuestError, match=rf"SHA-256 .*{JAR}.*[0-9a-f]{{64}}"):
        guest_tools.download_jar("a.b:c:tests", "1", JAR, tmp_path / "other")
    assert not list((tmp_path / "other").iterdir())


@pytest.mark.parametrize("job", sorted((REPO / "workloads" / "guest").glob("j[ov]*/*")))
def test_jobs_prepare_and_run(job: Path) -> None:
    script = f". {job}; type prepare run"
    done = subprocess.run(["sh", "-euc", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    classes = re.findall(r"java ([A-Z]\w+)", job.read_text())
    assert all((job.parents[1] / "java" / f"{name}.java").is_file() for name in classes)
