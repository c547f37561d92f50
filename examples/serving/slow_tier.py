# SPDX-License-Identifier: BSD-3-Clause
"""The slow tier: places, and requests to the simulated memory."""

from __future__ import annotations

from collections import Counter

import hmsim
from hmsim import Future, InputError

LINE, PAGE = 64, 4096


class SlowTier:
    """The NVDIMM of a system, or its storage device if it has one.

    Args:
        system: the machine.
        fixed_bytes: bytes from address 0 that hold experts.
        block_bytes: bytes of a block of keys and values.
        copies: whether a block that moves is also written to, or read from, DRAM.
        first_lines: whether a read first reads a line of each page, so that a queue of lines holds
            many pages.
    """

    def __init__(
        self,
        system: hmsim.System,
        fixed_bytes: int,
        block_bytes: int,
        copies: bool = False,
        first_lines: bool = False,
    ) -> None:
        self.system = system
        keys = dict(system.config.flat())
        self.memory = "nvdimm" if keys.get("storage.kind", "none") == "none" else "storage"
        if first_lines and (self.memory == "storage" or keys.get("nvdimm.attach") == "hbf"):
            raise InputError(
                "--first-lines: the slow tier must take lines: neither storage nor HBF"
            )
        self._first_lines = first_lines
        capacity = system.capacity(self.memory)
        if capacity < fixed_bytes + block_bytes:
            raise InputError(
                f"--config: the slow tier has {capacity} bytes: "
                f"experts and a block need {fixed_bytes + block_bytes}"
            )
        self._block_bytes = block_bytes
        self._first = -(-fixed_bytes // block_bytes)
        self._end = capacity // block_bytes
        self._next = self._first
        self._free: list[int] = []
        self._copies = system.capacity("dram") // block_bytes if copies else 0
        if copies and not self._copies:
            raise InputError("--copies: DRAM must hold a block of keys and values")
        self._copied = 0
        self.bytes: Counter[str] = Counter()  #: by operation
        self.reads: Counter[str] = Counter()  #: picoseconds of ended reads by cause, and `count`
        self.latencies: list[int] = []  #: picoseconds of ended reads, without `held`

    def take(self) -> int | None:
        """Return a free place of a block; None: the tier is full."""
        if self._free:
            return self._free.pop()
        if self._next == self._end:
            return None
        self._next += 1
        return self._next - 1

    def give_back(self, place: int) -> None:
        """Free and trim a place."""
        self._free.append(place)
        self._submit("trim", place * self._block_bytes, self._block_bytes)

    def read(self, address: int, size: int, after: tuple[Future, ...] = ()) -> Future:
        """Read bytes into the accelerator."""
        if self._first_lines:
            pages = range(address, address + size, PAGE)
            after = tuple(self._submit("read", page, LINE, after, name="lines") for page in pages)
        future = self._submit("read", address, size, after)
        future.add_done_callback(self._ended)
        return future

    def load(self, place: int, after: tuple[Future, ...]) -> Future:
        """Read a block into the fast tier."""
        future = self.read(place * self._block_bytes, self._block_bytes, after)
        return self._copy("write", future) if self._copies else future

    def write(self, place: int, stream: int) -> Future:
        """Write a block from the fast tier; `stream` is the placement handle."""
        after = (self._copy("read", None),) if self._copies else ()
        return self._submit("write", place * self._block_bytes, self._block_bytes, after, stream)

    def _copy(self, operation: str, after: Future | None) -> Future:
        self._copied = (self._copied + 1) % self._copies
        address = self._copied * self._block_bytes
        follows = (after,) if after else ()
        return self.system.submit("dram", address, self._block_bytes, operation, after=follows)

    def _submit(
        self,
        operation: str,
        address: int,
        size: int,
        after: tuple[Future, ...] = (),
        stream: int = 0,
        name: str = "",
    ) -> Future:
        self.bytes[name or operation] += size
        return self.system.submit(self.memory, address, size, operation, after=after, stream=stream)

    def _ended(self, future: Future) -> None:
        receipt = future.receipt
        assert receipt is not None
        self.reads.update(receipt.parts)
        self.reads["count"] += 1
        self.latencies.append(receipt.ended - receipt.submitted - receipt.parts["held"])
