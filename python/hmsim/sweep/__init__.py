# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps: files, plans, searches, results."""
