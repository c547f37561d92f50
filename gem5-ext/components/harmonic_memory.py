# SPDX-License-Identifier: BSD-3-Clause
"""hmsim's controllers as a memory system of gem5's standard library."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from gem5.components.boards.abstract_board import AbstractBoard
from gem5.components.memory.abstract_memory_system import AbstractMemorySystem
from gem5.utils.override import overrides
from m5.objects import AddrRange, HarmonicMemCtrl, HarmonicMemInterface, Port

LINE = 64  # bytes


def flat_parameters(
    config: str, policy: str | None = None, overrides: Mapping[str, object] | None = None
) -> tuple[dict[str, str], dict[str, int]]:
    """Resolve a configuration with hmsim, after applying a policy bundle and overrides.

    Runs the command ``hmsim``, or the one in the environment variable ``HMSIM``, so gem5's
    interpreter needs no package of hmsim. Without the command, a file of lines ``NAME=VALUE``
    (``hmsim check --flat``) can serve as the configuration.

    Returns:
        Every parameter, and the bytes of "dram" and "nvdimm".
    """
    for name, value in (overrides or {}).items():
        if not isinstance(value, (str, int, float)):
            raise ValueError(
                f"{name}: policies in Python do not run in gem5, got {value!r}; write it "
                "in C++ in policies/, which gem5 also compiles"
            )
    if config.endswith(".flat"):
        if policy or overrides:
            raise ValueError(f"{config}: a flat file excludes policy and overrides")
        text = Path(config).read_text(encoding="utf-8")
    else:
        command = [*os.environ.get("HMSIM", "hmsim").split(), "check", config, "--flat"]
        command += ["--policy", policy] if policy else []
        for name, value in (overrides or {}).items():
            command += ["--set", f"{name}={value}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            raise ValueError(
                f"command {command[0]} not found: install hmsim where gem5 finds it, or "
                "name it in the environment variable HMSIM"
            ) from None
        if done.returncode != 0:
            raise ValueError(done.stderr.strip() or f"{' '.join(command)} failed")
        text = done.stdout
    parameters: dict[str, str] = {}
    capacities: dict[str, int] = {}
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name.startswith("# bytes of "):
            capacities[name[len("# bytes of ") :]] = int(value)
        elif name and not name.startswith("#"):
            parameters[name] = value
    return parameters, capacities


def _lines(parameters: Mapping[str, str], has_nvdimm: bool) -> list[str]:
    """Return a controller's parameters as lines, with or without its NVDIMM."""
    own = parameters if has_nvdimm else {**parameters, "nvdimm.present": "false"}
    return [f"{name}={value}" for name, value in own.items()]


