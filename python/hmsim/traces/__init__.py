# SPDX-License-Identifier: BSD-3-Clause
"""Traces: reading, writing, conversion and summaries."""
