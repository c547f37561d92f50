# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with units, as configurations have them."""

from __future__ import annotations

import re

QUANTITY = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?) ?([A-Za-z/]*)")
UNITS = {
    "": 1.0,
    **{name: 1024.0**power for power, name in enumerate(("B", "KiB", "MiB", "GiB", "TiB"))},
    **{name: 1e3**power for power, name in enumerate(("ps", "ns", "us", "ms", "s"))},
    **{name: 1e3**power for power, name in enumerate(("T/s", "kT/s", "MT/s", "GT/s"))},
}


def quantity(text: str) -> float | str:
    """Return a text as a number (bytes, picoseconds, transfers per second), or unchanged."""
    match = QUANTITY.fullmatch(text)
    return float(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else text
