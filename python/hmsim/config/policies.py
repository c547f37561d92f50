# SPDX-License-Identifier: BSD-3-Clause
"""Policies written in Python.

A subclass of `TransactionScheduler`, `BusArbiter`, `PagePlacement`, `WearLeveler` or
`MapReplacement` takes part in a simulation through a `Bundle`:

    class WritesLast(hmsim.TransactionScheduler):
        def key(self, request):
            return (0 if request.write else 2) + request.row_hit

    mine = hmsim.Bundle("writes_last", base="split", objects={"controller.scheduler": WritesLast})
    hmsim.compare("quick", policies=["split", mine], workloads=["demo"])

Each channel and use has its own object. Times are integers in picoseconds. Views are valid only
during the call. Instance attributes are the policy's state, which checkpoints contain.
"""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError, nearest_name

if TYPE_CHECKING:
    from types import SimpleNamespace

    from hmsim._core import ArbiterView, RequestView

DRAM = "dram"
NVDIMM = "nvdimm"
READS = "reads"
WRITES = "writes"
COPIES = 64  # kCopyStream of policies/page_placement.h
PLACEMENT = "nvdimm.ftl.placement"
SAFE = {  # beside the built-in types: what a checkpoint may hold
    ("collections", name) for name in ("Counter", "OrderedDict", "defaultdict", "deque")
} | {("builtins", name) for name in ("int", "list", "dict", "set", "bytearray", "frozenset")}


class PythonPolicy:
    """Base of all policies in Python."""

    _host: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_host"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class TransactionPolicy(PythonPolicy):
    """Base of `TransactionScheduler` and `BusArbiter`; hooks not overridden cost nothing."""

    def connect(self, shape: SimpleNamespace, instructions: Callable[[int], int]) -> None:
        """Connect the policy to its channel; called before all other functions.

        Args:
            shape: the fields of ``ChannelShape`` in policies/policy.h.
            instructions: function that returns the instructions a source has retired so far.
        """

    def on_enqueue(self, request: RequestView, now: int) -> None:
        """Note that the request got its slot."""

    def on_command(self, request: RequestView, now: int) -> None:
        """Note that the NVDIMM got the request's command."""

    def on_issue(self, request: RequestView, now: int) -> None:
        """Note that the request's data-bus command was issued."""

    def on_ack(self, request: RequestView, now: int) -> None:
        """Note that the NVDIMM acknowledged the request."""

    def on_complete(self, request: RequestView, now: int) -> None:
        """Note that the request's last data beat passed."""


class TransactionScheduler(TransactionPolicy, ABC):
    """Orders the transactions of one queue."""

    orders_commands = False  # whether NVDIMM commands also issue in the order of their keys
    sets_direction = False  # whether keys set when writes go before reads; `direction` always does

    @abstractmethod
    def key(self, request: RequestView) -> int:
        """Return the request's key, 0 .. 2^64 - 1: larger goes first, equal keys by arrival.

        ``row_hit`` must never lower the key. Two requests to a bank must compare the same way when
        both are hits as when both are misses. The key of a queued request changes only with
        ``row_hit``, `rekey`, `raise_epoch`.
        """

    def withholds(self, request: RequestView) -> bool:
        """Return True while no command may issue for the request.

        Called when the request could begin to compete. For a withheld request, called again after
        `rekey` of its slot or `raise_epoch`. A request that is withheld for ever keeps the run from
        ending.
        """
        return False

    def patience(self) -> int | None:
        """Return the picoseconds after which a request goes before all others; None: never.

        The time counts from when the request got its slot. Among such requests the oldest goes
        first. Called once, after `connect`.
        """
        return None

    def direction(self) -> str | None:
        """Return which DRAM requests issue when writes are drained: `READS` or `WRITES`.

        None leaves it to the watermarks. Requests of the other kind issue while none of this kind
        is queued. The value may change only in hooks. Only
        ``controller.writes: drained`` uses it.
        """
        return None

    def next_change(self) -> int | None:
        """Return the next time at which keys change with time alone; None: never."""
        return None

    def change(self, now: int) -> None:
        """Change the keys at the time that `next_change` returned."""

    def raise_epoch(self) -> None:
        """Make the simulator query all keys again."""
        if self._host is not None:
            self._host.raise_epoch()

    def rekey(self, slot: int) -> None:
        """Make the simulator query the key of a slot's request again; it must not have issued."""
        if self._host is not None:
            self._host.rekey(slot)


