# SPDX-License-Identifier: BSD-3-Clause
"""Does the card of hardware anchors compare what its method says, and print all of it?"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hmsim._core import InputError
from hmsim.cli.application import app
from hmsim.fits import slow
from hmsim.fits.file import load_fit
from hmsim.fits.trials import Bench
from hmsim.points.point import Outcome, measure
from hmsim.reproduce.card import card, families, method, page, standards, subject
from hmsim.reproduce.card.curves import Curve, CurvePoint, measured
from hmsim.reproduce.card.families import Load
from hmsim.sweep.plan import Planned
from typer.testing import CliRunner

METHOD = method.read("method.yaml")
# Unloaded latency at 100 % reads (ns), and the maxima by share of reads (GB/s): read from the files
# by another program.
FAMILIES = {
    "skylake": (2.1, 92.9, {100: 116.8, 67: 103.3, 50: 95.5}),
    "skylake-non-temporal": (2.1, 94.7, {100: 115.6, 50: 94.4, 0: 83.3}),
    "ddr5": (2.6, 122.1, {100: 284.5, 67: 259.8, 50: 244.1}),
    "hbm2e-fujitsu": (2.2, 130.5, {100: 942.6, 67: 868.9, 50: 880.1}),
}


def silent(_name: str, _done: float) -> None:
    pass


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Page and numbers of a small card, whose closed forms hold."""
    out = tmp_path_factory.mktemp("card") / "card.html"
    rows = card.write(out, subject.subject(""), method.SMALL, 2, False, silent, slow.section)
    assert [row.complaint() for row in rows if not row.passes(accept_listed=True)] == []
    numbers: dict[str, Any] = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))
    return out.read_text(encoding="utf-8"), numbers


def test_the_page_needs_nothing_from_elsewhere(small: tuple[str, dict[str, Any]]) -> None:
    text, _ = small
    assert "default-src 'none'" in unescape(text)
    assert not re.search(r"<script|<link|<img|https?://|url\((?!#)", text)
    references = re.findall(r'href="#([^"]+)"', text)
    assert references and all(f'id="{name}"' in text for name in references)
    assert len(set(references)) == len(references)


