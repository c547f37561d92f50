# SPDX-License-Identifier: BSD-3-Clause
"""Do policies that are compiled against an installed hmsim do what compiled-in ones do?"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hmsim import _core
from hmsim.config import policy_library
from messages import naming
from support import fail, invoke, succeed, write

ROOT = Path(__file__).resolve().parents[2]
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")


def hmsim(*arguments: object, libraries: Path | str) -> subprocess.CompletedProcess[str]:
    """Run a command in a separate process, which loads these libraries."""
    environment = {
        **os.environ,
        "HMSIM_POLICIES": str(libraries),
        "PYTHONPATH": str(ROOT / "python"),
    }
    command = [sys.executable, "-m", "hmsim", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def made(folder: Path, name: str, like: str) -> Path:
    succeed("policy", "new", name, "--like", like, "--out", folder / f"{name}.cc")
    built = succeed("policy", "build", folder / f"{name}.cc", "--to", folder / "lib")
    assert f"use it by --policy {name}, or --policy BUNDLE+{name}\n" in built
    return folder / "lib" / f"{name}.so"


@needs_compiler
def test_copies_of_shipped_policies_give_equal_results(tmp_path: Path) -> None:
    parts = {
        "controller.scheduler": "par_bs",
        "controller.nvdimm_scheduler": "fcfs",
        "controller.arbiter": "round_robin",
        "nvdimm.buffer.replacement": "lirs",
    }
    (tmp_path / "lib").mkdir()
    results = []
    for prefix in ("", "my_"):
        if prefix:
            for name in parts.values():
                made(tmp_path, prefix + name, name)
        sets = [f"--set={key}={prefix}{name}" for key, name in parts.items()]
        run = ("run", "quick", "--workload", "demo", "--policy", "split", *sets, "--json")
        done = hmsim(*run, libraries=tmp_path / "lib")
        assert done.returncode == 0, done.stderr
        results.append(json.loads(done.stdout))
    assert results[0] == results[1]
    listed = hmsim("policies", libraries=tmp_path / "lib").stdout
    assert all(f"  my_{name} " in listed for name in parts.values())


@needs_compiler
def test_parameters_of_a_library_s_policy_are_known_and_kept_apart(tmp_path: Path) -> None:
    library = made(tmp_path, "mine", "fr_fcfs_cap")
    for policy in ("mine", "hms_pas+mine", "mine,drained"):
        done = hmsim("check", "quick", "--policy", policy, "--flat", libraries=library)
        assert "controller.scheduler=mine\ncontroller.nvdimm_scheduler=mine\n" in done.stdout
        assert ("controller.queues=split" in done.stdout) == ("hms_pas" in policy)
        assert ("controller.writes=drained" in done.stdout) == ("drained" in policy)
    sets = ("--set", "controller.scheduler=mine", "--set", "policies.mine.cap=0")
    done = hmsim("check", "quick", *sets, libraries=library)
    assert done.returncode == 2
    assert naming("--set: policies.mine.cap:", "'0'", "1").search(done.stderr), done.stderr
    code = "import hmsim.runs.identity as i; print(i.of_code())"
    hashes = set()
    for libraries in ("", str(library)):
        environment = {**os.environ, "HMSIM_POLICIES": libraries}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        hashes.add(done.stdout)
    assert len(hashes) == 2  # results of one are none of the other


@needs_compiler
def test_the_compiler_lists_the_types_that_a_policy_can_save(tmp_path: Path) -> None:
    source = tmp_path / "mine.cc"
    succeed("policy", "new", "mine", "--like", "round_robin", "--out", source)
    members = (
        "std::map<int, int> map_; int* pointer_ = nullptr; enum class Two { a, b } two_;\n};\n"
    )
    text = "#include <map>\n" + source.read_text().replace("};\n", f" {members}", 1)
    source.write_text(re.sub(r"archive\(", "archive(map_, pointer_, two_, ", text, count=1))
    done = hmsim("policy", "build", source, "--to", tmp_path / "lib", libraries="")
    assert done.returncode == 2
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    saves = [line for line in errors if "std::vector" in line and "docs/policy-guide.md" in line]
    assert len(saves) == 2 and len(errors) == 3, done.stderr
    assert sum("`last = ...`" in line for line in errors) == 1


@needs_compiler
def test_foreign_libraries_are_rejected(tmp_path: Path) -> None:
    library = made(tmp_path, "mine", "fcfs")
    interface = _core.policy_interface.encode()
    stale = write(tmp_path / "stale.so", library.read_bytes().replace(interface, interface[::-1]))
    folder = tmp_path / "twice"
    folder.mkdir()
    for name in ("one", "two"):
        shutil.copy(library, folder / f"{name}.so")
    cases = {
        (f"{stale}:", "another hmsim", "'hmsim policy build'"): stale,
        (f"{folder / 'two.so'}:", "'mine'"): folder,
        ("bad.so:", "loaded"): write(tmp_path / "bad.so", "hello"),
        (f"{tmp_path / 'none'}:", "library"): tmp_path / "none",
    }
    for parts, libraries in cases.items():
        done = hmsim("policies", libraries=libraries)
        assert done.returncode == 2
        assert naming(*parts).search(done.stderr), done.stderr
        assert len(done.stderr.splitlines()) == 1


@needs_compiler
def test_a_library_that_others_may_change_is_rejected(tmp_path: Path) -> None:
    library = made(tmp_path, "mine", "fcfs")
    link = tmp_path / "link.so"
    link.symlink_to(library)
    for path, mode in ((library, 0o775), (library.parent, 0o757), (tmp_path, 0o777)):
        before = path.stat().st_mode & 0o7777
        for named in (library, link):
            path.chmod(mode)
            done = hmsim("policies", libraries=named)
            path.chmod(before)
            assert naming(f"{named}:", f"'{path}'", "'chmod go-w'").search(done.stderr)
            assert len(done.stderr.splitlines()) == 1
            assert done.returncode == 2
            assert hmsim("policies", libraries=named).returncode == 0
    tmp_path.chmod(0o1777)  # as /tmp: others cannot replace what is ours
    assert hmsim("policies", libraries=library).returncode == 0
    tmp_path.chmod(0o700)


@needs_compiler
def test_a_built_library_is_private_under_any_umask(tmp_path: Path) -> None:
    source = tmp_path / "mine.cc"
    succeed("policy", "new", "mine", "--out", source)
    before = os.umask(0)
    try:
        succeed("policy", "build", source, "--to", tmp_path / "a" / "b")
    finally:
        os.umask(before)
    library = tmp_path / "a" / "b" / "mine.so"
    for path in (library, library.parent, library.parent.parent):
        assert path.stat().st_mode & 0o022 == 0
    assert hmsim("policies", libraries=library.parent).returncode == 0
    library.unlink()
    library.parent.chmod(0o777)
    done = fail("policy", "build", source, "--to", library.parent)
    assert f"'{library.parent}'" in done and "'chmod go-w'" in done
    assert not list(library.parent.iterdir())


def test_a_relative_data_home_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tmp_path / "data" / "hmsim" / "policies" / "bad.so"
    bad.parent.mkdir(parents=True)
    bad.write_text("no library")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert policy_library.own_folder() == tmp_path / ".local" / "share" / "hmsim" / "policies"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    del environment["HMSIM_POLICIES"]
    command = [sys.executable, "-m", "hmsim", "policies"]
    for home, skipped in (("data", False), (str(tmp_path / "data"), True)):
        environment["XDG_DATA_HOME"] = home
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.returncode, "bad.so: skipped" in done.stderr) == (0, skipped)


@needs_compiler
def test_a_damaged_library_of_the_user_is_named_and_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for name in ("mine", "other"):
        succeed("policy", "new", name, "--like", "fcfs", "--out", tmp_path / f"{name}.cc")
        succeed("policy", "build", tmp_path / f"{name}.cc")
    source = tmp_path / "other.cc"  # as a bundle's name would have it
    source.write_text(source.read_text().replace("other", "hms"))
    for command in (("new", "hms"), ("build", source)):
        assert "hms: a policy bundle has this name" in fail("policy", *command)
    monkeypatch.delenv("HMSIM_POLICIES")
    library = tmp_path / "hmsim" / "policies" / "mine.so"
    sound = library.read_bytes()
    start = sound.index(b"\x7fELF") + 18  # e_machine of the header
    middle = len(sound) // 2
    damages = {
        "cut": sound[:middle],
        "a bit": sound[:middle] + bytes([sound[middle] ^ 1]) + sound[middle + 1 :],
        "another architecture": sound[:start] + b"\xb7\x00" + sound[start + 2 :],
        "empty": b"",
    }
    run = ("run", "quick", "--workload", "demo", "--for", "1us")
    for damage, content in damages.items():
        library.write_bytes(content)
        for command in (("policies",), ("check", "quick", "--policy", "other"), run):
            done = subprocess.run(
                [sys.executable, "-m", "hmsim", *command],
                env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, (damage, done)
            assert done.stderr.count(f"hmsim: {library}: skipped") == 1
    library.write_bytes(sound)
    import_ = [sys.executable, "-c", "from hmsim import _core; print(_core.policy_libraries())"]
    assert subprocess.check_output(import_, text=True).count(".so") == 2


@needs_compiler
def test_a_new_scheduler_s_keys_count_once_they_are_changed(tmp_path: Path) -> None:
    source = tmp_path / "writes_first.cc"
    succeed("policy", "new", "writes_first", "--out", source)
    write(source, source.read_text().replace("return request.row_hit", "return request.write"))
    succeed("policy", "build", source, "--to", tmp_path / "lib")
    results = []
    for name in ("fr_fcfs", "writes_first"):
        run = ("run", "quick", "--workload", "demo", "--set", f"controller.scheduler={name}")
        results.append(json.loads(hmsim(*run, "--json", libraries=tmp_path / "lib").stdout))
    assert results[0]["dram.row_hit_ratio"] != results[1]["dram.row_hit_ratio"]


@needs_compiler
def test_a_failed_build_leaves_the_library_unchanged(tmp_path: Path) -> None:
    library = made(tmp_path, "mine", "fcfs")
    before = library.read_bytes()
    file = tmp_path / "mine.cc"
    write(file, file.read_text().replace("return", "retrn"))
    done = fail("policy", "build", file, "--to", library.parent)
    assert f"{file}: does not compile; " in done and "policies/*.h declare" in done
    assert library.read_bytes() == before
    assert list(library.parent.iterdir()) == [library]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["new", "Mine"], ("Mine:", "small letters")),
        (["new", "firm"], ("firm:", "'hmsim policies'")),
        (["new", "mine", "--like", "frfcfs"], ("--like frfcfs:", "'fr_fcfs'?")),
        (["build", "none.cc"], ("none.cc:", "No such file")),
        (["build", "plain.cc"], ("plain.cc:", "PolicyDescriptor")),
    ],
)
def test_bad_input_gets_one_error(
    arguments: list[str], parts: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "plain.cc", "int x;\n")
    done = fail("policy", *arguments)
    assert naming(*parts).search(done), done
    assert len(done.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["plain.cc"]


def test_a_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy_library.new("mine", "fcfs", tmp_path / "mine.cc")
    monkeypatch.setenv("CXX", "no-such-compiler")
    done = invoke("policy", "build", tmp_path / "mine.cc", "--to", tmp_path / "lib")
    assert naming("no-such-compiler:", "CXX").search(done.stderr), done.stderr
