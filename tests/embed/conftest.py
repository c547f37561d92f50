# SPDX-License-Identifier: BSD-3-Clause
"""Puts the examples on Python's path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
