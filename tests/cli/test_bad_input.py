# SPDX-License-Identifier: BSD-3-Clause
"""Is every input error reported once, with its place, and without leaving files?"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hmsim
import pandas
import pytest
import zstandard
from bad_memory import MEMORY
from messages import naming
from support import STREAM, fail, invoke, write

LAUGHS = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{n}: &a{n} {{{', '.join(f'b{m}: *a{n - 1}' for m in range(10))}}}\n" for n in range(1, 10)
)
DEEP = "".join("  " * n + "a:\n" for n in range(60)) + "  " * 60 + "b: 1\n"

AGENT = "agents:\n  - {kind: synthetic, target: dram, pattern: random, requests: 10}\n"

# name of the case: (content of c.yaml, what the message must hold)
CONFIGS: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "empty": ("", ("c.yaml: empty",)),
    "a list": ("- dram\n", ("c.yaml:1:", "list")),
    "a tab": ("dram:\n\tranks: 1\n", ("c.yaml:2: begins with a tab; YAML is indented by blanks",)),
    "a tab after blanks": ("dram:\n  ranks: 1\n\t tREFI: 1\n", ("c.yaml:3: begins with a tab",)),
    "an unclosed quote": ('dram: {preset: "table3}\n', ("c.yaml:",)),
    "two documents": ("dram: {ranks: 1}\n---\ndram: {ranks: 1}\n", ("c.yaml:2:",)),
    "a repeated key": ("dram:\n  ranks: 1\n  ranks: 2\n", ("c.yaml:3: ranks:", "line 2")),
    "a bomb of aliases": (LAUGHS, ("c.yaml:6: more than 100000 values",)),
    "deep nesting": (DEEP, ("c.yaml:16:", "nested")),
    "binary": (b"\x00\x01\x02", ("c.yaml: is not text",)),
    "too large": ("# " + "x" * (4 << 20), ("c.yaml:", "4 MiB")),
    "an unknown parameter": (
        "controller:\n  queus: split\n",
        ("c.yaml:2: controller.queus:", "'controller.queues'?"),
    ),
    "an unknown section": ("drum:\n  ranks: 1\n", ("c.yaml:2: drum.ranks:", "'dram.ranks'?")),
    "a key of another section": ("hbf: {fill: 1}\n", ("'nvdimm.precondition.fill'?",)),
    "a value for a section": ("dram: 4\n", ("c.yaml:1: dram:", "section")),
    "a section for a value": (
        "dram:\n  ranks: {count: 4}\n",
        ("c.yaml:2: dram.ranks.count:", "'dram.ranks'", "single value"),
    ),
    "no value": ("dram:\n  ranks:\n", ("c.yaml:2: dram.ranks:", "no value")),
    "a Python object": (
        "dram:\n  ranks: !!python/object/apply:os.getcwd []\n",
        ("c.yaml:2: dram.ranks:", "list"),
    ),
    "a tag": ("dram:\n  ranks: !ranks 1\n", ("c.yaml:2: dram.ranks:", "tag")),
    "no unit": ("nvdimm:\n  capacity: 32\n", ("c.yaml:2: nvdimm.capacity:", "unit", "4MiB")),
    "out of range": (
        "controller:\n  queue_depth: 0\n",
        ("c.yaml:2: controller.queue_depth: '0'", "1 .. 4096"),
    ),
    "negative": (
        "controller: {queue_depth: -1}\n",
        ("c.yaml:1: controller.queue_depth: '-1'", "1 .. 4096"),
    ),
    "not a number": (
        "nvdimm: {ftl: {over_provisioning: .nan}}\n",
        ("c.yaml:1: nvdimm.ftl.over_provisioning:",),
    ),
    "a misspelt choice": (
        "controller:\n  queues: splt\n",
        ("c.yaml:2: controller.queues: 'splt'", "'split'?"),
    ),
    "a misspelt policy": (
        "controller:\n  scheduler: fr_fcf\n",
        ("c.yaml:2: controller.scheduler:", "'fr_fcfs'?"),
    ),
    "no power of two": ("dram:\n  ranks: 3\n", ("c.yaml:2: dram.ranks: 3", "power")),
    "a wrong address map": (
        "controller:\n  address_map: row|bnk|rank|column|channel\n",
        ("c.yaml:2: controller.address_map: 'bnk'", "'bank'?"),
    ),
    "an unfit capacity": ("nvdimm:\n  capacity: 33MiB\n", ("c.yaml:2: nvdimm.capacity:", "4MiB")),
    "two errors": (
        "dram:\n  rank: 1\n  ranks: 99\n",
        ("c.yaml:2: dram.rank:", "c.yaml:3: dram.ranks: '99'"),
    ),
    "an unknown base": ("base: quik.yaml\n", ("c.yaml:1: base: quik.yaml:", "'quick'?")),
    "itself as base": ("description: x\nbase: c.yaml\n", ("c.yaml:2: base:",)),
    "a workload": (AGENT, ("c.yaml:2: agents:", "a key of workloads")),
    "a sweep": ("grid: 1\n", ("c.yaml:1: grid: unknown parameter (a key of sweeps)",)),
    "an option": ("policy: split\n", ("c.yaml:1: policy:", "--policy")),
    "a wrong indentation": (
        "dram:\n  ranks: 1\n   tREFI: 1\n",
        ("c.yaml:3: mapping values", "check the indentation"),
    ),
    "a list as base": ("base: [quick]\n", ("c.yaml:1: base:", "list")),
}
CONFIGS.update(MEMORY)

WORKLOADS: dict[str, tuple[str, tuple[str, ...]]] = {
    "empty": ("", ("w.yaml: empty",)),
    "a configuration": ("base: quick\n", ("w.yaml:1: base:", "a key of configurations")),
    "a key of another kind": (
        "agents:\n  - {kind: synthetic, target: dram, replay: closed}\n",
        ("w.yaml:2: replay:", "a key of block_trace"),
    ),
    "agents as a mapping": ("agents: {kind: synthetic}\n", ("w.yaml:1: agents:", "list")),
    "many agents": (AGENT + AGENT[AGENT.index("  -") :] * 1024, ("w.yaml:1026: agents:", "1024")),
    "what steers a terminal": (
        'agents:\n  - {kind: "\\e[2J\u202ex"}\n',
        (r"w.yaml:2: kind: '\x1b[2J\u202ex'",),
    ),
    "an agent as a value": ("agents:\n  - synthetic\n", ("w.yaml:2: agents:",)),
    "a misspelt kind with a path": (
        "agents:\n  - {path: nowhere.txt,\n     kind: cpu_trase}\n",
        ("w.yaml:3: kind: 'cpu_trase'", "'cpu_trace'?"),
    ),
    "no kind": ("agents:\n  - {core: 0}\n", ("w.yaml:2: kind:",)),
    "an unknown key": (
        AGENT + "  - kind: synthetic\n    patern: random\n",
        ("w.yaml:4: patern:", "'pattern'?"),
    ),
    "a wrong value": (
        "agents:\n  - {kind: synthetic, pattern: randm}\n",
        ("w.yaml:2: pattern: 'randm'", "'random'?"),
    ),
    "a missing trace": (
        "agents:\n  - {kind: llc_trace,\n     path: good.tracee, format: ramulator}\n",
        ("w.yaml:3: path:", "No such file", "'good.trace'?"),
    ),
    "a damaged trace": (
        "agents:\n  - {kind: llc_trace, path: damaged.zst, format: ramulator}\n",
        ("damaged.zst:", "damaged"),
    ),
    "a malformed line": (
        "agents:\n  - {kind: llc_trace, path: wrong.trace, format: ramulator}\n",
        ("wrong.trace:2:",),
    ),
    "a trace of another format": (
        "agents:\n  - {kind: llc_trace, path: good.trace, format: hmsim}\n",
        ("good.trace",),
    ),
}

# name of the case: (arguments, what the message must hold); every run names real files else
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "an unknown command": (("rnu",), ("rnu: no such command", "'run'?")),
    "the beginning of a command": (("comp",), ("'compare'?",)),
    "an unknown command of a group": (("trace", "inof"), ("inof: no such command", "'info'?")),
    "an unknown option": (("run", "quick", "--worklod", "w.yaml"), ("--worklod:", "'--workload'?")),
    "an option near no other": (("check", "quick", "--xyzzy"), ("--xyzzy:", "'hmsim check -h'")),
    "an option without a value": (("run", "quick", "--workload"), ("--workload: requires",)),
    "no configuration": (("check",), ("CONFIG: is required: A configuration",)),
    "two configurations": (("run", "quick", "pcm", "--workload", "w.yaml"), ("run: got ", "(pcm)")),
    "no workload": (("run", "quick"), ("--workload / --trace: is required",)),
    "a shipped name of another kind": (
        ("run", "quick", "--workload", "pcm"),
        ("pcm: no such workload", "a configuration"),
    ),
    "a misspelt bundle": (("check", "quick", "--policy", "splt"), ("policy: splt: no", "'split'?")),
    "a misspelt file": (("run", "quick", "--trace", "goood.trace"), ("no such file", "'good.t")),
    "keys of a workload": (("run", "quick", "--trace", "w.yaml,core=0"), ("'w.yaml' is not one",)),
    "cores twice": (
        ("run", "quick", "--trace", "good.trace,cores=0-3,copies=2"),
        ("copies: must not be beside cores=0-3",),
    ),
    "a header": (
        ("run", "quick", "--trace", "head.csv"),
        ("'head.csv,format=csv,columns.time=0,columns.op=1,columns.offset=2,", ".header=1'"),
    ),
    "no policy": (("compare", "quick", "--workload", "w.yaml"), ("--policy: is required",)),
    "no seed": (("compare", "quick", "--workload", "w.yaml", "--seeds", "0"), ("--seeds: 0 is",)),
    "an unknown end": (
        ("run", "quick", "--workload", "w.yaml", "--until", "stedy"),
        ("--until: 'stedy'", "'steady'?"),
    ),
    "a negative warm-up": (
        ("run", "quick", "--workload", "w.yaml", "--warmup", "-1us"),
        ("--warmup: must not be negative, got '-1us'",),
    ),
    "an unknown row": (
        (
            *("compare", "quick", "--policy", "split", "--workload", "w.yaml"),
            *("--rows", "x", "--out", "o"),
        ),
        ("--rows: x:",),
    ),
    "a file as a run": (("report", "w.yaml"), ("w.yaml: is not a directory",)),
    "a misspelt folder": (("report", "fulll"), ("fulll: no such directory", "'full'?")),
    "a file for a policy's library": (
        ("policy", "build", "b.yaml", "--to", "w.yaml"),
        ("--to: w.yaml:", "directory"),
    ),
    "an unknown configuration": (("check", "quik"), ("quik:", "'quick'?")),
    "a directory": (("check", "."), (".:", "file")),
    "an unknown workload": (("run", "quick", "--workload", "dmeo"), ("dmeo:", "workload")),
    "a bundle with an error": (
        ("check", "quick", "--policy", "b.yaml"),
        ("b.yaml:1: controller.queue:", "'controller.queues'?"),
    ),
    "--set without a value": (("check", "quick", "--set", "dram.ranks"), ("--set", "PATH=VALUE")),
    "--set of a wrong value": (
        ("check", "quick", "--set", "dram.ranks=x"),
        ("--set: dram.ranks: 'x'", "whole number"),
    ),
    "--set of a base": (("check", "quick", "--set", "base=quick"), ("--set: base:",)),
    "two policies in a run": (
        ("run", "quick", "--workload", "w.yaml", "--policy", "hms", "--policy", "split"),
        ("--policy:", "'hmsim compare'"),
    ),
    "a time without a unit": (
        ("run", "quick", "--workload", "w.yaml", "--for", "200"),
        ("--for: '200'", "unit"),
    ),
    "two time limits": (
        (
            *("run", "quick", "--workload", "w.yaml", "--for", "1s"),
            *("--set", "frontend.time_limit=1s"),
        ),
        ("--for: ", "frontend.time_limit", "--set"),
    ),
    "a warm-up without a unit": (
        ("run", "quick", "--workload", "w.yaml", "--warmup", "10"),
        ("warmup: '10'", "10us"),
    ),
    "a key of another section": (
        ("check", "quick", "--set", "nvdimm.page_size=8KiB"),
        ("'nvdimm.nand.page_size'?",),
    ),
    "a plural": (("check", "quick", "--set", "controller.nvdimms=2"), ("'nvdimm.count'?",)),
    "a missing file of a shipped name": (
        ("check", "nowhere/quick.yaml"),
        ("nowhere/quick.yaml:", "'quick'?"),
    ),
    "--set of a key of agents": (
        ("check", "quick", "--set", "read_share=0.5"),
        ("--set: read_share:", "agents", "workload"),
    ),
    "a bundle by its scheduler, which is accepted": (
        ("run", "quick", "--workload", "demo", "--policy", "frfcfs"),
        ("'fr_fcfs'?",),
    ),
    "a policy without its underline": (
        ("check", "quick", "--set", "controller.scheduler=frfcfs"),
        ("'fr_fcfs'?",),
    ),
    "a negative seed": (("run", "quick", "--workload", "w.yaml", "--seed", "-1"), ("--seed",)),
    "a bundle twice": (
        ("compare", "quick", "--policy", "split", "--policy", "split", "--workload", "w.yaml"),
        ("policy: 'split' occurs twice",),
    ),
    "an existing --out": (
        ("run", "quick", "--workload", "w.yaml", "--out", "full"),
        ("full:", "--force"),
    ),
    "a file as --out": (
        ("run", "quick", "--workload", "w.yaml", "--out", "w.yaml", "--force"),
        ("w.yaml:", "directory"),
    ),
    "files of others in --out": (
        ("run", "quick", "--workload", "w.yaml", "--out", "full", "--force"),
        ("full:", "files"),
    ),
    "no parameter of a prefix": (("params", "drum"), ("'dram'?",)),
    "a card of another kind": (("validate", "card", "--out", "x.pdf"), ("--out", ".html", "x.pdf")),
    "a missing trace": (("trace", "info", "none"), ("none:", "No such file")),
    "an unknown trace format": (("trace", "info", "good.trace", "--format", "mqsm"), ("'mqsim'?",)),
    "an impossible conversion": (
        ("trace", "convert", "good.trace", "x", "--to", "mqsim"),
        ("ramulator", "mqsim"),
    ),
    "a conversion onto a file": (
        ("trace", "convert", "good.trace", "wrong.trace", "--to", "hmsim"),
        ("wrong.trace:", "--force"),
    ),
    "a conversion onto itself": (
        ("trace", "convert", "good.trace", "good.trace", "--to", "hmsim", "--force"),
        ("good.trace:", "convert"),
    ),
    "a capture of nothing": (("trace", "capture", "--", "true"), ("--out", "--blocks")),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory with a good workload and good and bad traces."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HMSIM_DEBUG", "0")
    good = b"10 4096\n20 8192 64\n" * 2000
    write(tmp_path / "w.yaml", STREAM)
    write(tmp_path / "b.yaml", "controller.queue: split\n")
    write(tmp_path / "good.trace", good)
    write(tmp_path / "short.gz", gzip.compress(good)[:-12])
    damaged = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(os.urandom(5000)))
    damaged[2500] ^= 0xFF
    write(tmp_path / "damaged.zst", bytes(damaged))
    write(tmp_path / "wrong.trace", "10 4096\n10 x\n")
    write(tmp_path / "head.csv", "time,op,offset,size\n0,R,4096,4096\n1,W,8192,4096\n")
    write(tmp_path / "empty.trace", "")
    (tmp_path / "full").mkdir()
    write(tmp_path / "full" / "mine.txt", "keep")
    return tmp_path


def refuse(folder: Path, arguments: tuple[str, ...], expected: tuple[str, ...]) -> None:
    """Expect status 2, one message that holds ``expected``, and no change to the folder."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = invoke(*arguments)
    assert result.exit_code == 2, (result.stdout, result.stderr)
    assert result.stdout == ""
    for text in expected:
        assert text in result.stderr
    assert "Traceback" not in result.stderr
    assert "fault of hmsim" not in result.stderr
    assert result.stderr.count("hmsim: ") <= 1
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert after == before


