# SPDX-License-Identifier: BSD-3-Clause
"""Runs: one simulation, its options, its result, and what is kept of it."""