def test_page_and_json_have_the_same_tables(small: tuple[str, dict[str, Any]]) -> None:
    text, numbers = small
    tables = [table for section in numbers["sections"] for table in section["tables"]]
    assert len(tables) >= 8
    for table in tables:
        assert table["source"]
        assert table["rows"], table["name"]
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
        assert f"{table['name']}" in text
    checks = [check for section in numbers["sections"] for check in section["checks"]]
    assert text.count("<tr>") == sum(len(t["rows"]) + 1 for t in tables) + len(checks) + sum(
        bool(section["checks"]) for section in numbers["sections"]
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_measured_curves_are_read_in_ns_and_gb_per_s(family: str) -> None:
    clock, unloaded, most = FAMILIES[family]
    assert measured(family, 100, clock).unloaded == pytest.approx(unloaded, abs=0.06)
    for reads, rate in most.items():
        curve = measured(family, reads, clock)
        assert curve.most == pytest.approx(rate, abs=0.06)
        assert all(point.gb_per_s >= 0 for point in curve.all)


@pytest.mark.parametrize("reads", [100, 50])
def test_regular_and_non_temporal_stores_saturate_alike(reads: int) -> None:
    """The memory of one machine sees transfers alone. By the sources' labels, 50 % is 9 % apart."""
    regular, streamed = (
        measured(family, reads, 2.1).most for family in ("skylake", "skylake-non-temporal")
    )
    assert regular == pytest.approx(streamed, rel=0.02)


def test_a_curve_is_read_on_its_rising_branch() -> None:
    points = [(1, 100), (50, 120), (80, 150), (100, 300), (90, 400)]
    curve = Curve([CurvePoint(*point) for point in points])
    assert (curve.most, curve.unloaded) == (100, 100)
    assert curve.at(0.5) == 120
    assert curve.at(0.65) == 135
    assert curve.at(0.9) == 225  # not 400, where the curve bends back
    assert curve.knee(2) == pytest.approx(80 + 20 * 50 / 150)
    assert math.isnan(curve.knee(5))


@pytest.mark.parametrize("separate", [False, True])
def test_the_bandwidth_of_a_light_load_is_the_offered_rate(separate: bool) -> None:
    """Below saturation, bandwidth follows from the distances of the agents' requests."""
    part = METHOD["standards"]["parts"]["DDR5-4800"]
    config = families.system(METHOD, part, "queue 64", 4)
    load = Load(8, 16, 1500, "20us", separate)
    found = families.point(config, load, 0.5, 0.4)
    # Mean of 1 / distance over factors from 0.9 to 1.1.
    rates = [1 / (0.9 + 0.2 * index / 7) for index in range(8)]
    offered = 0.4 * families.peak(config) * sum(rates) / 8
    chase = 64 / found.ns
    assert found.gb_per_s == pytest.approx(offered + chase, rel=0.02)
    share = sum(rates[:4]) / sum(rates) if separate else 0.5
    assert (found.reads * found.gb_per_s - chase) / offered == pytest.approx(share, abs=0.02)


def test_the_peak_matches_the_standard() -> None:
    peaks = {"DDR3-1600": 12.8, "DDR4-2666": 21.33, "DDR5-4800": 19.2, "LPDDR5-6400": 12.8}
    for name, rate in {**peaks, "HBM3 6.4 Gb/s": 51.2}.items():
        part = METHOD["standards"]["parts"][name]
        config = families.system(METHOD, part, "queue 64", 1)
        assert families.peak(config) == pytest.approx(rate, rel=0.003)


def test_constants_describe_zero_load() -> None:
    """The constant is the unloaded latency less the closed form, from the parts' own timings."""
    for name, machine in METHOD["machines"].items():
        part = next(iter(machine["parts"].values()))
        values = families.system(METHOD, part, "queue 64", 1).resolved()
        names = ("tCK", "tRCD", "CL", "burst", "burst_gap", "tRFC", "tREFI")
        texts = [values[f"dram.timing.{key}"] for key in names]
        tck, trcd, cl, burst, gap, trfc, trefi = (int(t) if t.isdigit() else 0 for t in texts)
        extra = 1 if part["dram.preset"].startswith(standards.TWO_PART_ACTIVATES) else 0
        forms = machine["closed_form_ns"]
        bank = (trcd + cl + burst + gap + extra) * tck / 1e3
        assert forms["bank"] == pytest.approx(bank, abs=0.06), name
        assert forms["refresh"] == pytest.approx(trfc**2 / (2 * trefi) * tck / 1e3, abs=0.1), name
        rest = machine["unloaded_ns"] - sum(forms.values())
        assert sum(machine["constant"].values()) == pytest.approx(rest, abs=0.06), name


OWN = """\
machines:
  Mine:
    measured: {curves}
    clock_ghz: 2
    channels: 2
    parts: {{1 rank: {{dram.preset: ddr4_2666v_8gb_x8, dram.ranks: 1}}}}
    agents: 7
    outstanding: 16
    constant: 60
reads: [100]
drives:
  Disk:
    system: storage/nvme
    fit: storage.memory.read_base
    measured: {{depth_1_us: 10, depth_1_iops: 98000, depth_16_us: 30, depth_16_iops: 500000}}
"""


def own(folder: Path, text: str = OWN) -> Path:
    """Write a user's file, and curves whose saturation is 32 GB/s and unloaded latency 50 ns."""
    (folder / "curves").mkdir(exist_ok=True)
    curve = "32000 400\n16000 120\n1000 100\n"
    (folder / "curves" / "bwlat_100.txt").write_text(curve, encoding="utf-8")
    (folder / "own.yaml").write_text(text.format(curves="curves"), encoding="utf-8")
    return folder / "own.yaml"


def test_a_file_of_own_measurements_is_a_card(tmp_path: Path) -> None:
    out = tmp_path / "card.html"
    done = CliRunner().invoke(
        app, ["validate", "card", str(own(tmp_path)), "--small", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    sections = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))["sections"]
    assert [each["name"] for each in sections] == ["Summary", "Mine", "Convergence", "Drives"]
    (score,) = sections[1]["tables"][0]["rows"]
    assert score[5] == pytest.approx(100 * 32 / 42.67, rel=0.001)
    zero = sections[1]["tables"][1]["rows"][0]
    assert zero[5] == 50 and zero[6] == pytest.approx(zero[1] + 60 - 50)
    (first, *_) = sections[3]["tables"][0]["rows"]
    assert first[4] == pytest.approx(10, abs=0.001) and first[5] == 10  # fitted at depth 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("machines:", "machine:", "own.yaml:1: machine: unknown key; did you mean 'machines'?"),
        ("clock_ghz: 2", "clock_ghz: nan", "own.yaml:4: clock_ghz: must be a number above 0"),
        ("channels: 2", "channels: 99", "own.yaml:5: channels: must be in 1 .. 32, got 99"),
        (
            "dram.ranks: 1",
            "dram.rank: 1",
            "own.yaml:6: dram.rank: unknown parameter; did you mean 'dram.ranks'?",
        ),
        ("[100]", "[50]", "curves/bwlat_50.txt: "),
        ("constant: 60", "constants: 60", "did you mean 'constant'?"),
        ("read_base", "kind", "own.yaml:14: fit: 'storage.memory.kind' is not a time"),
        ("depth_1_us: 10", "depth_1_us: 0", "depth_1_us: must be a number above 0, got '0'"),
        ("storage/nvme", "storage/nvm", "no such configuration"),
        ("reads: [100]", "variants: {{}}", "own.yaml:10: variants: must have at least one entry"),
    ],
)
def test_wrong_measurements_are_rejected(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = own(tmp_path, OWN.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        subject.subject(str(path))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("depth_1_us: 10", "depth_1_us: 0.5", r"us: 0.5 is too short; storage/nvme takes 4\."),
        ("read_base", "read_per_kib", r"Disk: fit: \S+read_per_kib gives 13\.3 us at depth 1, not"),
    ],
)
def test_a_latency_that_the_fitted_time_cannot_give_is_rejected(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = "drives:" + OWN.partition("drives:")[2].replace(old, new)
    anchors = subject.subject(str(own(tmp_path, text)))
    with pytest.raises(InputError, match=message):
        card.sections(anchors, method.SMALL, 1, silent, slow.section)


def test_the_unloaded_latency_is_that_of_the_most_reads(tmp_path: Path) -> None:
    path = own(tmp_path, OWN.replace("[100]", "[50, 100]"))
    other = "32000 900\n16000 700\n1000 600\n"
    (tmp_path / "curves" / "bwlat_50.txt").write_text(other, encoding="utf-8")
    assert subject.subject(str(path)).method["machines"]["Mine"]["unloaded_ns"] == 50


def test_a_wrong_curve_names_its_line(tmp_path: Path) -> None:
    path = own(tmp_path)
    (tmp_path / "curves" / "bwlat_100.txt").write_text("3 4\n5 inf\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bwlat_100.txt:2: expected '<MB/s> <core cycles>'"):
        subject.subject(str(path))


@pytest.mark.parametrize("name", subject.BY_NAME)
def test_runs_have_the_keys_and_bands_of_the_method(name: str) -> None:
    """A band, a key or a wrong model cannot change in one of the two files alone."""
    how = slow.block(name)
    fit = load_fit(how["runs"], some_fitted=name != slow.PAIRS)
    given = {key: value.text for key, value in fit.sweep.common.items()}
    texts = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in how["set"].items()}
    assert texts.items() <= given.items()
    held = {each.name: each.wanted for each in fit.held_out}
    for target, band in how["held_out"].items():
        if target in held:
            ends = [band.get("at_least", -math.inf), band.get("at_most", math.inf)]
            if "is" in band:
                half = float(band["within"].rstrip("%")) / 100 * band["is"]
                ends = [band["is"] - half, band["is"] + half]
            assert [held[target].low, held[target].high] == pytest.approx(ends), target
    must_miss = [each for model in how["wrong_models"].values() for each in model["must_miss"]]
    assert set(must_miss) <= set(held) <= set(how["held_out"])
    assert all(len(each["at"]) == len(each["is"]) for each in how["points"].values())


