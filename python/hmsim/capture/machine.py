# SPDX-License-Identifier: BSD-3-Clause
"""A machine under QEMU with DRAM and an emulated NVDIMM."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmsim.capture.emulation import CaptureError, check_name_of, kill_group
from hmsim.capture.guest import Guest
from hmsim.capture.guest_tools import find_tool, run_tool

EMULATOR = "qemu-system-x86_64"
# CPU models that the guest sees; Linux and programs choose their copy routines by them.
PROCESSORS = {
    # QEMU reports every access of a string instruction. With this CPU model, copies move words, not
    # bytes.
    "qemu64": "qemu64",
    # Only features that QEMU's and gem5's processors share: Linux then copies in loops. The vendor
    # keeps Linux from accessing model-specific registers.
    "gem5": "qemu64,vendor=HygonGenuine,-cx16,-x2apic,-hypervisor,-svm,-3dnowprefetch",
}
# no_timer_check: otherwise the kernel gives up if a busy host delays the first timer ticks.
KERNEL_COMMAND = (
    "console=ttyS0 quiet loglevel=4 panic=-1 no_timer_check nokaslr norandmaps mitigations=off "
    "hmsim_job={job} hmsim_driver={driver} hmsim_scale={scale}"
)
CAUSES_PARAMETER = " hmsim_causes=1"
DELAY_PARAMETER = " hmsim_delay={delay}"
# Drivers of the block device on the NVDIMM: Linux's nd_pmem, or pmbd (workloads/guest/driver), with
# the way in which pmbd copies.
DRIVERS = ("nd_pmem", "pmbd-nt", "pmbd-wb", "pmbd-uc")
UNCACHED = "pmbd-uc"
VCPUS = 8  # at most, in a trace and in the kernel
MOST_SCALE = 1024
# Options for an ext4 file system that is always the same and defers no initialisation.
FILE_SYSTEM = (
    *("-q", "-F", "-t", "ext4", "-b", "4096", "-U", "686d7369-6d00-4000-8000-000000000001", "-E"),
    "hash_seed=686d7369-6d00-4000-8000-000000000002,lazy_itable_init=0,lazy_journal_init=0",
)


@dataclass(frozen=True)
class Machine:
    """Machine that a capture starts. A saved state fits only the machine that it was saved from."""

    guest: Guest
    job: str
    driver: str
    dram: int  # bytes
    nvdimm: int  # bytes
    vcpus: int
    icount: bool  # whether its time is its instructions
    scale: int  # of the job's input, 1 for its usual size
    causes: bool  # whether the guest tells which threads run and what they wait for
    delay: int  # microseconds, of the driver's requests while the job runs
    processor: str  # a name of PROCESSORS

    def description(self) -> dict[str, Any]:
        """Return the properties that must equal those of the machine that saved a state."""
        own = {name: value for name, value in vars(self).items() if name != "guest"}
        return {**own, "kernel": self.guest.kernel.name, "image": self.guest.image.name}

    def command(self, emulator: str, backing: Path, plugin: str, more_parameters: str) -> list[str]:
        """Return the command that starts QEMU.

        The NVDIMM's content is in ``backing``; the kernel gets ``more_parameters``.
        """
        parameters = KERNEL_COMMAND.format(job=self.job, driver=self.driver, scale=self.scale)
        parameters += CAUSES_PARAMETER if self.causes else ""
        parameters += DELAY_PARAMETER.format(delay=self.delay) if self.delay else ""
        memory = f"{self.dram >> 20}M,slots=2,maxmem={(self.dram + self.nvdimm) >> 20}M"
        nvdimm = f"id=nvdimm,share=on,mem-path={backing},size={self.nvdimm}"
        command = [
            *(emulator, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
            *("-serial", "stdio", "-accel", "tcg,thread=single", "-seed", "1"),
            *("-cpu", PROCESSORS[self.processor]),
            *("-machine", "pc,nvdimm=on", "-smp", str(self.vcpus), "-m", memory),
            *("-object", f"memory-backend-file,{nvdimm}"),
            *("-device", "nvdimm,id=nvdimm0,memdev=nvdimm"),
            *("-kernel", str(self.guest.bzimage), "-initrd", str(self.guest.initramfs)),
            *("-append", f"{parameters}{more_parameters}"),
            *("-plugin", plugin),
        ]
        if self.icount:
            command += ["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm"]
        return command


def check_machine(
    driver: str, dram: int, nvdimm: int, vcpus: int, scale: int, drivers: Sequence[str] = DRIVERS
) -> None:
    """Raise CaptureError if no machine can have these properties."""
    check_name_of("driver", driver, drivers)
    if not 128 << 20 <= dram <= 3 << 30:
        raise CaptureError("memory: must be 128MiB to 3GiB")
    if nvdimm < 64 << 20 or nvdimm % (2 << 20):
        raise CaptureError("nvdimm: must be at least 64MiB, in units of 2MiB")
    if not 1 <= vcpus <= VCPUS:
        raise CaptureError(f"vcpus: must be 1 to {VCPUS}")
    if not 1 <= scale <= MOST_SCALE:
        raise CaptureError(f"scale: must be 1 to {MOST_SCALE}")


def format_nvdimm(backing: Path, size: int) -> None:
    """Make an NVDIMM's content of ``size`` bytes: an empty file system."""
    with backing.open("wb") as file:
        file.truncate(size)
    program = find_tool("mke2fs")
    assert program
    command = [program, *FILE_SYSTEM, str(backing)]
    run_tool("the NVDIMM's file system", command, backing.parent, {"E2FSPROGS_FAKE_TIME": "1"})


@contextlib.contextmanager
def running(
    command: Sequence[str], timeout: float, late: threading.Event
) -> Iterator[subprocess.Popen[bytes]]:
    """Start QEMU; end it with the block, or after ``timeout`` seconds, which sets ``late``."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise CaptureError(f"{command[0]}: cannot be started: {error.strerror}") from error

    def end() -> None:
        late.set()
        kill_group(process.pid)

    timer = threading.Timer(timeout, end)
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        if process.poll() is None:
            kill_group(process.pid)
        process.wait()
        if process.stdout:
            process.stdout.close()
