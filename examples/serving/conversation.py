# SPDX-License-Identifier: BSD-3-Clause
"""Conversations: the tokens that requests share, in blocks."""

from __future__ import annotations

from dataclasses import dataclass

from hmsim import Future


@dataclass
class Block:
    """A complete block of keys and values of all layers."""

    resident: bool = False
    place: int | None = None  #: in the slow tier, if it has a copy
    pending: Future | None = None  #: the last write, which a read follows

    def after(self) -> tuple[Future, ...]:
        """Return the write that a read follows, if it is under way."""
        if self.pending is not None and self.pending.done():
            self.pending = None
        return () if self.pending is None else (self.pending,)


class Conversation:
    """Blocks of one conversation, in order. Tokens of the incomplete last block are not in it."""

    def __init__(self, number: int, block_bytes: int) -> None:
        self.number = number
        self.last_used = 0
        self.blocks: list[Block] = []
        self.tokens = 0  #: of all requests before
        self.used = False  #: whether a request that loads or runs belongs to it
        self.resident = 0  #: blocks in the fast tier
        self._block_bytes = block_bytes

    @property
    def resident_bytes(self) -> int:
        """Bytes in the fast tier."""
        return self.resident * self._block_bytes

    def last_resident(self) -> Block:
        """Return the last block in the fast tier, which the others are of use without."""
        return next(block for block in reversed(self.blocks) if block.resident)
