# SPDX-License-Identifier: BSD-3-Clause
"""Timelines of one run: activity of each thread, core, bank, bus, flash channel and LUN."""

from hmsim.timeline.sheet import Track
from hmsim.timeline.tracks import Timeline, read_timeline

__all__ = ["Timeline", "Track", "read_timeline"]
