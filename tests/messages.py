# SPDX-License-Identifier: BSD-3-Clause
"""Checks the parts of a message that a reader relies on, not its wording."""

from __future__ import annotations

import re


def naming(*parts: str) -> re.Pattern[str]:
    """Return a pattern of texts that hold all ``parts``, in any order, as for ``pytest.raises``.

    Args:
        parts: the message's place (file, line, key), and values that are given or allowed.
    """
    return re.compile("".join(f"(?=.*{re.escape(part)})" for part in parts), re.DOTALL)
