# SPDX-License-Identifier: BSD-3-Clause
"""Changes to pages for the site, pages of the notebooks, redirects at addresses of earlier pages.

Links to files beside docs/ become their names.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

# Links of pages and notebooks to the page of a notebook, and to a page of docs/.
NOTEBOOK = re.compile(r"\.\./analysis/(notebooks/\w+)\.ipynb")
PAGE = re.compile(r"\.\./docs/")
LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)[^)]*\)")
# Maps the name of a page that was moved to its new page, with an anchor if it became a section.
MOVED = {
    "artifact": "methods#run-the-experiments-again",
    "block-replay": "block-drivers#replay-of-block-traces",
    "cached-map": "nvdimm#the-map",
    "capture-program": "capture#a-program",
    "clusters": "sweeps#on-a-cluster",
    "compare-storage": "storage#compare-systems",
    "controls": "where-policies-pay",
    "device-curve": "c-library#a-devices-curve-for-another-simulator",
    "dramsim3": "trust#dramsim3-as-a-second-dram-model",
    "flash": "nvdimm",
    "flash-pages": "nvdimm#flash-pages",
    "full-system-capture": "capture#a-machine",
    "gallery": "exercises#notebooks",
    "gem5-linux": "gem5-programs#5-run-linux",
    "harmonic": "schedulers#the-harmonic-arbiter",
    "hbf-decoding": "llm-decode#when-does-hbf-help-decoding",
    "media": "nvdimm#pcm-and-stt-ram",
    "mutants": "index",
    "open-loop": "workloads#offered-load",
    "page-aware": "schedulers#page-aware-scheduling",
    "plots": "report#bars-of-a-comparison",
    "policy-comparison": "where-policies-pay#policies-side-by-side",
    "profiles": "workloads#profiles-and-twins",
    "programs": "workloads#programs",
    "reproduction": "results",
    "reproduction-changes": "results",
    "sampling": "decisions#jobs-are-run-whole",
    "several-nvdimms": "nvdimm#several-nvdimms",
    "storage-claims": "storage#claims-of-papers",
    "three-views": "concepts",
    "timeline": "report#a-timeline",
    "validation": "trust",
    "validation-ftl": "trust#flash-and-ftl",
    "waiting-programs": "results",
    "walk-of-a-read": "inside-the-channel#one-read-of-a-job",
    "what-we-believe": "results",
}
STUB = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={0}">
<title>Moved</title></head>
<body><p>This page moved to <a href="{0}">{0}</a>.</p></body>
</html>
"""


def on_files(files: Any, config: Any, **_: Any) -> None:
    """Add each notebook with its outputs as a page below notebooks/, with its pictures."""
    from mkdocs.structure.files import File, InclusionLevel

    sys.path.insert(0, str(Path(__file__).parents[1] / "analysis"))
    from pages import notebooks

    for path in notebooks.paths():
        text, pictures = notebooks.rendered(path)
        text += f"\nThis page is `analysis/notebooks/{path.name}`. "
        text += "Next: [Notebooks](../exercises.md#notebooks)\n"
        for name, content in {f"{path.stem}.md": text, **pictures}.items():
            place, level = f"notebooks/{name}", InclusionLevel.NOT_IN_NAV
            files.append(File.generated(config, place, content=content, inclusion=level))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links lead to other pages only."""
    depth = page.file.src_uri.count("/")
    markdown = PAGE.sub("", NOTEBOOK.sub(r"\1.md", markdown))
    return LINK.sub(lambda link: link[1] if link[2].count("../") > depth else link[0], markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Write a redirect at the address of each page that moved."""
    for old, new in MOVED.items():
        name, mark, anchor = new.partition("#")
        stub = Path(config["site_dir"]) / f"{old}.html"
        stub.write_text(STUB.format(f"{name}.html{mark}{anchor}"), encoding="utf-8")
