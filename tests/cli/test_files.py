# SPDX-License-Identifier: BSD-3-Clause
"""Are reads bounded, writes atomic, and all errors reported in one line?"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import hmsim
import pytest
from hmsim import InputError
from hmsim.clones import profile_file
from hmsim.common import digests
from hmsim.common.digests import file_digest
from hmsim.common.directories import (
    LOCK,
    SCRATCH,
    new_directory,
    new_file,
    open_regular,
    read_regular,
    remove_dead,
)
from hmsim.common.paths import cache_directory
from hmsim.config import harmonic_table
from hmsim.config.settings import read_text_file
from hmsim.points.clusters import load_cluster
from hmsim.runs import directory, record
from hmsim.sweep.file import load_sweep
from hmsim.traces import reader as traces
from hmsim.traces.file import TraceFile, is_trace_file
from hmsim.traces.info import info
from hmsim.traces.records import FORMATS
from hmsim.workloads.workload import load_workload
from support import REPO, STREAM, invoke, succeed, write

READERS: dict[str, Callable[[Path], Any]] = {
    "configuration": hmsim.load_config,
    "bundle": lambda path: hmsim.load_config("quick").with_policy(str(path)),
    "workload": load_workload,
    "sweep": load_sweep,
    "cluster": load_cluster,
    "profile": profile_file.load,
    "harmonic table": harmonic_table.read_table,
    "YAML": read_text_file,
    "JSON": directory.read_json,
    "record of a run": record.read_record,
    "results": hmsim.load_results,
    "run": directory.read_run,
    "checkpoint": hmsim.System.load,
    "preconditioned state": lambda path: hmsim.System(
        "mascots16", {"nvdimm.precondition.load": str(path)}
    ),
    "digest": file_digest,
    "pieces of a trace": lambda path: list(traces.read_pieces(path)),
    "trace": lambda path: traces.open_trace(path).read(0),
    "hmsim's trace": TraceFile,
    "kind of a trace": is_trace_file,
    "summary of a trace": info,
    **{f"trace of {name}": lambda path, name=name: info(path, name) for name in FORMATS},
}


SMALL = ["YAML", "configuration", "workload", "sweep", "cluster", "JSON"]


@pytest.fixture(params=["a folder", "a pipe", "endless", "missing"])
def no_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "x"
    if request.param == "a folder":
        path.mkdir()
    elif request.param == "a pipe":
        os.mkfifo(path)
    elif request.param == "endless":
        path.symlink_to("/dev/zero")
    return path


@pytest.mark.parametrize("reader", READERS)
def test_readers_take_regular_files_alone(reader: str, no_file: Path) -> None:
    with pytest.raises(InputError) as refused:
        READERS[reader](no_file)
    assert str(no_file) in str(refused.value) and "\n" not in str(refused.value)


def test_the_expected_size_of_special_files_is_zero(no_file: Path) -> None:
    assert traces.expected_size(no_file) == 0


@pytest.mark.parametrize("reader", SMALL)
def test_small_files_have_a_largest_size(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"  # a workload of another name is a trace, of any size
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="larger than"):
        READERS[reader](path)


@pytest.mark.parametrize("name", ["config.yaml", "stats.json", "run.json", "comparison.csv"])
def test_run_directories_are_read_from_files(name: str, tmp_path: Path) -> None:
    write(tmp_path / "w.yaml", STREAM)
    out = tmp_path / "out"
    succeed("run", "quick", "--workload", tmp_path / "w.yaml", "--out", out)
    (out / name).unlink(missing_ok=True)
    os.mkfifo(out / name)
    if name == "comparison.csv":  # without one, runs stand by name
        assert len(directory.find_runs([out])) == 1
    else:
        with pytest.raises(InputError, match=name):
            directory.find_runs([out])


HOLDER = """
import sys
from hmsim.common.directories import {maker}
with {maker}(sys.argv[1]) as fresh:
    (fresh / "half" if {folder} else fresh).write_text("half")
    print("writing", flush=True)
    sys.stdin.read()
