# SPDX-License-Identifier: BSD-3-Clause
"""Random jobs of fio, and an oracle of the places that they visit.

``python tests/cli/fio_places.py [JOBS [SEED]]`` compares the places of hmsim with those of fio
itself (Debian's package fio), which transfers nothing: its engine is null.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import hmsim

Request = tuple[int, int, bool]  # offset within the clone's region, bytes, and whether it writes
KIB = 1024
DIRECTIONS = ("read", "write", "rw", "randread", "randwrite", "randrw")


@dataclass(frozen=True)
class Places:
    """A job: what decides which places it visits.

    Attributes:
        sizes: key and value of the size of requests.
        least: the smallest size, and ``most`` the largest.
        size: bytes of the region of a clone.
        io_size: 0 if not set.
        shared: whether all clones share a file.
    """

    rw: str
    sizes: tuple[str, str]
    least: int
    most: int
    size: int
    io_size: int
    loops: int
    clones: int
    map: bool
    shared: bool

    @property
    def random(self) -> bool:
        return self.rw.startswith("rand")

    @property
    def text(self) -> str:
        """The job file, without engine."""
        keys = {
            **{"rw": self.rw, self.sizes[0]: self.sizes[1], "size": self.size},
            **({"io_size": self.io_size} if self.io_size else {}),
            **({"loops": self.loops} if self.loops > 1 else {}),
            **({"numjobs": self.clones} if self.clones > 1 else {}),
            **({} if self.map else {"norandommap": 1}),
            **({"filename": "places"} if self.shared else {}),
        }
        return "[job]\n" + "".join(f"{key}={value}\n" for key, value in keys.items())


def draw(seed: int) -> Places:
    """Return the job of a seed."""
    dice = random.Random(seed)
    least = dice.choice((512, 2 * KIB, 4 * KIB, 4 * KIB, 8 * KIB))
    most = least * dice.choice((2, 3, 4, 8))
    middle = least * 2
    sizes, most = dice.choice(
        (
            (("bs", str(least)), least),
            (("bs", str(least)), least),
            (("bsrange", f"{least}-{most}"), most),
            (("bssplit", f"{least}/50:{middle}/30:{most}/20"), max(middle, most)),
        )
    )
    blocks = dice.randrange(12, 160)
    size = blocks * least
    one_size = sizes[0] == "bs"
    rw = dice.choice(DIRECTIONS)
    norandommap = dice.random() < 0.25
    if one_size and not (rw.startswith("rand") and norandommap) and dice.random() < 0.2:
        size += least // 2
    io_size = dice.choice((0, 0, 0, size // 3, size * 2, size + size // 2, size * 3 + least // 2))
    loops = dice.choice((1, 1, 2, 3))
    clones, shared = dice.choice((1, 1, 1, 2, 3)), dice.random() < 0.3
    return Places(rw, sizes, least, most, size, io_size, loops, clones, not norandommap, shared)


def passes(job: Places, requests: Sequence[Request]) -> list[list[Request]]:
    """Return the passes of a clone. Raises AssertionError if fio would not have issued these.

    This follows the rules of fio 3.33 for each request: a job runs `loops` times, and again while
    more than a request of io_size is left; a run ends after `size` bytes, or when no request fits.
    """
    wanted = job.io_size or job.size
    once = job.size
    if job.rw in ("randwrite", "randrw") and not job.map:
        once = max(once, job.io_size)
    blocks = job.size // job.least
    left = iter(requests)
    done: list[list[Request]] = []
    total, loops = 0, job.loops
    while loops or (total < wanted and wanted - total >= job.most and job.io_size):
        loops -= 1 if loops else 0
        visited: set[int] = set()
        moved, ends = 0, [0, 0]  # of the last read and write
        done.append([])
        while total < wanted * job.loops and moved < once:
            if not job.random and max(ends) + job.least > job.size:
                break
            if job.random and job.map and len(visited) == blocks:
                break
            place, size, write = next(left, (-1, 0, False))
            assert job.least <= size <= job.most, f"{place}: a request of {size} bytes"
            assert place >= 0 and place + size <= job.size, f"{place}: outside the region"
            if job.random:
                assert place % job.least == 0, f"{place}: not aligned"
                new = set(range(place // job.least, (place + size - 1) // job.least + 1))
                assert not (job.map and new & visited), f"{place}: visited twice"
                visited |= new
            else:
                assert place == ends[write], f"{place}: expected {ends[write]}"
                ends[write] += size
            moved += size
            total += size
            done[-1].append((place, size, write))
    assert next(left, None) is None, "more requests than the job has"
    return [each for each in done if each]


def places_of(job: Places, each: Sequence[Request]) -> Counter[int]:
    """Return how often requests visit each block of the smallest size."""
    visits: Counter[int] = Counter()
    for place, size, _ in each:
        visits.update(range(place // job.least, (place + size - 1) // job.least + 1))
    return visits


def simulated(job: Places, path: Path) -> list[list[Request]]:
    """Return the requests that hmsim issues, of each region."""
    path.write_text(job.text, encoding="utf-8")
    log = hmsim.run("storage/moneta", path, request_log=True).io_requests
    assert log is not None
    log = log.sort_values(["agent", "submitted_ps"], kind="stable")
    own = job.size // job.least * job.least
    regions: dict[tuple[int, int], list[Request]] = {}
    for agent, place, size, kind in zip(log["agent"], log["offset"], log["bytes"], log["kind"]):
        region, within = (0, int(place)) if job.shared else divmod(int(place), own)
        key = (int(agent) if job.shared else 0, region)
        regions.setdefault(key, []).append((within, int(size), kind == "write"))
    return list(regions.values())


def logged(job: Places, folder: Path) -> list[list[Request]]:
    """Return the requests that fio issues, of each clone."""
    text = job.text + "ioengine=null\niodepth=2\nlog_offset=1\nwrite_lat_log=places\n"
    (folder / "job.fio").write_text(text, encoding="utf-8")
    subprocess.run(["fio", "job.fio"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    clones = []
    for clone in range(1, job.clones + 1):
        lines = (folder / f"places_lat.{clone}.log").read_text(encoding="utf-8").splitlines()
        fields = [[int(part, 0) for part in line.split(",")] for line in lines]
        clones.append([(each[4], each[3], each[2] == 1) for each in fields])
    return clones


def differences(job: Places, folder: Path) -> Iterator[str]:
    """Yield how the places of hmsim differ from those of fio."""
    fio, ours = logged(job, folder), simulated(job, folder / "job.fio")
    theirs = [passes(job, clone) for clone in fio]
    if len(ours) == job.clones:
        for clone, (a, b) in enumerate(zip(theirs, (passes(job, each) for each in ours))):
            if len(a) != len(b):
                yield f"clone {clone}: fio has {len(a)} passes, hmsim {len(b)}"
            for number, (x, y) in enumerate(zip(a, b)):
                visits = [places_of(job, each) for each in (x, y)]
                full = all(sum(part.values()) == job.size // job.least for part in visits)
                definite = full or (not job.random and job.sizes[0] == "bs")
                if (
                    (job.map or not job.random)
                    and job.rw != "rw"
                    and definite
                    and set(visits[0]) != set(visits[1])
                ):
                    yield f"clone {clone}, pass {number}: other places"
                if job.sizes[0] == "bs" and len(x) != len(y):
                    yield f"clone {clone}, pass {number}: fio has {len(x)} requests, not {len(y)}"
                counts = [sum(part.values()) for part in visits]
                if job.map and (job.sizes[0] == "bs" or full) and counts[0] != counts[1]:
                    yield f"clone {clone}, pass {number}: another number of blocks"
    elif job.map or not job.random:
        a, b = (
            places_of(job, [request for each in clones for request in each])
            for clones in (fio, ours)
        )
        if job.sizes[0] == "bs" and sum(a.values()) != sum(b.values()):
            yield f"fio visits {sum(a.values())} blocks, hmsim {sum(b.values())}"
        if not job.io_size and job.rw != "rw" and a != b:
            yield "other places"


def main() -> None:
    count, seed = map(int, (sys.argv[1:] + ["200", "1"][len(sys.argv) - 1 :]))
    wrong = 0
    for number in range(count):
        job = draw(seed * 1_000_000 + number)
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = list(differences(job, Path(folder)))
            except AssertionError as error:
                found = [f"the oracle differs: {error}"]
        wrong += bool(found)
        for line in found:
            print(f"{number}: {line}: {job}", file=sys.stderr)
    print(f"{count - wrong} of {count} jobs visit the places that fio visits")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
