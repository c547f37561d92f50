# SPDX-License-Identifier: BSD-3-Clause
"""What the site changes in pages: links to files beside docs/ are names there."""

from __future__ import annotations

import re
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page whose links lead to other pages only."""
    return OUTSIDE.sub(r"\1", markdown)