class HarmonicMemory(AbstractMemorySystem):
    """One or more controllers, each with DRAM and, if configured, an NVDIMM.

    Several controllers interleave both memories by ``interleaving`` bytes. All have the same
    parameters, and their capacities add up. With ``nvdimms``, only the first ``nvdimms``
    controllers have an NVDIMM, each with a separate address range.
    """

    def __init__(
        self,
        config: str,
        policy: str | None = None,
        overrides: Mapping[str, object] | None = None,
        controllers: int = 1,
        interleaving: int = LINE,
        seed: int = 1,
        check: bool = False,
        record: str = "",
        nvdimms: int | None = None,
        written: str = "",
        views: bool = False,
    ) -> None:
        """
        :param config: an hmsim configuration: a name, a path or a ``.flat`` file.
        :param policy: name of a policy bundle.
        :param overrides: values of parameters by dotted name.
        :param controllers: number of controllers, a power of two, because gem5 interleaves by bits
            of an address. One controller has any number of channels (``controller.channels``).
        :param interleaving: bytes per controller in turn, a power of two, at least 64.
        :param seed: seed of all random numbers in controllers and NVDIMMs.
        :param check: check every command against the rules of devices, buses and the ack protocol.
        :param record: name of a packet trace in gem5's output folder; requires one controller.
        :param nvdimms: number of controllers that have their own NVDIMM range; by default, all
            controllers share one range.
        :param written: file with the NVDIMM pages that were written before the machine started.
        :param views: compare gem5's times of each packet with hmsim's (``view_sums``).
        """
        super().__init__()
        if controllers < 1 or controllers & (controllers - 1):
            raise ValueError(
                f"controllers: must be a power of two, got {controllers}; "
                "one controller takes any number of channels (controller.channels)"
            )
        if interleaving < LINE or interleaving & (interleaving - 1):
            raise ValueError(
                f"interleaving: must be a power of two of at least {LINE}, got {interleaving}"
            )
        if record and controllers > 1:
            raise ValueError("record: needs controllers: 1")
        self._interleaving = interleaving
        parameters, capacities = flat_parameters(config, policy, overrides)
        present = capacities.get("nvdimm", 0)
        if nvdimms is not None and not 1 <= nvdimms <= controllers:
            raise ValueError(
                f"nvdimms: must be 1 to {controllers}, the number of controllers, got {nvdimms}"
            )
        if (nvdimms or written) and not present:
            raise ValueError("the configuration has no NVDIMM (nvdimm.present)")
        if nvdimms and nvdimms > 1 and written:
            raise ValueError("written: needs one NVDIMM, or one that all controllers share")
        self._dram = capacities["dram"] * controllers
        self._nvdimms = [present] * nvdimms if nvdimms else [present * controllers] * bool(present)
        self._own = nvdimms is not None
        having = (nvdimms or controllers) if present else 0
        self.controllers = [
            HarmonicMemCtrl(
                dram=HarmonicMemInterface(),
                parameters=_lines(parameters, index < having),
                seed=seed + index,
                check=check,
                views=views,
                record=record,
                written=written if index < having else "",
            )
            for index in range(controllers)
        ]
        for controller in self.controllers[:having]:
            # Not general-purpose memory: boards report it to the guest as persistent.
            controller.nvdimm = HarmonicMemInterface(conf_table_reported=False)
        self._having = having

    def __getattr__(self, name: str) -> object:
        """Return ``dram_size`` or ``nvdimm_size`` in bytes, or ``nvdimm_sizes``, one per range.

        Not properties, because gem5 would treat these as parameters.
        """
        if name == "dram_size":
            return self._dram
        if name == "nvdimm_sizes":
            return list(self._nvdimms)
        if name == "nvdimm_size":
            return sum(self._nvdimms)
        return super().__getattr__(name)

    def _ranges(self, whole: AddrRange) -> list[AddrRange]:
        count = len(self.controllers)
        if count == 1:
            return [whole]
        low = self._interleaving.bit_length() - 1
        bits = count.bit_length() - 1
        return [
            AddrRange(
                start=whole.start,
                size=whole.size(),
                intlvHighBit=low + bits - 1,
                intlvBits=bits,
                intlvMatch=index,
            )
            for index in range(count)
        ]

    @overrides(AbstractMemorySystem)
    def incorporate_memory(self, board: AbstractBoard) -> None:
        pass

    @overrides(AbstractMemorySystem)
    def get_mem_ports(self) -> Sequence[tuple[AddrRange, Port]]:
        ports = [(each.dram.range, each.dram_port) for each in self.controllers]
        with_nvdimm = self.controllers[: self._having]
        return ports + [(each.nvdimm.range, each.nvdimm_port) for each in with_nvdimm]

    @overrides(AbstractMemorySystem)
    def get_memory_controllers(self) -> list[HarmonicMemCtrl]:
        return list(self.controllers)

    @overrides(AbstractMemorySystem)
    def get_size(self) -> int:
        return self.dram_size + self.nvdimm_size

    @overrides(AbstractMemorySystem)
    def set_memory_range(self, ranges: list[AddrRange]) -> None:
        """Set one range for all bytes, DRAM first; or DRAM's range and one per NVDIMM range."""
        expected = [self.dram_size, *self.nvdimm_sizes]
        if len(ranges) == 1 and self.nvdimm_size:
            if ranges[0].size() != self.get_size():
                raise ValueError(
                    f"the range has {ranges[0].size()} bytes, DRAM and NVDIMM {self.get_size()}"
                )
            begin = int(ranges[0].start)
            ranges = []
            for size in expected:
                ranges.append(AddrRange(begin, size=size))
                begin += size
        got = [each.size() for each in ranges]
        if got != expected:
            raise ValueError(f"the ranges have {got} bytes, the memories {expected}")
        for controller, part in zip(self.controllers, self._ranges(ranges[0])):
            controller.dram.range = part
        parts = ranges[1:] if self._own or not self._having else self._ranges(ranges[1])
        for controller, part in zip(self.controllers, parts):
            controller.nvdimm.range = part

    def statistics(self, index: int = 0) -> dict[str, float]:
        """Return a controller's present statistics by dotted path."""
        lines = self.controllers[index].statistics().splitlines()
        return {name: float(value) for name, _, value in (each.partition("=") for each in lines)}
