# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks with their outputs: as pages of the site, and as pictures of docs/exercises.md."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from pages import DOCS, ROOT, Documents

KEPT = ROOT / "build" / "notebooks"  # notebooks with outputs
INPUTS = ("python/hmsim", "configs", "workloads")  # what outputs depend on, besides the notebook
# Runs before the first cell: pictures are the same in each run, and sharp at any size.
PREPARE = """
import matplotlib.pyplot
from matplotlib_inline.config import InlineBackend
matplotlib.rcParams.update({"svg.hashsalt": "hmsim", "svg.fonttype": "none"})
backend = InlineBackend.instance()
backend.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None}}
backend.figure_formats = {"svg"}
"""
# Style of tables that pandas prints; without it they look like those of other pages.
FRAME = re.compile(r'<style scoped>.*?</style>\s*| border="1" class="dataframe"', re.DOTALL)


def paths() -> list[Path]:
    """Return the notebooks in the order of their numbers."""
    found = (ROOT / "analysis" / "notebooks").glob("*.ipynb")
    return sorted(found, key=lambda path: int(path.stem.split("_")[0]))


def executed(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with its outputs; rerun it if it or an input is newer than the kept copy.

    Raises nbclient's error if a cell fails.
    """
    kept = KEPT / path.name
    inputs = [path, *(file for folder in INPUTS for file in (ROOT / folder).rglob("*.*"))]
    changed = max(file.stat().st_mtime for file in inputs if file.suffix != ".pyc")
    if kept.is_file() and kept.stat().st_mtime > changed:
        return nbformat.read(kept, as_version=4)
    from nbclient import NotebookClient

    book = nbformat.read(path, as_version=4)
    book.cells.insert(0, nbformat.v4.new_code_cell(PREPARE))
    with TemporaryDirectory() as folder:
        NotebookClient(book, timeout=300, resources={"metadata": {"path": folder}}).execute()
    del book.cells[0]
    KEPT.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, kept)
    return book


def rendered(path: Path) -> tuple[str, dict[str, bytes]]:
    """Return a notebook with its outputs as Markdown, and its pictures by file name."""
    from nbconvert import MarkdownExporter

    files = {"unique_key": path.stem, "output_files_dir": path.stem}
    text, resources = MarkdownExporter().from_notebook_node(executed(path), resources=files)
    return FRAME.sub("", text), resources["outputs"]


def pictures(_: Path) -> Documents:
    """Yield the last picture of each notebook."""
    for path in paths():
        outputs = (each for cell in executed(path).cells for each in cell.get("outputs", ()))
        shown = [svg for each in outputs if (svg := each.get("data", {}).get("image/svg+xml"))]
        yield DOCS / "gallery" / f"{path.stem}.svg", shown[-1]