"""
MAKERS: dict[str, Callable[..., Any]] = {"new_file": new_file, "new_directory": new_directory}


@contextlib.contextmanager
def writer(maker: str, target: Path) -> Iterator[subprocess.Popen[str]]:
    """Give a process that is in the middle of writing; the end of its input lets it finish."""
    code = HOLDER.format(maker=maker, folder=maker == "new_directory")
    command = [sys.executable, "-c", code, str(target)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stdout.readline() == "writing\n"
        try:
            yield process
        finally:
            process.kill()


def fill(maker: str, target: Path) -> None:
    with MAKERS[maker](target) as fresh:
        (fresh / "whole" if maker == "new_directory" else fresh).write_text("whole")


@pytest.mark.parametrize("maker", MAKERS)
def test_the_next_writer_removes_leftovers_of_a_killed_one(maker: str, tmp_path: Path) -> None:
    with writer(maker, tmp_path / "a") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert next(tmp_path.iterdir()).name.startswith(SCRATCH)
    fill(maker, tmp_path / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


@pytest.mark.parametrize("maker", MAKERS)
def test_concurrent_writers_do_not_interfere(maker: str, tmp_path: Path) -> None:
    with writer(maker, tmp_path / "a") as first, writer(maker, tmp_path / "b") as second:
        fill(maker, tmp_path / "c")
        for process in (first, second):
            process.communicate()
            assert process.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]


def test_scratch_names_are_unpredictable_and_private(tmp_path: Path) -> None:
    names = set()
    for _ in range(3):
        with new_file(tmp_path / "a", force=True) as fresh:
            names.add(fresh.parent.name)
            assert fresh.parent.stat().st_mode & 0o777 == 0o700 and not fresh.exists()
            fresh.touch()
    assert len(names) == 3 and str(os.getpid()) not in "".join(names)


def test_only_scratch_is_removed(tmp_path: Path) -> None:
    (tmp_path / f"{SCRATCH}file").touch()
    (tmp_path / "target" / LOCK).mkdir(parents=True)
    (tmp_path / f"{SCRATCH}link").symlink_to(tmp_path / "target")
    (tmp_path / f"{SCRATCH}unknown").mkdir()
    (tmp_path / f"{SCRATCH}unknown" / "kept").touch()
    (tmp_path / f"{SCRATCH}empty").mkdir()  # killed before it had its lock
    remove_dead(tmp_path)
    left = {path.name.removeprefix(SCRATCH) for path in tmp_path.iterdir()}
    assert left == {"file", "target", "link", "unknown"}


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """Let no file of this process grow beyond 1 KiB.

    No bytecode is written meanwhile: Python 3.11 would keep a cut file, and fail to read it later.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with (
        patch.object(sys, "dont_write_bytecode", True),
        patch.dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
    ):
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 10, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


