# SPDX-License-Identifier: BSD-3-Clause
"""Does DRAMsim3, where it is part of the build, agree with the native model?"""

from __future__ import annotations

from pathlib import Path

import hmsim
import pytest
from hmsim.config.configuration import load_config
from hmsim.reproduce.validate import dram_comparison as models
from hmsim.runs.system import System
from messages import naming

REQUESTS = 4_000
PRESETS = list(models.PARTS.values())
NAMES = [trace.name for trace in models.traces(PRESETS[0], 4, 8)]
with_dramsim3 = pytest.mark.skipif(not models.available(), reason=models.ABSENT)


@with_dramsim3
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", NAMES)
def test_command_logs_are_identical(name: str, preset: str, ranks: int) -> None:
    trace = next(t for t in models.traces(preset, ranks, REQUESTS) if t.name == name)
    native = models.play(trace, preset, ranks, log=True).commands
    keys = {"dram__backend": "dramsim3", "dram__dramsim3_mend_timing": "true"}
    devices = models.play(trace, preset, ranks, log=True, **keys).commands
    assert len(native) >= len(trace.addresses)
    assert models.differing_commands(native, devices) == 0


@pytest.mark.parametrize("occupancy", [0.2, 3.6, 31.9, 40.0])
@pytest.mark.parametrize("name", NAMES)
def test_a_queue_as_deep_as_its_was_full_may_be_of_any_depth(name: str, occupancy: float) -> None:
    trace = next(t for t in models.traces(PRESETS[0], 4, 400) if t.name == name)
    keys = models.as_deep_as(occupancy, trace)
    outcome = models.play(trace, PRESETS[0], 4, **keys)
    assert outcome.occupancy <= keys["controller__queue_depth"]
    assert outcome.cycles > 0


@with_dramsim3
@pytest.mark.parametrize(
    ("backend", "mend", "gap"),
    [("native", False, 5), ("dramsim3", False, 4), ("dramsim3", True, 5)],
)
def test_the_write_gap_is_the_only_difference(backend: str, mend: bool, gap: int) -> None:
    assert models.write_gap(backend, mend) == gap


@with_dramsim3
@pytest.mark.parametrize(
    "overrides",
    [{}, {"controller.queues": "split"}, {"controller.ack": "auto"}, {"dram.ranks": 2}],
    ids=str,
)
def test_with_an_nvdimm_all_statistics_are_equal(overrides: dict[str, object]) -> None:
    stats = []
    for backend in ("native", "dramsim3"):
        keys = {"dram.backend": backend, "dram.dramsim3_mend_timing": True, **overrides}
        stats.append(hmsim.run(load_config("quick", keys), "demo").stats)
    assert stats[0] == stats[1]


@with_dramsim3
def test_the_licence_is_next_to_the_extension() -> None:
    text = Path(hmsim.__file__).with_name("LICENSE-dramsim3.txt").read_text(encoding="utf-8")
    assert "University of Maryland Memory-Systems Research" in text
    assert text.count("== ") == 4


@with_dramsim3
def test_a_checkpoint_continues_exactly(tmp_path: Path) -> None:
    overrides = {"dram.backend": "dramsim3", "dram.ranks": 2}

    def send(system: System, first: int) -> None:
        for index in range(first, first + 60):
            system.enqueue(index * 7919 * 64 % (1 << 31), write=index % 3 == 0)
            system.advance(system.now + 20_000)

    whole = System("mascots16", overrides)
    send(whole, 0)
    send(whole, 60)
    half = System("mascots16", overrides)
    send(half, 0)
    half.save(tmp_path / "half")
    loaded = System.load(tmp_path / "half")
    send(loaded, 60)
    loaded.advance(whole.now + 10_000_000)
    whole.advance(whole.now + 10_000_000)
    assert loaded.stats == whole.stats


@with_dramsim3
def test_the_full_dramsim3_agrees_on_a_stream() -> None:
    trace = models.traces(PRESETS[0], 4, REQUESTS)[0]
    whole = models.play(trace, PRESETS[0], 4, dram__backend="dramsim3_full")
    native = models.play(trace, PRESETS[0], 4)
    assert abs(native.cycles - whole.cycles) <= 1
    assert native.refreshes == whole.refreshes
    assert native.hit_ratio == whole.hit_ratio


@with_dramsim3
@pytest.mark.parametrize(
    ("key", "value"),
    [("dram__dramsim3_command_queue", 1), ("dram__dramsim3_unified_queue", "true")],
)
def test_parameters_of_the_queues_of_dramsim3_act(key: str, value: object) -> None:
    trace = next(t for t in models.traces(PRESETS[0], 4, REQUESTS) if t.name == "random mix")
    keys = {"dram__backend": "dramsim3_full"}
    usual = models.play(trace, PRESETS[0], 4, **keys)
    assert models.play(trace, PRESETS[0], 4, **{**keys, key: value}).cycles != usual.cycles


@with_dramsim3
def test_a_shipped_file_that_misspells_its_refresh_interval_is_rejected() -> None:
    overrides = {"dram.dramsim3_ini": "DDR3_4Gb_x8_1600", "nvdimm.present": False}
    with pytest.raises(hmsim.InputError, match=r"'REFI'.*'tREFI'"):
        load_config("mascots16", overrides)
    mended = load_config("mascots16", {**overrides, "dram.dramsim3_mend_ini": True})
    assert mended.resolved()["dram.timing.tREFI"] == "6240"


@with_dramsim3
def test_an_nvdimm_with_the_full_dramsim3_is_rejected() -> None:
    with pytest.raises(hmsim.InputError, match=naming("dram.backend:", "nvdimm.present")):
        load_config("mascots16", {"dram.backend": "dramsim3_full"})


@pytest.mark.skipif(models.available(), reason="DRAMsim3 is part of this build")
@pytest.mark.parametrize("backend", ["dramsim3", "dramsim3_full"])
def test_without_dramsim3_the_error_explains_its_installation(backend: str) -> None:
    overrides = {"dram.backend": backend, "nvdimm.present": False}
    with pytest.raises(hmsim.InputError, match="scons dramsim3=1"):
        load_config("mascots16", overrides)


def test_a_file_of_the_user_serves_also_the_native_model(tmp_path: Path) -> None:
    lines = ["[dram_structure]", "protocol = DDR3", "bankgroups = 1", "banks_per_group = 8"]
    lines += ["rows = 32768", "columns = 1024", "device_width = 8", "BL = 8", "[timing]"]
    lines += ["tCK = 1.5", "CL = 10", "CWL = 7", "tRCD = 10", "tRP = 10", "tRAS = 24", "tRFC = 74"]
    lines += ["tREFI = 5200", "tRRD_S = 4", "tWTR_S = 5", "tFAW = 20", "tWR = 10", "tCCD_S = 4"]
    lines += ["tRTP = 5", "tRTRS = 1", "[system]", "bus_width = 64"]
    path = tmp_path / "own.ini"
    path.write_text("\n".join(lines))
    overrides = {"dram.dramsim3_ini": str(path), "dram.timing.CL": 9, "nvdimm.present": False}
    values = load_config("mascots16", overrides).resolved()
    assert values["dram.timing.tCK"] == "1500"
    assert values["dram.timing.tRC"] == "34"
    assert values["dram.timing.CL"] == "9"
