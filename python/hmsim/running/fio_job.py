# SPDX-License-Identifier: BSD-3-Clause
"""fio's job files as workloads: their requests to a device become agents of kind io_pattern.

The manual of fio 3.33 defines the keys. Keys that affect how fio runs, but not its requests, are
ignored with a note. Keys that would change the requests in unsupported ways are errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hmsim._core import InputError, nearest_name
from hmsim.config.settings import Setting, read_text_file

SUFFIX = ".fio"
GLOBAL = "global"
MOST_AGENTS = 256
MOST_CLONES = 1_024  # threads of an agent
SECTOR, PAGE = 512, 4_096  # bytes
LONGEST = 1 << 46  # bytes
UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
NUMBER = re.compile(r"(\d{1,18})([kmgt]?)(?:i?b)?", re.IGNORECASE)
COUNT = re.compile(r"\d{1,12}")
SECTION = re.compile(r"\[(.+)\]")
ZIPF_THETA = "1.1"  # fio's own default

ALIASES = {"readwrite": "rw", "blocksize": "bs", "io_limit": "io_size", "fdatasync": "fsync"}
# Access pattern and share of reads of each direction; None: rwmixread sets the share.
DIRECTIONS: dict[str, tuple[str, float | None]] = {
    "read": ("sequential", 1),
    "write": ("sequential", 0),
    "rw": ("sequential", None),
    "readwrite": ("sequential", None),
    "randread": ("random", 1),
    "randwrite": ("random", 0),
    "randrw": ("random", None),
}
FOLLOWED = {
    *("rw", "bs", "bssplit", "size", "io_size", "offset", "offset_increment", "filename"),
    *("iodepth", "numjobs", "rwmixread", "rwmixwrite", "random_distribution", "fsync"),
    *("number_ios", "loops"),
}
# Ignored without a note: they do not change the requests to the device, or only their start.
QUIET = {
    *("group_reporting", "new_group", "name", "description", "directory", "thread", "direct"),
    *("invalidate", "randrepeat", "randseed", "allrandrepeat", "norandommap", "create_on_open"),
    *("refill_buffers", "scramble_buffers", "buffer_compress_percentage", "zero_buffers"),
    *("gtod_reduce", "clocksource", "disable_lat", "disable_clat", "disable_slat", "disable_bw"),
    *("lat_percentiles", "clat_percentiles", "slat_percentiles", "percentile_list", "exitall"),
    *("write_bw_log", "write_lat_log", "write_iops_log", "log_avg_msec", "per_job_logs", "unlink"),
    *("overwrite", "fallocate", "fadvise_hint", "cpus_allowed", "cpus_allowed_policy", "buffered"),
    *("numa_cpu_nodes", "numa_mem_policy", "nice", "prio", "prioclass", "hipri", "fixedbufs"),
    *("registerfiles", "sqthread_poll", "iodepth_batch", "iodepth_batch_submit", "nrfiles"),
    *("iodepth_batch_complete", "iodepth_batch_complete_min", "iodepth_batch_complete_max"),
}
# Left out with a note.
NOTED = {
    "ioengine": "hmsim uses its driver instead",
    "runtime": "an agent ends with its requests; frontend.time_limit ends a run earlier",
    "time_based": "an agent ends with its requests; set more with loops and io_size",
    "ramp_time": "'--warmup' excludes the beginning",
}
# Rejected: an agent could not reproduce the job with these.
REFUSED = {
    *("stonewall", "wait_for_previous", "wait_for", "startdelay", "thinktime", "thinktime_blocks"),
    *("rate", "rate_iops", "rate_min", "rate_process", "verify", "do_verify", "read_iolog"),
    *("include", "bs_unaligned", "bsrange", "blocksize_range", "blockalign", "percentage_random"),
    *("rw_sequencer", "sync", "end_fsync", "fsync_on_close", "write_barrier", "filesize", "flow"),
    *("opendir", "zonemode", "zonesize", "trim_percentage", "latency_target", "file_service_type"),
}
SYNCHRONOUS = {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"}


@dataclass(frozen=True)
class Job:
    """A section of a job file; its own keys override the global ones."""

    name: str
    where: str
    keys: dict[str, Setting]

    def text(self, key: str, default: str = "") -> str:
        return self.keys[key].text if key in self.keys else default

    def fail(self, key: str, message: str) -> InputError:
        where = self.keys[key].where if key in self.keys else self.where
        return InputError(f"{where}: {key}: {message}")

    def count(self, key: str, default: int, least: int = 1, most: int = 10**12) -> int:
        text = self.text(key, str(default))
        if not COUNT.fullmatch(text) or not least <= int(text) <= most:
            raise self.fail(key, f"must be a number from {least} to {most}, got '{text}'")
        return int(text)

    def bytes(self, key: str, default: int = 0) -> int:
        return self.to_bytes(key, self.text(key, str(default)))

    def to_bytes(self, key: str, text: str) -> int:
        found = NUMBER.fullmatch(text)
        size = int(found[1]) << UNITS[found[2].lower()] if found else LONGEST + 1
        if size > LONGEST:
            raise self.fail(
                key, f"must be a size up to 64t, for example 4k, 1m or 512, got '{text}'"
            )
        return size


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

    def requests(self, total: int) -> int:
        """Return the number of requests that move ``total`` bytes, on average."""
        shares = sum(share for _, share in self.parts)
        return total * shares // sum(size * share for size, share in self.parts)


def is_job_file(path: Path) -> bool:
    """Return whether a file is a fio job: by its name, or because it begins with a section."""
    if path.suffix == SUFFIX:
        return True
    lines = map(bytes.strip, read_text_file(path).splitlines())
    first = next((line for line in lines if line and line[:1] not in b"#;"), b"")
    return bool(SECTION.fullmatch(first.decode(errors="replace")))


def load(path: Path) -> tuple[list[list[Setting]], list[str]]:
    """Return the keys of agents that run a job file, and notes on what they do not model.

    Files are placed consecutively on the device, in the order in which jobs name them.

    Raises:
        InputError: names file, line, key and nearest valid key.
    """
    jobs = list(_jobs(path))
    if not jobs:
        raise InputError(f"{path}: contains no job: expected sections such as [job] after [global]")
    extents: dict[str, int] = {}
    for job in jobs:
        extents[_file(job)] = max(extents.get(_file(job), 0), _extent(job))
    whole = [job for job in jobs if "size" not in job.keys]
    if whole and len(extents) > 1:
        raise whole[0].fail("size", "is required, because jobs have several files")
    offsets: dict[str, int] = {}
    end = 0
    for name, extent in extents.items():
        offsets[name] = end
        end += -(-extent // PAGE) * PAGE
    agents: list[list[Setting]] = []
    for job in jobs:
        agents += _agents(job, offsets[_file(job)])
        if len(agents) > MOST_AGENTS:
            raise job.fail("numjobs", f"must be at most {MOST_AGENTS} agents for all jobs together")
    return agents, list(dict.fromkeys(note for job in jobs for note in _notes(job)))


def _jobs(path: Path) -> Iterator[Job]:
    """Yield all sections except [global], whose keys are defaults for the sections after it."""
    try:
        text = read_text_file(path).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not text: {error.reason}") from error
    shared: dict[str, Setting] = {}
    keys: dict[str, Setting] | None = None
    job: Job | None = None
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        where = f"{path}:{number}"
        if not line or line[0] in "#;":
            continue
        if section := SECTION.fullmatch(line):
            if job:
                yield job
            job = None if section[1] == GLOBAL else Job(section[1], where, dict(shared))
            keys = job.keys if job else shared
        elif keys is None:
            raise InputError(f"{where}: '{line[:40]}' is outside a section such as [job]")
        else:
            found = _setting(line, where)
            keys[found.name] = found
    if job:
        yield job


def _setting(line: str, where: str) -> Setting:
    """Return the setting in a line ``key[=value]``.

    Raises InputError for an unknown key, or one without which hmsim would run a different job.
    """
    written, _, text = (part.strip() for part in line.partition("="))
    key = ALIASES.get(written, written)
    if key in REFUSED and text != "0":
        raise InputError(
            f"{where}: {written}: not supported, and without this key the job would differ"
        )
    if key not in FOLLOWED | REFUSED | QUIET | {*NOTED}:
        near = nearest_name(written, sorted({*FOLLOWED, *ALIASES, *REFUSED, *QUIET, *NOTED}))
        hint = (
            f"; did you mean '{near}'?" if near else f"; supported: {', '.join(sorted(FOLLOWED))}"
        )
        raise InputError(f"{where}: {written}: unknown key{hint}")
    return Setting(key, text, where)


def _file(job: Job) -> str:
    """Return an identifier of a job's file, or of its clones' files, that no other job shares."""
    return job.text("filename") or f"{job.where}: its own"


def _extent(job: Job) -> int:
    """Return the bytes of the device that a job's file or files take; 0 if no size is given."""
    clones = job.count("numjobs", 1, 1, MOST_CLONES)
    if "size" not in job.keys:
        return 0
    if not job.text("filename"):
        return clones * _region(job)
    last = job.bytes("offset") + (clones - 1) * job.bytes("offset_increment")
    return last + job.bytes("size")


