# SPDX-License-Identifier: BSD-3-Clause
"""Do gem5's run scripts find their programs? gem5's own modules are stand-ins."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import pytest

REPO = Path(__file__).resolve().parents[2]
SCRIPTS = REPO / "configs" / "gem5"
FEIGNED = ("_m5", "m5", "gem5")


class _Finder:
    """Makes a module of any name below gem5's packages, as a build without Ruby has them."""

    def find_spec(self, name: str, path: object, target: object = None) -> Any:
        if ".ruby." in name:
            raise ImportError(f"{name}: this gem5 has no Ruby")
        if name.partition(".")[0] in FEIGNED:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore
        return None

    def create_module(self, spec: Any) -> ModuleType:
        module = MagicMock(__path__=[], __spec__=spec)
        module.AbstractClassicCacheHierarchy = object
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that imports a script by name."""
    finder = _Finder()
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    monkeypatch.syspath_prepend(str(SCRIPTS))
    names = [
        "harmonic_memory",
        "cores_and_caches",
        "gem5_run",
        "program_runs",
        "ruby_caches",
        "se_mix",
        "spec_mix",
        "fs_boot",
        "base_cpi",
        "traffic",
    ]
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if name in names or name.partition(".")[0] in FEIGNED:
            del sys.modules[name]


def refused(call: Any, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the error output of a script that ends with status 2."""
    with pytest.raises(SystemExit) as end:
        call()
    assert end.value.code == 2
    return capsys.readouterr().err


def spec(root: Path, suite: str, program: str, command: str) -> Path:
    """Make the files of an installed 429.mcf of SPEC, with a run folder; return their folder."""
    folder = root / "benchspec" / suite / "429.mcf" / "run" / "run_base_ref_gcc.0001"
    folder.mkdir(parents=True)
    (folder / program).write_text("")
    (folder / "speccmds.cmd").write_text(command)
    return folder


@pytest.mark.parametrize(
    ("suite", "line"),
    [
        ("CPU2006", "-C /spec/run -o inp.out -e inp.err ./mcf_base inp.in"),
        ("CPU", "-E OMP_NUM_THREADS 1 -o inp.out ./mcf_base inp.in > inp.out 2>> inp.err"),
    ],
)
def test_a_benchmark_of_spec_runs_its_first_command(
    script: Any, tmp_path: Path, suite: str, line: str
) -> None:
    folder = spec(tmp_path, suite, "mcf_base", f"-r -N C\n{line}\n./other\n")
    module = script("spec_mix")
    home = module.benchmark_folder(str(tmp_path), "429.mcf")
    assert module.run_folder(home, "ref") == folder
    assert module.first_command(folder) == f"{folder}/mcf_base inp.in"


