# SPDX-License-Identifier: BSD-3-Clause
"""Does a machine leave QEMU with the whole content of its memories, or report why not?"""

from __future__ import annotations

import json
import mmap
import random
import struct
from pathlib import Path

import pytest
from captured import without_guest
from hmsim._core import InputError
from hmsim.capture import leaving
from hmsim.capture.emulation import CaptureError
from hmsim.capture.host_counter import ATTEMPTS, host_counter_khz, moment
from hmsim.capture.machine import format_nvdimm
from hmsim.capture.memory_image import CHUNK, GAP, write_image
from messages import naming

NVDIMM = 4 << 30
MIB = 1 << 20
WITHOUT = without_guest("mke2fs", "nm")


def loaded(image: Path, size: dict[int, int]) -> tuple[int, dict[int, bytearray]]:
    """Load an ELF file into memories of zeros: a reader of its own. Return entry and memories."""
    data = image.read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01"
    kind, machine, _, entry, table = struct.unpack_from("<HHIQQ", data, 16)
    step, count = struct.unpack_from("<HH", data, 54)
    assert (kind, machine, step) == (2, 62, 56)
    memories = {start: bytearray(length) for start, length in size.items()}
    for number in range(count):
        what, _, place, virtual, physical, length, room, _ = struct.unpack_from(
            "<IIQQQQQQ", data, table + step * number
        )
        assert what == 1
        assert virtual == physical
        assert length == room
        start = max(start for start in memories if start <= physical)
        inside = physical - start
        memories[start][inside : inside + length] = data[place : place + length]
    return entry, memories


def test_an_image_holds_every_byte_of_sparse_memories(tmp_path: Path) -> None:
    generator = random.Random(1)
    sizes = {0: 9 * MIB, NVDIMM: 5 * MIB + 4096}
    wanted = {start: bytearray(size) for start, size in sizes.items()}
    for start, size in sizes.items():
        edges = [0, size - 1, CHUNK - 1, CHUNK, 2 * CHUNK + GAP, 2 * CHUNK + GAP + CHUNK]
        for place in [*edges, *(generator.randrange(size) for _ in range(6))]:
            wanted[start][place] = generator.randrange(1, 256)
        (tmp_path / str(start)).write_bytes(wanted[start])
    out = tmp_path / "image"
    written = write_image(out, 0x1234, [(start, tmp_path / str(start)) for start in sizes])
    assert written == out.stat().st_size < sum(sizes.values())
    assert loaded(out, sizes) == (0x1234, wanted)


def test_memories_of_zeros_leave_nothing_but_a_header(tmp_path: Path) -> None:
    (tmp_path / "zeros").write_bytes(bytes(3 * MIB))
    write_image(tmp_path / "image", 7, [(0, tmp_path / "zeros")])
    assert loaded(tmp_path / "image", {0: 3 * MIB}) == (7, {0: bytearray(3 * MIB)})
    assert (tmp_path / "image").stat().st_size == mmap.PAGESIZE


