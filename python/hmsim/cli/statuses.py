# SPDX-License-Identifier: BSD-3-Clause
"""Exit statuses of the command line; `hmsim.cli` documents them."""

FAULT = 1
INPUT = 2
INTERRUPTED = 130
UNHEARD = 141
