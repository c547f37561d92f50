# SPDX-License-Identifier: BSD-3-Clause
"""The repository's root is on the path, for the modules of its tools."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)