@pytest.mark.parametrize("case", CONFIGS)
def test_a_configuration_is_rejected(parser: str, folder: Path, case: str) -> None:
    content, expected = CONFIGS[case]
    write(folder / "c.yaml", content)
    refuse(folder, ("check", "c.yaml"), expected)
    refuse(folder, ("run", "c.yaml", "--workload", "w.yaml", "--out", "out"), expected)


@pytest.mark.parametrize("case", WORKLOADS)
def test_a_workload_is_rejected(parser: str, folder: Path, case: str) -> None:
    content, expected = WORKLOADS[case]
    write(folder / "w.yaml", content)
    refuse(folder, ("run", "quick", "--workload", "w.yaml", "--out", "out"), expected)
    comparison = ("compare", "quick", "--policy", "split", "--workload", "w.yaml", "--out", "out")
    refuse(folder, comparison, expected)


@pytest.mark.parametrize("case", COMMANDS)
def test_a_command_is_rejected(folder: Path, case: str) -> None:
    arguments, expected = COMMANDS[case]
    refuse(folder, arguments, expected)
    assert invoke(*arguments).stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: hmsim.plot(None), ("plot: table:", "NoneType")),  # type: ignore[arg-type]
        (lambda: hmsim.summary(3, ["x"]), ("summary: table:", "int")),  # type: ignore[arg-type]
        (lambda: hmsim.summary(pandas.DataFrame({"a": [1]}), ["a"]), ("axes", "load_results")),
        (lambda: hmsim.run("quick", "demo", seed="x"), ("seed:", "x")),  # type: ignore[arg-type]
        (lambda: hmsim.load_config("quick", "a=1"), ("overrides:", "str")),  # type: ignore[arg-type]
    ],
)
def test_a_call_is_rejected(call: Callable[[], object], expected: tuple[str, ...]) -> None:
    with pytest.raises(hmsim.InputError, match=naming(*expected)):
        call()


def test_a_base_is_named_where_the_error_is(folder: Path) -> None:
    write(folder / "base.yaml", "description: wrong\ndram:\n  rank: 1\n")
    write(folder / "c.yaml", "base: base.yaml\n")
    refuse(folder, ("check", "c.yaml"), ("base.yaml:3: dram.rank:",))


def test_a_ring_of_bases_is_rejected(folder: Path) -> None:
    write(folder / "a.yaml", "base: c.yaml\n")
    write(folder / "c.yaml", "base: a.yaml\n")
    refuse(folder, ("check", "c.yaml"), ("a.yaml:1: base:",))


def test_an_unreadable_file_is_named(folder: Path) -> None:
    path = write(folder / "c.yaml", "dram: {ranks: 1}\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert "c.yaml: Permission denied" in fail("check", "c.yaml")


def test_the_real_program_ends_with_status_2_and_one_line(folder: Path) -> None:
    command = [sys.executable, "-m", "hmsim", "check", "quick", "--set", "dram.rank=1"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("hmsim: --set: dram.rank: ")
    assert done.stderr.endswith("'dram.ranks'?\n") and done.stderr.count("\n") == 1
