# SPDX-License-Identifier: BSD-3-Clause
"""An X86 board whose NVDIMM is /dev/pmem0 of Linux."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path

import m5
from gem5.components.boards.x86_board import X86Board
from gem5.utils.override import overrides
from m5.objects import AddrRange, DerivedClockDomain, SrcClockDomain, VoltageDomain, X86E820Entry

GIB = 1 << 30
IO_HOLE = 3 * GIB  # up to 4 GiB
NVDIMM_START = 4 * GIB
SECTION = 128 << 20  # bytes: Linux's regions begin at its multiples, and merge without a gap
# Linux's boot protocol: gem5's address of the boot parameters, whose header is at 0x1f1.
LOADER_FIELDS = 0x90200 + 0x210  # type_of_loader, loadflags, setup_move_size, code32_start, ...
INITRD_START = 0x30000000
QEMU_TIMER_MHZ = 1000  # its local interrupt controllers count nanoseconds

USABLE, RESERVED, PERSISTENT = 1, 2, 12  # E820 types; 12: legacy persistent memory


class X86PmemBoard(X86Board):
    """`X86Board` with `HarmonicMemory`: DRAM from 0, at most 3 GiB, the NVDIMM from 4 GiB on.

    Linux (with X86_PMEM_LEGACY and BLK_DEV_PMEM) finds the NVDIMM in the E820 table and creates
    /dev/pmem0, and one further device for each separate range.
    """

    @overrides(X86Board)
    def _setup_memory_ranges(self) -> None:
        memory = self.get_memory()
        if memory.dram_size > IO_HOLE:
            raise ValueError(
                f"DRAM must have at most 3 GiB, below the I/O hole, got {memory.dram_size} bytes"
            )
        if not memory.nvdimm_size:
            raise ValueError("the configuration has no NVDIMM (nvdimm.present)")
        dram = AddrRange(0, size=memory.dram_size)
        nvdimms = self._nvdimm_ranges()
        memory.set_memory_range([dram, *nvdimms])
        self.mem_ranges = [dram, AddrRange(IO_HOLE, size=0x100000), *nvdimms]

    def _nvdimm_ranges(self) -> list[AddrRange]:
        ranges = []
        start = NVDIMM_START
        for size in self.get_memory().nvdimm_sizes:
            ranges.append(AddrRange(start, size=size))
            start += -(-size // SECTION) * SECTION + SECTION
        return ranges

    @overrides(X86Board)
    def _setup_io_devices(self) -> None:
        super()._setup_io_devices()
        memory = self.get_memory()
        rows = [
            (0, 0x9FC00, USABLE),
            (0x9FC00, 0x100000 - 0x9FC00, RESERVED),
            (0x100000, memory.dram_size - 0x100000, USABLE),
            (0xFFFF0000, 0x10000, RESERVED),  # m5ops
            *((int(each.start), each.size(), PERSISTENT) for each in self._nvdimm_ranges()),
        ]
        if memory.dram_size < IO_HOLE:
            rows.insert(3, (memory.dram_size, IO_HOLE - memory.dram_size, RESERVED))
        self.workload.e820_table.entries = [
            X86E820Entry(addr=start, size=f"{size}B", range_type=kind) for start, size, kind in rows
        ]

    def set_left_machine(self, folder: str, cores: int) -> None:
        """Continue a machine that `hmsim guest prepare` saved in QEMU.

        :param folder: folder with memory.elf (the contents of both memories) and machine.json.
        :param cores: number of cores of this board. Cores and memory sizes must equal those of the
            saved machine; otherwise raises ValueError.
        """
        try:
            left = json.loads(Path(folder, "machine.json").read_text(encoding="utf-8"))
            found = {name: left[name] for name in ("cores", "dram_bytes", "nvdimm_bytes")}
            mhz = float(left["clock_mhz"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{folder}: is not a machine of 'hmsim guest prepare' ({error})"
            ) from None
        memory = self.get_memory()
        here = {"cores": cores, "dram_bytes": memory.dram_size, "nvdimm_bytes": memory.nvdimm_size}
        if len(memory.nvdimm_sizes) > 1:
            raise ValueError(f"{folder}: has one NVDIMM, this machine {memory.nvdimm_sizes}")
        if found != here:
            raise ValueError(f"{folder}: belongs to a machine with {found}, this one has {here}")
        self._set_fullsystem(True)
        self.workload.object_file = str(Path(folder, "memory.elf"))
        self.workload.command_line = ""
        self.workload.load_addr_mask = (1 << 64) - 1
        self.workload.addr_check = False  # of the last byte's successor
        self._timer_ratio = QEMU_TIMER_MHZ / mhz

    def keep_timers(self, frequency: float) -> None:
        """Clock the local interrupt controllers at QEMU's ratio to the cores' clock.

        :param frequency: of the cores, Hz. Call after `_pre_instantiate`.
        """
        counted = f"{frequency * self._timer_ratio:.0f}Hz"
        clock = SrcClockDomain(clock=counted, voltage_domain=VoltageDomain())
        self.timer_clock = clock
        for core in self.get_processor().get_cores():
            core.get_simobject().interrupts[0].clk_domain = DerivedClockDomain(
                clk_domain=clock, clk_divider=1
            )

    def set_linux(self, vmlinux: str, initramfs: str, arguments: Sequence[str] = ()) -> None:
        """Boot an uncompressed kernel with an uncompressed cpio archive as its root.

        :param vmlinux: the ELF file.
        :param initramfs: uncompressed, because gem5 would unpack it and keep the wrong length.
        :param arguments: appended to the kernel's command line.
        """
        image = Path(initramfs)
        with image.open("rb") as file:
            if file.read(6) != b"070701":
                raise ValueError(f"{initramfs}: is not an uncompressed cpio archive (newc)")
        size = image.stat().st_size
        end = INITRD_START + size
        if end > self.get_memory().dram_size:
            raise ValueError(f"{initramfs}: {size} bytes do not fit into DRAM above 768 MiB")
        # gem5's loader does not support an initrd; write its address to the boot parameters.
        fields = Path(m5.options.outdir, "boot_parameters.bin")
        fields.write_bytes(struct.pack("<BBHIII", 0xFF, 0x01, 0, 0, INITRD_START, size))
        self._set_fullsystem(True)
        self.workload.object_file = vmlinux
        self.workload.command_line = " ".join(
            ["earlyprintk=ttyS0", "console=ttyS0", "lpj=7999923", *arguments]
        )
        self.workload.extras = [str(image), str(fields)]
        self.workload.extras_addrs = [INITRD_START, LOADER_FIELDS]
