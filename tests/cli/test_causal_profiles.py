# SPDX-License-Identifier: BSD-3-Clause
"""Do profiles say what threads wait for, and do twins with causes run as jobs?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hmsim import InputError
from hmsim.clones.cause_meter import CauseMeter
from hmsim.clones.causes import OTHERS, SLEEP, Causes, Copy, Request, Step
from hmsim.clones.profile import PHASES, Profile
from hmsim.clones.profile_file import dump, load
from hmsim.clones.profile_meter import measure, streams_of
from hmsim.clones.role_meter import causes_of
from hmsim.traces import escapes
from support import REPO, invoke, write

CAPTURES = REPO / "workloads" / "captures"
FILL, NT_WRITE = 0, 2
NVDIMM = 1 << 39
WAITS, ENDED = 1 << 16, 2 << 16
READ_AHEAD, WRITE = 1 << 19, 1 << 16
Record = tuple[int, int, int]  # kind, what bits 0-39 hold, what bits 45-63 do


def line(gap: int, number: int, kind: int = FILL) -> Record:
    return (kind, number, gap)


def cause(code: int, content: int = 0) -> Record:
    return (3, content, code)


def pause(instructions: int) -> Record:
    return (3, instructions, 0)


def thread(number: int, name: str, kernel: bool = False) -> list[Record]:
    padded = name.encode().ljust(15, b"\0")
    letters = [int.from_bytes(padded[at : at + 3], "little") << 16 for at in range(0, 15, 3)]
    return [
        cause(escapes.THREAD, number | int(kernel) << 16),
        *(cause(escapes.NAME, number | part) for part in letters),
    ]


def copied(pages: list[int], first: int, gap: int, page: int, kind: int) -> list[Record]:
    """Return the lines of a request."""
    found = []
    for index, number in enumerate(pages):
        for at in range(64):
            before = gap if at else page if index else first
            found.append(line(before, NVDIMM + 64 * number + at, kind))
    return found


def two_threads() -> list[Record]:
    """Return what `test_causes_by_hand` knows all figures of."""
    return [
        *thread(1, "main-1"),
        *thread(2, "worker-7"),
        *thread(3, "idle"),
        cause(escapes.RUN, 1),
        pause(1000),
        line(10, 5),
        cause(escapes.WAKE, 2),
        pause(90),
        cause(escapes.RUN, 2),
        pause(500),
        cause(escapes.BIO, 2 | READ_AHEAD),
        *copied([100, 101], first=20, gap=8, page=70, kind=FILL),
        pause(30),
        cause(escapes.BIO_END),
        pause(100),
        cause(escapes.USE, 100),
        pause(50),
        cause(escapes.USE, 101),
        pause(200),
        cause(escapes.RUN, 1 | WAITS),
        pause(300),
        cause(escapes.WAKE, 2),
        cause(escapes.RUN, 2 | WAITS),
        pause(400),
        cause(escapes.ALARM, 1 | 40 << 16),
        pause(100),
        cause(escapes.BIO, 1 | WRITE),
        *copied([101], first=30, gap=24, page=0, kind=NT_WRITE),
        cause(escapes.FENCE),
        pause(10),
        cause(escapes.BIO_END),
        cause(escapes.RUN, 1 | ENDED),
        pause(499),
        line(1, NVDIMM + 640_000),
    ]


def measured(records: list[Record], piece: int = 1 << 20) -> Causes:
    words = [high << 45 | kind << 40 | low for kind, low, high in records]
    meter = CauseMeter()
    parts = np.array(words, dtype=np.uint64)
    columns = [meter.take(parts[at : at + piece]) for at in range(0, len(parts), piece)]
    meter.finish()
    return causes_of(meter, streams_of(columns)[0])


def test_causes_by_hand() -> None:
    causes = measured(two_threads())
    assert causes.turn == 1100
    assert causes.read == Copy(lines=64, first=20, line=8, page=70, last=30)
    assert causes.write == Copy(lines=64, first=30, line=24, last=10)
    assert (causes.non_temporal, causes.fences) == (1, 1)
    assert {name: stream.accesses for name, stream in causes.outside.items()} == {"nvdimm_fills": 1}
    assert sorted(causes.roles) == ["main", "worker"], "who never ran has no role"
    main, worker = causes.roles["main"], causes.roles["worker"]
    assert (main.threads, main.work, main.ended) == (1, [1900], 0)
    assert main.rpki == pytest.approx(1000 / 1900)
    assert main.begin == main.requests == {}
    # The work behind a thread's last step counts as before its first.
    assert main.steps == {SLEEP: Step(1, {1024: [1, 1900]}, {16: [1, 40]})}
    assert (worker.threads, worker.work, worker.ended) == (1, [1350], 1)
    assert worker.begin == {"main": Step(1, {}, {256: [1, 1010]})}
    assert worker.steps == {"main": Step(1, {1024: [1, 1350]}, {256: [1, 300]})}
    now = 1100 + 850 + 20 + 126 * 8 + 70 + 30 + 300 + 500 + 30 + 63 * 24 + 10 + 500
    read, written = [0] * PHASES, [0] * PHASES
    read[1600 * PHASES // now] = 2
    written[(now - 500 - 30 - 63 * 24 - 10) * PHASES // now] = 1
    assert worker.requests == {
        "read_ahead": Request(
            cases=1,
            phases=read,
            sizes={2: [1, 2]},
            after={256: [1, 500]},
            rows={2: [1, 2]},
            used=1,
            depth={0: [1, 0]},
            uses={16: [0.5, 50], 64: [0.5, 100]},
        ),
        "write": Request(
            cases=1,
            phases=written,
            sizes={1: [1, 1]},
            after={256: [1, 700]},
            rows={1: [1, 1]},
            again=1,
        ),
    }
    for role in (main, worker):
        assert sum(role.phases) == 1000


def test_pieces_do_not_matter() -> None:
    whole = measured(two_threads())
    for piece in (1, 7, 50):
        assert measured(two_threads(), piece) == whole


def test_a_request_whose_thread_lost_its_vcpu_is_one() -> None:
    records = two_threads()
    at = records.index(cause(escapes.BIO, 2 | READ_AHEAD)) + 70
    away = [cause(escapes.RUN, 1), pause(7), cause(escapes.RUN, 2)]
    causes = measured(records[:at] + away + records[at:])
    assert causes.roles["worker"].requests == measured(records).roles["worker"].requests
    assert [*causes.outside] == ["nvdimm_fills"]
    assert causes.outside["nvdimm_fills"].accesses == 1
    assert causes.roles["main"].work == [1907]


def test_threads_of_a_name_are_a_role() -> None:
    records = [*thread(1, "main")]
    records += [*thread(2, "pool-1-thread-2"), *thread(3, "pool-1-thread-3")]
    records += [*thread(4, "kworker/0:1", kernel=True), *thread(5, "tiny"), cause(escapes.RUN, 1)]
    for number, work in ((2, 5000), (3, 7000), (4, 9000), (5, 10), (2, 5000)):
        records += [cause(escapes.RUN, number), pause(work)]
    roles = measured(records).roles
    assert {name: (role.threads, role.work) for name, role in roles.items()} == {
        "pool-1-thread": (2, [7000, 10_000]),
        "[kworker]": (1, [9000]),
        OTHERS: (2, [0, 10]),
    }


def test_who_follows_one_that_ended_is_the_same_thread() -> None:
    records = [*thread(1, "main"), *thread(2, "child"), cause(escapes.RUN, 1), pause(100)]
    for _ in range(3):
        records += [cause(escapes.WAKE, 2), pause(100), cause(escapes.RUN, 2), pause(50)]
        records += [cause(escapes.RUN, 1 | ENDED), pause(300), *thread(2, "child")]
    child = measured(records).roles["child"]
    assert (child.threads, child.work, child.ended) == (1, [150], 1)
    assert child.begin == {"main": Step(1, {}, {64: [1, 100]})}
    assert child.steps == {"main": Step(2, {16: [0.5, 50], 64: [0.5, 100]}, {256: [1, 300]})}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Profile, Path]:
    """Return the profile of a capture, through a file, and the file."""
    path = tmp_path_factory.mktemp("profile") / "dfsioe_r.yaml"
    write(path, dump(measure(CAPTURES / "dfsioe_r.hmsim.zst")))
    return load(path), path


FAULTS = {
    "  turn: 0": "outside 1",
    "  tern: 5": "did you mean 'turn'",
    "  fences: 2": "outside 0 .. 1",
    "  read: {lines: 65}": "outside 0 .. 64",
    "  read: 5": "where 'name: value' is expected",
    "      threads: 0": "outside 1 .. 256",
    "      threads: 300": "outside 1 .. 256",
    "      work: [1, 2, 3]": "expected a list of 5 numbers",
    "      phases: [1]": "a list of 32 numbers",
    "      ended: 1.5": "outside 0 .. 1",
    "      steps: {nobody: {cases: 1}}": "known: LocalJobRunner",
    "      steps: {others: {cases: 1}}": "after is missing",
    "      begin: {others: {cases: 0, length: {0: [1, 0]}}}": "outside 1",
    "      begin: {others: {cases: 1, length: {3: [1, 3]}}}": "no bin begins at '3'",
    "      begin: {others: {cases: 1, length: {}}}": "has no bins",
    "      requests: {reed: {}}": "did you mean 'read'",
    "      requests: {read: {cases: 1}}": "phases is missing",
    "  roles: {}": "0 roles, not 1 .. 64",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faulty_causes_are_refused(
    shipped: tuple[Profile, Path], tmp_path: Path, text: str
) -> None:
    lines = dump(shipped[0]).splitlines()
    start = lines.index("causes:")
    key, indent = text.split(":")[0], len(text) - len(text.lstrip())
    places = [at for at in range(start, len(lines)) if lines[at].split(":")[0] == key]
    at = places[0] if places else start + 1
    end = at + len(places[:1])
    while places and end < len(lines) and lines[end].startswith(" " * (indent + 1)):
        end += 1
    lines[at:end] = [text]
    path = write(tmp_path / "p.yaml", "\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"p\.yaml:\d+: ") as error:
        load(path)
    assert FAULTS[text] in str(error.value)


def test_an_older_profile_is_refused(shipped: tuple[Profile, Path], tmp_path: Path) -> None:
    text = dump(shipped[0]).replace("hmsim_profile: 4", "hmsim_profile: 3", 1)
    path = write(tmp_path / "p.yaml", text)
    result = invoke("trace", "synth", "--like", path, "--out", tmp_path / "t")
    assert result.exit_code == 2
    assert "only version 4 is known" in result.stderr
