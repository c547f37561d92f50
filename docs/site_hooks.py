# SPDX-License-Identifier: BSD-3-Clause
"""What the site changes in pages: links to files beside docs/ are names there."""

from __future__ import annotations

import re
from typing import Any

LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)[^)]*\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links lead to other pages only."""
    depth = page.file.src_uri.count("/")
    return LINK.sub(lambda link: link[1] if link[2].count("../") > depth else link[0], markdown)
