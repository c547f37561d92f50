# SPDX-License-Identifier: BSD-3-Clause
"""Does every command reject a changed run.json with one line that names the key?"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hmsim
import pytest
from hmsim.common.json_schema import (
    FLAG,
    NUMBER,
    SCALAR,
    TEXT,
    WHOLE,
    Leaf,
    ListOf,
    Maybe,
    Record,
    Schema,
    TableOf,
)
from hmsim.runs.directory import ORIGIN
from hmsim.sweep.results import ENTRY
from runs import make
from support import fail

SURROGATE = "\ud800"
RIGHT: dict[Leaf, list[Any]] = {
    TEXT: ["", "a", "\U0001f600"],
    WHOLE: [0, 7, (1 << 64) - 1],
    NUMBER: [0, -1.5, 10],
    FLAG: [True, False],
    SCALAR: ["a", 1, -2.5, True, None],
}
VALUES = [None, True, 7, -1, 1.5, 1 << 64, 10**400, "a", SURROGATE, [], [1], {}, {"a": [1]}]
WRONG = {leaf: [v for v in VALUES if not leaf.fits(v)] for leaf in RIGHT}


def right(schema: Schema) -> Any:
    """Return a value that fits a schema and has all parts that the schema allows."""
    if isinstance(schema, Leaf):
        return RIGHT[schema][1]
    if isinstance(schema, Maybe):
        return right(schema.schema)
    if isinstance(schema, ListOf):
        return [right(schema.schema)]
    if isinstance(schema, TableOf):
        return {"a": right(schema.schema)}
    assert isinstance(schema, Record)
    return {key: right(part) for key, part in schema.keys.items()}


def wrong(schema: Schema, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a key and a document that is wrong only at this key, for every key of a schema."""
    if isinstance(schema, Leaf):
        yield from ((key, value) for value in WRONG[schema])
    elif isinstance(schema, Maybe):
        yield from (each for each in wrong(schema.schema, key) if each[1] is not None)
    elif isinstance(schema, ListOf):
        yield from ((key, value) for value in VALUES if not isinstance(value, list))
        yield from ((path, [bad]) for path, bad in wrong(schema.schema, f"{key}[0]"))
    elif isinstance(schema, TableOf):
        yield from ((key, value) for value in VALUES if not isinstance(value, dict))
        yield from ((path, {"a": bad}) for path, bad in wrong(schema.schema, f"{key}.a"))
        yield f"a key of {key}", {SURROGATE: right(schema.schema)}
    else:
        assert isinstance(schema, Record)
        if key:
            yield from ((key, value) for value in VALUES if not isinstance(value, dict))
        for name, part in schema.keys.items():
            for path, bad in wrong(part, f"{key}.{name}" if key else name):
                yield path, {**right(schema), name: bad}


CASES = list(wrong(ORIGIN))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "sound"
    make(folder)
    return folder


def test_the_schema_matches_written_files(run: Path) -> None:
    written = json.loads((run / "run.json").read_text())
    assert set(written) == set(ORIGIN.keys) - {"command_log", "partial"}
    ORIGIN.check(written, "")
    ORIGIN.check(right(ORIGIN), "")
    for leaf, values in RIGHT.items():
        for value in values:
            leaf.check(value, "x")


def test_every_field_of_a_wrong_type_is_rejected_with_its_key(run: Path) -> None:
    file = run / "run.json"
    sound = file.read_text()
    assert len(CASES) > 200
    try:
        for key, content in CASES:
            file.write_text(json.dumps(content))
            with pytest.raises(hmsim.InputError) as refused:
                hmsim.load_results(run)
            message = str(refused.value)
            assert message.startswith(f"{file}: {key}: expected "), (key, message)
            assert message.isprintable() and len(message) < len(f"{file}{key}") + 150
    finally:
        file.write_text(sound)


def refused_alike(broken: Path) -> str:
    """Return the error of the report, which is that of load_results."""
    with pytest.raises(hmsim.InputError) as refused:
        hmsim.load_results(broken)
    error = fail("report", broken, "--out", broken / "page.html")
    assert error == f"hmsim: {refused.value}\n"
    return error


@pytest.mark.parametrize("key", sorted({key for key, _ in CASES}))
def test_report_and_load_results_reject_the_same_files(run: Path, tmp_path: Path, key: str) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(run, broken)
    content = next(content for path, content in CASES if path == key)
    (broken / "run.json").write_text(json.dumps(content))
    refused_alike(broken)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("run.json", "[]", "run.json: must be an object"),
        ("run.json", '{"a":' * 100_000, "run.json: is not JSON"),
        ("run.json", "{", "run.json:1: is not JSON"),
        ("run.json", None, "run.json"),
        ("config.yaml", None, "config.yaml"),
        ("stats.json", '{"sim": {"ticks": "many"}}', "stats.json: sim.ticks: "),
        ("stats.json", '{"\\ud800": 1}', "stats.json: a name: "),
        ("config.yaml", 'dram:\n  preset: "\\ud800"\n', "config.yaml:2"),
    ],
)
def test_report_and_load_results_reject_other_damage(
    run: Path, tmp_path: Path, file: str, content: str | None, message: str
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(run, broken)
    if content is None:
        (broken / file).unlink()
    else:
        (broken / file).write_text(content)
    error = refused_alike(broken)
    assert message in error and len(error.splitlines()) == 1


def test_a_changed_plan_is_rejected_with_its_key(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    entry = {"labels": {"seed": 1, "a": None}, "point": "", "error": "none"}
    file.write_text(json.dumps([entry]))
    assert list(hmsim.load_results(tmp_path)["error"]) == ["none"]
    for key, content in wrong(ListOf(ENTRY), "point"):
        file.write_text(json.dumps(content))
        with pytest.raises(hmsim.InputError) as refused:
            hmsim.load_results(tmp_path)
        assert str(refused.value).startswith(f"{file}: {key}: expected ")
    for name in entry:
        less = copy.deepcopy(entry)
        del less[name]
        file.write_text(json.dumps([less]))
        with pytest.raises(hmsim.InputError, match=rf"plan\.json: point\[0\]\.{name}: "):
            hmsim.load_results(tmp_path)
