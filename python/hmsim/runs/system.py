# SPDX-License-Identifier: BSD-3-Clause
"""A memory system driven by hand, request by request."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hmsim import _core
from hmsim._core import InputError, Simulation
from hmsim.common.directories import new_file, read_regular
from hmsim.common.json_schema import FLAG, TEXT, WHOLE, ListOf, Record, Schema
from hmsim.common.statistic_names import Statistics
from hmsim.config.configuration import Config
from hmsim.config.node_reader import located
from hmsim.config.policies import PolicyMaker, makers
from hmsim.config.settings import Setting, from_mapping
from hmsim.runs.calibration import with_table
from hmsim.runs.result import series_table
from hmsim.runs.runner import AnyConfig, as_config
from hmsim.runs.session import MEMORIES, Future, Session, index_of

if TYPE_CHECKING:  # takes a while to import: only for time series
    import pandas as pd

LINE = 64  # bytes of one request, unless it is to HBF
MAGIC = b"HMSIMSYS"
DIGEST = 32  # bytes of SHA-256
LARGEST_FILE = 16 << 30  # bytes of a checkpoint
LARGEST_TIME = (1 << 62) - 1
LARGEST_ADDRESS = (1 << 63) - 1
TEXTS = ListOf(TEXT)
HEADERS: dict[str, Schema] = {
    "name": TEXT,
    "settings": ListOf(TEXTS),
    "seed": WHOLE,
    "check": FLAG,
    "objects": TEXTS,
}
HEADER = Record(HEADERS, tuple(HEADERS))  # of a saved system


class Completion(NamedTuple):
    """A request that is done; times in picoseconds.

    ``status`` is ``"done"`` everywhere but on HBF, which may answer a read with

    - ``"refresh_due"``: the data are good; their block has reached ``hbf.refresh_reads``.
    - ``"erased_page"``: the page is not programmed; with ``hbf.ftl: host`` it reads as zeros.
    - ``"pending_part"``: the page is being gathered, and this part has not arrived.

    and a write, with ``hbf.ftl: raw``, with

    - ``"overlap"``: this part of the page has arrived already.
    - ``"late"``: the page was not complete within ``hbf.accumulate``.
    - ``"out_of_order"``: not the next page of its block, or its block failed.
    - ``"program_failed"``: the block must be written again from page 0.

    When a write is done, and whether it then survives a power failure:

    - NVDIMM of flash, PCM or STT-RAM on the memory bus: at the end of its data burst, or with
      ``controller.ack: nvdimm_p`` when its data are in the NVDIMM's queue. It survives. If
      ``frontend.node.persistence`` is ``controller``, it does so since it got an entry of the
      controller's queue.
    - The same behind a CXL port: when the device's answer is at the host. It survives. With
      ``controller``, it does so since it got an entry of the device's queue.
    - HBF with ``hbf.ftl: raw``: when the program of its page has ended. With ``"done"`` it survives
      until the erase of its block begins; with another status it is not stored.
    - HBF with ``hbf.ftl: host``: when the program of its page has ended and, with ``hbf.map_in:
      hbm``, the map is written. It does not survive: power failures lose the map.
    - DRAM: at the end of its data burst. It does not survive.
    """

    id: int
    arrival: int
    finish: int
    data: bytes | None = None  # data mode: what a read returned
    status: str = "done"

    @property
    def failed(self) -> bool:
        """Whether a write is not stored, or a read returned no stored data."""
        return self.status not in ("done", "refresh_due")


def _no_trace(_agent: int, _offset: int) -> bytes:
    return b""


def _duration(time: str | int | None) -> int:
    """Return a time in picoseconds; for None, the longest possible one."""
    if time is None:
        return LARGEST_TIME
    ticks = _core.parse_time(time) if isinstance(time, str) else time
    if not 0 <= ticks <= LARGEST_TIME:
        raise InputError(f"must be a time from 0 to {LARGEST_TIME} picoseconds, got {time}")
    return ticks


class System:
    """One memory system without agents: all requests come from `enqueue` and `submit`.

    Addresses of `enqueue` are system addresses: DRAM from 0, then the NVDIMM.
    """

    def __init__(
        self,
        config: AnyConfig,
        overrides: Mapping[str, Any] | None = None,
        *,
        seed: int = 1,
        check: bool = False,
    ) -> None:
        """Build the system of a configuration.

        Args:
            config: a Config, a path, or the name of a shipped configuration.
            overrides: values by dotted name, which win.
            seed: of all pseudo-random choices.
            check: as for `hmsim.run`: `advance` raises SimulatorFault when a rule is broken.

        Raises:
            InputError: the configuration is at fault.
        """
        loaded = as_config(config)
        added = tuple(from_mapping(overrides or {}, "overrides"))
        self._config = replace(loaded, overrides=(*loaded.overrides, *added))
        if added:
            self._config.check()
        self._config = with_table(self._config)
        self._seed = seed
        self._checked = check
        self._simulation = Simulation(
            *(self._config.flat(), [], seed, 0, 0, _no_trace, []),
            check=check,
            policies=makers(dict(self._config.objects)),
        )
        self._session = Session(self._simulation)

    @property
    def config(self) -> Config:
        """The configuration, overrides included."""
        return self._config

    @property
    def now(self) -> int:
        """The simulated time, in picoseconds."""
        return self._simulation.now

    @property
    def stats(self) -> dict[str, Any]:
        """The statistics since the beginning: value by dotted path, histograms as dictionaries.

        ``stats[path]`` raises a KeyError that names the nearest paths, as in `hmsim.Result.stats`.
        """
        found = self._simulation.statistics()
        values = {entry["path"]: entry["value"] for entry in found if entry["value"] is not None}
        return Statistics(values, found)

    @property
    def series(self) -> pd.DataFrame | None:
        """The time series, as `Result.series`: None unless the configuration asks for it."""
        samples = self._simulation.series()
        return None if samples is None else series_table(samples)

    def enqueue(
        self,
        address: int,
        size: int = LINE,
        write: bool = False,
        source: int = 0,
        data: bytes | None = None,
    ) -> int | None:
        """Send a request now.

        Args:
            address: first byte.
            size: bytes, all of them within one 64-byte line. HBF also takes whole lines within one
                page, 64 to 4096 bytes.
            write: true for a write, false for a read.
            source: the hardware context that sends it, 0 .. 65535.
            data: with ``system.store_data`` the ``size`` bytes that a write carries; by default
                the request's number, repeated.

        Returns:
            The request's id, or None when it would have to wait outside its queue: advance and try
            again.

        Raises:
            InputError: the address is outside the system, the request does not have a size as
                above, the data do not have its size, or the power is off.
        """
        if not (0 <= address <= LARGEST_ADDRESS and 0 <= size <= LARGEST_ADDRESS):
            raise InputError(f"{size} bytes from address {address} are outside the system")
        if not 0 <= source <= 0xFFFF:
            raise InputError(f"source: must be in 0 .. 65535, got {source}")
        return self._simulation.enqueue(address, size, write, source, data)

    def submit(
        self,
        memory: str,
        address: int = 0,
        size: int = LINE,
        operation: str = "read",
        *,
        after: Iterable[Future | int] = (),
        source: int = 0,
        stream: int = 0,
        at: str | int | None = None,
    ) -> Future:
        """Submit a request to any memory. It is never refused for lack of room, and has no data.

        Args:
            memory: ``"dram"``, ``"nvdimm"`` or ``"storage"``: the device of ``storage.kind`` or,
                without one, the NVDIMM through the driver of ``frontend.block``.
            address: first byte, from 0 in each memory; on storage a multiple of 512, or of 64
                without ``storage.kind``.
            size: bytes; on storage such a multiple.
            operation: ``"read"``, ``"write"``, ``"trim"`` or ``"flush"``. A trim discards the whole
                pages in its range. After a flush, earlier writes are durable. DRAM has neither.
            after: futures or their ids. The request begins when the last of them ends, whatever its
                status; at once if all have ended.
            source: the hardware context that sends it; on storage, the submitter.
            stream: placement handle of a write; 0: none.
            at: a time not before `now`, to which the system advances; the request enters ahead of
                the events at this time. By default it enters now.

        Raises:
            InputError: the request is invalid, or the power is off; storage has no power after a
                power failure.
        """
        time = None if at is None else _duration(at)
        return self._session.submit(memory, address, size, operation, after, source, stream, time)

    def capacity(self, memory: str) -> int:
        """Return the bytes of ``"dram"``, ``"nvdimm"`` or ``"storage"``; 0 if it is absent."""
        return self._simulation.capacity(index_of("memory", memory, MEMORIES))

    def futures(self) -> dict[int, Future]:
        """Return the futures of submitted requests that have not ended, by id."""
        return dict(self._session.futures)

    def flush(self, source: int = 0) -> int | None:
        """Send a flush of the NVDIMM now: a barrier that is queued like other requests.

        It completes once all earlier requests to the NVDIMM are done, on all channels, and durable
        as ``nvdimm.buffer.flush`` defines it. Later ones start only then, on any channel.

        Args:
            source: the hardware context that sends it, 0 .. 65535.

        Returns:
            The request's id, or None when a request to any channel with an NVDIMM would have to
            wait outside its queue, on every attachment: advance and try again.

        Raises:
            InputError: there is no NVDIMM, or the power is off.
        """
        if not 0 <= source <= 0xFFFF:
            raise InputError(f"source: must be in 0 .. 65535, got {source}")
        return self._simulation.flush(source)

    def peek(self, address: int, size: int = LINE) -> bytes:
        """Return the bytes that a read of ``size`` bytes would return now, without sending a read.

        Raises InputError unless ``system.store_data`` is on and the bytes lie in one line.
        """
        if not 0 <= address <= LARGEST_ADDRESS:
            raise InputError(f"address {address} is outside the system")
        return self._simulation.peek(address, size)

    def trim(self, address: int, size: int) -> int:
        """Discard data of the NVDIMM: all pages of 4096 bytes that are entirely in the range.

        It takes no time. From then on the pages read as zeros, also after power failures, until
        they are written again. The data that requests in flight see there is undefined.

        Args:
            address: system address of the first byte; it must be in the NVDIMM.
            size: bytes; partial pages at both ends are unchanged.

        Returns:
            The number of pages discarded.

        Raises:
            InputError: the range is not within the NVDIMM, or power is off.
        """
        if not (0 <= address <= LARGEST_ADDRESS and 0 <= size <= LARGEST_ADDRESS):
            raise InputError(f"{size} bytes from address {address} are not within the NVDIMM")
        return self._simulation.trim(address, size)

    def power_fail(self, save_for: str | int | None = None, nvdimm: int | None = None) -> None:
        """Fail power now; time passes without events until `power_on`.

        Completed writes are saved to flash with the energy of the ultracapacitors (statistics
        ``nvdimm.power``). Unless ``frontend.node.persistence`` is ``module``, so are writes that
        have an entry of the controller's queue. Other requests and the contents of DRAM are lost.

        Args:
            save_for: time after which power returns. A save that has not ended by then is
                interrupted, and programs in progress are torn. The remaining pages stay in the
                buffer, which has power, and are saved by the recovery or at the next power
                failure. By default the save ends before `power_on`. A time as for `advance`; it
                does not advance simulated time.
            nvdimm: number of the only NVDIMM whose save is interrupted, from 0, channel by
                channel; by default all are interrupted.

        Raises:
            InputError: ``system.store_data`` is off, power is off, submitted requests have not
                ended, there is no such NVDIMM, or ``nvdimm.power.energy`` is too little for the
                saves since the last recovery that completed.
        """
        self._simulation.power_fail(_duration(save_for), nvdimm)

    def power_on(self, recover_for: str | int | None = None) -> bool:
        """Restore power: continue with the contents of flash, from which the map is rebuilt.

        Statistics are reset, except ``nvdimm.power``.

        Args:
            recover_for: time after which the recovery (``nvdimm.power.recovery_us``) is interrupted
                if it has not ended. Power is then about to fail again: only `power_fail` can
                follow. A time as for `advance`; it does not advance simulated time.

        Returns:
            Whether the recovery has ended.

        Raises:
            InputError: power is on.
        """
        return self._simulation.power_on(_duration(recover_for))

    def advance(self, until: str | int) -> None:
        """Run to a time, given with a unit (``"10us"``) or in picoseconds. A past time is ignored.

        Raises InputError when the text is not a time.
        """
        self.wait((), until)

    def wait(self, futures: Iterable[Future], until: str | int | None = None) -> None:
        """Run until one of the futures has ended, at most to a time as of `advance`.

        Without a time and with futures of which none ever ends, runs while events are left. Raises
        InputError within a callback.
        """
        ticks = _core.parse_time(until) if isinstance(until, str) else until
        if ticks is not None and ticks > LARGEST_TIME:
            raise InputError(f"{until} is too far away")
        if ticks is None or ticks > self.now:
            self._session.advance(ticks, list(futures))

    def completions(self) -> list[Completion]:
        """Return the requests done since the last call, in order of completion."""
        return [Completion(*entry) for entry in self._simulation.take_completions()]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole state to a file that holds the configuration too.

        Raises InputError when the file cannot be written, and within a callback; an existing file
        is replaced.
        """
        self._session.refuse_within_callbacks("a system must not be saved")
        settings = [[s.name, s.text] for s in self._config.settings_in_force()]
        header = {
            "name": self._config.name,
            "settings": settings,
            "seed": self._seed,
            "check": self._checked,
            "objects": [name for name, _ in self._config.objects],
        }
        head = json.dumps(header).encode()
        body = len(head).to_bytes(8, "little") + head + self._simulation.save()
        with new_file(path, force=True) as scratch:
            scratch.write_bytes(MAGIC + hashlib.sha256(body).digest() + body)

    def save_preconditioned(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write what preconditioning left in the flash, for ``nvdimm.precondition.load``.

        Raises InputError when the simulation has begun, when there is no flash, and when the file
        exists without ``force`` or cannot be written.
        """
        content = self._simulation.preconditioned()
        with new_file(path, force) as scratch:
            scratch.write_bytes(content)

    @staticmethod
    def load(
        path: str | os.PathLike[str], objects: Mapping[str, PolicyMaker] | None = None
    ) -> System:
        """Return the system that `save` wrote, at the same time and in the same state.

        ``objects``: of a system with policies in Python, those of its Bundle; their state comes
        from the file.

        Raises InputError when the file is damaged or of another version of hmsim.
        """
        content = read_regular(path, LARGEST_FILE)
        name = os.fspath(path)
        body = content[len(MAGIC) + DIGEST :]
        if not content.startswith(MAGIC):
            raise InputError(f"{os.fspath(path)}: is not a saved system")
        if hashlib.sha256(body).digest() != content[len(MAGIC) : len(MAGIC) + DIGEST]:
            raise InputError(f"{os.fspath(path)}: damaged: its checksum does not fit")
        try:
            header, state = _split(body)
            given = tuple((objects or {}).items())
            settings = tuple(Setting(key, text, name) for key, text in header["settings"])
            if [key for key, _ in given] != header["objects"]:
                raise InputError(f"needs policies in Python for: {header['objects']}")
            config = Config(header["name"], settings, objects=given)
            config.check()
            config = with_table(config, calibrate=False)
            system = System(config, seed=header["seed"], check=header["check"])
            system._simulation.load(state, name)
            system._session.restore()
        except InputError as error:
            raise InputError(_naming(name, str(error))) from error
        except ValueError as error:  # a text that is none
            raise InputError(f"{name}: damaged: {error}") from error
        return system


def _split(body: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header of a saved system, with all keys present, and its state.

    Raises InputError when the header is damaged.
    """
    length = int.from_bytes(body[:8], "little")
    try:
        header = json.loads(body[8 : 8 + length])
        json.dumps(header, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError(f"damaged: its header is not text: {error}") from error
    with located("damaged: "):
        HEADER.check(header, "header")
    if any(len(pair) != 2 for pair in header["settings"]):
        raise InputError("damaged: a setting of its header is not a name and a text")
    return header, body[8 + length :]


def _naming(name: str, message: str) -> str:
    return message if message.startswith(f"{name}:") else f"{name}: {message}"
