# SPDX-License-Identifier: BSD-3-Clause
"""Is a capture that a wheel lacks found where HMSIM_WORKLOADS says, and its absence explained?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import InputError, load_workload
from hmsim.common import paths
from hmsim.workloads import workload
from messages import naming
from support import REPO, write

GIVEN = REPO / "workloads"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the data of a package that has the capture of sort only."""
    data = tmp_path / "hmsim" / "data"
    captures = data / "workloads" / "captures"
    captures.mkdir(parents=True)
    (captures / "sort.hmsim.zst").symlink_to(GIVEN / "captures" / "sort.hmsim.zst")
    (data / "workloads" / "profiles").symlink_to(GIVEN / "profiles")
    for module in (paths, workload):
        monkeypatch.setattr(module, "data_directory", lambda: data)
    monkeypatch.delenv("HMSIM_WORKLOADS", raising=False)
    return data


def own(folder: Path, name: str) -> Path:
    agent = f"{{kind: llc_trace, core: 0, path: workloads/captures/{name}, format: hmsim}}"
    return write(folder / "own.yaml", f"agents:\n  - {agent}\n")


@pytest.mark.usefixtures("wheel")
def test_a_capture_missing_from_the_wheel_names_its_source(tmp_path: Path) -> None:
    facts = ("captures/kmeans.hmsim.zst", "wheel", "hmsim-workloads-", ".tar", "HMSIM_WORKLOADS")
    with pytest.raises(InputError, match=naming(*facts)):
        load_workload("mix:kmeans+mcf")
    path = own(tmp_path, "kmeans.hmsim.zst")
    with pytest.raises(InputError, match=naming(f"{path}:2: path", *facts)):
        load_workload(path)


def test_a_shipped_capture_takes_precedence(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMSIM_WORKLOADS", str(GIVEN))
    found = load_workload("mix:sort+mcf").agents[1].trace
    assert found == wheel / "workloads" / "captures" / "sort.hmsim.zst"


@pytest.mark.usefixtures("wheel")
def test_other_captures_are_found_in_the_folder_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMSIM_WORKLOADS", str(GIVEN))
    expected = GIVEN / "captures" / "kmeans.hmsim.zst"
    assert load_workload("mix:kmeans+mcf").agents[1].trace == expected
    assert load_workload(own(tmp_path, "kmeans.hmsim.zst")).agents[0].trace == expected


@pytest.mark.usefixtures("wheel")
def test_a_wrong_folder_or_name_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = str(tmp_path / "absent")
    monkeypatch.setenv("HMSIM_WORKLOADS", absent)
    with pytest.raises(InputError, match=naming("kmeans.hmsim.zst", absent)):
        load_workload("mix:kmeans+mcf")
    monkeypatch.setenv("HMSIM_WORKLOADS", str(GIVEN))
    with pytest.raises(InputError, match=naming("kmaens", "'kmeans.hmsim.zst'")):
        load_workload(own(tmp_path, "kmaens.hmsim.zst"))