def _region(job: Job) -> int:
    """Return the bytes of a clone's own file: its size rounded down to whole requests."""
    least = _sizes(job).least
    return job.bytes("size") // least * least


def _direction(job: Job) -> tuple[str, float]:
    """Return the access pattern and the share of reads."""
    text = job.text("rw", "read")
    if text not in DIRECTIONS:
        near = nearest_name(text, [*DIRECTIONS])
        hint = f"did you mean '{near}'?" if near else f"known: {', '.join(DIRECTIONS)}"
        raise job.fail("rw", f"'{text}' is not supported; {hint}")
    access, reads = DIRECTIONS[text]
    if reads is None:
        written = 100 - job.count("rwmixwrite", 50, 0, 100)
        reads = job.count("rwmixread", written, 0, 100) / 100
    return access, reads


def _sizes(job: Job) -> Sizes:
    if "bssplit" in job.keys:
        return _split(job)
    reads, _, writes = (part.strip() for part in job.text("bs", "4k").partition(","))
    writes = writes.partition(",")[0].strip() or ("4k" if "," in job.text("bs") else reads)
    _, share = _direction(job)
    if 0 < share < 1 and job.to_bytes("bs", reads or "4k") != job.to_bytes("bs", writes):
        raise job.fail("bs", "different sizes of reads and writes are not supported")
    size = job.to_bytes("bs", (reads or "4k") if share else writes)
    return Sizes(((_whole(job, "bs", size), 1),))


