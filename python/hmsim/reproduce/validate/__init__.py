# SPDX-License-Identifier: BSD-3-Clause
"""Self-checks: closed forms, oracles, and DRAMsim3 beside our own DRAM model."""
