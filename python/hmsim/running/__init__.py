# SPDX-License-Identifier: BSD-3-Clause
"""Runs: workloads, one simulation, comparisons, points on processes or clusters."""
