# SPDX-License-Identifier: BSD-3-Clause
"""Is a point identified by what it depends on, run once, and stored whole?"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import hmsim
import pandas as pd
import pytest
from hmsim.config.policies import TransactionScheduler
from hmsim.points import clusters, workers
from hmsim.points.point import NAMES, Measurement, Outcome, Point, measure
from hmsim.points.store import DONE, Store
from hmsim.points.workers import Processes, measure_batch, outcomes
from hmsim.runs import identity
from hooks import Counting, runs, workload
from messages import naming
from slurm import until


class Favoured(TransactionScheduler):
    """Equal keys: by arrival."""

    def __init__(self, level: int = 0) -> None:
        self.level = level

    def key(self, request: object) -> int:
        return self.level


def counted(seeds: list[int], **keywords: str) -> list[Point]:
    runner = Counting(os.getcwd(), **keywords)
    return [hmsim.point("quick", workload(), seed=seed, runner=runner) for seed in seeds]


def test_a_key_depends_on_everything_that_affects_the_result() -> None:
    path = workload()
    first = hmsim.point("quick", path)
    assert len(first.key) == 64
    same = [
        hmsim.point("quick", path, axes={"label": "another"}),
        hmsim.point("quick", path, overrides={"controller.queue_depth": 128}),  # as it is
        hmsim.point("quick", workload(Path(), "elsewhere")),
        replace(first, config=replace(first.config, name="another")),
        pickle.loads(pickle.dumps(first)),
    ]
    assert {each.key for each in same} == {first.key}
    others = [
        hmsim.point("quick", path, seed=2),
        hmsim.point("quick", path, warmup="1us"),
        hmsim.point("quick", path, warmup=1),
        hmsim.point("quick", path, policy="split"),
        hmsim.point("quick", path, overrides={"controller.queue_depth": 64}),
        hmsim.point("quick", path, runner=Counting("")),
        hmsim.point("mascots16", path),
    ]
    path.write_text(path.read_text().replace("300", "301"))
    others.append(hmsim.point("quick", path))
    assert len({each.key for each in [first, *others]}) == len(others) + 1


def test_traces_count_by_content() -> None:
    def key(name: str, content: str) -> str:
        Path(name).mkdir()
        Path(name, "t.txt").write_text(content)
        Path(name, "w.yaml").write_text(
            "agents:\n  - {kind: memory_trace, path: t.txt, format: dramsim3, mode: saturating}\n"
        )
        return hmsim.point("quick", f"{name}/w.yaml").key

    line = "0x40 READ 0\n"
    assert key("a", line) == key("b", line) != key("c", line * 2)


def test_the_key_covers_simulating_code_only(tmp_path: Path) -> None:
    """A file is changed in each package in turn, in a copy."""
    source = identity.PACKAGE
    copy = tmp_path / "hmsim"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__", "_capture"))

    def content() -> dict[str, str]:
        return {name: file.read_text() for name, file in identity.modules(copy).items()}

    before = content()
    changed = {}
    simulating = {"common", "config", "traces", "clones", "fio", "workloads", "runs"}
    for package in (*sorted(simulating), "points", "sweep", "reproduce/figures", "cli"):
        for file in sorted((copy / package).glob("*.py")):
            text = file.read_text()
            file.write_text(text + "\n# changed\n")
            changed[f"{package}.{file.stem}"] = content() != before
            file.write_text(text)
    assert {name.partition(".")[0] for name, seen in changed.items() if seen} == simulating
    for name in ("runs.runner", "workloads.workload", "config.settings", "config.policies"):
        assert changed[name], name
    for name in ("runs.showing", "common.tables", "common.labels"):
        assert not changed[name], name
    assert changed["traces.reader"] and changed["clones.clone"], "a workload may be a twin"
    assert changed["traces.__init__"], "importing a module runs its packages"


def _parsed_imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "hmsim" and rest:
                yield rest


def test_imports_are_found_as_by_the_parser() -> None:
    for file in sorted(identity.PACKAGE.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        parsed, found = set(_parsed_imports(source)), set(identity._imports(source))
        assert parsed <= found, file
        package = identity.PACKAGE
        more = [name for name in found - parsed if package.joinpath(*name.split(".")).exists()]
        assert not more, file


def test_python_policies_count_by_source(tmp_path: Path) -> None:
    own = identity.of_policy(Favoured)
    assert own[0] == "Favoured"
    assert identity.of_policy(functools.partial(Favoured, level=3)) != own
    assert identity.of_policy(functools.partial(Favoured, 3)) != identity.of_policy(
        functools.partial(Favoured, 4)
    )
    for unknown in (lambda: Favoured(1), functools.partial(Favoured, [1])):
        with pytest.raises(hmsim.InputError, match=naming("source", "class")):
            identity.of_policy(unknown)


def test_finished_points_are_never_run_again() -> None:
    first = hmsim.run_points(counted([1, 2]), "out", jobs=1)
    again = hmsim.run_points(counted([2, 3, 1, 3]), "out", jobs=1)
    assert [runs(".", seed) for seed in (1, 2, 3)] == [1, 1, 1]
    assert list(first["seed.square"]) == [1, 4]
    assert list(again["seed.square"]) == [4, 9, 1, 9]
    assert list(again.columns) == [*NAMES, "point", "error", "seed.square"]
    assert again.attrs == {"axes": [*NAMES], "units": {"seed.square": "ns"}}
    hmsim.run_points(counted([1], name="other code"), "out", jobs=1)
    assert runs(".", 1) == 2


def test_a_point_matches_run() -> None:
    path = workload()
    overrides = {"controller.queue_depth": 64}
    point = functools.partial(hmsim.point, "quick", path, policy="split", overrides=overrides)
    table = hmsim.run_points([point(seed=1), point(seed=2)], "out", jobs=1)
    expected = hmsim.run(hmsim.load_config("quick", overrides).with_policy("split"), path, seed=2)
    row = table.iloc[1]
    assert row["policy"] == "split" and row["workload"] == "w" and row["config"] == "quick"
    assert row["controller.queue_depth"] == 64 and row["seed"] == 2 and row["error"] == ""
    assert {name: row[name] for name in expected.stats} == expected.stats
    assert table.attrs["units"] == expected.units


def test_bad_points_are_kept_and_passing_faults_are_not() -> None:
    Path("verdict").write_text("1 error\n2 disk\n")
    errors = ["this point is bad", "OSError: [Errno 28] No space left on device", ""]
    for _ in range(2):
        table = hmsim.run_points(counted([1, 2, 3]), "out", jobs=1)
        assert list(table["error"]) == errors
    assert [runs(".", seed) for seed in (1, 2, 3)] == [1, 2, 1]
    Path("verdict").unlink()
    table = hmsim.run_points(counted([1, 2, 3]), "out", jobs=1)
    assert list(table["error"]) == ["this point is bad", "", ""]


def test_another_code_or_trace_on_a_worker_is_reported() -> None:
    (wanted,) = counted([1])
    outcome = measure(wanted, "0" * 64)
    assert "another hmsim" in outcome.error and not outcome.final and runs(".", 1) == 0


def test_a_full_disk_keeps_finished_points(monkeypatch: pytest.MonkeyPatch) -> None:
    append = Store.append

    def fill(self: Store, *arguments: object, **keywords: object) -> None:
        if len(list(self.everything())) == 2:
            raise hmsim.InputError("out: cannot be written: No space left on device")
        append(self, *arguments, **keywords)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Store, "append", fill)
        with pytest.raises(hmsim.InputError, match="No space left"):
            hmsim.run_points(counted([1, 2, 3, 4]), "out", jobs=1)
    hmsim.run_points(counted([1, 2, 3, 4]), "out", jobs=1)
    assert [runs(".", seed) for seed in (1, 2, 3, 4)] == [1, 1, 2, 1]


def test_killed_workers_lose_nothing() -> None:
    Path("verdict").write_text("2 exit 1\n4 exit 100\n")  # one dies once, one always
    seeds = [1, 2, 3, 4, 5, 6]
    table = hmsim.run_points(counted(seeds), "out", jobs=2)
    assert list(table["error"] != "") == [False, False, False, True, False, False]
    assert "killed" in table["error"][3]
    assert runs(".", 2) >= 2
    assert runs(".", 4) in (2, 3, 4)  # at first it may have waited beside the one that died
    before = [runs(".", seed) for seed in seeds]  # what a worker did last may die with it
    Path("verdict").unlink()
    whole = hmsim.run_points(counted(seeds), "out", jobs=1)
    assert list(whole["seed.square"]) == [1, 4, 9, 16, 25, 36]
    before[3] += 1  # what failed for a reason outside itself is tried again
    assert [runs(".", seed) for seed in seeds] == before


def test_a_result_that_died_with_its_worker_is_found_again() -> None:
    distributed = pytest.importorskip("distributed")
    (only,) = counted([1])
    with local_cluster() as client:

        class Deadly:
            """Kills the worker that holds the first result before the result is fetched."""

            nthreads = client.nthreads
            done = False

            def submit(self, *arguments: object, **keywords: object) -> object:
                future = client.submit(*arguments, **keywords)
                if not self.done:
                    self.done = True
                    distributed.wait(future)
                    assert future.status == "finished"
                    Path("verdict").write_text("1 exit 2\n")  # so its next run dies, too
                    for pid in client.run(os.getpid).values():
                        os.kill(pid, signal.SIGKILL)
                return future

        (((state, line),),) = outcomes([only], None, cast(Any, Deadly()))
    assert state == DONE and line.endswith(b'{"ns":{"seed.square":1}}]\n')
    assert runs(".", 1) == 3  # found and lost, killed, found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_command_and_all_that_it_started(number: signal.Signals) -> None:
    """Ctrl-C at a terminal reaches the command's whole group, others reach the command."""
    code = "from test_points import sleep_on_two; sleep_on_two()"
    here = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": here},
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as started:
        until(lambda: len([*Path().glob("slept.*")]) == 4, "two points run, each with a child")
        if number == signal.SIGINT:
            os.killpg(started.pid, number)
        else:
            started.send_signal(number)
        _, printed = started.communicate(timeout=60)
    assert started.returncode == (130 if number == signal.SIGINT else -number)
    assert printed.count(b"KeyboardInterrupt") <= 1  # the command's own
    pids = [int(file.suffix[1:]) for file in Path().glob("slept.*")]
    until(lambda: not any(map(lives, pids)), "all end")


