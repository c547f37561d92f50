# SPDX-License-Identifier: BSD-3-Clause
"""Reproduction: the paper's figures, self-checks, and comparisons with hardware."""