def test_missing_parts_of_spec_are_reported(
    script: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = script("spec_mix")
    said = refused(lambda: module.benchmark_folder(str(tmp_path), "429.mcf"), capsys)
    assert "must contain SPEC CPU2006 or CPU2017" in said
    folder = spec(tmp_path, "CPU2006", "mcf_base", "-i inp.in ./mcf_base\n")
    said = refused(lambda: module.benchmark_folder(str(tmp_path), "430.mcf"), capsys)
    assert "430.mcf: not in" in said
    assert "known: 429.mcf" in said
    home = module.benchmark_folder(str(tmp_path), "429.mcf")
    assert "--size=test" in refused(lambda: module.run_folder(home, "test"), capsys)
    assert "standard input" in refused(lambda: module.first_command(folder), capsys)
    (folder / "speccmds.cmd").write_text("./mcf_other inp.in\n")
    assert "not built" in refused(lambda: module.first_command(folder), capsys)


def test_only_rubys_caches_need_ruby(script: Any) -> None:
    for name in ("se_mix", "spec_mix", "fs_boot", "base_cpi"):
        script(name)
    with pytest.raises(ImportError, match="no Ruby"):
        script("ruby_caches")


def test_a_program_is_a_path_or_a_shipped_file(
    script: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = script("se_mix")
    module.m5.options.outdir = str(tmp_path)
    path = module.executable("block_copy")
    assert path.is_file()
    done = subprocess.run([path, "read", "1", "1"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "runs under configs/gem5/se_mix.py" in done.stderr
    assert module.executable(str(path)) == path
    assert "known: block_copy, pointer_chase" in refused(
        lambda: module.executable("block_cop"), capsys
    )
    assert "no such file" in refused(lambda: module.executable("./none"), capsys)


def test_runs_of_several_policies_get_the_other_options(script: Any) -> None:
    without = script("gem5_run").without
    line = ["--policy", "a", "--cpu", "o3", "--policy=b", "--out", "d", "--set", "x=--policy"]
    assert without(line, ["--policy", "--out"]) == ["--cpu", "o3", "--set", "x=--policy"]


def test_a_job_of_the_guest_marks_the_measured_region() -> None:
    jobs = sorted((SCRIPTS / "jobs").glob("*.sh"))
    assert jobs
    for job in jobs:
        assert subprocess.run(["sh", "-n", job]).returncode == 0
        assert ("gem5 begin\n" in job.read_text()) != job.name.endswith(".prepare.sh")


def test_an_unusable_kvm_is_reported_before_booting(
    script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fs_boot = script("fs_boot")
    (tmp_path / "file").touch()
    for name, reported in (("nowhere", "No such file"), ("file", "Inappropriate ioctl")):
        monkeypatch.setattr(fs_boot, "KVM", str(tmp_path / name))
        assert reported in fs_boot.kvm_fault()


MESI = "MESI_Two_Level"


@pytest.mark.parametrize(
    ("without", "with_it"),
    [
        ({"PROTOCOL": ""}, {"PROTOCOL": MESI}),
        ({"PROTOCOL": "MI_example"}, {"PROTOCOL": MESI}),
        # Since v24.1
        ({"RUBY": False}, {"RUBY": True, f"RUBY_PROTOCOL_{MESI}": True}),
        ({f"RUBY_PROTOCOL_{MESI}": False, "RUBY_PROTOCOL_CHI": True}, {f"RUBY_PROTOCOL_{MESI}": 1}),
    ],
)
def test_rubys_caches_are_rejected_by_a_gem5_without_their_protocol(
    script: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    without: dict[str, object],
    with_it: dict[str, object],
) -> None:
    fs_boot = script("fs_boot")
    fs_boot.m5.defines.buildEnv = without
    line = ["fs_boot.py", "--machine", str(tmp_path), "--checkpoint", str(tmp_path), "--ruby"]
    monkeypatch.setattr(sys, "argv", line)
    said = refused(fs_boot.arguments, capsys)
    assert said == "fs_boot.py: --ruby: this gem5 was built without MESI_Two_Level\n"
    fs_boot.m5.defines.buildEnv = with_it
    assert fs_boot.arguments().ruby


def test_a_machine_has_one_root_object(script: Any) -> None:
    gem5_run = script("gem5_run")
    board = MagicMock()
    board.is_fullsystem.return_value = True
    assert gem5_run.make_root(board) is board._pre_instantiate.return_value  # since v24.1
    gem5_run.Root.assert_not_called()
    board._pre_instantiate.return_value = None  # v24.0
    assert gem5_run.make_root(board) is gem5_run.Root.return_value
    gem5_run.Root.assert_called_once_with(full_system=True, board=board)


def test_processors_need_no_protocol_in_a_build_without_ruby(script: Any) -> None:
    gem5_run = script("gem5_run")
    runtime = sys.modules["gem5.runtime"] = MagicMock(spec=["get_supported_protocols"])
    requires = sys.modules["gem5.utils.requires"] = MagicMock()
    gem5_run.m5.defines.buildEnv = {"PROTOCOL": ""}
    gem5_run.allow_builds_without_ruby()
    assert requires.get_runtime_coherence_protocol() is None  # v24.0
    assert not hasattr(runtime, "get_runtime_coherence_protocol")  # since v24.1


def test_a_policy_in_python_is_rejected(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine:
        """Somebody's scheduler."""

    monkeypatch.syspath_prepend(str(REPO / "gem5-ext" / "components"))
    flat_parameters = script("harmonic_memory").flat_parameters
    with pytest.raises(ValueError, match=r"controller\.scheduler: .*gem5"):
        flat_parameters("gem5", overrides={"controller.scheduler": Mine()})