BANKS = {"read_time": "144ns", "command_time": "104ns", "banks": "4", "write_time": "431ns"}
CACHE = {"nvdimm.buffer.lookup": "719ns", "cxl.credits": "32", "nvdimm.firmware.time": "6us"}
MACHINES: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {  # near the fitted ones
    "optane": (
        {**{f"nvdimm.media.{key}": value for key, value in BANKS.items()}, "rest_ns": "55"},
        ("first_knee", "small_random_reads"),
    ),
    "cmm_h": ({**CACHE, "nvdimm.nand.dies": "2"}, ("fits_third",)),
    "cxl": ({"expander.down.latency": "70ns", "rest_ns": "91"}, ("far_reads",)),
}


@pytest.mark.parametrize("name", MACHINES)
def test_wrong_models_miss_targets_that_the_fitted_machine_meets(name: str) -> None:
    values, held = MACHINES[name]
    fit = load_fit(name)
    targets = [each for each in fit.targets if each.name in held]
    (right,) = Bench(fit, run_here, lambda planned: planned).evaluate("right", [values], targets)
    assert right.meets(targets), right
    models = slow.block(name)["wrong_models"]
    asked = {
        model: {**how, "must_miss": [each for each in how["must_miss"] if each in held]}
        for model, how in models.items()
    }
    rows = slow.wrong(fit, values, asked, run_here).rows
    assert {row[1] for row in rows} == set(held)
    assert {row[-1] for row in rows} == {"missed"}


