# SPDX-License-Identifier: BSD-3-Clause
"""Tables of settings as text."""

from __future__ import annotations


def keys(beginning: str, text: str) -> dict[str, str]:
    """Return settings from words ``NAME=VALUE``; each name follows ``beginning``."""
    pairs = (word.partition("=") for word in text.split())
    return {beginning + name: value for name, _, value in pairs}
