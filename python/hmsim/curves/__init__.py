# SPDX-License-Identifier: BSD-3-Clause
"""Curves of devices that other simulators replay."""
