# SPDX-License-Identifier: BSD-3-Clause
"""Look of pictures for papers: colours, widths, fonts, axes and names."""

from hmsim.style.look import (
    COLOURS,
    ONE_COLUMN,
    SETTINGS,
    SHAPES,
    TWO_COLUMNS,
    decades,
    figure,
    legend,
    save,
)
from hmsim.style.names import heading, named

__all__ = [
    "COLOURS",
    "ONE_COLUMN",
    "SETTINGS",
    "SHAPES",
    "TWO_COLUMNS",
    "decades",
    "figure",
    "heading",
    "legend",
    "named",
    "save",
]
