# SPDX-License-Identifier: BSD-3-Clause
"""Requests of a fio job: directions, sizes, places, amount and rate."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hmsim._core import InputError, nearest_name
from hmsim.common.directories import read_regular
from hmsim.config.settings import LARGEST_FILE
from hmsim.fio.values import COUNT, NO, Job

SECTOR = 512  # bytes
MOST_SIZES = 1_024  # of io_pattern
MOST_BLOCKS = 1 << 30  # of io_pattern's bitmaps
NUMBER = re.compile(r"\d{1,9}(\.\d{0,9})?|\.\d{1,9}")
ZIPF_THETA = "1.1"  # fio's own default
# Access pattern and share of reads of each direction; None: rwmixread sets the share.
DIRECTIONS: dict[str, tuple[str, float | None]] = {
    "read": ("sequential", 1),
    "write": ("sequential", 0),
    "rw": ("sequential", None),
    "readwrite": ("sequential", None),
    "randread": ("random", 1),
    "randwrite": ("random", 0),
    "randrw": ("random", None),
    "trim": ("sequential", 0),
    "randtrim": ("random", 0),
    "trimwrite": ("sequential", 0),
    "randtrimwrite": ("random", 0),
}
# Directions with trims, and the setting of io_pattern: only trims, or one before each write.
ALL_TRIMS, TRIMS_FIRST = ("trim_share", "1"), ("trim_writes", "true")
TRIMS = {
    **dict.fromkeys(("trim", "randtrim"), ALL_TRIMS),
    **dict.fromkeys(("trimwrite", "randtrimwrite"), TRIMS_FIRST),
}
DIRECTIVES = ["none", "fdp", "streams"]  # dataplacement
SELECTIONS = {"roundrobin": "round_robin", "random": "random", "scheme": ""}  # plid_select
ALL_HANDLES = "0-63"  # without plids: as many as an FTL has streams, at most
MOST_HANDLE = 65_535
SCHEME_LINE = re.compile(r"\s*(\d{1,14})\s*,\s*(\d{1,14})\s*,\s*(\d{1,5})\s*")
PROCESSES = {"linear": "fixed", "poisson": "poisson"}  # rate_process: arrivals


@dataclass(frozen=True)
class Sizes:
    """Sizes of requests: bytes, and how many requests of all have them."""

    parts: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        return ", ".join(f"{size}B/{share}" for size, share in self.parts)

    @property
    def least(self) -> int:
        return min(size for size, _ in self.parts)

    @property
    def mean(self) -> float:
        shares = sum(share for _, share in self.parts)
        return sum(size * share for size, share in self.parts) / shares


@dataclass(frozen=True)
class Amount:
    """Limits of a clone.

    Attributes:
        part: bytes of a pass; 0: its region.
        passes: 0: no limit.
        bytes: of all passes; 0: no limit.
    """

    part: int = 0
    passes: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Rate:
    """Offered requests per second of a clone, and the share of reads that it implies."""

    process: str
    rate: float
    reads: float


def direction(job: Job) -> tuple[str, float]:
    """Return the access pattern and the share of reads."""
    access, reads = DIRECTIONS[job.choice("rw", "read", [*DIRECTIONS])]
    if reads is None:
        written = 100 - job.count("rwmixwrite", 50, 0, 100)
        reads = job.count("rwmixread", written, 0, 100) / 100
    return access, reads


def trims_of(job: Job) -> tuple[str, str] | None:
    """Return the setting of the job's trims, None if it has none."""
    return TRIMS.get(job.choice("rw", "read", [*DIRECTIONS]))


def access_keys(job: Job) -> list[tuple[str, str]]:
    """Return the settings of ``access`` and, for a Zipf distribution, ``theta``."""
    access, _ = direction(job)
    kind, _, theta = job.text("random_distribution", "random").partition(":")
    if kind not in ("random", "zipf"):
        near = nearest_name(kind, ["random", "zipf"])
        hint = f"did you mean '{near}'?" if near else "supported: random, zipf:THETA"
        raise job.fail("random_distribution", f"'{kind}' is not supported; {hint}")
    if theta and not NUMBER.fullmatch(theta):
        raise job.fail("random_distribution", f"must be a number after zipf:, got '{theta}'")
    if access == "sequential" or kind == "random":
        return [("access", access)]
    return [("access", "zipf"), ("theta", theta or ZIPF_THETA)]


