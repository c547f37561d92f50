# SPDX-License-Identifier: BSD-3-Clause
"""Does `hmsim artifact` run each listed experiment once, and report what differs?"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hmsim.reproduce import artifact
from messages import naming
from support import REPO, invoke, parsed, succeed, write

LIST = """\
one:
  what: a listing
  command: configs --json
  minutes: 0.1
  tolerance: 1e-9
  first: true
two:
  what: the same
  command: workloads --json
  minutes: 0.1
  tolerance: 0.01
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a list of experiments, and results that are the expected ones."""
    place = tmp_path / "analysis" / "artifact"
    (place / "expected").mkdir(parents=True)
    write(place / "artifact.yaml", LIST)
    monkeypatch.setattr(artifact, "data_directory", lambda: tmp_path)
    return place


def keep(folder: Path, name: str, output: Any) -> None:
    write(folder / f"{name}.json", json.dumps({"code": "", "seconds": 3, "output": output}))


def test_finished_experiments_are_not_run_again(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = invoke("artifact", "run", "--out", out)
    assert first.exit_code == 0, first.stderr
    assert [path.name for path in out.iterdir()] == ["one.json"]
    kept = (out / "one.json").read_bytes()
    again = invoke("artifact", "run", "--all", "--out", out)
    assert "one: already has results" in again.stderr
    assert f"'hmsim artifact compare --out {out}'" in first.stdout
    assert f"'hmsim artifact compare --all --out {out}'" in again.stdout
    assert (out / "one.json").read_bytes() == kept
    assert {path.name for path in out.iterdir()} == {"one.json", "two.json"}
    (out / "one.json").rename(root / "expected" / "one.json")
    reported = succeed("artifact", "run", "one", "--out", out)
    assert f"'hmsim artifact compare one --out {out}'" in reported
    verdict = parsed("artifact", "compare", "one", "--out", out)[0]
    assert verdict["differing"] == 0 and verdict["values"] > 20


def test_differences_are_counted_and_shown(root: Path, tmp_path: Path) -> None:
    keep(root / "expected", "two", [{"a": 100.0, "b": 1, "c": "x", "d": 0}])
    out = tmp_path / "out"
    out.mkdir()
    cases: list[tuple[Any, int, float, str]] = [
        ([{"a": 100.9, "b": 1, "c": "x", "d": 0}], 0, 0.9 / 100.9, ""),
        ([{"a": 102.0, "b": 1, "c": "x", "d": 0}], 1, 2 / 102, "/0/a: expected 100.0, got 102.0"),
        ([{"a": 100.0, "c": "y", "d": 0}], 2, 0, "/0/b: expected 1, got none"),
        ([{"a": 100.0, "b": 1, "c": "x", "d": 1e-9}], 1, 1, "/0/d: expected 0, got 1e-09"),
        ([{"a": 100.0, "b": True, "c": "x", "d": 0}], 0, 0, ""),
        ([], 4, 0, "/0/a: expected 100.0, got none"),
    ]
    for output, differing, worst, example in cases:
        keep(out, "two", output)
        done = invoke("artifact", "compare", "two", "--out", out, "--json")
        assert done.exit_code == (1 if differing else 0)
        found = json.loads(done.stdout)[0]
        assert (found["differing"], found["example"]) == (differing, example)
        assert found["worst"] == pytest.approx(worst)


def test_without_a_tolerance_the_exit_status_judges(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(root / "artifact.yaml", LIST.replace("  tolerance: 1e-9\n", ""))
    succeed("artifact", "run", "one", "--out", out)
    (verdict,) = parsed("artifact", "compare", "one", "--out", out)
    assert verdict["differing"] == 0 and verdict["values"] > 20
    (out / "one.json").unlink()
    fails = LIST.replace("configs --json", "configs --jso").replace("  tolerance: 1e-9\n", "")
    write(root / "artifact.yaml", fails)
    done = invoke("artifact", "run", "one", "--out", out)
    assert done.exit_code == 2
    assert naming("one:", "status 2").search(done.stderr), done.stderr
    assert invoke("artifact", "compare", "one", "--out", out).exit_code == 2


def test_bad_input_gets_one_error(root: Path, tmp_path: Path) -> None:
    keep(root / "expected", "one", [])
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    write(damaged / "one.json", "{")
    cases = {
        ("tow:", "'two'?"): ("run", "tow"),
        ("one.json:", "'hmsim artifact run"): ("compare", "--out", tmp_path / "none"),
        ("one.json:", "damaged"): ("compare", "--out", damaged),
    }
    for parts, arguments in cases.items():
        done = invoke("artifact", *arguments)
        assert done.exit_code == 2
        assert naming(*parts).search(done.stderr), done.stderr
        assert len(done.stderr.splitlines()) == 1
    write(root / "artifact.yaml", LIST.replace("minutes", "minute", 1))
    done = invoke("artifact", "run", "--out", tmp_path / "none")
    assert naming("artifact.yaml:4: one.minute:", "'minutes'?").search(done.stderr), done.stderr


def test_the_shipped_list_keeps_its_limits_of_time_and_tolerance() -> None:
    found = artifact.experiments()
    assert sum(each.minutes for each in found.values() if each.first) <= 10
    assert all(each.tolerance < 0.01 for each in found.values() if each.tolerance is not None)


def test_only_experiments_longer_than_a_minute_keep_values() -> None:
    found = artifact.experiments()
    kept = {path.stem for path in (REPO / "analysis/artifact/expected").glob("*.json")}
    assert kept == {name for name, each in found.items() if each.tolerance is not None}
    assert all(each.minutes > 1 for each in found.values())


def test_an_archive_holds_the_committed_files(tmp_path: Path) -> None:
    if not (REPO / ".git").exists():
        pytest.skip("no checkout of git")
    succeed("artifact", "pack", "--out", tmp_path / "a.tar.gz")
    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        names = set(archive.getnames())
    assert {"hmsim/README.md", "hmsim/SConstruct", "hmsim/configs/quick.yaml"} <= names
    assert not any("/build/" in name or ".venv" in name for name in names)