@dataclass(frozen=True)
class Sleeping(Counting):
    """Waits for a program, as the runner of gem5 does."""

    def measure(self, point: Point) -> Measurement:
        child = subprocess.Popen(["sleep", "600"])
        for pid in (os.getpid(), child.pid):
            Path(self.folder, f"slept.{pid}").touch()
        child.wait()
        raise AssertionError


def lives(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())  # of a dead one that remains: none
    except FileNotFoundError:
        return False


def sleep_on_two() -> None:
    points = [
        hmsim.point("quick", workload(), seed=n, runner=Sleeping(os.getcwd())) for n in (1, 2)
    ]
    try:
        hmsim.run_points(points, "out", jobs=2)
    except KeyboardInterrupt:
        sys.exit(130)


def test_points_that_other_processes_cannot_load_run_here() -> None:
    @dataclass(frozen=True)
    class Own(Counting):
        """A class of a function."""

    points = [hmsim.point("quick", workload(), seed=n, runner=Own(os.getcwd())) for n in (1, 2, 3)]
    assert list(hmsim.run_points(points, "out", jobs=2)["seed.square"]) == [1, 4, 9]


def test_processes_start_only_for_points_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [hmsim.point("quick", workload(), seed=n) for n in range(1, 7)]
    sent: list[Point] = []
    submit = Processes.submit

    def noted(self: Processes, batch: list[tuple[Point, str]], most: float) -> object:
        sent.extend(each for each, _ in batch)
        return submit(self, batch, most)

    monkeypatch.setattr(Processes, "submit", noted)
    short = hmsim.run_points(points, "short", jobs=2)
    assert not sent
    monkeypatch.setattr(workers, "SHORT", 1e-6)
    long = hmsim.run_points(points, "long", jobs=2)
    assert {each.key for each in sent} == {each.key for each in points[1:]}  # the first is timed
    pd.testing.assert_frame_equal(short, long)


