# SPDX-License-Identifier: BSD-3-Clause
"""Bounds: what limited each class of memory in a run, and what raises it."""