class BusArbiter(TransactionPolicy, ABC):
    """Decides which class gets the data bus when both are ready for it."""

    @abstractmethod
    def choose(self, view: ArbiterView) -> str:
        """Return `DRAM` or `NVDIMM`."""


class PagePlacement(PythonPolicy, ABC):
    """Decides which of ``nvdimm.ftl.streams`` open blocks takes a written page.

    With one stream, only `connect` is called. Pages are logical ones of 4 KiB, from 0. ``time`` is
    the number of pages of the host that left for flash before.
    """

    def connect(self, pages: int, streams: int, parts: int) -> None:
        """Forget everything: called first, and again after a power failure.

        Args:
            pages: logical pages.
            streams: number of streams.
            parts: pages that one program writes.
        """

    @abstractmethod
    def host(self, page: int, handle: int, time: int) -> int:
        """Return the stream of a page if it left next; must not change the state.

        ``handle`` is the placement handle that the writer gave, 0 by default.
        """

    def on_write(self, page: int, handle: int, time: int) -> None:
        """Note that the page leaves."""

    def copy(self, page: int, stream: int, time: int) -> int:
        """Return the stream of a copy of garbage collection, or `COPIES`: the open block of copies.

        ``stream`` is that of the block that is collected, or `COPIES`. The result is ignored for
        copies of wear levelling.
        """
        return COPIES


class WearLeveler(PythonPolicy, ABC):
    """Decides when the pages of a full block move, so that it is erased as often as others."""

    def connect(self, luns: int, blocks: int, gap: int) -> None:
        """Forget everything: called first, and again after a power failure.

        Args:
            luns: LUNs of the device.
            blocks: blocks of a LUN.
            gap: ``wear_gap``; 0: off.
        """

    @abstractmethod
    def choose(
        self, lun: int, most: int, least: int, blocks: list[tuple[int, int, int, int]]
    ) -> int | None:
        """Return the block to move, or None; called after each collection of the LUN.

        Args:
            lun: its number.
            most: erases of its most worn good block.
            least: the same of the least worn one.
            blocks: its full blocks: number, valid pages, erases, and age in pages written since
                the block was filled or last lost a page.
        """

    def on_erase(self, lun: int, block: int) -> None:
        """Note that the block is erased; if not overridden, it costs nothing."""


class MapReplacement(PythonPolicy, ABC):
    """Decides which entries of a cached map are in memory; a slot holds one entry.

    Pages are logical ones of 4 KiB, from 0; each has an entry.
    """

    def connect(self, entries: int, pages: int, per_page: int) -> None:
        """Forget everything: called first, and again after a power failure.

        Args:
            entries: slots of the cache, numbered from 0.
            pages: logical pages.
            per_page: entries of a translation page.
        """

    def entered(self, slot: int, page: int) -> None:
        """Note that the slot took the clean entry of the page."""

    def used(self, slot: int) -> None:
        """Note that its entry was read or changed."""

    def marked(self, slot: int, dirty: bool) -> None:
        """Note that its entry differs from flash, or does no longer."""

    def left(self, slot: int) -> None:
        """Note that it gave its entry up."""

    @abstractmethod
    def victim(self) -> int:
        """Return the slot whose entry leaves next; called only while all slots are in use."""

    def loads(self, page: int, first: int, count: int) -> tuple[int, int]:
        """Return the first page and the number of entries to load with that of ``page``.

        ``first`` and ``count`` are those of the translation page that was read; entries of others
        are not loaded.
        """
        return page, 1