def run_here(planned: Sequence[Planned]) -> list[Outcome]:
    return [measure(each.point, each.point.key) for each in planned if each.point]


def test_a_part_prints_all_points_with_signed_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = {"kind": "io_pattern", "threads": 1, "size": "4KiB", "requests": 100}
    latency = "d{}.agent.0.request_latency_us.read.mean"
    one, two = (latency.format(depth) for depth in (1, 2))
    content = {
        "config": "nvdimm_p3700",
        "over": {"nvdimm.nand.read_time": {"from": "20us", "to": "90us"}},
        "runs": {f"d{n}": {"workload": {"agents": [{**agent, "depth": n}]}} for n in (1, 2, 4)},
        "targets": {
            "one": {"of": one, "is": 80, "within": "2%"},
            "two": {"of": two, "is": 81, "within": "5%", "hold_out": True},
        },
    }
    (tmp_path / "mine.yaml").write_text(json.dumps(content), encoding="utf-8")
    group = {"of": latency, "at": [1, 2, 4], "is": [80, 81, 85], "fitted": [1]}
    wrong = {"set": {"nvdimm.nand.channels": 1, "nvdimm.nand.chips": 1}, "must_miss": ["two"]}
    how = {"runs": tmp_path / "mine.yaml", "file": "", "model": "", "expected": ["much"]}
    how |= {"points": {"latency": group}, "wrong_models": {"one chip": wrong}}
    monkeypatch.setattr(slow, "block", lambda _name: how)
    only = subject.subject("optane")
    (found,) = card.sections(only, method.SMALL, 1, silent, slow.section)
    tables = {each.name: each.rows for each in found.tables}
    assert [row[-1] for row in tables["All points"]] == ["fitted", "", ""]
    for _, _, theirs, ours, error, _ in tables["All points"]:
        assert error == pytest.approx(100 * (float(ours or 0) / float(theirs or 1) - 1))
    assert [row[-1] for row in tables["Targets"]] == ["in band", "in band"]
    assert [row[-1] for row in tables["Wrong models"]] == ["missed"]
    head = {"hmsim": "", "extent": "", "command": "", "seconds": 0, "jobs": 1}
    assert all(f">{depth}</text>" in page.card([found], head) for depth in (1, 2, 4))


@pytest.mark.card
def test_the_card_has_all_sections_and_machines(tmp_path: Path) -> None:
    out = tmp_path / "card.html"
    done = CliRunner().invoke(app, ["validate", "card", "--out", str(out)])
    assert done.exit_code == 0, done.output
    numbers = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))
    sections = {section["name"]: section for section in numbers["sections"]}
    assert set(METHOD["machines"]) <= set(sections)
    for name, machine in METHOD["machines"].items():
        score = sections[name]["tables"][0]
        verdicts = {row[score["columns"].index("saturation")] for row in score["rows"]}
        assert verdicts <= ({"good", "fair", "poor"} if machine["scored"] else {"shape only"})
        variants = len(METHOD["variants"]) - len(machine["without"])
        curves = sum(len(FAMILIES[family][2]) for family in machine["measured"])
        assert len(score["rows"]) == len(machine["parts"]) * variants * curves
    longer = sections["Convergence"]["tables"][0]["rows"]
    assert longer and all(abs(row[-1]) < 5 for row in longer)
