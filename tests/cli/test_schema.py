# SPDX-License-Identifier: BSD-3-Clause
"""JSON schemas of files: all that ship are valid, and wrong keys and values are not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import hmsim
import pytest
import yaml
from hmsim.config.schema import SCHEMAS

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(hmsim.__file__).resolve().parents[2]
SHIPPED = {
    "configuration": ("configs/*.yaml", "configs/storage/*.yaml", "configs/policies/*.yaml"),
    "workload": ("workloads/*.yaml", "workloads/llm/*.yaml", "workloads/xdd/*.yaml"),
    "sweep": ("configs/sweeps/*.yaml",),
    "fit": ("configs/fits/*.yaml",),
}
WRONG = {
    "configuration": (
        "controller: {queue_dept: 64}",
        "controller: {queue_depth: 99999}",
        "controller.page_policy: open",
        "nvdimm: {nand: {read_time: 50}}",
        "nvdimm: {present: 3}",
    ),
    "workload": ("agents: [{kind: io_patern}]", "agents: [{kind: io_pattern, sise: 4KiB}]", "{}"),
    "sweep": (
        "grid: {nvdimm.nand.chip: [1]}",
        "grid: {controller.queue_depth: [64, many]}",
        "samples: {method: sobl, count: 3, over: {}}",
        "set: {nvdimm.nand.read_time: 3}",
    ),
    "fit": (
        "{over: {nvdimm.nand.read_time: {from: 1us, until: 2us}}, targets: {}}",
        "{over: {}, targets: {t: {off: a.b, is: 3}}}",
        "{over: {}}",
    ),
}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_shipped_files_are_valid_and_wrong_ones_are_not(kind: str) -> None:
    content = json.loads(json.dumps(SCHEMAS[kind]()))
    validator = jsonschema.Draft7Validator(content)
    validator.check_schema(content)
    files = [path for pattern in SHIPPED[kind] for path in ROOT.glob(pattern)]
    assert files
    for path in files:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert not [error.message for error in validator.iter_errors(found)], path
    for text in WRONG[kind]:
        assert not validator.is_valid(yaml.safe_load(text)), text


def test_the_command_prints_a_schema() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hmsim", "schema", "sweep"], capture_output=True, text=True
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(SCHEMAS["sweep"]()))
    wrong = subprocess.run(
        [sys.executable, "-m", "hmsim", "schema", "swep"], capture_output=True, text=True
    )
    assert (wrong.returncode, "did you mean 'sweep'" in wrong.stderr) == (2, True)