def sizes_of(job: Job) -> Sizes:
    """Return the sizes of ``bssplit``, otherwise of ``bsrange``, otherwise of ``bs``."""
    if "bssplit" in job.keys:
        return _split(job, _of_direction(job, "bssplit", "4k/100"))
    if "bsrange" in job.keys:
        return _range(job, _of_direction(job, "bsrange", "4k-4k"))
    size = job.to_bytes("bs", _of_direction(job, "bs", "4k"))
    return Sizes(((_whole(job, "bs", size), 1),))


def _of_direction(job: Job, key: str, default: str) -> str:
    """Return the value of the job's direction in ``reads[,writes[,trims]]``."""
    parts = [part.strip() or default for part in job.text(key, default).split(",")]
    reads, writes, trims = (parts[min(number, len(parts) - 1)] for number in range(3))
    _, share = direction(job)
    if 0 < share < 1 and reads != writes:
        raise job.fail(key, "different sizes of reads and writes are not supported")
    if trims_of(job) == TRIMS_FIRST and writes != trims:
        raise job.fail(key, "different sizes of writes and trims are not supported")
    return reads if share else trims if trims_of(job) else writes


def _split(job: Job, text: str) -> Sizes:
    """Return the sizes of ``4k/60:32k/40``. Sizes without a percentage share the remainder."""
    entries = [entry.partition("/") for entry in text.split(":")]
    given = 0
    for _, _, percent in entries:
        if percent and not (COUNT.fullmatch(percent) and int(percent) <= 100):
            raise job.fail("bssplit", f"must be a percentage, got '{percent}'")
        given += int(percent or 0)
    rest = sum(not percent for _, _, percent in entries)
    if given > 100 or (given < 100 and not rest):
        raise job.fail("bssplit", f"percentages must add up to 100, got {given}")
    parts = []
    for given_size, _, percent in entries:
        size = _whole(job, "bssplit", job.to_bytes("bssplit", given_size.strip()))
        share = int(percent) * max(rest, 1) if percent else 100 - given
        if share:
            parts.append((size, share))
    least = min(size for size, _ in parts)
    return Sizes(tuple((size - size % least, share) for size, share in parts))