COMMANDS = {
    "run": "run quick --workload w.yaml --out out/x",
    "series": "run quick --workload w.yaml --set frontend.series_interval=1us --out out/x",
    "request log": "run quick --workload w.yaml --request-log --out out/x",
    "command log": "run quick --workload w.yaml --command-log --out out/x",
    "compare": "compare quick --policy firm --policy split --workload w.yaml --jobs 1 --out out/x",
    "sweep": "sweep s.yaml --jobs 1 --out out/x",
    "report": "report run --out out/x.html",
    "timeline": "timeline run --out out/x",
    "convert": "trace convert mix.trace out/x.mqsim --to ramulator_rw --format dramsim3",
    "profile": "trace profile TRACE --out out/x.yaml",
    "precondition": "precondition quick --out out/x",
    "figure": "figure table1 --out out/x",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    write(folder / "w.yaml", STREAM)
    write(folder / "s.yaml", "grid: {workload: w.yaml}\nseeds: 2\n")
    write(folder / "mix.trace", "".join(f"{64 * n:#x} READ {n}\n" for n in range(2000)))
    succeed(
        "run", "quick", "--workload", folder / "w.yaml", "--out", folder / "run", "--command-log"
    )
    return folder


def words(command: str) -> list[str]:
    trace = REPO / "workloads" / "demo" / "network_simplex.hmsim.zst"
    return [str(trace) if word == "TRACE" else word for word in command.split()]


@pytest.fixture
def place(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of inputs as the current one, with an empty folder for the output."""
    monkeypatch.chdir(inputs)
    out = inputs / "out"
    out.mkdir()
    yield out
    shutil.rmtree(out)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_reported(command: str, place: Path) -> None:
    with full_disk():
        outcome = invoke(*words(COMMANDS[command]))
    lines = outcome.stderr.splitlines()
    assert outcome.exit_code == 2 and lines[-1].startswith("hmsim: "), outcome
    assert re.search("out|cache", lines[-1]) and "File too large" in lines[-1], outcome
    assert not [path for path in place.rglob("*") if SCRATCH in str(path)]
    kept = {path.relative_to(place).parts[0] for path in place.rglob("*")}
    assert kept <= ({"x"} if command in ("sweep", "figure", "compare") else set())


@pytest.mark.parametrize("target", ["/proc/x", "w.yaml/x", "out/" + "n" * 300, "/dev/full/x"])
@pytest.mark.parametrize("command", COMMANDS)
def test_unwritable_targets_are_reported(command: str, target: str, place: Path) -> None:
    given = words(COMMANDS[command])
    name = next(word for word in given if word.startswith("out/x"))
    wanted = target + name.removeprefix("out/x")
    outcome = invoke(*(wanted if word == name else word for word in given))
    lines = outcome.stderr.splitlines()
    assert outcome.exit_code == 2 and lines[-1].startswith("hmsim: "), outcome
    assert target.split("/")[-1 if "nnn" in target else 0] in lines[-1], outcome
    assert not list(place.iterdir())


LISTS = ["params", "policies --json", "check quick --flat", "--help", "run --help", "--version"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", LISTS)
def test_output_that_cannot_be_written_is_reported(command: str, unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    start = [sys.executable, "-m", "hmsim", *command.split()]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            start, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "hmsim: standard output: No space left on device\n"
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        start, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_missing_home_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    with pytest.raises(InputError, match="HOME"):
        cache_directory()


def test_a_relative_cache_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    assert cache_directory() == tmp_path / ".cache" / "hmsim"


def test_an_unwritable_cache_is_ignored(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(inputs)
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/x")
    succeed("run", "quick", "--workload", "w.yaml", "--policy", "hms")
    outcome = invoke("compare", "quick", "--policy", "firm", "--workload", "w.yaml", "--jobs", "1")
    assert outcome.exit_code == 0, outcome


def test_files_are_read_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"1234")
    assert read_regular(path, 4) == b"1234"
    with open_regular(path) as file:
        assert file.read() == b"1234"


CHANGES: dict[str, Callable[[Path, Path], object]] = {
    "content": lambda file, _: file.write_bytes(b"b" * digests.LARGE),
    "file": lambda file, _: write(file.with_name("y"), b"b" * digests.LARGE).replace(file),
    "entry": lambda _, entry: entry.write_bytes(b"0" + entry.read_bytes()[1:]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_cached_digest_matches_the_content(change: str, tmp_path: Path) -> None:
    file = write(tmp_path / "x", b"a" * digests.LARGE)
    before, folder = file.stat(), cache_directory() / "digests"
    file_digest(file)
    assert not folder.exists(), "its times may not show the next change"
    with patch.object(digests.time, "time", return_value=time.time() + 60):
        file_digest(file)
        digests._remembered.cache_clear()
        with patch.object(digests, "_hashed", side_effect=AssertionError):
            file_digest(file)
        CHANGES[change](file, *folder.iterdir())
        if change != "entry":
            while file.stat().st_ctime_ns == before.st_ctime_ns:
                file.touch()
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        digests._remembered.cache_clear()
        assert file_digest(file) == hashlib.sha256(file.read_bytes()).hexdigest()
