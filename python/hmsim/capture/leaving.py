# SPDX-License-Identifier: BSD-3-Clause
"""Machines that leave QEMU and continue in gem5 when their job's region of interest begins.

gem5 takes hours to boot a guest and to start a Java virtual machine; QEMU takes minutes. The guest
leaves by itself (``workloads/guest/programs/leave.h``): Linux suspends its devices and pauses the
machine, whose memories become one ELF file that gem5 loads instead of a kernel. In gem5, Linux sets
up devices and CPUs again, so only the bytes of the memories are needed from QEMU's state.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Optional, Union

from hmsim.capture import guest as guests
from hmsim.capture.emulation import (
    CaptureError,
    check_name_of,
    find_program,
    kill_group,
    size_in_bytes,
)
from hmsim.capture.guest_tools import need_tools
from hmsim.capture.host_counter import host_counter_khz
from hmsim.capture.machine import (
    DRIVERS,
    EMULATOR,
    PROCESSORS,
    check_machine,
    format_nvdimm,
    running,
)
from hmsim.capture.memory_image import write_image
from hmsim.capture.monitor import Monitor, MonitorError
from hmsim.common.directories import new_directory, scratch_directory

# Only devices that QEMU and gem5 both have: gem5 would stop when Linux resumes the DMA controller.
# The NVDIMM is declared to Linux as gem5 declares it.
KERNEL_COMMAND = (
    "console=ttyS0 quiet loglevel=4 panic=-1 no_timer_check nokaslr norandmaps mitigations=off "
    "acpi=off initcall_blacklist=i8237A_init_ops tsc=reliable tsc_early_khz={khz} "
    "memmap={nvdimm}!{start} "
    "hmsim_leave={places} hmsim_job={job} hmsim_driver={driver} hmsim_scale={scale} "
    "hmsim_partners={partners}"
)
NVDIMM_START = 4 << 30
KERNEL_MAP = 0xFFFFFFFF80000000  # less this, an address of the kernel is a physical one
MISC_ENABLE_SAVED = 0x13C  # in saved_context (arch/x86/include/asm/suspend_64.h of Linux 6.1)
ARRIVAL = 0x400000 + 256  # as workloads/guest/programs/leave.h says
DAX = "dax"
PARTNERS = ("network_simplex", "lattice_boltzmann", "su3_lattice")
# Files of a folder. The last one has the pages of the NVDIMM that requests wrote, oldest first.
MEMORY, DESCRIPTION, WRITTEN = "memory.elf", "machine.json", "written"
SAYS, LEAVES = "hmsim-guest: ", "leaves"
CLOCK = SAYS + r"clock\D*(\d+\.\d+)"
RUN_WRITTEN = SAYS + r"written (\d+ \d+)"  # first page and number of pages
CONSOLE_LINES = 24  # shown when something goes wrong

PATH = Union[str, "os.PathLike[str]"]
Report = Callable[[str, Optional[float]], None]


@dataclass(frozen=True)
class LeftMachine:
    """Machine that waits to continue in gem5, as described by its folder's ``machine.json``."""

    job: str
    scale: int
    driver: str
    partners: tuple[str, ...]  # programs with their arguments, on the last CPUs
    window: Optional[str]  # bytes that its region had moved; None: its region is about to begin
    cores: int
    dram_bytes: int
    nvdimm_bytes: int
    clock_mhz: float  # of the time stamp counter, as Linux measured it
    kernel: str
    image: str
    image_bytes: int  # of memory.elf


