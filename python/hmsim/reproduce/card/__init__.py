# SPDX-License-Identifier: BSD-3-Clause
"""The card of hardware anchors: what ``hmsim validate card`` compares and writes."""
