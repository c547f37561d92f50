# SPDX-License-Identifier: BSD-3-Clause
"""Does each machine get a checkpoint, and every policy from there? gem5 is a stand-in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hmsim
import pytest
from hmsim.capture import gem5_machines
from hmsim.capture.guest_image import job_names
from hmsim.common.paths import shipped
from messages import naming
from support import fail, succeed

# Makes a checkpoint if there is none, otherwise a run directory.
GEM5 = """\
#!/usr/bin/env python3
import json, sys
from pathlib import Path
outdir, script, *options = sys.argv[1:]
given = dict(zip(options[::2], options[1::2]))
with Path("calls").open("a") as calls:
    calls.write(json.dumps(given) + "\\n")
marker = Path(given["--checkpoint"], "machine.json")
if "broken" in given["--machine"]:
    sys.exit("the terminal says why")
if not marker.exists():
    marker.write_text("{}")
    sys.exit(0)
run = Path(given["--out"])
run.mkdir()
reads = 100 * len(given["--machine"]) + int(given["--seed"])
if "idle" in given["--machine"]:
    reads = int(given["--seed"]) - 1
(run / "stats.json").write_text(json.dumps({"nvdimm": {"reads": reads}}))
(run / "config.yaml").write_text("{}")
(run / "run.json").write_text(json.dumps({"units": {"nvdimm.reads": "lines"}}))
"""


def machine(name: str, window: str | None = None, cores: int = 2) -> str:
    Path(name).mkdir(parents=True)
    Path(name, "machine.json").write_text(json.dumps({"cores": cores, "window": window}))
    return name


def gem5() -> tuple[str, ...]:
    Path("gem5.opt").write_text(GEM5)
    Path("gem5.opt").chmod(0o755)
    return ("--gem5", "./gem5.opt", "--policy", "firm", "--policy", "all", "--jobs", "1")


def calls() -> list[dict[str, str]]:
    return [json.loads(line) for line in Path("calls").read_text().splitlines()]


def test_each_machine_gets_one_checkpoint_and_every_policy_and_begin() -> None:
    machines = (machine("sort/2MiB", "2MiB"), machine("wordcount", cores=4))
    command = ("gem5", *machines, *gem5(), "--seeds", "2", "--duration", "3ms", "--out", "out")
    succeed(*command)
    table = hmsim.load_results("out/runs")
    assert sorted(set(table["workload"])) == ["sort_2MiB", "wordcount"]
    assert len(table) == 8
    assert (table["error"] == "").all()
    made = calls()
    boots, runs = made[:2], made[2:]
    assert [call["--cores"] for call in boots] == ["2", "4"]
    assert all("--out" not in call and call["--duration"] == "3ms" for call in boots)
    assert all("--io" not in call for call in made)
    assert len(runs) == 8
    assert {call["--seed"] for call in runs} == {"1", "2"}
    assert {Path(call["--checkpoint"]).name for call in runs} == {"sort_2MiB", "wordcount"}
    succeed(*command)  # nothing is left to do
    assert len(calls()) == len(made)
    succeed("sweep", "out/sweep.yaml", "--out", "out/runs", "--jobs", "1")
    assert len(calls()) == len(made)


def test_a_failed_checkpoint_is_reported_and_leaves_nothing() -> None:
    assert "gem5 ended with status 1" in fail("gem5", machine("broken"), *gem5(), "--out", "out")
    assert not list(Path("out/checkpoints").iterdir())


def test_a_folder_of_another_comparison_is_kept() -> None:
    name = machine("sort")
    succeed("gem5", name, *gem5(), "--seeds", "1", "--out", "out")
    done = fail("gem5", name, *gem5(), "--seeds", "2", "--out", "out")
    assert naming("out:", "results", "folder").search(done), done


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Replace QEMU by a stand-in, and return the list of its calls' arguments."""
    asked = []

    def leave(out: Path, report: object, **how: Any) -> list[Path]:
        asked.append({"out": out, **how})
        machines = [out / window for window in how["windows"]] or [out]
        for folder, window in zip(machines, how["windows"] or [None]):
            folder.mkdir(parents=True)
            reported = {"cores": how["vcpus"], "window": window, "partners": list(how["partners"])}
            reported.update({name: how[name] for name in ("job", "scale", "driver")})
            (folder / "machine.json").write_text(json.dumps(reported))
        return machines

    monkeypatch.setattr("hmsim.capture.leaving.leave", leave)
    return asked


def test_a_job_is_prepared_once(prepared: list[dict[str, Any]]) -> None:
    command = ("gem5", "sort", *gem5(), "--seeds", "1", "--out", "out")
    succeed(*command)
    succeed(*command)
    (asked,) = prepared
    assert asked["job"] == "sort"
    assert asked["windows"] == ("2MiB", "36MiB")
    table = hmsim.load_results("out/runs")
    assert sorted(set(table["workload"])) == ["sort_2MiB", "sort_36MiB"]
    job = shipped("configs/gem5/jobs")["sort"].read_text()
    Path("sort.yaml").write_text(job.replace("network_simplex 200000", "network_simplex 100000"))
    done = fail("gem5", "sort.yaml", *gem5(), "--seeds", "1", "--out", "out")
    assert naming("out/machines/sort/2MiB:", "folder").search(done), done
    assert len(prepared) == 1


def test_a_job_of_the_user_may_leave_at_its_begin(prepared: list[dict[str, Any]]) -> None:
    Path("mine.yaml").write_text(
        "job: wordcount\ndriver: dax\nvcpus: 2\npartners: [su3_lattice 8 1]\n"
    )
    succeed("gem5", "mine.yaml", *gem5(), "--seeds", "1", "--out", "out")
    (asked,) = prepared
    del asked["out"]
    assert asked == {
        "job": "wordcount",
        "scale": 1,
        "driver": "dax",
        "partners": ("su3_lattice 8 1",),
        "windows": (),
        "vcpus": 2,
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("scale: 2\n", ("mine.yaml:1: job:",)),
        ("job: sort\nscael: 2\n", ("mine.yaml:2: scael:", "'scale'?")),
        ("job: sort\ndriver: pmdb-nt\n", ("mine.yaml:2: driver:", "'pmdb-nt'", "'pmbd-nt'?")),
        ("job: sort\nvcpus: 9\n", ("mine.yaml:2: vcpus:", "9", "8")),
    ],
)
def test_errors_of_job_files_are_reported(
    text: str, parts: tuple[str, ...], prepared: list[dict[str, Any]]
) -> None:
    Path("mine.yaml").write_text(text)
    assert naming(*parts).search(fail("gem5", "mine.yaml", *gem5(), "--out", "out"))
    assert not prepared


def test_shipped_jobs_are_jobs_of_the_guest() -> None:
    names = [path.stem for path in shipped(gem5_machines.SHIPPED).values()]
    jobs = [gem5_machines.load_guest_job(name) for name in names]
    assert {"bayes", "dfsioe_r", "dfsioe_w", "kmeans"} <= set(names)
    assert {"nutchindexing", "pagerank", "sort", "wordcount"} <= set(names)
    assert {job.job for job in jobs} <= set(job_names(small=False))
