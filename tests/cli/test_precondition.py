# SPDX-License-Identifier: BSD-3-Clause
"""Does a run from saved preconditioning do what one that preconditions anew does?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import InputError, System, load_config, run
from support import invoke, succeed, write

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


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"controller.channels": 2},
        {"system.store_data": True},
        {"nvdimm.nand.factory_bad": 0.02},
        {"nvdimm.ftl.map": "cached", "nvdimm.ftl.map_cache": "2KiB"},
    ],
)
def test_the_result_is_that_of_preconditioning_anew(
    tmp_path: Path, more: dict[str, object]
) -> None:
    workload = write(tmp_path / "w.yaml", WRITES)
    anew = {**SMALL, **more}
    System("mascots16", anew, seed=3).save_preconditioned(tmp_path / "state")
    loaded = {**anew, "nvdimm.precondition.load": str(tmp_path / "state")}
    results = [
        run(load_config("mascots16", keys), workload, seed=3, check=True).stats
        for keys in (anew, loaded)
    ]
    assert results[0]["nvdimm.gc.count"] > 0
    assert dict(results[0]) == dict(results[1])


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
def test_another_system_is_told_where_it_differs(saved: Path, name: str, value: object) -> None:
    change = f"--set={name}={value}"
    load = f"--set=nvdimm.precondition.load={saved}"
    result = invoke("run", "mascots16", "--workload", "demo", *SETS, change, load)
    assert result.exit_code == 2
    assert f"{saved}: preconditioned with {name} = " in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_another_seed_is_refused(saved: Path) -> None:
    with pytest.raises(InputError, match="preconditioned with seed = 1; here it is 2"):
        System("mascots16", {**SMALL, "nvdimm.precondition.load": str(saved)}, seed=2)


def test_what_does_not_matter_may_differ(saved: Path) -> None:
    other = {"nvdimm.buffer.manager": "prefetch", "nvdimm.gc.scheduler": "proactive"}
    System("mascots16", {**SMALL, **other, "nvdimm.precondition.load": str(saved)})


def test_damaged_and_foreign_files_are_refused(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    cases = {
        "not a file of preconditioned state": b"hello",
        "version 7": content[:8] + (7).to_bytes(8, "little") + content[16:],
        "checksum": content[:-1] + bytes([content[-1] ^ 1]),
        "length": content[: len(content) // 2],
    }
    for message, bad in cases.items():
        path = write(tmp_path / "bad", bad)
        with pytest.raises(InputError, match=message):
            System("mascots16", {**SMALL, "nvdimm.precondition.load": str(path)})
    with pytest.raises(InputError, match="cannot be read"):
        System("mascots16", {**SMALL, "nvdimm.precondition.load": str(tmp_path / "none")})


def test_wrong_use_is_refused(saved: Path, tmp_path: Path) -> None:
    result = invoke("precondition", "mascots16", "--out", saved, *SETS)
    assert (result.exit_code, "exists" in result.stderr) == (2, True)
    succeed("precondition", "mascots16", "--out", saved, "--force", *SETS)
    with pytest.raises(InputError, match="no flash"):
        System("pcm").save_preconditioned(tmp_path / "pcm")
    with pytest.raises(InputError, match="only flash can be"):
        System("pcm", {"nvdimm.precondition.load": str(saved)})
    system = System("mascots16", SMALL)
    system.enqueue(2 * 1024**3)
    with pytest.raises(InputError, match="has begun"):
        system.save_preconditioned(tmp_path / "late")
