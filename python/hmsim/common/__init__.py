# SPDX-License-Identifier: BSD-3-Clause
"""Helpers for all packages: paths, atomic file writes, progress, tables."""
