# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons: policies and systems side by side."""
