# SPDX-License-Identifier: BSD-3-Clause
"""Fits: which values of keys explain given numbers, and which keys the numbers cannot determine."""
