# SPDX-License-Identifier: BSD-3-Clause
"""The server: continuous batching, prefill in chunks, and the time of a step."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import hmsim
from hmsim import Future

from .conversation import Conversation
from .load import Arrival
from .step import Step, Work
from .tier import KeyTiers


class Limits(NamedTuple):
    """Limits of the scheduler."""

    batch: int  #: requests that run
    chunk: int  #: tokens of a step, prefill and decode together
    load_ahead: int  #: requests that load, or have loaded and wait for a place in the batch
    history: int  #: tokens of a conversation before its first request
    block: int  #: tokens of a block


@dataclass
class Parts:
    """Picoseconds of a time to first token, or of the tokens after it, by cause."""

    queue: int = 0  #: waits for a place, or for other requests' prefill
    roofline: int = 0  #: the steps' time if all data were in the fast tier
    device: int = 0  #: the rest, waits for the slow tier


@dataclass
class Request:
    """A request and its times."""

    arrival: Arrival
    conversation: Conversation
    loads: list[Future] = field(default_factory=list)
    load_begun: int = 0
    todo: int = 0  #: tokens of the prompt still to compute
    open_tokens: int = 0  #: tokens of the incomplete last block
    generated: int = 0
    first_token: int = 0
    ended: int = 0
    first: Parts = field(default_factory=Parts)
    rest: Parts = field(default_factory=Parts)


class Server:
    """Serves requests until all have ended."""

    def __init__(
        self,
        system: hmsim.System,
        arrivals: Iterable[Arrival],
        tiers: KeyTiers,
        step: Step,
        limits: Limits,
    ) -> None:
        self._system = system
        self._arrivals = iter(arrivals)
        self._next = next(self._arrivals, None)
        self._tiers = tiers
        self._step = step
        self._limits = limits
        self._waiting: deque[Request] = deque()
        self._loading: list[Request] = []
        self._running: list[Request] = []
        self.ended: list[Request] = []
        self.steps = 0
        self.prefix_blocks = 0  #: blocks of prefixes that requests reuse
        self.prefix_resident = 0  #: of them found in the fast tier

    def run(self) -> None:
        """Serve all requests."""
        while self._next or self._waiting or self._loading or self._running:
            self._poll()
            self._join()
            if work := self._schedule():
                self._run_step(work)
            else:
                self._idle()

    def _idle(self) -> None:
        """Pass time until a request arrives, or a load ends that one waits for."""
        until = self._next.time if self._next else None
        lacking = [next(load for load in r.loads if not load.done()) for r in self._loading]
        self._system.wait(lacking, until)

    def _poll(self) -> None:
        """Take the requests that have arrived, and begin to load what they reuse."""
        limits, now = self._limits, self._system.now
        while self._next is not None and self._next.time <= now:
            conversation = self._tiers.open(self._next.conversation, limits.history, limits.block)
            self._waiting.append(Request(self._next, conversation))
            self._next = next(self._arrivals, None)
        for request in list(self._waiting):
            if len(self._loading) == limits.load_ahead:
                break
            if not request.conversation.used:
                self._waiting.remove(request)
                self._load(request, now)

    def _load(self, request: Request, now: int) -> None:
        conversation = request.conversation
        conversation.used = True
        self.prefix_blocks += len(conversation.blocks)
        self.prefix_resident += conversation.resident
        reused = len(conversation.blocks) * self._limits.block
        request.todo = conversation.tokens + request.arrival.prompt - reused
        conversation.tokens += request.arrival.prompt + request.arrival.output
        request.load_begun = now
        request.loads = self._tiers.load(conversation, now)
        request.first.queue = now - request.arrival.time
        self._loading.append(request)

    def _join(self) -> None:
        """Move requests that have loaded to the batch while it has places."""
        for request in list(self._loading):
            if len(self._running) == self._limits.batch:
                break
            if all(load.done() for load in request.loads):
                self._loading.remove(request)
                ends = (load.receipt.ended for load in request.loads if load.receipt)
                request.first.device = max(ends, default=request.load_begun) - request.load_begun
                self._running.append(request)

    def _schedule(self) -> list[Work]:
        """Choose the tokens of the next step: one of each request that decodes, then prefill."""
        left = self._limits.chunk
        chosen = []
        for request in sorted(self._running, key=lambda each: each.todo > 0):
            tokens = min(max(request.todo, 1), left)
            if tokens:
                blocks = request.conversation.blocks
                gives = request.todo <= tokens
                chosen.append(Work(request, tokens, blocks, request.open_tokens, gives))
                left -= tokens
        return chosen

    def _run_step(self, work: list[Work]) -> None:
        self.steps += 1
        begun = self._system.now
        roofline = self._step.run(work, self._poll)
        now = self._system.now
        for each in work:
            request = each.request
            parts = request.rest if request.generated else request.first
            parts.roofline += roofline
            parts.device += now - begun - roofline
            self._advance(request, each, now)

    def _advance(self, request: Request, work: Work, now: int) -> None:
        """Add the tokens of a step to a request."""
        conversation = request.conversation
        conversation.last_used = now
        self._tiers.keep(conversation, now)
        request.open_tokens += work.tokens
        while request.open_tokens >= self._limits.block:
            request.open_tokens -= self._limits.block
            self._tiers.add(conversation, now)
        request.todo = max(0, request.todo - work.tokens)
        if not work.gives_token:
            return
        request.generated += 1
        if request.generated == 1:
            request.first_token = now
            first = request.first
            first.queue = now - request.arrival.time - first.roofline - first.device
        if request.generated == request.arrival.output:
            request.ended = now
            conversation.used = False
            self._running.remove(request)
            self.ended.append(request)
