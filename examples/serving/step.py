# SPDX-License-Identifier: BSD-3-Clause
"""The time of a step: a pipeline of stages, each a layer, and the output head."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import hmsim
from hmsim import Future

from .conversation import Block
from .experts import ExpertTiers, Routing
from .model import Model
from .tier import KeyTiers

if TYPE_CHECKING:
    from .server import Request


class Work(NamedTuple):
    """The part of a request that a step computes."""

    request: Request
    tokens: int
    blocks: list[Block]  #: that attention reads
    open_tokens: int  #: tokens outside of these, in the fast tier
    gives_token: bool


class Machine(NamedTuple):
    """The declared rates of an accelerator."""

    bandwidth: float  #: bytes a picosecond of the fast tier
    operations: float  #: a picosecond; 0: computation takes no time


class Pipeline:
    """The times of a step's stages.

    A stage is computed when its data have been read and the stage before it is computed. Reads of
    `ahead` later stages continue meanwhile. Reads of the fast tier are in order.
    """

    def __init__(self, begun: int, ahead: int) -> None:
        self.computed = [begun] * (ahead + 1)  #: of the last stages; the first one releases reads
        self._read = begun

    def end_stage(self, reading: int, slow: int, computing: int) -> int:
        """Return when a stage is computed. `slow` is the end of its reads of the slow tier."""
        self._read = max(self._read, self.computed[0]) + reading
        end = max(self._read, slow, self.computed[-1]) + computing
        self.computed = [*self.computed[1:], end]
        return end


class Step:
    """Computes steps of a model."""

    def __init__(
        self,
        system: hmsim.System,
        model: Model,
        machine: Machine,
        tiers: KeyTiers,
        ahead: int,
        block_tokens: int,
        experts: ExpertTiers | None,
        routing: Routing | None,
    ) -> None:
        self._system = system
        self._model = model
        self._machine = machine
        self._tiers = tiers
        self._ahead = ahead
        self._slab = block_tokens * model.kv_bytes
        self._experts = experts
        self._routing = routing

    def run(self, work: list[Work], poll: Callable[[], None]) -> int:
        """Run a step; call `poll` before each stage. Return its time by the roofline alone."""
        model, begun = self._model, self._system.now
        tokens = sum(each.tokens for each in work)
        kept = self._resident_bytes(work)
        computing = self._time(model.layer_operations(tokens), self._machine.operations)
        real, ideal = Pipeline(begun, self._ahead), Pipeline(begun, self._ahead)
        reads: list[list[Future]] = []
        for layer in range(model.layers):
            poll()
            while len(reads) <= min(layer + self._ahead, model.layers - 1):
                reads.append(self._reads(work, len(reads)))
            used, missing = self._use_experts(layer, tokens)
            weights = model.attention_parameters * model.weight_bytes + used * model.expert_bytes
            reading = self._time(weights + kept, self._machine.bandwidth)
            slow = self._wait([*reads[layer], *missing])
            ideal.end_stage(reading, begun, computing)
            self._pass(real.end_stage(reading, slow, computing))
        reading = self._time(model.head_parameters * model.weight_bytes, self._machine.bandwidth)
        outputs = sum(each.gives_token for each in work)
        computing = self._time(2 * outputs * model.head_parameters, self._machine.operations)
        self._pass(real.end_stage(reading, begun, computing))
        return ideal.end_stage(reading, begun, computing) - begun

    def _resident_bytes(self, work: list[Work]) -> int:
        """Return the bytes of a layer's keys and values that are read from the fast tier."""
        blocks = sum(block.resident for each in work for block in each.blocks)
        return blocks * self._slab + sum(each.open_tokens for each in work) * self._model.kv_bytes

    def _reads(self, work: list[Work], layer: int) -> list[Future]:
        offset = layer * self._slab
        return [
            read for each in work for read in self._tiers.reads(each.blocks, offset, self._slab)
        ]

    def _use_experts(self, layer: int, tokens: int) -> tuple[int, list[Future]]:
        """Return the number of experts that are used, and the reads of those that are missing."""
        if self._experts is None or self._routing is None:
            return 1, []
        chosen = self._routing.choose(layer, tokens)
        return len(chosen), self._experts.reads(layer, chosen, self._system.now)

    def _wait(self, reads: list[Future]) -> int:
        return max((read.result().ended for read in reads), default=0)

    def _pass(self, until: int) -> None:
        if until > self._system.now:
            self._system.advance(until)

    @staticmethod
    def _time(amount: int, rate: float) -> int:
        return round(amount / rate) if rate else 0
