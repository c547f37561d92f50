# SPDX-License-Identifier: BSD-3-Clause
"""What the site changes in pages, and redirects from the addresses of earlier pages.

Links to files outside docs/ become plain names. Links to earlier pages lead to their successors.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)[^)]*\)")
# Earlier pages and what replaces them: a page, or a section of it.
MOVED = {
    "block-replay": "block-drivers#replay-of-block-traces",
    "controls": "policy-comparison",
    "mutants": "index",
    "profiles": "workloads#profiles-and-twins",
    "programs": "workloads#programs",
    "reproduction": "results",
    "reproduction-changes": "results",
    "waiting-programs": "results",
    "what-we-believe": "results",
}
TO_MOVED = re.compile(rf"\]\(({'|'.join(MOVED)})\.md(?:#[^)]*)?\)")
STUB = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={0}">
<title>Moved</title></head>
<body><p>This page moved to <a href="{0}">{0}</a>.</p></body>
</html>
"""


def successor(old: str, ending: str) -> str:
    """Return the file, with this ending, and the section that replace an earlier page."""
    page, mark, section = MOVED[old].partition("#")
    return f"{page}{ending}{mark}{section}"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links lead to pages of the site only."""
    depth = page.file.src_uri.count("/")
    if depth == 0:
        markdown = TO_MOVED.sub(lambda link: f"]({successor(link[1], '.md')})", markdown)
    return LINK.sub(lambda link: link[1] if link[2].count("../") > depth else link[0], markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Write a redirect at the address of each page that moved."""
    for old in MOVED:
        stub = Path(config["site_dir"]) / f"{old}.html"
        stub.write_text(STUB.format(successor(old, ".html")), encoding="utf-8")
