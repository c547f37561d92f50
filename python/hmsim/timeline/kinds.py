# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of slices: their labels, legend entries and colours.

People with any kind of colour vision can tell the named colours apart (Okabe and Ito, 2008).
"""

from __future__ import annotations

from typing import NamedTuple

ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"
BLUE, VERMILION, PURPLE, GREY = "#0072b2", "#d55e00", "#cc79a7", "#9a9a9a"


class Kind(NamedTuple):
    """Kind of slices; '{slow}' in its texts is the noun of the slow memory.

    Attributes:
        label: of a slice.
        legend: what the legend says.
        color: of slices, and in the legend.
    """

    label: str
    legend: str = "low power"
    color: str = "#dddddd"


KINDS = {
    "activate": Kind("ACT", "DRAM row command", GREY),
    "precharge": Kind("PRE", "DRAM row command", GREY),
    "read": Kind("RD", "DRAM read", SKY),
    "write": Kind("WR", "DRAM write", BLUE),
    "refresh": Kind("REF", "refresh", YELLOW),
    "refresh_same_bank": Kind("REFsb", "refresh", YELLOW),
    "refresh_management": Kind("RFM", "refresh", YELLOW),
    "power_down_enter": Kind("PDE"),
    "power_down_exit": Kind("PDX"),
    "self_refresh_enter": Kind("SRE"),
    "self_refresh_exit": Kind("SRX"),
    "data_clock_start": Kind("CAS"),
    "nvdimm_read_command": Kind("N-RD", "{slow} read", ORANGE),
    "nvdimm_write_command": Kind("N-WR", "{slow} write", VERMILION),
    "nvdimm_flush_command": Kind("FLUSH", "flush", PURPLE),
    "nvdimm_read": Kind("GRANT", "{slow} read", ORANGE),
    "nvdimm_write": Kind("GRANT", "{slow} write", VERMILION),
    "nvdimm_ack": Kind("ACK", "ack", PURPLE),
    "nvdimm_credit": Kind("CREDIT", "credit", PURPLE),
    "dram_read_data": Kind("DRAM read", "DRAM read", SKY),
    "dram_write_data": Kind("DRAM write", "DRAM write", BLUE),
    "nvdimm_read_data": Kind("{slow} read", "{slow} read", ORANGE),
    "nvdimm_write_data": Kind("{slow} write", "{slow} write", VERMILION),
    "open_row": Kind("row", "row open", "#c9e4c5"),
    "power_down": Kind("power-down"),
    "self_refresh": Kind("self-refresh"),
    "command": Kind("command", "flash command", GREY),
    "data_in": Kind("data in", "page to the chip", VERMILION),
    "data_out": Kind("data out", "page from the chip", ORANGE),
    "status": Kind("status", "flash command", GREY),
    "flash_read": Kind("read", "flash read", ORANGE),
    "flash_program": Kind("program", "flash program", VERMILION),
    "flash_erase": Kind("erase", "flash erase", PURPLE),
    "media_read": Kind("read", "cells read", ORANGE),
    "media_write": Kind("write", "cells written", VERMILION),
    "media_move": Kind("gap move", "gap move", PURPLE),
    "suspending": Kind("suspending", "suspending", YELLOW),
    "collection": Kind("collection", "garbage collection", GREEN),
    "levelling": Kind("wear levelling", "wear levelling", "#8fd3bf"),
    "core_runs": Kind("running", "thread runs", "#66a61e"),
    "core_copies": Kind("copying", "thread copies", "#7570b3"),
    "running": Kind("running", "thread runs", "#66a61e"),
    "copying": Kind("copying", "thread copies", "#7570b3"),
    "run_queue": Kind("run queue", "thread wants a core", "#4d4d4d"),
    "reading": Kind("reading", "thread reads", ORANGE),
    "read_ahead": Kind("read-ahead", "thread waits for read-ahead", "#fdd0a2"),
    "writing": Kind("writing", "thread writes", VERMILION),
    "throttled": Kind("throttled", "thread throttled", "#8c510a"),
    "syncing": Kind("syncing", "thread syncs", PURPLE),
    "waiting": Kind("waiting", "thread waits for another", "#c9d3dc"),
    "sleeping": Kind("sleeping", "thread sleeps", "#eeeeee"),
}
NAMES = list(KINDS)
CODES = {kind: code for code, kind in enumerate(KINDS)}


def ink_on(color: str) -> str:
    """Return the colour of words on a background."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < 140 else "#1a1a1a"
