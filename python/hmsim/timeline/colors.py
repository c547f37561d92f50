# SPDX-License-Identifier: BSD-3-Clause
"""Colours that people with any kind of colour vision can tell apart (Okabe and Ito, 2008)."""

from __future__ import annotations

ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"
BLUE, VERMILION, PURPLE, GREY = "#0072b2", "#d55e00", "#cc79a7", "#9a9a9a"

# Legend entry by kind of slice: what it says ('{slow}' as in `KINDS`), and the colour.
MEANINGS = {
    "activate": ("DRAM row command", GREY),
    "precharge": ("DRAM row command", GREY),
    "refresh": ("refresh", YELLOW),
    "refresh_same_bank": ("refresh", YELLOW),
    "refresh_management": ("refresh", YELLOW),
    "read": ("DRAM read", SKY),
    "dram_read_data": ("DRAM read", SKY),
    "write": ("DRAM write", BLUE),
    "dram_write_data": ("DRAM write", BLUE),
    "open_row": ("row open", "#c9e4c5"),
    "nvdimm_read_command": ("{slow} read", ORANGE),
    "nvdimm_read": ("{slow} read", ORANGE),
    "nvdimm_read_data": ("{slow} read", ORANGE),
    "nvdimm_write_command": ("{slow} write", VERMILION),
    "nvdimm_write": ("{slow} write", VERMILION),
    "nvdimm_write_data": ("{slow} write", VERMILION),
    "nvdimm_flush_command": ("flush", PURPLE),
    "nvdimm_ack": ("ack", PURPLE),
    "nvdimm_credit": ("credit", PURPLE),
    "command": ("flash command", GREY),
    "status": ("flash command", GREY),
    "data_in": ("page to the chip", VERMILION),
    "data_out": ("page from the chip", ORANGE),
    "flash_read": ("flash read", ORANGE),
    "flash_program": ("flash program", VERMILION),
    "flash_erase": ("flash erase", PURPLE),
    "media_read": ("cells read", ORANGE),
    "media_write": ("cells written", VERMILION),
    "media_move": ("gap move", PURPLE),
    "suspending": ("suspending", YELLOW),
    "collection": ("garbage collection", GREEN),
    "levelling": ("wear levelling", "#8fd3bf"),
    "core_runs": ("thread runs", "#66a61e"),
    "running": ("thread runs", "#66a61e"),
    "core_copies": ("thread copies", "#7570b3"),
    "copying": ("thread copies", "#7570b3"),
    "run_queue": ("thread wants a core", "#4d4d4d"),
    "reading": ("thread reads", ORANGE),
    "read_ahead": ("thread waits for read-ahead", "#fdd0a2"),
    "writing": ("thread writes", VERMILION),
    "throttled": ("thread throttled", "#8c510a"),
    "syncing": ("thread syncs", PURPLE),
    "waiting": ("thread waits for another", "#c9d3dc"),
    "sleeping": ("thread sleeps", "#eeeeee"),
}
OTHER = ("low power", "#dddddd")


def meaning(kind: str) -> tuple[str, str]:
    """Return the legend's words for a kind of slice, and its colour."""
    return MEANINGS.get(kind, OTHER)


def ink_on(color: str) -> str:
    """Return the colour of words on a background."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < 140 else "#1a1a1a"
