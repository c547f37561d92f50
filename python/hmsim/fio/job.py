# SPDX-License-Identifier: BSD-3-Clause
"""fio's job files as workloads: their requests to a device become agents of kind io_pattern.

The manual of fio 3.33 defines the keys. Keys that affect how fio runs, but not its requests, are
ignored, some with a note. Keys that would change the requests in unsupported ways are errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hmsim._core import InputError
from hmsim.config.settings import Setting, joined
from hmsim.fio.file import in_order, is_job_file, read_jobs
from hmsim.fio.keys import NOTED, SYNCHRONOUS
from hmsim.fio.requests import (
    MOST_BLOCKS,
    SECTOR,
    Sizes,
    access_keys,
    alignment,
    amount,
    direction,
    directive,
    handle_keys,
    map_blocks,
    pace_keys,
    random_map,
    rate_of,
    region,
    request_limit,
    sizes_of,
    trims_of,
)
from hmsim.fio.values import Job, WrongValue

__all__ = ["is_job_file", "load"]

MOST_AGENTS = 256
MOST_CLONES = 1_024  # threads of an agent
PAGE = 4_096  # bytes
LONGEST_QUEUE = 65_536  # arrivals that wait; fio drops none
FORCED = {"none": "false", "0": "false", "sync": "true", "1": "true", "dsync": "true"}  # sync
HANDLES = (
    "placement handles take effect with nvdimm.ftl.placement or storage.flash.ftl.placement: "
    "by_handle"
)
UNCACHED = (
    "direct=0 (fio's default) has no page cache here, unless storage.cache.first adds one: "
    "requests go to the device"
)


def load(path: Path) -> tuple[list[list[Setting]], list[str]]:
    """Return the keys of agents that run a job file, and notes on what they do not model.

    Files are placed consecutively on the device, in the order in which jobs name them.

    Raises:
        InputError: a line for each unsupported key and each wrong value, with file, line, key and
            nearest valid choice.
    """
    jobs, errors = read_jobs(path)
    checked = [_problems(job) for job in jobs]
    errors += (error for wrong, _ in checked for error in wrong)
    errors = errors or [error for _, missing in checked for error in missing]
    if errors:
        raise InputError(joined(in_order(errors)))
    extents: dict[str, int] = {}
    for job in jobs:
        extents[_file(job)] = max(extents.get(_file(job), 0), _extent(job))
    whole = [job for job in jobs if not region(job)]
    if whole and len(extents) > 1:
        raise whole[0].fail("size", "is required in bytes, because jobs have several files")
    offsets: dict[str, int] = {}
    end = 0
    for name, extent in extents.items():
        offsets[name] = end
        end += -(-extent // PAGE) * PAGE
    agents: list[list[Setting]] = []
    stage = 0
    for number, job in enumerate(jobs):
        stage += 1 if number and job.flag("stonewall") else 0
        agents += _agents(job, offsets[_file(job)], stage)
        if len(agents) > MOST_AGENTS:
            raise job.fail("numjobs", f"must be at most {MOST_AGENTS} agents for all jobs together")
    return agents, list(dict.fromkeys(note for job in jobs for note in _notes(job)))


def _problems(job: Job) -> tuple[list[str], list[str]]:
    """Return an error for each wrong value of a job, and for each missing key.

    After an error, a valid value replaces the wrong one, so that the next is found.
    """
    wrong: list[str] = []
    missing: list[str] = []
    replaced: set[str] = set()
    while True:
        try:
            _extent(job)
            job.flag("stonewall")
            _agents(job, 0, 0)
            list(_notes(job))
            return wrong, missing
        except WrongValue as error:
            if error.key in replaced:
                return wrong, missing
            (wrong if error.key in job.keys else missing).append(str(error))
            replaced.add(error.key)
            job = job.corrected(error.key)


def _file(job: Job) -> str:
    """Return an identifier of a job's file, or of its clones' files, that no other job shares."""
    return job.text("filename") or f"{job.where}: its own"


def _extent(job: Job) -> int:
    """Return the bytes of the device that a job's file or files take; 0 if no size is given."""
    clones = job.count("numjobs", 1, 1, MOST_CLONES)
    if not region(job):
        return 0
    if not job.text("filename"):
        return clones * _own_region(job)
    last = job.bytes("offset") + (clones - 1) * job.bytes("offset_increment")
    return last + region(job)


def _own_region(job: Job) -> int:
    """Return the bytes of a clone's own file: its size rounded down to whole requests."""
    least = sizes_of(job).least
    return region(job) // least * least


def _depth(job: Job) -> int:
    depth = job.count("iodepth", 1)
    return 1 if job.text("ioengine", "psync") in SYNCHRONOUS else depth