def leave(
    job: str,
    out: PATH,
    *,
    scale: int = 1,
    driver: str = "nd_pmem",
    partners: Sequence[str] = (),
    windows: Sequence[str] = (),
    vcpus: int = 4,
    memory: str = "2GiB",
    nvdimm: str = "1GiB",
    timeout: float = 1800,
    report: Report = lambda name, fraction: None,
) -> list[Path]:
    """Boot a guest that has a job, up to its region of interest; keep the machine in a new folder.

    Returns the folder, or, with ``windows``, its subfolders.

    - ``scale``, ``driver``: as for `hmsim.capture.system.capture_system`; or the driver ``dax``:
      the file system uses the NVDIMM without a page cache.
    - ``partners``: programs with their arguments, such as ``network_simplex 100000 600000 1``: they
      run alongside the job, each on a separate CPU, from the region's begin on.
    - ``windows``: sizes in ascending order, such as ``0MiB``, ``8MiB``: the machine is kept, in a
      folder of that name, when its region has moved that many bytes to or from the NVDIMM.
    - ``vcpus``, ``memory``, ``nvdimm``: CPUs, and bytes of DRAM (3GiB at most) and of the NVDIMM.
      They must equal those of the machine in gem5.
    - ``timeout``: seconds of host time.

    Raises CaptureError, and InputError when the folder exists or cannot be written.
    """
    guests.check_job(job)
    dram_bytes, nvdimm_bytes = size_in_bytes("memory", memory), size_in_bytes("nvdimm", nvdimm)
    check_machine(driver, dram_bytes, nvdimm_bytes, vcpus, scale, (*DRIVERS, DAX))
    if driver != DRIVERS[0] and windows:
        raise CaptureError(
            f"windows: not supported with '{driver}': must be '{DRIVERS[0]}', whose "
            "bytes are counted"
        )
    programs = [_partner(text) for text in partners]
    if len(programs) >= vcpus:
        raise CaptureError(
            f"vcpus: must be at least 1 for the job and 1 for each of {len(programs)} "
            f"partners, got {vcpus}"
        )
    sizes = [size_in_bytes("window", window) for window in windows]
    if sorted(set(sizes)) != sizes:
        raise CaptureError("windows: must be distinct and in ascending order")
    guest = guests.find_guest(job)
    emulator = find_program(EMULATOR, "qemu-system-x86")
    need_tools(["mke2fs", "nm"])
    kernel = KERNEL_COMMAND.format(
        job=job,
        driver=driver,
        scale=scale,
        khz=host_counter_khz(),
        nvdimm=nvdimm_bytes,
        start=NVDIMM_START,
        places=_places(guest.vmlinux),
        partners=";".join(",".join(words) for words in programs),
    )
    if sizes:
        kernel += f" hmsim_windows={','.join(map(str, sizes))}"
    with new_directory(out) as fresh, contextlib.ExitStack() as stack:
        scratch = stack.enter_context(scratch_directory(Path(out).absolute().parent))
        sockets = stack.enter_context(scratch_directory(tempfile.gettempdir()))
        monitor = stack.enter_context(contextlib.closing(Monitor(sockets / "monitor")))
        dram, flash = scratch / "dram", scratch / "nvdimm"
        format_nvdimm(flash, nvdimm_bytes)
        command = [
            *(emulator, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
            *("-serial", "stdio", "-accel", "tcg,thread=single", "-seed", "1"),
            *("-cpu", PROCESSORS["gem5"]),
            *("-machine", "pc,nvdimm=on,hpet=off,memory-backend=dram"),
            *("-smp", f"{vcpus},sockets={vcpus},cores=1,threads=1"),
            *("-m", f"{dram_bytes >> 20}M,slots=2,maxmem={(dram_bytes + nvdimm_bytes) >> 20}M"),
            *("-object", f"memory-backend-file,id=dram,share=on,mem-path={dram},size={dram_bytes}"),
            "-object",
            f"memory-backend-file,id=nvdimm,share=on,mem-path={flash},size={nvdimm_bytes}",
            *("-device", "nvdimm,id=nvdimm0,memdev=nvdimm"),
            *("-kernel", str(guest.bzimage), "-initrd", str(guest.initramfs), "-append", kernel),
            *monitor.options,
        ]
        places = [fresh / window for window in windows] or [fresh]

        def keep(number: int, clock: float, written: Sequence[str]) -> None:
            place = places[number]
            place.mkdir(exist_ok=True)
            memories = ((0, dram), (NVDIMM_START, flash))
            size = write_image(place / MEMORY, ARRIVAL, memories)
            left = LeftMachine(
                job=job,
                scale=scale,
                driver=driver,
                partners=tuple(" ".join(words) for words in programs),
                window=windows[number] if windows else None,
                cores=vcpus,
                dram_bytes=dram_bytes,
                nvdimm_bytes=nvdimm_bytes,
                clock_mhz=clock,
                kernel=guest.kernel.name,
                image=guest.image.name,
                image_bytes=size,
            )
            (place / WRITTEN).write_text("".join(f"{run}\n" for run in written))
            (place / DESCRIPTION).write_text(json.dumps(asdict(left), indent=2) + "\n")

        _run(command, job, monitor, timeout, report, keep, len(places))
    return [Path(out, window) for window in windows] or [Path(out)]


def _partner(text: str) -> list[str]:
    """Return a partner's words. Raises CaptureError."""
    words = text.split()
    check_name_of("partner", words[0] if words else "", PARTNERS)
    if not all(word.isdigit() for word in words[1:]):
        raise CaptureError(f"partner '{text}': its arguments must be whole numbers")
    return words


def _places(vmlinux: Path) -> str:
    """Return the kernel addresses that the guest needs to leave QEMU (struct leave_places)."""
    done = subprocess.run(["nm", str(vmlinux)], capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        place, _, name = line.split(" ", 2)
        found[name] = int(place, 16)
    try:
        unsaved = found["saved_context"] - KERNEL_MAP + MISC_ENABLE_SAVED
        return f"{unsaved},{found['__per_cpu_offset'] - KERNEL_MAP},{found['gdt_page']}"
    except KeyError as error:
        raise CaptureError(f"{vmlinux}: has no symbol {error}") from error


def _run(
    command: Sequence[str],
    job: str,
    monitor: Monitor,
    timeout: float,
    report: Report,
    keep: Callable[[int, float, Sequence[str]], None],
    times: int,
) -> None:
    """Run the machine until it has paused itself the given number of times.

    At each pause, ``keep`` is called with the number of the pause, the machine's clock in MHz, and
    the runs of pages that were written, "FIRST COUNT" each.
    """
    late = threading.Event()
    console: collections.deque[str] = collections.deque(maxlen=CONSOLE_LINES)
    refusal = "QEMU ended"
    kept, clock = 0, 0.0
    written: list[str] = []
    with running(command, timeout, late) as process:
        assert process.stdout
        step = "boot"
        report(step, None)
        try:
            monitor.connect()
            for raw in process.stdout:
                line = raw.decode(errors="replace").rstrip()
                run = re.fullmatch(RUN_WRITTEN, line)
                if run:
                    written.append(run[1])
                    continue
                console.append(line)
                if not line.startswith(SAYS):
                    continue
                match = re.fullmatch(CLOCK, line)
                if match:
                    clock = float(match[1])
                    continue
                report(step, 1)
                step = line[len(SAYS) :]
                if step.startswith("status "):
                    refusal = f"the job ended with {step}"
                    break
                report(step, None)
                if step != LEAVES:
                    continue
                monitor.wait("STOP")
                if not clock:
                    refusal = "the guest reported no clock"
                    break
                keep(kept, clock, written)
                written = []
                kept += 1
                if kept == times:
                    break
                monitor.execute("cont")
        except MonitorError as error:
            refusal = str(error)
        report(step, 1)
        kill_group(process.pid)
        console.extend(raw.decode(errors="replace").rstrip() for raw in process.stdout)
    shown = "".join(f"\nconsole: {line}" for line in console)
    if late.is_set():
        raise CaptureError(f"{job}: did not arrive within {timeout:g} s; nothing was kept{shown}")
    if kept < times:
        missed = f"window {kept + 1} of {times}" if times > 1 else "its region of interest"
        raise CaptureError(f"{job}: {refusal} before {missed}{shown}")
