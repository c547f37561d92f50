# SPDX-License-Identifier: BSD-3-Clause
"""What the site changes in pages, and the redirects at the addresses of earlier pages.

Links to files beside docs/ become their names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)[^)]*\)")
# By the earlier page's name: the page that has its content, and where needed the anchor there.
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


def _at(place: str, ending: str) -> str:
    """Return a value of MOVED as the address of a file with this ending."""
    name, mark, anchor = place.partition("#")
    return f"{name}{ending}{mark}{anchor}"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links lead to other pages only."""
    depth = page.file.src_uri.count("/")
    if depth == 0:
        markdown = TO_MOVED.sub(lambda link: f"]({_at(MOVED[link[1]], '.md')})", markdown)
    return LINK.sub(lambda link: link[1] if link[2].count("../") > depth else link[0], markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Write a redirect at the address of each page that moved."""
    for old, new in MOVED.items():
        stub = Path(config["site_dir"]) / f"{old}.html"
        stub.write_text(STUB.format(_at(new, ".html")), encoding="utf-8")