def _agents(job: Job, start: int, stage: int) -> list[list[Setting]]:
    """Return one agent per clone if each keeps its own pace or place; otherwise one for all."""
    clones, own = job.count("numjobs", 1, 1, MOST_CLONES), not job.text("filename")
    sizes, (access, reads) = sizes_of(job), direction(job)
    rate = rate_of(job, sizes)
    reads = rate.reads if rate else reads
    step = job.bytes("offset_increment")
    own_places = not own and (access == "sequential" or step > 0)
    apart = clones > 1 and (own_places or rate is not None)
    threads = 1 if apart else clones
    footprint = (threads if own else 1) * region(job)
    keys = [
        *(("kind", "io_pattern"), ("size", sizes.text), ("read_share", f"{reads:g}")),
        *access_keys(job),
        *([("separate_writes", "true")] if access == "sequential" and 0 < reads < 1 else []),
        *filter(None, [trims_of(job)]),
        *(("threads", str(threads)), ("depth", str(_depth(job)))),
        ("regions", "per_thread" if own and footprint else "shared"),
        ("flush_every", str(job.count("fsync", 0, 0))),
        ("fua", FORCED[job.choice("sync", "none", [*FORCED])]),
        ("requests", str(threads * request_limit(job, reads))),
        ("footprint", f"{footprint // SECTOR * SECTOR}B"),
        ("stage", str(stage)),
        *_limits(job, sizes, clones),
        *pace_keys(job, rate),
    ]
    if rate:
        keys.append(("queue", str(LONGEST_QUEUE)))
    file, size = start, _own_region(job) if own else 0
    step = size if own else step
    start += 0 if own else job.bytes("offset")
    agents = []
    for number in range(clones if apart else 1):
        files = [file + (number + each) * size for each in range(threads if own else 1)]
        place = ("offset", f"{start + number * step}B")
        agents.append(_settings(job, [*keys, *handle_keys(job, files), place]))
    return agents


def _limits(job: Job, sizes: Sizes, clones: int) -> Iterator[tuple[str, str]]:
    """Yield the settings of places, the random map, the passes and the end."""
    limits = amount(job, sizes)
    if (align := alignment(job, sizes)) != sizes.least:
        yield "align", f"{align}B"
    if (order := random_map(job, sizes, clones)) != "none":
        yield "random_map", order
    if limits.part:
        yield "pass", f"{limits.part}B"
    if limits.passes:
        yield "passes", str(limits.passes)
    if limits.bytes:
        yield "bytes", f"{limits.bytes}B"
    if job.runtime:
        yield "duration", f"{job.runtime}ps"
    if "steadystate" in job.keys:
        yield "until", "steady"


def _settings(job: Job, keys: list[tuple[str, str]]) -> list[Setting]:
    """Return keys of an agent, each at the line of the fio key that an error would blame."""
    blamed = {
        "footprint": "filesize" if "filesize" in job.keys else "size",
        "arrival_rate": "rate_iops" if "rate_iops" in job.keys else "rate",
        "think_time": "thinktime",
        "think_every": "thinktime_blocks",
        "start": "startdelay",
        "duration": "runtime",
        "bytes": "io_size",
        "passes": "loops",
        "align": "blockalign",
        "handle": "dp_scheme" if job.text("plid_select") == "scheme" else "plids",
        "random_map": "bssplit" if "bssplit" in job.keys else "bsrange",
    }
    places = {
        name: f"{job.keys[key].where}: {key}" for name, key in blamed.items() if key in job.keys
    }
    return [Setting(name, text, places.get(name, job.where)) for name, text in keys]


def _notes(job: Job) -> Iterator[str]:
    for key, note in NOTED.items():
        if key in job.keys and job.text(key) not in ("0", "0s"):
            yield f"{key} of fio is {'changed' if key == 'steadystate' else 'ignored'}: {note}"
    if "ioengine" in job.keys:
        yield "ioengine of fio is ignored: hmsim uses its driver instead"
    if not job.flag("direct") and job.text("buffered", "1") != "0":
        yield UNCACHED
    if job.count("iodepth", 1) != _depth(job):
        engine = job.text("ioengine", "psync")
        yield f"iodepth of [{job.name}] has no effect, as in fio, because ioengine {engine} waits"
    if map_blocks(job, sizes_of(job), job.count("numjobs", 1)) > MOST_BLOCKS:
        yield f"[{job.name}] runs without its random map, which is too large (softrandommap)"
    if job.flag("time_based") and not job.repeats:
        yield f"time_based of [{job.name}] has no effect, as in fio, because runtime is not set"
    if directive(job) != "none":
        yield HANDLES
    rate = rate_of(job, sizes_of(job))
    if rate and abs(rate.reads - direction(job)[1]) > 0.005:
        yield (
            f"the rates of [{job.name}] set its share of reads, {rate.reads:.0%}, as in fio; "
            "rwmixread has no effect"
        )
