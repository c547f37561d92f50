# SPDX-License-Identifier: BSD-3-Clause
"""The two tiers of keys and values."""

from __future__ import annotations

from collections.abc import Iterable

from hmsim import Future, InputError

from .conversation import Block, Conversation
from .policy import TierPolicy
from .slow_tier import SlowTier


class KeyTiers:
    """Keeps blocks in the fast tier while there is room, and the others in the slow tier.

    Blocks of idle conversations leave the fast tier by the policy. Blocks in use stay; those that
    found no room are read again in each step.
    """

    def __init__(self, slow: SlowTier, policy: TierPolicy, blocks: int, block_bytes: int) -> None:
        self._slow = slow
        self._policy = policy
        self._room = blocks
        self._block_bytes = block_bytes
        self.conversations: dict[int, Conversation] = {}

    def open(self, number: int, history: int, block_tokens: int) -> Conversation:
        """Return a conversation. A new one has `history` tokens, in the slow tier."""
        if number not in self.conversations:
            made = self.conversations[number] = Conversation(number, self._block_bytes)
            made.tokens = history
            made.used = True
            made.blocks = [Block(place=self._take()) for _ in range(history // block_tokens)]
            made.used = False
        return self.conversations[number]

    def load(self, conversation: Conversation, now: int) -> list[Future]:
        """Begin to load blocks, the first ones first, while there is room; return the reads."""
        found = []
        for block in conversation.blocks:
            if not block.resident and self._make_room(now):
                assert block.place is not None
                found.append(self._slow.load(block.place, block.after()))
                self._settle(conversation, block)
        return found

    def add(self, conversation: Conversation, now: int) -> None:
        """Add the block that has just been computed."""
        block = Block()
        conversation.blocks.append(block)
        if self._make_room(now):
            self._settle(conversation, block)
        else:
            self._write(conversation, block)

    def keep(self, conversation: Conversation, now: int) -> None:
        """Keep blocks that a step has read in the fast tier, while there is room."""
        for block in conversation.blocks:
            if not block.resident:
                if not self._make_room(now):
                    return
                self._settle(conversation, block)

    def reads(self, blocks: Iterable[Block], offset: int, size: int) -> list[Future]:
        """Read `size` bytes at `offset` of each block that is in the slow tier only."""
        return [
            self._slow.read(block.place * self._block_bytes + offset, size, block.after())
            for block in blocks
            if not block.resident and block.place is not None
        ]

    def _settle(self, conversation: Conversation, block: Block) -> None:
        block.resident = True
        conversation.resident += 1
        self._room -= 1

    def _make_room(self, now: int) -> bool:
        if self._room == 0:
            idle = (c for c in self.conversations.values() if c.resident and not c.used)
            victim = self._policy.victim(idle, now)
            if victim is not None:
                block = victim.last_resident()
                block.resident = False
                victim.resident -= 1
                self._room += 1
                if block.place is None:
                    self._write(victim, block)
        return self._room > 0

    def _write(self, conversation: Conversation, block: Block) -> None:
        place = self._take()
        if not conversation.blocks:  # it has just been forgotten
            self._slow.give_back(place)
            return
        block.place = place
        block.pending = self._slow.write(block.place, conversation.number % 0xFFFF + 1)

    def _take(self) -> int:
        """Return a place. A full slow tier forgets the blocks of the least recently used."""
        place = self._slow.take()
        while place is None:
            idle = (c for c in self.conversations.values() if c.blocks and not c.used)
            victim = TierPolicy().victim(idle, 1 << 62)
            if victim is None:
                raise InputError("--config: the slow tier cannot hold the running conversations")
            for block in victim.blocks:
                self._room += block.resident
                if block.place is not None:
                    self._slow.give_back(block.place)
            victim.resident = 0
            victim.blocks = []
            place = self._slow.take()
        return place