@pytest.mark.parametrize(
    ("how", "parts"),
    [
        ({"job": "fio-direct-raed"}, ("'fio-direct-raed'", "'fio-direct-read'?")),
        ({"partners": ["network_simple 1 2 3"]}, ("partner", "'network_simplex'?")),
        ({"partners": ["su3_lattice 8 ;reboot"]}, ("partner 'su3_lattice 8 ;reboot'", "numbers")),
        ({"partners": ["su3_lattice 8 1"] * 4}, ("vcpus: ", "4 partners", "got 4")),
        ({"windows": ["8MiB", "0MiB"]}, ("windows:", "ascending")),
        ({"windows": ["8 pages"]}, ("window:", "'8 pages'", "2MiB")),
        ({"memory": "4GiB"}, ("memory:", "128MiB", "3GiB")),
        ({"driver": "pmbd"}, ("driver 'pmbd'", "did you mean 'pmbd-nt'?")),
        ({"driver": "dax", "windows": ["8MiB"]}, ("windows:", "'dax'", "'nd_pmem'")),
    ],
)
def test_invalid_settings_are_reported_before_the_start(
    how: dict[str, object], parts: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # which has no QEMU
    arguments: dict[str, object] = {"job": "fio-direct-read", **how}
    with pytest.raises(InputError, match=naming(*parts)):
        leaving.leave(out=tmp_path / "left", **arguments)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("quiet", [0, 7, ATTEMPTS - 1])
def test_a_counter_is_read_only_in_undisturbed_intervals(quiet: int) -> None:
    now = reads = 0

    def clock() -> int:
        return now

    def counter() -> int:  # of three a nanosecond
        nonlocal now, reads
        now += 20 if reads == quiet else 5_000_000 - reads
        count = 3 * now
        now += 20 if reads == quiet else 9
        reads += 1
        return count

    time_ns, count = moment(clock, counter)
    assert reads == ATTEMPTS
    assert count == 3 * time_ns


def test_the_counter_of_this_host_has_a_steady_rate() -> None:
    first, second = host_counter_khz(), host_counter_khz()
    assert 100_000 < first < 10_000_000
    assert abs(first - second) < first / 100


def any_of(memory: bytes | bytearray, page: int) -> bool:
    """Return whether a page has a byte that is not zero."""
    return memory.count(0, page, page + 4096) < 4096


@pytest.mark.guest
@pytest.mark.skipif(bool(WITHOUT), reason=WITHOUT or "all is there")
def test_a_machine_is_kept_at_each_window(tmp_path: Path) -> None:
    windows = ["0MiB", "8MiB", "32MiB"]  # the last one is reached when the job ends
    folders = leaving.leave(
        "fio-direct-read",
        tmp_path / "left",
        partners=["network_simplex 2000 12000 1"],
        windows=windows,
        vcpus=2,
        memory="512MiB",
        nvdimm="128MiB",
        timeout=600,
    )
    assert [folder.name for folder in folders] == windows
    files = []
    format_nvdimm(tmp_path / "formatted", 128 * MIB)
    formatted = (tmp_path / "formatted").read_bytes()
    for folder, window in zip(folders, windows):
        reported = json.loads((folder / "machine.json").read_text())
        assert reported["window"] == window
        assert reported["partners"] == ["network_simplex 2000 12000 1"]
        assert abs(reported["clock_mhz"] * 1000 - host_counter_khz()) < reported["clock_mhz"]
        entry, memories = loaded(folder / "memory.elf", {0: 512 * MIB, NVDIMM: 128 * MIB})
        # Entry point for another simulator: lea leave_kept(%rip), %rdi.
        assert memories[0][entry : entry + 3] == b"\x48\x8d\x3d"
        # ext4's magic number is 56 bytes into the superblock, which is 1024 bytes into the device.
        assert memories[NVDIMM][1024 + 56 : 1024 + 58] == b"\x53\xef"
        files.append(bytes(memories[NVDIMM][MIB:]))
        runs = [[int(word) for word in run.split()] for run in (folder / "written").open()]
        written = [page for first, count in runs for page in range(first, first + count)]
        assert len(set(written)) == len(written)
        # Pages that were zero at the guest's start and are not now were written by the guest.
        filled = {page for page in range(0, 128 * MIB, 4096) if any_of(memories[NVDIMM], page)}
        assert filled - {page for page in filled if any_of(formatted, page)} <= {
            4096 * page for page in written
        }
        assert len(written) >= 32 * MIB // 4096  # its file
    # The job only reads its file, so the file does not change.
    assert files[0] == files[1] == files[2]


@pytest.mark.guest
@pytest.mark.skipif(bool(WITHOUT), reason=WITHOUT or "all is there")
def test_a_window_that_the_job_never_reaches_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=naming("status 0", "window 2 of 2")):
        leaving.leave(
            "fio-direct-read",
            tmp_path / "left",
            windows=["8MiB", "900MiB"],
            vcpus=1,
            memory="512MiB",
            nvdimm="128MiB",
            timeout=600,
        )
    assert not list(tmp_path.iterdir())
