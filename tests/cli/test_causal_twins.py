# SPDX-License-Identifier: BSD-3-Clause
"""Are twins with causes like their profiles, and do they run as jobs?"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from causal import job, some_profile
from hmsim import InputError, load_config, run
from hmsim.clones.causal import causal_words
from hmsim.clones.causes import Role
from hmsim.clones.files import resolve, synthesise
from hmsim.clones.profile import Profile
from hmsim.clones.profile_file import dump, load
from hmsim.clones.profile_meter import measure
from hmsim.traces.file import TraceFile
from hypothesis import given
from hypothesis import strategies as st
from support import REPO, parsed, write

CAPTURES = REPO / "workloads" / "captures"
NVDIMM = 1 << 39


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Profile, Path]:
    """Return the profile of a capture, through a file, and the file."""
    path = tmp_path_factory.mktemp("profile") / "dfsioe_r.yaml"
    write(path, dump(measure(CAPTURES / "dfsioe_r.hmsim.zst")))
    return load(path), path


def requests_of(profile: Profile, kind: str) -> int:
    assert profile.causes is not None
    roles = profile.causes.roles.values()
    return sum(sum(role.requests[kind].phases) for role in roles if kind in role.requests)


@given(st.integers(0, 10**6), st.sampled_from((60_000, 200_000, 500_000)), st.integers(1, 5))
def test_any_twin_is_a_trace_and_ends_as_a_job(
    tmp_path_factory: pytest.TempPathFactory, seed: int, instructions: int, number: int
) -> None:
    folder = tmp_path_factory.mktemp("twin")
    profile = load(write(folder / "p.yaml", dump(some_profile(seed))))
    path = folder / "t.hmsim.zst"
    synthesise(profile, path, instructions, seed=number, force=True)
    trace = TraceFile(path)
    assert trace.header.causes
    assert trace.header.instructions >= instructions
    assert sum(len(piece) for piece in trace.records()) == 8 * trace.header.records
    for machine in ("dma", "table3"):
        stats = run(load_config("quick", {"frontend.node.machine": machine}), job(path)).stats
        assert stats["agent.0.finished"] == 1


def test_a_seed_makes_one_twin() -> None:
    profile = some_profile(3)
    content = [b"".join(causal_words(profile, 400_000, 1.0, seed)) for seed in (1, 1, 2)]
    assert content[0] == content[1]
    assert content[0] != content[2]


def figures(profile: Profile) -> dict[str, float]:
    return {name: value for name, value in profile.figures().items() if "nvdimm" in name}


def test_a_twin_has_the_roles_of_its_capture(shipped: tuple[Profile, Path], tmp_path: Path) -> None:
    profile, _ = shipped
    path = tmp_path / "t.hmsim.zst"
    synthesise(profile, path, profile.instructions)
    found = measure(path)
    assert profile.causes is not None
    assert found.causes is not None
    assert figures(found) == pytest.approx(figures(profile), rel=0.02)
    for kind in ("read", "read_ahead"):
        assert requests_of(found, kind) == requests_of(profile, kind)
    assert sorted(found.causes.roles) == sorted(profile.causes.roles)
    for name, role in profile.causes.roles.items():
        other = found.causes.roles[name]
        assert other.threads == role.threads
        if sum(role.work) > profile.instructions / 100:
            assert sum(other.work) == pytest.approx(sum(role.work), rel=0.15), name
            assert other.rpki == pytest.approx(role.rpki, rel=0.4), name
        if sum(role.work) > profile.instructions / 10:  # smaller roles may come later
            late = max(map(abs, (a - b for a, b in zip(*map(sums, (role, other))))))
            assert late <= 100, name
    reader, twin = (
        each.roles["LocalJobRunner"].requests for each in (profile.causes, found.causes)
    )
    assert twin["read_ahead"].cases == pytest.approx(reader["read_ahead"].cases, rel=0.05)
    # A row that reads pages again may share them with another thread, which uses them first.
    assert twin["read_ahead"].used == pytest.approx(reader["read_ahead"].used, abs=0.15)
    for key in ("first", "line", "page", "last", "lines"):
        assert getattr(found.causes.read, key) == pytest.approx(
            getattr(profile.causes.read, key), abs=1
        )
    assert found.causes.read.rpki == pytest.approx(profile.causes.read.rpki, rel=0.1)


def sums(role: Role) -> list[int]:
    return [*accumulate(role.phases)]


@pytest.mark.parametrize("intensity", [0.5, 2.0])
def test_intensity_scales_requests(shipped: tuple[Profile, Path], intensity: float) -> None:
    profile, _ = shipped
    words = b"".join(causal_words(profile, 50_000_000, intensity))
    values = np.frombuffer(words, dtype="<u8")
    low = values & np.uint64((1 << 40) - 1)
    lines = int(((values >> np.uint64(40) & np.uint64(3) != 3) & (low >= NVDIMM)).sum())
    wanted = intensity * profile.streams["nvdimm_fills"].accesses * 50 / 400
    assert lines == pytest.approx(wanted, rel=0.01)


def test_long_twins_go_through_the_profile_again(shipped: tuple[Profile, Path]) -> None:
    profile = replace(some_profile(8), instructions=200_000)
    assert profile.causes is not None
    once, thrice = (len(b"".join(causal_words(profile, n * 200_000))) for n in (1, 3))
    assert 2.5 * once < thrice < 3.5 * once


def test_a_job_over_a_profile_waits(shipped: tuple[Profile, Path]) -> None:
    _, path = shipped
    keys = {"kind": "job", "format": "hmsim", "instructions": "5000000"}
    assert TraceFile(resolve(path, keys)).header.causes
    assert not TraceFile(resolve(Path(f"{path}:plain"), keys)).header.causes
    assert not TraceFile(resolve(path, {**keys, "kind": "llc_trace"})).header.causes
    machine = {"frontend.node.machine": "dma", "nvdimm.nand.read_time": "1ms"}
    stats = run(
        load_config("quick", machine), job(path, instructions=5_000_000, skip_idle=True)
    ).stats
    assert stats["nvdimm.reads"] > 1000
    assert stats["agent.0.time.read_ahead"] + stats["agent.0.time.reading"] > 5e8
    assert stats["agent.0.thread.1.running"] > 0, "there are several"


def test_the_commands(shipped: tuple[Profile, Path], tmp_path: Path) -> None:
    _, path = shipped
    out = tmp_path / "t.hmsim.zst"
    given = ("--like", path, "--instructions", 2_000_000)
    made = parsed("trace", "synth", *given, "--out", out)
    info = parsed("trace", "info", out)
    assert info["reads"] + info["writes"] == made["records"]
    assert info["causes"]["bios"] > 0
    again = tmp_path / "again.yaml"
    parsed("trace", "profile", out, "--out", again)
    assert "  roles:\n" in again.read_text(encoding="utf-8")
    plain = tmp_path / "plain.hmsim.zst"
    parsed("trace", "synth", *given, "--out", plain, "--plain")
    assert not TraceFile(plain).header.causes
    assert parsed("trace", "synth", *given, "--out", tmp_path / "b", "--blocks")["records"] > 0


def test_damaged_causes_only_raise_input_errors(tmp_path: Path) -> None:
    numbers = random.Random(7)
    text = dump(some_profile(5)).encode()
    start = text.index(b"causes:")
    path = tmp_path / "p.yaml"
    good = 0
    for _ in range(150):
        content = bytearray(text)
        for _ in range(numbers.randrange(1, 3)):
            at = numbers.randrange(start, len(content))
            content[at] = numbers.choice(b'0123456789.,:-{}[] \n"eE')
        write(path, bytes(content))
        try:
            profile = load(path)
        except InputError:
            continue
        good += 1
        for piece in causal_words(profile, 20_000):
            assert len(piece) % 8 == 0
    assert good > 10