PolicyMaker = Callable[[], PythonPolicy]
KINDS: dict[str, type[PythonPolicy]] = {
    "controller.scheduler": TransactionScheduler,
    "controller.nvdimm_scheduler": TransactionScheduler,
    "controller.arbiter": BusArbiter,
    PLACEMENT: PagePlacement,
    "storage.flash.ftl.placement": PagePlacement,
    "nvdimm.ftl.wear": WearLeveler,
    "storage.flash.ftl.wear": WearLeveler,
    "nvdimm.ftl.map_replacement": MapReplacement,
    "storage.flash.ftl.map_replacement": MapReplacement,
}


@dataclass(frozen=True)
class Bundle:
    """A policy bundle made in Python, accepted wherever a bundle's name is.

    Attributes:
        name: its name in results.
        base: a shipped bundle or a path, both also in a write mode, or None for none.
        overrides: values of parameters by dotted name.
        objects: by parameter (``controller.scheduler``, ``controller.nvdimm_scheduler``,
            ``controller.arbiter``; ``ftl.placement``, ``ftl.wear`` and
            ``ftl.map_replacement`` of ``nvdimm`` or ``storage.flash``) a subclass, or a callable
            that returns a new object of one.
    """

    name: str
    base: str | os.PathLike[str] | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    objects: Mapping[str, PolicyMaker] = field(default_factory=dict)

    def check(self) -> None:
        """Raise InputError when ``objects`` are invalid."""
        for name, maker in self.objects.items():
            if name not in KINDS:
                near = nearest_name(name, list(KINDS)) or ", ".join(KINDS)
                raise InputError(
                    f"{self.name}: {name}: does not support a Python policy; use {near}"
                )
            kind = KINDS[name]
            given: object = maker
            if isinstance(given, type):
                if not issubclass(given, kind):
                    raise InputError(
                        f"{self.name}: {name}: must be a {kind.__name__}, got {given.__name__}"
                    )
                if missing := ", ".join(sorted(getattr(given, "__abstractmethods__", ()))):
                    raise InputError(
                        f"{self.name}: {name}: {given.__name__} does not define {missing}"
                    )
            if not callable(given):
                raise InputError(f"{self.name}: {name}: must be a class, not an object of it")


def makers(objects: Mapping[str, PolicyMaker]) -> dict[str, Callable[[], Any]]:
    """Return callables for the core, which check the type of each policy that they make."""

    def checked(name: str, maker: PolicyMaker) -> Callable[[], Any]:
        def make() -> PythonPolicy:
            policy = maker()
            if not isinstance(policy, KINDS[name]):
                raise InputError(
                    f"{name}: must be a {KINDS[name].__name__}, got {type(policy).__name__}"
                )
            return policy

        return make

    return {name: checked(name, maker) for name, maker in objects.items()}


def save_state(policy: PythonPolicy) -> bytes:
    """Return a policy's state as bytes: what its ``__getstate__`` returns.

    Raises TypeError when that holds more than built-in types and those of ``collections``.
    """
    import pickle  # for checkpoints alone

    state = pickle.dumps(policy.__getstate__(), protocol=4)
    try:
        _read(state)
    except pickle.UnpicklingError as error:
        raise TypeError(f"{type(policy).__name__}: cannot be saved: {error}") from error
    return state


def load_state(policy: PythonPolicy, state: bytes) -> None:
    """Restore a policy's state from `save_state`. Raises InputError when it is damaged."""
    try:
        policy.__setstate__(_read(state))
    except Exception as error:
        raise InputError(f"the state of {type(policy).__name__} is damaged: {error}") from error


def _read(state: bytes) -> Any:
    """Return what was pickled. Only data are accepted: a checkpoint cannot run code."""
    import pickle

    class Reader(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if (module, name) in SAFE:
                return super().find_class(module, name)
            raise pickle.UnpicklingError(
                f"its state contains {module}.{name}; define a __getstate__ that returns plain "
                "values"
            )

    return Reader(io.BytesIO(state)).load()