def _split(job: Job) -> Sizes:
    """Return the sizes of ``4k/60:32k/40``. Sizes without a percentage share the remainder."""
    entries = [entry.partition("/") for entry in job.text("bssplit").split(":")]
    given = 0
    for _, _, percent in entries:
        if percent and not (COUNT.fullmatch(percent) and int(percent) <= 100):
            raise job.fail("bssplit", f"must be a percentage, got '{percent}'")
        given += int(percent or 0)
    rest = sum(not percent for _, _, percent in entries)
    if given > 100 or (given < 100 and not rest):
        raise job.fail("bssplit", f"percentages must add up to 100, got {given}")
    parts = []
    for text, _, percent in entries:
        size = _whole(job, "bssplit", job.to_bytes("bssplit", text.strip()))
        share = int(percent) * max(rest, 1) if percent else 100 - given
        if share:
            parts.append((size, share))
    return Sizes(tuple(parts))


def _whole(job: Job, key: str, size: int) -> int:
    if size == 0 or size % SECTOR:
        nearest = max(round(size / SECTOR), 1) * SECTOR
        raise job.fail(key, f"must be a multiple of {SECTOR} bytes, got {size}; nearest: {nearest}")
    return size


def _access(job: Job) -> list[tuple[str, str]]:
    """Return the settings of ``access`` and, for a Zipf distribution, ``theta``."""
    access, _ = _direction(job)
    kind, _, theta = job.text("random_distribution", "random").partition(":")
    if kind not in ("random", "zipf"):
        near = nearest_name(kind, ["random", "zipf"])
        hint = f"did you mean '{near}'?" if near else "supported: random, zipf:THETA"
        raise job.fail("random_distribution", f"'{kind}' is not supported; {hint}")
    if access == "sequential" or kind == "random":
        return [("access", access)]
    return [("access", "zipf"), ("theta", theta or ZIPF_THETA)]


def _depth(job: Job) -> int:
    depth = job.count("iodepth", 1)
    return 1 if job.text("ioengine", "psync") in SYNCHRONOUS else depth


def _requests(job: Job, sizes: Sizes, reads: float) -> int:
    """Return the number of requests of a clone, including its flushes."""
    moved = job.bytes("io_size") or job.bytes("size")
    if not moved and "number_ios" not in job.keys:
        raise job.fail("size", "is required: the bytes that the job moves")
    count = sizes.requests(moved) * job.count("loops", 1) if moved else job.count("number_ios", 1)
    count = min(count, job.count("number_ios", max(count, 1)))
    if not count:
        raise job.fail("size", f"must be at least a request, {sizes.text}")
    every = job.count("fsync", 0, 0)
    return count + (int(count * (1 - reads)) // every if every else 0)


def _agents(job: Job, start: int) -> list[list[Setting]]:
    """Return one agent per clone if each keeps its own place in a shared file; otherwise one."""
    clones, own = job.count("numjobs", 1, 1, MOST_CLONES), not job.text("filename")
    sizes, (access, reads) = _sizes(job), _direction(job)
    step = job.bytes("offset_increment")
    apart = not own and clones > 1 and (access == "sequential" or step > 0)
    threads = 1 if apart else clones
    footprint = clones * _region(job) if own else job.bytes("size")
    keys = [
        *(("kind", "io_pattern"), ("size", sizes.text), ("read_share", f"{reads:g}")),
        *_access(job),
        *(("threads", str(threads)), ("depth", str(_depth(job)))),
        ("regions", "per_thread" if own and footprint else "shared"),
        ("flush_every", str(job.count("fsync", 0, 0))),
        ("requests", str(threads * _requests(job, sizes, reads))),
        ("footprint", f"{footprint // SECTOR * SECTOR}B"),
    ]
    places = {"footprint": f"{job.keys['size'].where}: size"} if "size" in job.keys else {}
    shift = 0 if own else job.bytes("offset")
    offsets = [start + shift + number * step for number in range(clones if apart else 1)]
    return [
        [
            Setting(key, text, places.get(key, job.where))
            for key, text in [*keys, ("offset", f"{offset}B")]
        ]
        for offset in offsets
    ]


def _notes(job: Job) -> Iterator[str]:
    for key, note in NOTED.items():
        if key in job.keys:
            yield f"{key} of fio is ignored: {note}"
    if job.count("iodepth", 1) != _depth(job):
        engine = job.text("ioengine", "psync")
        yield f"iodepth of [{job.name}] has no effect, as in fio, because ioengine {engine} waits"
