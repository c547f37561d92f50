# SPDX-License-Identifier: BSD-3-Clause
"""Does a run from saved preconditioning equal one that preconditions itself?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hmsim import InputError, System, load_config, run
from hmsim.runs.options import options
from hmsim.runs.preconditioning import Preconditioned, state
from hmsim.runs.runner import as_workload, simulate
from messages import naming
from support import fail, invoke, succeed, write

SMALL = {
    "nvdimm.capacity": "16MiB",
    "nvdimm.nand.pages_per_block": 32,
    "nvdimm.ftl.gc_threshold": 0,
    "nvdimm.ftl.over_provisioning": 80,
    "nvdimm.ftl.victim": "d_choices",  # draws numbers
    "nvdimm.buffer.write_size": "256KiB",
    "nvdimm.precondition.fill": 0.9,
    "nvdimm.precondition.overwrite": 2,
}
WRITES = """\
agents:
  - kind: synthetic
    target: nvdimm
    pattern: random
    read_ratio: 0.3
    footprint: 8MiB
    requests: 9000
"""
SETS = [f"--set={name}={value}" for name, value in SMALL.items()]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "state"
    succeed("precondition", "mascots16", "--out", path, *SETS)
    return path


HBF = {
    "hbf.ftl": "host",
    "hbf.banks": 4,
    "nvdimm.capacity": "16MiB",
    "nvdimm.nand.pages_per_block": 32,
    "nvdimm.ftl.over_provisioning": 40,
    "nvdimm.precondition.fill": 1,
    "nvdimm.precondition.overwrite": 2,
}


def assert_same(
    workload: Path, anew: dict[str, object], state: Path, seed: int, config: str = "mascots16"
) -> None:
    """Expect of a loaded state the results of preconditioning."""
    results = [
        run(load_config(config, keys), workload, seed=seed, check=True).stats
        for keys in (anew, {**anew, "nvdimm.precondition.load": str(state)})
    ]
    assert results[0]["nvdimm.gc.count"] > 0
    assert dict(results[0]) == dict(results[1])


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"controller.channels": 2},
        {"system.store_data": True},
        {"nvdimm.nand.factory_bad": 0.02},
        {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_cache": "2KiB"},
        {"nvdimm.precondition.buffer": "dirty", "controller.channels": 2},
        {"nvdimm.precondition.buffer": "dirty", "system.store_data": True},
        {"nvdimm.precondition.buffer": "resident", "nvdimm.buffer.read_size": "1MiB"},
    ],
)
def test_a_loaded_state_gives_the_result_of_preconditioning(
    tmp_path: Path, more: dict[str, object]
) -> None:
    workload = write(tmp_path / "w.yaml", WRITES)
    anew = {**SMALL, **more}
    by_hand = {**anew, "nvdimm.precondition.buffer": "none"}
    System("mascots16", by_hand, seed=3).save_preconditioned(tmp_path / "state")
    assert_same(workload, anew, tmp_path / "state", seed=3)


@pytest.mark.parametrize(
    "more",
    [
        {"controller.channels": 2, "hbf.streams": 3},
        {"system.store_data": "true", "hbf.refresh": "paced_refresh", "hbf.refresh_every": "20ms"},
        {"nvdimm.nand.program_failure": 0.001, "nvdimm.ftl.victim": "d_choices"},
    ],
)
def test_hbf_continues_from_a_file(tmp_path: Path, more: dict[str, object]) -> None:
    workload = write(tmp_path / "w.yaml", WRITES.replace("9000", "3000"))
    anew = {**HBF, **more}
    sets = [f"--set={name}={value}" for name, value in anew.items()]
    succeed("precondition", "hbm3_hbf", "--out", tmp_path / "state", "--seed", 3, *sets)
    assert_same(workload, anew, tmp_path / "state", 3, "hbm3_hbf")
    loaded = {**anew, "nvdimm.precondition.load": str(tmp_path / "state")}
    stats = run(load_config("hbm3_hbf", loaded), workload, seed=3).stats
    assert stats["hbf.status.erased_page"] == 0  # all pages were written


def test_hbf_and_nvdimms_reject_each_others_states(tmp_path: Path, saved: Path) -> None:
    with pytest.raises(InputError, match=naming(f"{saved}: ", "nvdimm.kind = ", "hbf")):
        System("hbm3_hbf", {**HBF, "nvdimm.precondition.load": str(saved)})
    System("hbm3_hbf", HBF).save_preconditioned(tmp_path / "hbf")
    load = {"nvdimm.precondition.load": str(tmp_path / "hbf")}
    with pytest.raises(InputError, match=naming("nvdimm.kind = hbf")):
        System("mascots16", {**SMALL, **load, "controller.channels": 1})
    with pytest.raises(InputError, match=r"hbf\.streams = 1; this system has 2"):
        System("hbm3_hbf", {**HBF, **load, "hbf.streams": 2})


def test_a_file_of_one_node_serves_all_nodes(tmp_path: Path, saved: Path) -> None:
    workload = write(tmp_path / "w.yaml", WRITES + "    node: 1\n")
    anew = {**SMALL, "frontend.nodes.count": 2}
    assert_same(workload, anew, saved, seed=1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nvdimm.precondition.overwrite", 1),
        ("nvdimm.ftl.over_provisioning", 90),
        ("nvdimm.nand.chips", 1),
        ("policies.d_choices.d", 3),
        ("system.store_data", "true"),
    ],
)
def test_a_foreign_state_names_the_difference(saved: Path, name: str, value: object) -> None:
    change = f"--set={name}={value}"
    load = f"--set=nvdimm.precondition.load={saved}"
    result = fail("run", "mascots16", "--workload", "demo", *SETS, change, load)
    assert f"{saved}: " in result and f"{name} = " in result
    assert len(result.splitlines()) == 1


def test_another_seed_is_rejected(saved: Path) -> None:
    with pytest.raises(InputError, match="seed = 1"):
        System("mascots16", {**SMALL, "nvdimm.precondition.load": str(saved)}, seed=2)


def test_parameters_without_effect_on_the_state_may_differ(saved: Path) -> None:
    other = {"nvdimm.buffer.manager": "prefetch", "nvdimm.gc.scheduler": "proactive"}
    System("mascots16", {**SMALL, **other, "nvdimm.precondition.load": str(saved)})


def test_damaged_and_foreign_files_are_rejected(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    cases = {
        "preconditioned state": b"hello",
        "version 7": content[:8] + (7).to_bytes(8, "little") + content[16:],
        "checksum": content[:-1] + bytes([content[-1] ^ 1]),
        "length": content[: len(content) // 2],
    }
    for message, bad in cases.items():
        path = write(tmp_path / "bad", bad)
        with pytest.raises(InputError, match=message):
            System("mascots16", {**SMALL, "nvdimm.precondition.load": str(path)})
    with pytest.raises(
        InputError, match=naming(f"{tmp_path / 'none'}:", "nvdimm.precondition.load")
    ):
        System("mascots16", {**SMALL, "nvdimm.precondition.load": str(tmp_path / "none")})


def test_invalid_use_is_rejected(saved: Path, tmp_path: Path) -> None:
    result = invoke("precondition", "mascots16", "--out", saved, *SETS)
    assert (result.exit_code, "exists" in result.stderr) == (2, True)
    succeed("precondition", "mascots16", "--out", saved, "--force", *SETS)
    with pytest.raises(InputError, match="preconditioning needs"):
        System("pcm").save_preconditioned(tmp_path / "pcm")
    with pytest.raises(InputError, match=naming("nvdimm.precondition.load:", "nvdimm.kind")):
        System("pcm", {"nvdimm.precondition.load": str(saved)})
    system = System("mascots16", SMALL)
    system.enqueue(2 * 1024**3)
    with pytest.raises(InputError, match="before the simulation"):
        system.save_preconditioned(tmp_path / "late")


def test_one_file_serves_every_state_of_the_buffer(saved: Path, tmp_path: Path) -> None:
    dirty = {**SMALL, "nvdimm.precondition.buffer": "dirty"}
    System("mascots16", dirty).save_preconditioned(tmp_path / "dirty")
    assert (tmp_path / "dirty").read_bytes() == saved.read_bytes()
    workload = write(tmp_path / "w.yaml", WRITES)
    ticks = [
        run(load_config("mascots16", {**SMALL, **keys}), workload).stats["sim.ticks"]
        for keys in (
            {"nvdimm.precondition.load": str(saved)},
            {"nvdimm.precondition.load": str(saved), "nvdimm.precondition.buffer": "dirty"},
            {"nvdimm.precondition.buffer": "dirty"},
        )
    ]
    assert ticks[0] != ticks[1] == ticks[2]


@pytest.mark.parametrize(
    ("config", "keys", "values"),
    [
        ("mascots16", {"nvdimm.precondition.buffer": "dirty"}, ("nvdimm.precondition.fill",)),
        ("mascots16", {"nvdimm.precondition.buffer": "resident"}, ("'none'", "'dirty'")),
        ("pcm", {"nvdimm.precondition.buffer": "resident"}, ("only flash", "'none'")),
        ("sttram", {"nvdimm.precondition.buffer": "dirty"}, ("only flash", "'none'")),
    ],
)
def test_an_invalid_buffer_state_is_rejected(
    config: str, keys: dict[str, object], values: tuple[str, ...]
) -> None:
    with pytest.raises(InputError, match=naming("nvdimm.precondition.buffer:", *values)) as caught:
        System(config, keys)
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_is_made_without_agents(tmp_path: Path) -> None:
    resident = "--set=nvdimm.precondition.buffer=resident"
    result = fail("precondition", "mascots16", "--out", tmp_path / "state", *SETS, resident)
    assert naming("nvdimm.precondition.buffer:", "'none'", "'dirty'").search(result)


def test_pages_that_a_run_reads_are_resident(tmp_path: Path) -> None:
    results = [
        run(load_config("mascots16", {"nvdimm.precondition.buffer": buffer}), "demo").stats
        for buffer in ("none", "resident")
    ]
    assert results[0]["nvdimm.buffer.read_hit_ratio_strict"] < 1
    assert results[1]["nvdimm.buffer.read_hit_ratio_strict"] == 1
    assert results[1]["nvdimm.nand.reads"] == 0


LARGE = {  # 1.3 million pages are written: about a second
    "nvdimm.capacity": "4GiB",
    "nvdimm.precondition.fill": 0.6,
    "nvdimm.precondition.overwrite": 1,
}


LARGE_HBF = {**LARGE, "hbf.ftl": "host"}


@pytest.mark.parametrize(("name", "large"), [("mascots16", LARGE), ("hbm3_hbf", LARGE_HBF)])
def test_states_that_take_a_second_are_cached_and_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, large: dict[str, object]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    workload = write(tmp_path / "w.yaml", WRITES.replace("9000", "300"))
    folder = tmp_path / "cache" / "hmsim" / "preconditioned"
    shares: list[float] = []
    config = load_config(name, large)
    first = Preconditioned(config, 3, shares.append)
    kept = list(folder.iterdir())
    assert len(kept) == 1
    assert dict(first.flat)["nvdimm.precondition.load"] == str(kept[0])
    assert len(shares) > 3 and shares == sorted(shares) and shares[-1] == 1

    again = run(config, workload, seed=3)
    other = load_config(name, {**large, "nvdimm.gc.scheduler": "proactive"})
    assert Preconditioned(other, 3, shares.append).flat[-1] == first.flat[-1]
    assert list(folder.iterdir()) == kept  # by both
    assert shares[-1] == 1 and len(shares) == len(set(shares))  # nothing was written again
    assert "nvdimm.precondition.load" not in dict(again.config.flat())

    monkeypatch.setattr("hmsim.runs.preconditioning.WORTH", 1 << 40)
    anew = run(config, workload, seed=3)
    assert dict(again.stats) == dict(anew.stats)
    Preconditioned(config, 4, None)
    assert list(folder.iterdir()) == kept  # small ones are not kept


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of kept states, to which small ones are added as well."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("hmsim.runs.preconditioning.WORTH", 1)
    return tmp_path / "hmsim" / "preconditioned"


def test_the_least_recently_used_state_is_removed_for_room(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load_config("mascots16", SMALL)
    Preconditioned(config, 1, None)
    (first,) = kept.iterdir()
    size = first.stat().st_size
    os.utime(first, ns=(0, 0))
    monkeypatch.setattr("hmsim.runs.preconditioning.MOST", 2 * size + size // 2)
    for seed in (2, 3):
        Preconditioned(config, seed, None)
    assert len(list(kept.iterdir())) == 2
    assert not first.exists()


def test_the_newest_stays_when_it_alone_exceeds_the_room(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hmsim.runs.preconditioning.MOST", 1)
    config = load_config("mascots16", SMALL)
    for seed in (1, 2):
        flat = dict(Preconditioned(config, seed, None).flat)
        assert [str(path) for path in kept.iterdir()] == [flat["nvdimm.precondition.load"]]


@pytest.mark.parametrize(("name", "keys"), [("mascots16", SMALL), ("hbm3_hbf", HBF)])
@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "foreign", "of another seed"])
def test_a_damaged_file_of_the_cache_is_recomputed(
    tmp_path: Path,
    kept: Path,
    capsys: pytest.CaptureFixture[str],
    damage: str,
    name: str,
    keys: dict[str, object],
) -> None:
    config = load_config(name, keys)
    workload = write(tmp_path / "w.yaml", WRITES.replace("9000", "900"))
    wanted = dict(run(config, workload, seed=3).stats)
    (path,) = kept.iterdir()
    sound = path.read_bytes()
    damaged = {
        "cut": sound[: len(sound) // 2],
        "flipped": sound[:-1] + bytes([sound[-1] ^ 1]),
        "empty": b"",
        "foreign": b"hello" * 100,
        "of another seed": state(config.flat(), 4),
    }
    path.write_bytes(damaged[damage])
    assert capsys.readouterr().err == ""
    assert dict(run(config, workload, seed=3).stats) == wanted
    warning = capsys.readouterr().err
    assert warning.startswith(f"hmsim: {path}: ") and warning.count("\n") == 1
    assert path.read_bytes() == sound
    assert dict(run(config, workload, seed=3).stats) == wanted
    assert capsys.readouterr().err == ""


def test_the_file_has_no_resident_buffer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    workload = write(tmp_path / "w.yaml", WRITES)
    config = load_config("mascots16", {**SMALL, "nvdimm.precondition.buffer": "resident"})
    anew = run(config, workload).stats
    monkeypatch.setattr("hmsim.runs.preconditioning.WORTH", 1)
    for _ in ("made", "found"):
        assert dict(run(config, workload).stats) == dict(anew)
    assert len(list((tmp_path / "hmsim" / "preconditioned").iterdir())) == 1


def test_an_unwritable_cache_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(write(tmp_path / "file", "")))
    monkeypatch.setattr("hmsim.runs.preconditioning.WORTH", 1)
    config = load_config("mascots16", SMALL)
    assert Preconditioned(config, 1, None).flat == config.flat()


class Enough(Exception):
    pass


def enough(share: float) -> None:
    raise Enough


@pytest.mark.parametrize(("name", "keys"), [("mascots16", SMALL), ("hbm3_hbf", HBF)])
def test_preconditioning_can_be_interrupted(kept: Path, name: str, keys: dict[str, object]) -> None:
    config = load_config(name, keys)
    with pytest.raises(Enough):
        Preconditioned(config, 1, enough)
    assert not kept.exists() or not list(kept.iterdir())


def test_a_run_without_a_cache_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmsim.runs.preconditioning.WORTH", 1 << 40)
    config = load_config("hbm3_hbf", HBF)
    with pytest.raises(Enough):
        simulate(config, as_workload("demo"), options(), lambda share: None, preparing=enough)
