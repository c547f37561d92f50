# SPDX-License-Identifier: BSD-3-Clause
"""Tier policies: what leaves the fast tier when room is needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class Item(Protocol):
    """A conversation or an expert, with data in the fast tier, that no step uses now."""

    number: int
    last_used: int  #: picoseconds

    @property
    def resident_bytes(self) -> int:
        """Bytes in the fast tier."""


T = TypeVar("T", bound=Item)


class TierPolicy:
    """Least recently used. A policy derives from it and defines `rank`."""

    def rank(self, item: Item, now: int) -> int:
        """Return the rank of an item; the one with the largest rank leaves first."""
        return now - item.last_used

    def victim(self, items: Iterable[T], now: int) -> T | None:
        """Return the item that leaves, the lowest number of equals; None if there is none."""
        return max(items, key=lambda item: (self.rank(item, now), -item.number), default=None)


class RecencyAndSize(TierPolicy):
    """The largest product of idle time and bytes: one large item leaves before many small ones."""

    def rank(self, item: Item, now: int) -> int:
        return (now - item.last_used) * item.resident_bytes


POLICIES = {"lru": TierPolicy, "recency_and_size": RecencyAndSize}
