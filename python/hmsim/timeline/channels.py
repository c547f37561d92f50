# SPDX-License-Identifier: BSD-3-Clause
"""Tracks of the channels: command bus, data bus, ack line, banks, ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hmsim.runs.directory import RunDirectory
from hmsim.timeline.kinds import CODES
from hmsim.timeline.sheet import Sheet, Track

if TYPE_CHECKING:  # takes a while to import
    import pandas as pd

BUSES, BANKS = 0, 1  # parts of a channel, in this order; modules follow
BURSTS = {
    "read": ("dram_read_data", "CL"),
    "write": ("dram_write_data", "CWL"),
    "nvdimm_read": ("nvdimm_read_data", "CL"),
    "nvdimm_write": ("nvdimm_write_data", "CWL"),
}
RESPONSES = ("nvdimm_ack", "nvdimm_credit")
PAIRS = {  # what a rank enters and leaves
    "power_down": ("power_down_enter", "power_down_exit"),
    "self_refresh": ("self_refresh_enter", "self_refresh_exit"),
}


def add_channels(
    sheet: Sheet, run: RunDirectory, commands: pd.DataFrame, period: int, begin: int, end: int
) -> None:
    """Add the activity of the commands of all channels; times in picoseconds.

    Raises InputError when the configuration lacks a timing.
    """
    for channel, own in commands.groupby("channel", sort=True):
        _add_buses(sheet, run, int(channel), own, period)
        dram = own[own["command"].isin(["activate", "precharge"])]
        for (rank, bank), rows in dram.groupby(["rank", "bank"], sort=True):
            where = (int(channel), int(rank), int(bank))
            _add_bank(sheet, where, rows, period, run.number("dram.timing.tRP"), (begin, end))
        _add_ranks(sheet, run, int(channel), own, period, (begin, end))


def _add_buses(
    sheet: Sheet, run: RunDirectory, channel: int, commands: pd.DataFrame, period: int
) -> None:
    import numpy as np

    group = f"channel {channel}"
    start = commands["cycle"].to_numpy() * period
    names = commands["command"].astype("category")

    def some(which: Any) -> dict[str, Any]:
        return {
            "request": commands["request"].to_numpy()[which],
            "row": commands["row"].to_numpy()[which],
        }

    def each(of_name: Callable[[str], Any], kind: str) -> Any:
        """Return a value for each command. ``of_name`` is called once for each name."""
        values = [of_name(str(name)) for name in names.cat.categories]
        return np.array(values, dtype=kind)[names.cat.codes.to_numpy()]

    codes = each(lambda name: CODES.get(name, CODES["command"]), "int8")
    slots = each(lambda name: takes_slot(name, run), "bool")
    track = Track((channel, BUSES, 0), group, "command bus")
    end = start[slots] + command_cycles(run) * period
    sheet.add(track, start[slots], end, codes[slots], **some(slots))
    responses = each(lambda name: name in RESPONSES, "bool")
    track = Track((channel, BUSES, 1), group, "ack line")
    sheet.add(
        track, start[responses], start[responses] + period, codes[responses], **some(responses)
    )
    track = Track((channel, BUSES, 2), group, "data bus")
    burst = line_cycles(run) * period
    for command, (kind, latency) in BURSTS.items():
        which = (names == command).to_numpy()
        if which.any():
            delay = int(run.config.get("dram.register_delay", "0")) + command_cycles(run) - 1
            data = start[which] + (delay + run.number(f"dram.timing.{latency}")) * period
            sheet.add(track, data, data + burst, kind, **some(which))


def command_cycles(run: RunDirectory) -> int:
    """Return the cycles for which each command occupies the command bus."""
    return 2 if run.config.get("dram.command_rate") == "2N" else 1


def line_cycles(run: RunDirectory) -> int:
    """Return the cycles from a line's first beat to its last, with the gap between its halves."""
    gap = run.config.get("dram.timing.burst_gap", "preset")
    return run.number("dram.timing.burst") + (int(gap) if gap.isdigit() else 0)


def takes_slot(command: str, run: RunDirectory) -> bool:
    """Return whether a command takes a cycle of the command bus."""
    ack = run.config.get("controller.ack", "grant")
    if command == "nvdimm_ack":
        return ack != "nvdimm_p" and run.config.get("controller.ack_slots", "1") != "0"
    if command == "nvdimm_credit":
        return False
    return ack != "auto" or command not in ("nvdimm_read", "nvdimm_write")


def _add_bank(
    sheet: Sheet,
    where: tuple[int, int, int],
    rows: pd.DataFrame,
    period: int,
    trp: int,
    bounds: tuple[int, int],
) -> None:
    """A row is open from its activate to the precharge; then the bank is precharged for tRP."""
    import numpy as np

    channel, rank, bank = where
    track = Track(
        (channel, BANKS, rank, bank), f"channel {channel}, DRAM rank {rank}", f"bank {bank}"
    )
    at = rows["cycle"].to_numpy() * period
    opens = (rows["command"] == "activate").to_numpy()
    following = np.append(at[1:], bounds[1])
    common = {"request": rows["request"].to_numpy()}
    numbers = rows["row"].to_numpy()
    sheet.add(
        track,
        at[opens],
        following[opens],
        "open_row",
        request=common["request"][opens],
        row=numbers[opens],
    )
    closes = ~opens
    over = np.minimum(at[closes] + trp * period, following[closes])
    sheet.add(track, at[closes], over, "precharge", request=common["request"][closes])
    if len(at) and closes[0]:  # of a row that was open before
        sheet.add(track, [bounds[0]], [at[0]], "open_row")


def _add_ranks(
    sheet: Sheet,
    run: RunDirectory,
    channel: int,
    commands: pd.DataFrame,
    period: int,
    bounds: tuple[int, int],
) -> None:
    """Refreshes, and the states of low power."""
    import numpy as np

    times_of = {"refresh": "tRFC", "refresh_same_bank": "tRFCsb", "refresh_management": "tRFC"}
    shown = [*times_of, *(name for pair in PAIRS.values() for name in pair)]
    commands = commands[commands["command"].isin(shown)]

    for rank, rows in commands.groupby("rank", sort=True):
        group = f"channel {channel}, DRAM rank {rank}"
        at = rows["cycle"].to_numpy() * period
        names = rows["command"].astype(str).to_numpy()
        track = Track((channel, BANKS, int(rank), -2), group, "refresh")
        for kind, time in times_of.items():
            own = at[names == kind]
            if len(own):
                sheet.add(track, own, own + run.number(f"dram.timing.{time}") * period, kind)
        track = Track((channel, BANKS, int(rank), -1), group, "power")
        for kind, (enter, leave) in PAIRS.items():
            which = (names == enter) | (names == leave)
            times, entered = at[which], names[which] == enter
            if len(times):
                sheet.add(track, times[entered], np.append(times[1:], bounds[1])[entered], kind)
                if not entered[0]:
                    sheet.add(track, [bounds[0]], times[:1], kind)
