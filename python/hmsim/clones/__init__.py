# SPDX-License-Identifier: BSD-3-Clause
"""Workload clones: profiles of programs, and traces made from profiles."""

LONGEST_TWIN = 1 << 46  # instructions