@pytest.mark.parametrize(
    "calls", ["hmsim.run_points(points, 'out', jobs=2)", "hmsim.run_sweep('sweep.yaml', jobs=2)"]
)
def test_a_script_without_a_guard_ends_with_one_error(calls: str) -> None:
    Path("sweep.yaml").write_text("config: quick\ngrid: {workload: [demo], seed: [1, 2, 3]}\n")
    points = "points = [hmsim.point('quick', 'demo', seed=n) for n in (1, 2, 3)]"
    short = "import hmsim.points.workers\nhmsim.points.workers.SHORT = 0\n"
    Path("script.py").write_text(f"{short}{points}\n{calls}\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 1 and done.stderr.count("Traceback") == 1
    error = naming("hmsim.InputError:", "script.py:", '`if __name__ == "__main__":`')
    assert error.search(done.stderr.splitlines()[-1])


@contextlib.contextmanager
def local_cluster() -> Iterator[Any]:
    """Yield a client of a Dask cluster of one process, set as hmsim sets its own."""
    import dask
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "scheduler_kwargs": clusters.WITHOUT_WEB}
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(clusters.SETTINGS))
        cluster = stack.enter_context(LocalCluster(n_workers=1, silence_logs=50, **options))
        yield stack.enter_context(Client(cluster))


