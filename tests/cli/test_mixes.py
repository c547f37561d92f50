# SPDX-License-Identifier: BSD-3-Clause
"""Do mixes and profiles in workloads mean what they say?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hmsim import InputError, load_config, load_workload, run
from hmsim.clones.files import resolve
from hmsim.clones.profile_file import dump, load
from hmsim.clones.profile_meter import measure
from hmsim.common.paths import data_directory, shipped
from hmsim.traces.columns import columns
from hmsim.traces.file import TraceFile
from hmsim.traces.reader import read_pieces
from hmsim.workloads.mixes import (
    BASE_CPI,
    PARTNERS,
    PROGRAMS,
    WINDOW,
    WINDOW_BEGINS,
    Mix,
    capture,
    every,
    expand,
    parse,
)
from messages import naming
from support import REPO, fail, parsed, write

# The paper, Table IV: reads and writes per 1000 instructions.
TABLE_IV = {"mcf": (40.58, 15.42), "lbm": (22.68, 13.28), "milc": (1.82, 1.44)}


def keys(agent: object) -> dict[str, str]:
    return dict(agent.flat())  # type: ignore[attr-defined]


def test_every_shipped_profile_is_valid() -> None:
    profiles = shipped("workloads/profiles")
    assert {*PROGRAMS, *PARTNERS} == {*profiles} == {*BASE_CPI}
    for name, path in profiles.items():
        profile = load(path)
        assert path.read_text(encoding="utf-8") == dump(profile)
        assert profile.description
        assert (profile.calibrated == "table4") == (name in PARTNERS)
        assert bool(profile.nvdimm_pages) == (name not in PARTNERS)


@pytest.mark.parametrize("name", TABLE_IV)
def test_calibrated_twins_have_the_rates_of_table_iv(name: str) -> None:
    profile = load(shipped("workloads/profiles")[name])
    assert 1000 * profile.streams["dram_fills"].accesses == round(
        TABLE_IV[name][0] * profile.instructions
    )
    assert 1000 * profile.streams["dram_write_backs"].accesses == round(
        TABLE_IV[name][1] * profile.instructions
    )
    trace = resolve(name, Path(), {"instructions": "1000000"})
    info = parsed("trace", "info", trace)
    assert info["read_mpki"] == pytest.approx(TABLE_IV[name][0], rel=0.005)
    assert info["write_mpki"] == pytest.approx(TABLE_IV[name][1], rel=0.005)


@pytest.mark.parametrize("name", ["dfsioe_w", "nutchindexing"])
def test_shipped_profiles_are_those_of_the_captures(name: str) -> None:
    path = shipped("workloads/profiles")[name]
    measured = measure(data_directory() / "workloads" / "captures" / f"{name}.hmsim.zst")
    shown = load(path)
    measured = replace(measured, description=shown.description)
    assert dump(measured) == path.read_text(encoding="utf-8"), "analysis/make_profiles.py"


def test_names_of_mixes_are_unique_and_parsed() -> None:
    names = [mix.name for mix in every()]
    assert len(names) == len({*names}) == 3 * len(PROGRAMS)
    for name in names:
        assert parse(name).name == name
    assert parse("mix:dfsioe_r+lbm,timed") == Mix("dfsioe_r", "lbm", "timed")
    assert expand(["demo", "mix:all"]) == ["demo", *names]
    assert expand(["mix:all,timed"]) == [f"{name},timed" for name in names]
    for name, values in {
        "mix:dfsioe_r+mfc": ("'mfc'", "'mcf'?"),
        "mix:dfsio_r+mcf": ("'dfsio_r'", "'dfsioe_r'?"),
        "mix:dfsioe_r": ("mix:dfsioe_r:", "PROGRAM"),
        "mix:dfsioe_r+mcf,timd": ("'timd'", "'timed'?"),
        "mix:all,closd": ("'closd'", "'closed'?"),
        "mix:sort+mcf,": ("''", "timed, closed"),
        "mix:sort+mcf,timed,closed": ("'timed,closed'",),
    }.items():
        with pytest.raises(InputError, match=naming("mix:", *values)):
            expand([name])
            load_workload(name)
    with pytest.raises(InputError, match=naming("mix:all:", "24", "'hmsim compare'")):
        load_workload("mix:all")
    assert "Traceback" not in fail("run", "quick", "--workload", "mix:dfsioe_r+mfc")


def test_a_mix_is_a_trace_and_a_job_with_their_base_cpi() -> None:
    waiting = load_workload("mix:dfsioe_r+mcf")
    assert [agent.kind for agent in waiting.agents] == ["llc_trace", "job"]
    assert keys(waiting.agents[1])["cores"] == "1-3"
    assert [keys(agent)["base_cpi"] for agent in waiting.agents] == ["0.7089", "0.9465"]
    waiting.check(load_config("quick"))
    closed = load_workload("mix:dfsioe_r+mcf,closed")
    assert [agent.kind for agent in closed.agents] == ["llc_trace", "llc_trace", "block_trace"]
    assert keys(closed.agents[2])["driver"] == "pmbd"
    assert [keys(agent).get("base_cpi") for agent in closed.agents] == ["0.7089", "0.9465", None]
    timed = load_workload("mix:dfsioe_r+mcf,timed")
    for mix, measured in (closed, [True] * 3), (timed, [True, True, False]):
        assert [agent.measured for agent in mix.agents] == measured
        assert len({agent.trace for agent in mix.agents}) == 3
        traces = [agent.trace.name for agent in mix.agents if agent.trace]
        assert [name.split("-")[0] for name in traces] == ["mcf", "dfsioe_r", "dfsioe_r"]
        mix.check(load_config("quick"))
    assert keys(timed.agents[2])["replay"] == "timed"
    # Only the block agent, or the job, accesses the NVDIMM.
    assert closed.agents[1].trace is not None and waiting.agents[1].trace is not None
    assert not TraceFile(closed.agents[1].trace).header.two_memories
    assert TraceFile(waiting.agents[1].trace).header.two_memories


@pytest.mark.parametrize("program", ["dfsioe_w", "wordcount"])
def test_a_jobs_window_is_the_middle_one_of_those_with_io(program: str) -> None:
    trace = capture(program)
    lines = [0] * (TraceFile(trace).header.instructions // WINDOW)
    for piece in columns(trace):
        for window in (piece.time[piece.nvdimm] // WINDOW).tolist():
            if window < len(lines):
                lines[window] += 1
    busy = sorted((count, window) for window, count in enumerate(lines) if count)
    assert busy[len(busy) // 2][1] * WINDOW == WINDOW_BEGINS[program]


def test_a_workload_may_ask_for_twins(tmp_path: Path) -> None:
    profile = data_directory() / "workloads" / "profiles" / "dfsioe_r.yaml"
    write(tmp_path / "p.yaml", profile.read_bytes())
    path = write(
        tmp_path / "w.yaml",
        "agents:\n"
        "  - {kind: llc_trace, path: twin:p.yaml, format: hmsim, instructions: 20000}\n"
        "  - {kind: block_trace, path: twin:p.yaml@2, format: mqsim, requests: 10}\n",
    )
    workload = load_workload(path)
    first, second = (agent.trace for agent in workload.agents)
    assert first is not None
    assert TraceFile(first).header.instructions == 20_000
    assert TraceFile(first).header.two_memories
    assert second is not None
    assert b"".join(read_pieces(second)).split()[1] == b"1", "the second twin's device"
    stats = run(load_config("quick"), workload).stats
    assert stats["agent.0.progress"] == 20_000
    assert stats["nvdimm.reads"] > 0
    for name, values in {
        "p.yaml:dram": ("p.yaml:", "DRAM"),
        "p.yaml:nvdimm": ("'nvdimm'", "dram, whole"),
        "p.yaml@0": ("twin 0", "9999"),
        "p.yaml@10000": ("twin 10000", "9999"),
        "none.yaml": ("none.yaml:", "profile"),
        "mfc": ("'mfc'", "'mcf'?"),
        "mcf@x": ("'mcf@x'", "PROFILE[@N][:dram|whole]"),
        "": ("PROFILE[@N][:dram|whole]",),
    }.items():
        write(path, f"agents:\n  - {{kind: block_trace, path: 'twin:{name}', format: mqsim}}\n")
        with pytest.raises(InputError, match=naming(*values)) as error:
            load_workload(path)
        assert str(error.value).startswith(f"{path}:2: path: twin:{name}: ")
    write(path, "agents:\n  - {kind: block_trace, path: twin:p.yaml, format: fio}\n")
    with pytest.raises(InputError, match=naming(f"{path}:2: ", "hmsim", "mqsim", "fio")):
        load_workload(path)
    write(path, "agents:\n  - {kind: block_trace, path: twin:p.yaml, format: mqsim}\n")
    write(tmp_path / "p.yaml", "hmsim_profile: 1\ninstructions: x\n")
    with pytest.raises(InputError, match=r"p\.yaml: dram_pages: "):
        load_workload(path)


def test_shipped_files_are_found_from_any_directory(tmp_path: Path) -> None:
    text = """\
agents:
  - {kind: llc_trace, core: 0, path: twin:mcf, format: hmsim, instructions: 100000}
  - {kind: llc_trace, core: 1, path: workloads/captures/sort.hmsim.zst, format: hmsim}
"""
    twin, captured = load_workload(write(tmp_path / "w.yaml", text)).agents
    assert twin.trace is not None and twin.trace.name.startswith("mcf-")
    assert captured.trace == REPO / "workloads" / "captures" / "sort.hmsim.zst"
    own = tmp_path / "workloads" / "captures"
    own.mkdir(parents=True)
    write(own / "sort.hmsim.zst", b"")
    assert load_workload(tmp_path / "w.yaml").agents[1].trace == own / "sort.hmsim.zst"
