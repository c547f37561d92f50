# SPDX-License-Identifier: BSD-3-Clause
"""Do profiles say what is in a trace, and are twins like it?"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hmsim import InputError, load_config, load_workload
from hmsim.clones.clone import twin, words
from hmsim.clones.files import materialised
from hmsim.clones.profile import MOST_PACES, PHASES, Bins, Groups, Profile, Stream
from hmsim.clones.profile_file import dump, load
from hmsim.clones.profile_meter import measure, measure_columns, paces_of
from hmsim.clones.synthesis import block_lines
from hmsim.common.paths import shipped
from hmsim.traces.columns import Columns, of_words
from messages import naming
from support import REPO, fail, parsed, succeed, write

DEMO = REPO / "workloads" / "demo" / "network_simplex.hmsim.zst"
FILL, WRITE_BACK, NT_WRITE = 0, 1, 2
NVDIMM = 1 << 39


def pack(records: list[tuple[int, int, int]]) -> bytes:
    """Return records of (gap, kind, line)."""
    return b"".join(struct.pack("<Q", gap << 45 | kind << 40 | line) for gap, kind, line in records)


def of_all_paces(stream: Stream, groups: Groups) -> Bins:
    """Return the mean of `inside` or `between` over paces, weighted by their accesses."""
    weights = dict.fromkeys(groups, 0)
    for accesses, pace in zip(stream.phases, stream.paces):
        if pace in groups:
            weights[pace] += accesses
    result: Bins = {}
    for pace, bins in groups.items():
        weight = weights[pace] / max(1, sum(weights.values()))
        for low, row in bins.items():
            old = result.get(low, [0.0] * len(row))
            result[low] = [a + weight * b for a, b in zip(old, row)]
    return result


def distance(one: Bins, other: Bins) -> float:
    """Return the largest difference of two cumulative distributions (Kolmogorov, Smirnov)."""
    sums = [0.0]
    for key in sorted({*one, *other}):
        sums.append(sums[-1] + one.get(key, [0.0])[0] - other.get(key, [0.0])[0])
    return max(map(abs, sums))


def profile_of(records: list[tuple[int, int, int]], piece: int = 1 << 20) -> Profile:
    content = pack(records)
    pieces = (content[at : at + 8 * piece] for at in range(0, len(content), 8 * piece))
    return measure_columns("test", of_words(pieces, True))


def test_a_profile_has_the_counts_of_its_trace() -> None:
    page = 64
    writes = profile_of(
        [
            *[(5, FILL, line) for line in range(640)],
            *[(0, WRITE_BACK, line) for line in (1, 2, 64)],
            *[(5, FILL, line) for line in range(7)],
            (0, WRITE_BACK, 65),
        ]
    ).streams["dram_write_backs"]
    assert writes.inside == {0: {0: [0.5, 0], 4: [0.5, 7]}}, "in fills, not in instructions"
    assert writes.between == {0: {0: [1, 0]}}
    records = [
        *[(10, FILL, line) for line in range(page + 4)],  # a page, and on into the next one
        (100, FILL, 3 * page + 5),
        (7, FILL, 3 * page + 3),
        (50, FILL, 9),  # back in the first page, three visits later
        (0, WRITE_BACK, 200),
        (30, NT_WRITE, NVDIMM + 63),
        (30, NT_WRITE, NVDIMM + 64),
    ]
    profile = profile_of(records)
    assert profile.instructions == 680 + 100 + 7 + 50 + 60
    assert (profile.dram_pages, profile.nvdimm_pages) == (3, 2)
    assert [*profile.streams] == ["dram_fills", "dram_write_backs", "nvdimm_non_temporal"]
    fills = profile.streams["dram_fills"]
    assert (fills.accesses, fills.visits, fills.pages) == (71, 4, 3)
    third = pytest.approx(1 / 3)
    assert fills.jumped == {
        1: [third, 1, 1, 0, 0],
        2: [third, 2, 0, 0, 0],
        64: [third, 64, 1, 1, 1],
    }
    assert fills.followed == {4: [1, 4, 1, 1, 0]}
    assert fills.kinds == [0.75, 0.25, 0]
    of_four = {(4, 1), *((low, 0) for low in (1, 2, 64))}  # class, kind
    mixes = [*fills.mixes.values()]
    assert {(low, row.index(max(row))) for mix in mixes for low, row in mix.items()} == of_four
    assert [sum(sum(row) for row in mix.values()) for mix in mixes] == [1] * len(mixes)
    assert fills.follow == {0: [0, 0, 1, 0, 0, 0]}
    assert fills.reuse == {0: [0.75, 0], 2: [0.25, 3]}
    assert {low for bins in fills.between.values() for low in bins} == {8, 32, 64}
    assert {low for bins in fills.inside.values() for low in bins} == {4, 8}
    assert fills.skips == {-3: [1, -2]}
    assert fills.edges == {2: {1: [1, 1]}}
    assert fills.pieces == {}
    assert {low: row[0] for low, row in fills.runs.items()} == {1: 3 / 71, 64: 68 / 71}
    assert sum(fills.phases) == 71
    nt = profile.streams["nvdimm_non_temporal"]
    assert (nt.visits, nt.follow) == (2, {0: [1, 0, 0, 0, 0, 0]})
    figures = profile.figures()
    assert figures["rpki"] == pytest.approx(1000 * 71 / 897)
    assert figures["nvdimm_wpki"] == pytest.approx(2000 / 897)
    assert figures["nvdimm_share"] == pytest.approx(2 / 74)
    assert figures["dram_accesses_per_visit"] == pytest.approx(72 / 5)


def test_similar_phases_share_a_pace() -> None:
    assert paces_of([10] * PHASES) == [0] * PHASES
    assert paces_of([10, 40, 0, 11, 0, 45]) == [0, 1, 0, 0, 0, 1]
    many = paces_of([2**number for number in range(PHASES)])
    assert many == sorted(many)
    assert max(many) == MOST_PACES - 1


def test_visits_are_counted_by_pieces() -> None:
    runs = [(0, 9), (30, 1), (29, 2), (40, 8), (20, 12)]
    lines = [line for first, count in runs for line in range(first, first + count)]
    fills = profile_of([(1, FILL, line) for line in lines]).streams["dram_fills"]
    assert fills.edges == {17: {8: [0.5, 9], 12: [0.5, 12]}}
    third = pytest.approx(1 / 3)
    assert fills.pieces == {17: {1: [third, 1], 2: [third, 2], 8: [third, 8]}}


def mixed(count: int, seed: int = 1) -> list[tuple[int, int, int]]:
    """Return a file copied from the NVDIMM in its second half, random DRAM all the while."""
    numbers = random.Random(seed)
    records = []
    lines = 0
    for number in range(count):
        records.append((numbers.randrange(200), FILL, numbers.randrange(1 << 18)))
        if number % 3 == 0:
            records.append((0, WRITE_BACK, numbers.randrange(1 << 17)))
        if number >= count // 2 and number % 40 == 0:
            for _ in range(64):
                records.append((8, FILL, NVDIMM + lines))
                lines += 1
    return records


def test_a_profile_does_not_depend_on_the_pieces_read() -> None:
    records = mixed(3000)
    whole = dump(profile_of(records))
    for piece in (1, 7, 100, 999):
        assert dump(profile_of(records, piece)) == whole


def check_alike(profile: Profile, other: Profile, factor: float = 1.0, reuse: float = 0.05) -> None:
    """Assert that figures agree within 5 %, and distributions within 0.05."""
    rates = {"rpki", "wpki", "nvdimm_rpki", "nvdimm_wpki"}
    for name, figure in profile.figures().items():
        wanted = figure * factor if name in rates else figure
        if "footprint" not in name or factor == 1:
            assert other.figures()[name] == pytest.approx(wanted, rel=0.05), name
    for name, stream in profile.streams.items():
        found = other.streams[name]
        assert found.accesses * profile.instructions == pytest.approx(
            stream.accesses * factor * other.instructions, rel=0.001
        )
        for key in ("jumped", "followed", "swept", "reuse", "runs"):
            if key != "reuse" or factor == 1:
                most = reuse if key == "reuse" else 0.05
                assert distance(getattr(stream, key), getattr(found, key)) <= most, (name, key)
        steps = stream.accesses - stream.visits
        if factor == 1 and min(steps, stream.visits) > 500:
            for key in ("inside", "between"):
                wanted_gaps, gaps = (of_all_paces(s, getattr(s, key)) for s in (stream, found))
                assert distance(wanted_gaps, gaps) <= 0.05, (name, key)
        if factor == 1:
            shares = np.array(stream.phases) / stream.accesses
            found_shares = np.array(found.phases) / found.accesses
            assert np.abs(shares - found_shares).max() <= 0.05


def again(profile: Profile, instructions: int, intensity: float = 1.0, seed: int = 1) -> Profile:
    pieces = words(twin(profile, instructions, intensity, seed))
    return measure_columns("twin", of_words(pieces, profile.nvdimm_pages > 0))


@pytest.fixture(scope="module")
def demo() -> Profile:
    return measure(DEMO)


@pytest.fixture(scope="module")
def copied() -> Profile:
    return profile_of(mixed(60_000))


def test_a_twin_of_a_real_program_matches_it(demo: Profile) -> None:
    check_alike(demo, again(demo, demo.instructions))


def test_a_twin_of_two_memories_matches_its_trace(copied: Profile) -> None:
    # Random pages are the worst case for reuse: at first every page is new, later none is. Hence
    # the larger tolerance.
    check_alike(copied, again(copied, copied.instructions, seed=3), reuse=0.07)


@pytest.mark.parametrize("intensity", [0.5, 2.0])
def test_intensity_scales_rates_and_nothing_else(copied: Profile, intensity: float) -> None:
    check_alike(copied, again(copied, copied.instructions, intensity), intensity)


def test_long_twins_keep_the_rates(copied: Profile) -> None:
    long = again(copied, 5 * copied.instructions)
    assert long.instructions == 5 * copied.instructions
    for name in ("rpki", "wpki", "nvdimm_rpki", "read_ratio", "nvdimm_accesses_per_visit"):
        assert long.figures()[name] == pytest.approx(copied.figures()[name], rel=0.05)
    half = again(copied, copied.instructions // 2)
    assert half.figures()["nvdimm_rpki"] == pytest.approx(copied.figures()["nvdimm_rpki"], rel=0.05)


def test_a_seed_makes_one_twin(copied: Profile) -> None:
    def content(seed: int) -> bytes:
        return b"".join(words(twin(copied, 10**6, 1.0, seed)))

    assert content(1) == content(1)
    assert content(1) != content(2)


def test_profiles_survive_files(tmp_path: Path, demo: Profile, copied: Profile) -> None:
    for profile in (demo, copied):
        profile = replace(profile, description="what: it is, 'really' \\ so")
        text = dump(profile)
        assert len(text) < 30_000
        found = load(write(tmp_path / "profile.yaml", text))
        assert dump(found) == text
        assert found.description == profile.description
        assert sum(found.streams["dram_fills"].phases) == profile.streams["dram_fills"].accesses


def test_profile_and_synth_agree_with_trace_info(tmp_path: Path) -> None:
    out, trace = tmp_path / "p.yaml", tmp_path / "t.hmsim.zst"
    content = parsed("trace", "profile", DEMO, "--out", out)
    assert content["rpki"] == pytest.approx(29.87, abs=0.01)
    made = parsed("trace", "synth", "--like", out, "--out", trace, "--instructions", 500_000)
    assert made["instructions"] == 500_000
    info = parsed("trace", "info", trace)
    assert info["reads"] + info["writes"] == made["records"]
    assert info["read_mpki"] == pytest.approx(29.87, rel=0.01)
    fail("trace", "profile", DEMO, "--out", out)
    named = ("trace", "synth", "--like", "mcf", "--instructions", "100k")
    assert parsed(*named, "--out", tmp_path / "twin.hmsim.zst")
    wrong = fail("trace", "synth", "--like", "mfc", "--out", trace, "--force")
    assert naming("mfc:", "'mcf'?").search(wrong), wrong
    fail("trace", "synth", "--like", out, "--out", trace)
    fail("trace", "synth", "--like", out, "--out", tmp_path / "b", "--blocks")
    assert "Traceback" not in fail("trace", "synth", "--like", DEMO, "--out", tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_visits_of_the_nvdimm_become_block_requests() -> None:
    records = [(1, FILL, NVDIMM + line) for line in range(8, 64)]
    records += [(1, FILL, NVDIMM + 64 + line) for line in range(64)]
    records += [(1, NT_WRITE, NVDIMM + 640), (1, FILL, 5), (1, NT_WRITE, NVDIMM + 648)]
    wanted = "1 0 1 7 1\n57 0 8 8 1\n121 0 80 2 0\n"

    def pieces(size: int) -> Iterator[Columns]:
        content = pack(records)
        return of_words((content[at : at + size] for at in range(0, len(content), size)), True)

    for size in (1 << 20, 8, 80):
        lines = b"".join(block_lines(pieces(size))).decode().splitlines()
        assert sorted(lines) == sorted(wanted.splitlines())


def test_twins_are_made_once(tmp_path: Path, copied: Profile) -> None:
    path = write(tmp_path / "p.yaml", dump(copied))
    first = materialised(path, blocks=False)
    when = first.stat().st_mtime_ns
    assert materialised(path, blocks=False) == first
    assert first.stat().st_mtime_ns == when
    assert materialised(path, blocks=True).name.endswith(".mqsim.zst")
    write(path, dump(copied).replace("hmsim_profile: 4\n", "hmsim_profile: 4\ndescription: x\n"))
    assert materialised(path, blocks=False) != first


@pytest.mark.parametrize("blocks", [False, True])
def test_a_damaged_twin_of_the_cache_is_recomputed(
    tmp_path: Path, copied: Profile, capsys: pytest.CaptureFixture[str], blocks: bool
) -> None:
    path = write(tmp_path / "p.yaml", dump(copied))
    twin = materialised(path, blocks)
    sound = twin.read_bytes()
    for damaged in (sound[: len(sound) // 2], b"", sound[:-9] + b"?" + sound[-8:]):
        capsys.readouterr()
        twin.write_bytes(damaged)
        assert materialised(path, blocks) == twin and twin.read_bytes() == sound
        warning = capsys.readouterr().err
        assert warning.startswith(f"hmsim: {twin}: damaged") and warning.count("\n") == 1
    twin.with_name(f"{twin.name}.sha256").unlink()  # its maker was killed
    twin.write_bytes(b"")
    assert materialised(path, blocks) == twin and twin.read_bytes() == sound
    assert capsys.readouterr().err == ""


def test_agents_over_a_shipped_twin_have_the_programs_base_cpi(tmp_path: Path) -> None:
    write(tmp_path / "mcf.yaml", shipped("workloads/profiles")["mcf"].read_bytes())

    def base_cpi(path: str, kind: str = "llc_trace, core: 0", more: str = "") -> str | None:
        text = f"agents:\n  - {{kind: {kind}, format: hmsim, path: '{path}'{more}}}\n"
        workload = load_workload(write(tmp_path / "w.yaml", text))
        workload.check(load_config("quick"))
        return dict(workload.agents[0].flat()).get("base_cpi")

    limit = ", instructions: 1000"
    assert base_cpi("twin:mcf", more=limit) == "0.7089"
    assert base_cpi("twin:mcf@2", more=limit) == "0.7089"
    assert base_cpi("twin:sort:dram", more=limit) == "0.931"
    assert base_cpi("twin:mcf", more=f"{limit}, base_cpi: 2") == "2"
    assert base_cpi("twin:mcf", "job, cores: 0", limit) == "0.7089"
    assert base_cpi("twin:mcf.yaml", more=limit) is None


FAULTS = {
    "hmsim_profile: 1": ("p.yaml:1: hmsim_profile:", "version 4"),
    "instructions: 0": ("p.yaml:2: instructions:", "0"),
    "instructions: none": ("p.yaml:2: instructions:", "'none'"),
    "streams": ("p.yaml: streams:",),
    "    accesses: 3": ("p.yaml:21: dram_fills:", "phases"),
    "    acesses: 3": ("p.yaml:18: dram_fills: acesses:", "'accesses'?"),
    "    pages: 9999999": ("p.yaml:18: dram_fills:", "pages", "visits"),
    "    paces: [9]": ("p.yaml:22: streams.dram_fills.paces:", "32 numbers"),
    "    inside: {9: {1: [1, 1]}}": ("p.yaml:48: inside:", "'9'"),
    "    inside: {0: {1: [2, 1]}}": ("p.yaml:48: inside.1:", "shares"),
    "    mixes: {0: {1: [1, 0]}}": ("p.yaml:29: mixes.1:", "3 numbers"),
    "    mixes: {0: {1: [1, 1, 0]}}": ("p.yaml:29: mixes:", "2"),
    "      2: [1, 5]": ("p.yaml:33: reuse.2:", "mean", "5"),
    "      5: [1, 5]": ("p.yaml:33: reuse:", "'5'"),
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_faulty_profile_is_rejected(tmp_path: Path, copied: Profile, line: str) -> None:
    lines = dump(copied).splitlines()
    key = line.split(":")[0]
    if line == "streams":
        lines = lines[: lines.index("streams:")]
    elif key.strip().isdigit():
        lines[lines.index("    reuse:") + 2] = line
    else:
        places = [at for at, old in enumerate(lines) if old.split(":")[0] == key]
        at = places[0] if places else lines.index("  dram_fills:") + 1
        under = len(lines[at]) - len(lines[at].lstrip()) if places else 0
        end = at + len(places[:1])
        while places and lines[end].startswith(" " * (under + 1)):
            end += 1
        lines[at:end] = [line]
    path = write(tmp_path / "p.yaml", "\n".join(lines) + "\n")
    with pytest.raises(InputError, match=naming(*FAULTS[line])):
        load(path)


def test_damaged_profiles_only_raise_input_errors(tmp_path: Path, copied: Profile) -> None:
    numbers = random.Random(5)
    text = dump(copied).encode()
    path = tmp_path / "p.yaml"
    for _ in range(60):
        content = bytearray(text)
        for _ in range(numbers.randrange(1, 4)):
            content[numbers.randrange(len(content))] = numbers.randrange(256)
        write(path, bytes(content[: numbers.randrange(len(content) // 2, len(content))]))
        try:
            profile = load(path)
        except InputError:
            continue
        assert len(twin(profile, 1000).records(100)) <= 8 * 200
    assert PHASES == 32


def test_a_trace_without_misses_has_no_profile(tmp_path: Path) -> None:
    path = write(tmp_path / "blocks", "1 0 0 8 1\n")
    assert "a trace of misses" in fail("trace", "profile", path)
    succeed("trace", "profile", write(tmp_path / "t", "5 4096 64\n7 128\n"))


@pytest.mark.parametrize("name", ["dfsioe_w", "lbm_like", "wordcount"])
def test_a_twin_of_a_machine_matches_its_capture(name: str) -> None:
    profile = measure(REPO / "workloads" / "captures" / f"{name}.hmsim.zst")
    found = again(profile, profile.instructions)
    for key, figure in profile.figures().items():
        assert found.figures()[key] == pytest.approx(figure, rel=0.05), key
    for stream, wanted in profile.streams.items():
        if wanted.accesses > 1000:
            other = found.streams[stream]
            for key in ("jumped", "followed", "reuse", "runs"):
                most = distance(getattr(wanted, key), getattr(other, key))
                assert most <= 0.05, (stream, key)
            for key in ("inside", "between"):
                gaps = (of_all_paces(s, getattr(s, key)) for s in (wanted, other))
                assert distance(*gaps) <= 0.05, (stream, key)
