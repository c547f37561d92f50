# SPDX-License-Identifier: BSD-3-Clause
"""Texts that JSON and YAML can name, but files cannot hold."""

from __future__ import annotations


def has_surrogate(text: str) -> bool:
    """Whether a text holds a lone surrogate, which UTF-8 cannot hold: JSON and YAML can name it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
