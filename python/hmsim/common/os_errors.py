# SPDX-License-Identifier: BSD-3-Clause
"""Errors of the operating system in a line."""

from __future__ import annotations

import os


def reason(error: OSError) -> str:
    """Return the file system's reason for an error, in a line."""
    if error.errno:
        return os.strerror(error.errno)
    return (str(error) or type(error).__name__).splitlines()[0]
