# SPDX-License-Identifier: BSD-3-Clause
"""System in data mode, and a plain array of bytes with the expected content of its memory."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from hmsim import System
from hmsim._core import Simulation
from keys import keys

LINE = 64
PAGE = 4096
STEP = 500_000_000  # picoseconds between two refills of a full queue
CYCLE = 1_250  # picoseconds, of the controller: what it was sent it has accepted soon after

# One small LUN for each of two channels: traffic soon evicts and collects garbage.
SMALL: dict[str, Any] = {
    "system.store_data": True,
    "nvdimm.capacity": "1MiB",
    **keys("nvdimm.nand.", "channels=2 chips=1 pages_per_block=8"),
    **keys("nvdimm.ftl.", "over_provisioning=80 gc_threshold=0 wear_gap=4"),
    **keys("nvdimm.buffer.", "read_size=16KiB write_size=16KiB"),
}


class Shadow:
    """System under test and the array that predicts its content.

    A write changes the array when it is done. A power failure that spares the controller's queue
    also applies the writes of a line or less that the queue has accepted.
    """

    def __init__(self, config: str = "mascots16", **overrides: Any) -> None:
        self.system = System(config, {**SMALL, **overrides})
        values = self.system.config.resolved()
        self.nvdimm, capacity = Simulation.capacities([*values.items()])
        self.pages = capacity // PAGE
        self.spares_queue = values["frontend.node.persistence"] == "controller"
        self.bytes: dict[int, bytes] = {}  # by line
        # Address, size and written data of each request; None for a flush.
        self.sent: dict[int, tuple[int, int, bytes | None] | None] = {}
        self.reads = 0
        self.numbers = random.Random(1)

    def line(self, address: int) -> bytes:
        """Return the expected content of the line that holds an address."""
        return self.bytes.get(address - address % LINE, bytes(LINE))

    def send(self, address: int, size: int = LINE, data: bytes | None = None) -> None:
        """Send a write of ``data``, or a read; wait until the queue takes the request."""
        write = data is not None
        while (number := self.system.enqueue(address, size=size, write=write, data=data)) is None:
            self.run(self.system.now + STEP)
        self.sent[number] = (address, size, data)

    def flush(self) -> None:
        """Send a flush; wait until the queue takes the flush."""
        while (number := self.system.flush()) is None:
            self.run(self.system.now + STEP)
        self.sent[number] = None

    def run(self, until: int) -> None:
        """Advance to a time; compare completed reads with the array, in order."""
        self.system.advance(until)
        for done in self.system.completions():
            sent = self.sent.pop(done.id)
            if sent is None:
                nvdimm = [
                    at for at, entry in self.sent.items() if entry and entry[0] >= self.nvdimm
                ]
                assert all(number > done.id for number in nvdimm), "done before what it flushes"
                continue
            address, size, data = sent
            if data is None:
                offset = address % LINE
                lines = b"".join(self.line(at) for at in range(address, address + size, LINE))
                assert done.data == lines[offset : offset + size], f"address {address}"
                self.reads += 1
            else:
                self.write(address, data)

    def write(self, address: int, data: bytes) -> None:
        """Apply a completed write to the array."""
        for at in range(LINE, len(data), LINE):
            self.write(address + at, data[at : at + LINE])
        data = data[:LINE]
        offset = address % LINE
        line = self.line(address)
        self.bytes[address - offset] = line[:offset] + data + line[offset + len(data) :]

    def trim(self, address: int, size: int) -> None:
        """Discard a range of the NVDIMM that no request uses."""
        self.settle()
        pages = [at for at in range(-(-address // PAGE) * PAGE, address + size, PAGE)]
        pages = [at for at in pages if at + PAGE <= address + size]
        assert self.system.trim(address, size) == len(pages)
        for page in pages:
            for line in range(page, page + PAGE, LINE):
                if line in self.bytes:
                    self.bytes[line] = bytes(LINE)

    def settle(self) -> None:
        """Wait until every request is done."""
        while self.sent:
            self.run(self.system.now + STEP)

    def check(self, share: float = 1) -> None:
        """Compare every line that was ever written, or a share of them."""
        lines: Collection[tuple[int, bytes]] = self.bytes.items()
        if share < 1:
            lines = self.numbers.sample([*lines], round(share * len(lines)))
        for address, line in lines:
            assert self.system.peek(address) == line, f"address {address}"

    def power_cycle(
        self,
        off: int = 0,
        share: float = 1,
        cuts: Sequence[tuple[int | None, int]] = (),
        only: int | None = None,
    ) -> None:
        """Fail power now, for ``off``; check a share of all lines after the failure and the return.

        ``cuts``: before that, power failures whose save and recovery are interrupted after the
        given times. ``only``: the NVDIMM whose saves are interrupted; None: all.
        """
        self.system.completions()  # all were taken before
        for save_for, recover_for in cuts:
            self.power_fail(save_for, share, only)
            self.system.power_on(recover_for)
            self.check(share)
        self.power_fail(None, share)
        self.system.advance(self.system.now + off)
        assert self.system.power_on()
        self.check(share)

    def power_fail(self, save_for: int | None, share: float, only: int | None = None) -> None:
        """Fail power; check a share of all lines."""
        if self.sent and self.spares_queue:
            self.run(self.system.now + 2 * CYCLE)
            for _, entry in sorted(self.sent.items()):
                if entry is not None and entry[2] is not None and entry[1] <= LINE:
                    self.write(entry[0], entry[2])
        self.system.power_fail(save_for, only)
        self.sent.clear()
        self.bytes = {at: line for at, line in self.bytes.items() if at >= self.nvdimm}
        self.check(share)

    def save_and_load(self, path: Path) -> None:
        """Save the system, and continue with the copy that the file holds."""
        self.system.save(path)
        self.system = System.load(path)