def log() -> Path:
    (path,) = Path("out/points").glob("*.log")
    return path


@pytest.mark.parametrize(
    "old", [b"49}", b"done", b" [2,", b"}]\n"]
)  # the last is a killed writer's
def test_a_damaged_line_is_run_again(old: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    points = counted([7, 8])
    first = hmsim.run_points(points, "out", jobs=1)
    path = log()
    before, found, after = path.read_bytes().rpartition(old)
    path.write_bytes(before + found[:-1] + after)
    for _ in range(2):  # the second time, the point is there
        pd.testing.assert_frame_equal(first, hmsim.run_points(points, "out", jobs=1))
    damaged = 7 if old == b"49}" else 8
    assert [runs(".", seed) for seed in (damaged, 15 - damaged)] == [2, 1]
    assert capfd.readouterr().err.count(f"{path}: damaged") == (old != b"}]\n")


def test_a_line_that_cannot_be_read_keeps_its_row() -> None:
    """Its checksum fits, so only a person can have written it."""
    points = counted([7, 8])
    hmsim.run_points(points, "out", jobs=1)
    rest = f"{points[0].key} done [".encode()
    line = hashlib.sha256(rest).hexdigest().encode() + b" " + rest + b"\n"
    log().write_bytes(line + log().read_bytes().splitlines(keepends=True)[1])
    table = hmsim.run_points(points, "out", jobs=1)
    assert [("cannot be read" in each) for each in table["error"]] == [True, False]
    assert list(table["seed.square"])[1:] == [64]


def test_batches_grow_and_leave_work_for_every_process() -> None:
    points, sizes = counted([*range(1, 41)]), []
    with Processes(2) as processes:
        submit = processes.submit
        processes.submit = lambda batch, most: sizes.append(len(batch)) or submit(batch, most)  # type: ignore
        found = [each for lines in outcomes(points, None, processes) for each in lines]
    assert sorted(line[65:129].decode() for _, line in found) == sorted(p.key for p in points)
    assert sizes[:2] == [1, 1] and sizes[-1] == 1 and 1 < max(sizes) <= 10
    lines, _ = measure_batch([(each, each.key) for each in points], 0)  # no time: the first only
    assert len(lines) == 1 and [runs(".", seed) for seed in (1, 2)] == [2, 1]


def edited(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def signed(path: Path, **changes: object) -> None:
    """Change a point, with the checksum that fits."""
    content = {**json.loads(path.read_text()), **changes}
    del content["checksum"]
    path.write_text(json.dumps({**content, "checksum": identity.digest(content)}))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "another value": lambda path: edited(path, values={"seed.square": 2}),
    "another key inside": lambda path: edited(path, key="0" * 64),
    "another version": lambda path: edited(path, version=1),
    "a unit that is no text": lambda path: signed(path, units={"seed.square": 3}),
    "a value that is no number": lambda path: signed(path, values={"seed.square": "x"}),
    "no checksum": lambda path: edited(path, checksum=None),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "empty": lambda path: path.write_text(""),
    "a list": lambda path: path.write_text("[1]"),
    "no text": lambda path: path.write_bytes(b"\xff\xfe"),
    "deep": lambda path: path.write_text("[" * 100_000),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_points_are_named_and_rerun(damage: str, capfd: pytest.CaptureFixture[str]) -> None:
    points = counted([1, 2])
    first = hmsim.run_points(points, "out", jobs=1)
    store = Store("out")
    for each in points:  # as an earlier release keeps them
        store.save(cast(Outcome, store.load(each.key)), each)
    log().unlink()
    path = Path("out", "points", f"{points[0].key}.json")
    DAMAGES[damage](path)
    again = hmsim.run_points(points, "out", jobs=1)
    pd.testing.assert_frame_equal(first, again)
    assert [runs(".", seed) for seed in (1, 2)] == [2, 1]
    reported = [line for line in capfd.readouterr().err.splitlines() if path.name in line]
    assert len(reported) == 1 and reported[0].startswith("hmsim: "), reported
    assert Store("out").load(points[0].key) is not None
