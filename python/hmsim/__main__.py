# SPDX-License-Identifier: BSD-3-Clause
"""``python -m hmsim`` is the command ``hmsim``."""

from hmsim.cli import main

main()
