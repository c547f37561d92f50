# SPDX-License-Identifier: BSD-3-Clause
"""Workloads: agents, their traces, and the paper's mixes."""
