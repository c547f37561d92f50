# SPDX-License-Identifier: BSD-3-Clause
"""Do the notebooks run from a clean state, and are they kept without outputs?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "analysis" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
names = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_is_one_for_each_task() -> None:
    assert len(NOTEBOOKS) >= 10


@names
def test_outputs_are_stripped(path: Path) -> None:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@pytest.mark.slow
@names
def test_runs(path: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    book = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=300, resources=resources).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert any(output.output_type in ("execute_result", "display_data") for output in outputs)