def _range(job: Job, text: str) -> Sizes:
    """Return the sizes of ``1k-4k`` with fio's shares.

    fio draws least + uniform [0, most), rounds down to a multiple of the least size, and takes the
    most for anything above it.
    """
    low, mark, high = text.replace(":", "-").partition("-")
    if not mark:
        raise job.fail("bsrange", f"must be a range, for example 4k-64k, got '{text}'")
    least, most = (
        _whole(job, "bsrange", job.to_bytes("bsrange", part.strip())) for part in (low, high)
    )
    least, most = min(least, most), max(least, most)
    if -(-most // least) > MOST_SIZES:
        raise job.fail("bsrange", f"must have at most {MOST_SIZES} multiples of its least size")
    starts = range(least, least + most, least)
    shares = [(min(start, most), min(least, least + most - start)) for start in starts]
    unit = math.gcd(*(share for _, share in shares))
    return Sizes(tuple((size, share // unit) for size, share in shares))


def _whole(job: Job, key: str, size: int) -> int:
    if size == 0 or size % SECTOR:
        nearest = max(round(size / SECTOR), 1) * SECTOR
        raise job.fail(key, f"must be a multiple of {SECTOR} bytes, got {size}; nearest: {nearest}")
    return size


def region(job: Job) -> int:
    """Return the bytes in which a job's clone does its I/O; 0: the whole device."""
    if "filesize" in job.keys:
        return job.bytes("filesize") * job.count("nrfiles", 1)
    return job.bytes("size") if job.has_size else 0


def amount(job: Job, sizes: Sizes) -> Amount:
    """Return the limits of a clone, as fio's do_io() and keep_running() set them."""
    if job.repeats:
        return Amount()
    moved, loops = job.bytes("io_size"), job.count("loops", 1)
    whole = region(job)
    size = job.bytes("size") if job.text("size", "100%") != "100%" else whole
    size = min(size, whole) if whole else 0
    if not size:
        if not moved and not job.runtime and "number_ios" not in job.keys:
            raise job.fail(
                "size", "is required, or io_size, number_ios or runtime: they end the job"
            )
        return Amount(passes=0 if moved else loops, bytes=moved * loops)
    if size < sizes.least:
        raise job.fail("size", f"must be at least a request, {sizes.text}")
    part = size if size < whole else 0
    if moved <= size:
        exact = len(sizes.parts) == 1 and size % sizes.least == 0  # no pass exceeds its size
        limit = moved or (0 if loops == 1 or exact else size)
        return Amount(part, loops, limit * loops)
    mapped = not job.flag("norandommap") and alignment(job, sizes) == sizes.least
    if job.text("rw") in ("randwrite", "randrw") and not mapped:
        return Amount(bytes=moved * loops)
    if moved <= loops * size:
        return Amount(part, loops)
    # Between two passes, a job ends if what remains is less than its largest request. With loops,
    # fio does not end a pass at io_size.
    passes, rest = divmod(moved, size if part else size // sizes.least * sizes.least)
    if rest < max(size for size, _ in sizes.parts):
        return Amount(part, passes)
    return Amount(part, passes + 1) if loops > 1 else Amount(part, 0, moved)


def request_limit(job: Job, reads: float) -> int:
    """Return the largest number of requests of a clone, including its flushes; 0: no limit."""
    if "number_ios" not in job.keys or job.repeats:
        return 0
    count = job.count("number_ios", 1) * job.count("loops", 1)
    every = job.count("fsync", 0, 0)
    trims = trims_of(job)
    writes = 0 if trims == ALL_TRIMS else int(count * (1 - reads))
    count *= 2 if trims == TRIMS_FIRST else 1
    return count + (writes // every if every else 0)


def alignment(job: Job, sizes: Sizes) -> int:
    """Return the distance between two places in bytes."""
    if "blockalign" not in job.keys or direction(job)[0] == "sequential":
        return sizes.least
    text = _of_direction(job, "blockalign", f"{sizes.least}")
    return _whole(job, "blockalign", job.to_bytes("blockalign", text))


def has_map(job: Job, sizes: Sizes) -> bool:
    """Return whether fio keeps a random map, if it is not too large."""
    independent = job.flag("norandommap") or alignment(job, sizes) != sizes.least
    return ("access", "random") in access_keys(job) and not independent


def map_blocks(job: Job, sizes: Sizes, clones: int) -> int:
    """Return the blocks in the bitmaps of a job's random maps; 0: it has no bitmap."""
    several = has_map(job, sizes) and len(sizes.parts) > 1
    return clones * region(job) // sizes.least if several else 0


def random_map(job: Job, sizes: Sizes, clones: int) -> str:
    """Return the order of a random map that visits each block once; "none" without a map."""
    soft, blocks = job.flag("softrandommap"), map_blocks(job, sizes, clones)
    if blocks > MOST_BLOCKS and not soft:
        raise job.fail(
            "bssplit" if "bssplit" in job.keys else "bsrange",
            f"the random map has {blocks} blocks: must be at most {MOST_BLOCKS}; "
            "use bs, norandommap or softrandommap",
        )
    if blocks > MOST_BLOCKS or not has_map(job, sizes):
        return "none"
    return "shuffle" if job.repeats or job.text("randrepeat", "1") in NO else "repeat"


def rate_of(job: Job, sizes: Sizes) -> Rate | None:
    """Return the rate of a clone; None if its direction has none."""
    given = [key for key in ("rate", "rate_iops") if key in job.keys]
    if len(given) > 1:
        raise job.fail("rate_iops", "must not be set together with rate")
    process = PROCESSES[job.choice("rate_process", "linear", [*PROCESSES])]
    if not given:
        return None
    reads, writes, trims = _limits(job, given[0])
    _, share = direction(job)
    kind = trims_of(job)
    if kind == TRIMS_FIRST and writes != trims:
        raise job.fail(given[0], "different limits of writes and trims are not supported")
    reads, writes = (reads if share > 0 else 0), (writes if share < 1 else 0)
    if kind:
        writes = trims * (2 if kind == TRIMS_FIRST else 1)
    if not reads and not writes:
        return None
    if 0 < share < 1 and not (reads and writes):
        raise job.fail(given[0], "must limit both reads and writes of a mixed job, or neither")
    # fio turns rate_iops into bytes per second by the smallest size, except with bssplit.
    scale = 1.0 if given[0] == "rate_iops" else 1 / sizes.mean
    if given[0] == "rate_iops" and "bssplit" not in job.keys:
        scale = sizes.least / sizes.mean
    return Rate(process, (reads + writes) * scale, reads / (reads + writes))


def _limits(job: Job, key: str) -> list[int]:
    """Return the limits of ``reads[,writes[,trims]]``; 0: none. The last one repeats."""
    parts = [part.strip() for part in job.text(key).split(",")]
    limits = [job.to_bytes(key, part) if part else 0 for part in parts]
    return [limits[min(number, len(limits) - 1)] for number in range(3)]


def directive(job: Job) -> str:
    """Return how the writes of a job are placed: none, fdp or streams."""
    given = "fdp" if job.flag("fdp") else job.choice("dataplacement", "none", DIRECTIVES)
    writes = direction(job)[1] < 1 and trims_of(job) != ALL_TRIMS
    return given if writes else "none"


def handle_keys(job: Job, files: list[int]) -> Iterator[tuple[str, str]]:
    """Yield the settings of placement handles. ``files``: where the clones' files begin."""
    kind = directive(job)
    if kind == "none":
        return
    order = SELECTIONS[job.choice("plid_select", "roundrobin", [*SELECTIONS])]
    if not order:
        scheme = _scheme(job)
        places = [f"{own}/{at + a}B-{at + b}B" for at in files for a, b, own in scheme if a < b]
        yield "handle", ", ".join(places) or "0"
        return
    if kind == "streams" and "plids" not in job.keys:
        raise job.fail("plids", "is required with dataplacement=streams: the streams, as 1,2")
    yield "handle", ", ".join(_plids(job))
    yield "handle_order", order


def _plids(job: Job) -> list[str]:
    """Return the numbers and ranges of ``plids``, in fio's ascending order."""
    found = []
    for part in job.text("plids", ALL_HANDLES).split(","):
        first, mark, last = (text.strip() for text in part.partition("-"))
        bounds = (first, last if mark else first)
        if not all(COUNT.fullmatch(bound) and int(bound) <= MOST_HANDLE for bound in bounds):
            raise job.fail("plids", f"must be numbers or ranges as in 0,2-4, got '{part.strip()}'")
        found.append((int(bounds[0]), int(bounds[1])))
    return [f"{first}-{last}" if last > first else f"{first}" for first, last in sorted(found)]


def _scheme(job: Job) -> list[tuple[int, int, int]]:
    """Return start, end and handle of each line of the file ``dp_scheme``."""
    name = job.text("dp_scheme")
    if not name:
        raise job.fail("dp_scheme", "is required with plid_select=scheme: a file of placements")
    path = Path(job.keys["dp_scheme"].where.rpartition(":")[0]).parent / name
    try:
        lines = read_regular(path, LARGEST_FILE).decode("utf-8", "replace").splitlines()
    except InputError as error:
        raise job.fail("dp_scheme", f"cannot read {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        match = SCHEME_LINE.fullmatch(line)
        if line.strip() and not match:
            raise job.fail("dp_scheme", f"{path}:{number}: expected START, END, HANDLE")
        if match:
            found.append((int(match[1]), int(match[2]), int(match[3])))
    return found


def pace_keys(job: Job, rate: Rate | None) -> Iterator[tuple[str, str]]:
    """Yield the settings of arrivals, think time and start."""
    think = job.time("thinktime", "us")
    if rate and think:
        raise job.fail("thinktime", "must not be set together with rate or rate_iops")
    if rate:
        yield "arrivals", rate.process
        yield "arrival_rate", f"{rate.rate:.9g}"
    if think:
        yield "think_time", f"{think}ps"
        yield "think_every", str(job.count("thinktime_blocks", 1))
    start = job.time("startdelay", "s")
    if start:
        yield "start", f"{start}ps"
