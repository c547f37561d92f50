# SPDX-License-Identifier: BSD-3-Clause
"""Experts: which ones tokens are routed to, and which are in the fast tier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, cycle
from pathlib import Path
from random import Random
from typing import Protocol

from hmsim import Future, InputError
from hmsim.common.directories import read_regular

from .policy import TierPolicy
from .slow_tier import SlowTier

LARGEST = 1 << 28  # bytes of a routing trace
NUMBER = re.compile(r"[0-9]{1,9}")


class Routing(Protocol):
    """Chooses experts."""

    def choose(self, layer: int, tokens: int) -> set[int]:
        """Return the experts of a layer that the next tokens use."""


class ZipfRouting:
    """Expert i has a weight of (i + 1)^-theta; the experts of a token differ."""

    def __init__(self, experts: int, per_token: int, theta: float, seed: int) -> None:
        self._experts = range(experts)
        self._per_token = per_token
        self._weights = list(accumulate((i + 1) ** -theta for i in self._experts))
        self._random = Random(seed)

    def choose(self, layer: int, tokens: int) -> set[int]:
        found: set[int] = set()
        for _ in range(tokens):
            chosen: set[int] = set()
            while len(chosen) < self._per_token:
                missing = self._per_token - len(chosen)
                drawn = self._random.choices(self._experts, cum_weights=self._weights, k=missing)
                chosen.update(drawn)
            found |= chosen
            if len(found) == len(self._experts):
                break
        return found


class TraceRouting:
    """Lines of ``layer expert expert ...``, each one token's; a layer's lines repeat in order."""

    def __init__(self, path: Path, layers: int, experts: int) -> None:
        lines: list[list[set[int]]] = [[] for _ in range(layers)]
        text = read_regular(path, LARGEST).decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split()
            if not (len(words) > 1 and all(map(NUMBER.fullmatch, words))):
                raise InputError(f"{path}:{number}: expected numbers of a layer and experts")
            layer, *chosen = map(int, words)
            if layer >= layers or max(chosen) >= experts:
                raise InputError(
                    f"{path}:{number}: layers must be below {layers}, experts below {experts}"
                )
            lines[layer].append(set(chosen))
        if not all(lines):
            raise InputError(f"{path}: has no line of layer {lines.index([])}")
        self._next: list[Iterator[set[int]]] = [cycle(each) for each in lines]

    def choose(self, layer: int, tokens: int) -> set[int]:
        return set().union(*(next(self._next[layer]) for _ in range(tokens)))


@dataclass
class Expert:
    """An expert in the fast tier."""

    number: int
    resident_bytes: int
    last_used: int = 0


class ExpertTiers:
    """The experts of all layers. Each layer has room for a share of its own, the first at first.

    The slow tier keeps all experts, so that none is ever written.
    """

    def __init__(
        self, slow: SlowTier, policy: TierPolicy, layers: int, experts: int, size: int, share: float
    ) -> None:
        self._slow = slow
        self._policy = policy
        self._experts = experts
        self._size = size
        self._room = round(experts * share)
        self._resident = [{i: Expert(i, size) for i in range(self._room)} for _ in range(layers)]
        self.used = 0  #: experts that steps used
        self.missed = 0  #: of them not in the fast tier

    def reads(self, layer: int, chosen: set[int], now: int) -> list[Future]:
        """Use experts: read those that are missing, which replace others that are not used now."""
        resident = self._resident[layer]
        missing = sorted(chosen - resident.keys())
        for number in chosen & resident.keys():
            resident[number].last_used = now
        for number in missing:
            if len(resident) == self._room:
                idle = [each for each in resident.values() if each.number not in chosen]
                victim = self._policy.victim(idle, now)
                if victim is None:
                    continue
                del resident[victim.number]
            resident[number] = Expert(number, self._size, now)
        self.used += len(chosen)
        self.missed += len(missing)
        first = layer * self._experts
        return [self._slow.read((first + number) * self._size, self._size) for number in missing]
