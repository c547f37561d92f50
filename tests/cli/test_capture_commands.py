# SPDX-License-Identifier: BSD-3-Clause
"""Do the commands that capture pass on what they are given?"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
import typer
from hmsim.capture.emulation import size_in_bytes
from hmsim.capture.guest_image import job_names
from hmsim.capture.machine import check_machine
from hmsim.capture.settings import SHIPPED, ProgramSettings, SystemSettings
from hmsim.capture.system import SystemCaptureSummary
from hmsim.cli import capture
from hmsim.cli.guest import app as guest
from hmsim.cli.trace import app as trace
from messages import naming
from support import invoke, succeed

SUMMARY = SystemCaptureSummary(*([0] * 12), vcpus=1, limited=False, guest_us=None, seconds=1.0)
Captured = list[tuple[str, str, SystemSettings, Any, bool]]


@pytest.fixture
def captured(monkeypatch: pytest.MonkeyPatch) -> Captured:
    """Return the list of captures that commands ask for; none is made."""
    found: Captured = []

    def record(
        job: str, out: str, settings: SystemSettings, snapshot: Any, force: bool, report: Any
    ) -> SystemCaptureSummary:
        found.append((job, out, settings, snapshot, force))
        return SUMMARY

    monkeypatch.setattr(capture, "capture_system", record)
    return found


OPTIONS = {
    "scale": 2,
    "driver": "pmbd-nt",
    "delay": "2ms",
    "processor": "gem5",
    "memory": "3GiB",
    "nvdimm": "1GiB",
    "vcpus": 4,
    "icount": True,
    "causes": True,
    "skip": 5,
    "limit": 6_000_000,
    "size_limit": "1MiB",
    "timeout": 9.0,
}


@pytest.mark.parametrize("name", [field.name for field in fields(SystemSettings)])
def test_each_setting_of_a_machine_has_an_option(captured: Captured, name: str) -> None:
    value = OPTIONS[name]
    option = [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    succeed("guest", "capture", "--job", "sort", *option)
    usual = SystemSettings()
    assert value != getattr(usual, name)
    wanted = replace(usual, **{name: value})  # type: ignore[arg-type]
    assert captured == [("sort", "sort.hmsim.zst", wanted, None, False)]


def test_options_change_the_settings_of_a_shipped_capture(captured: Captured) -> None:
    command = ("guest", "capture", "--job", "sort", "--shipped", "--limit", "5M", "--out", "x.zst")
    succeed(*command, "--snapshot", "s", "--force")
    wanted = replace(SHIPPED["sort"], limit=5_000_000)
    assert (wanted.scale, wanted.icount, wanted.causes) == (32, True, True)
    assert captured == [("sort", "x.zst", wanted, "s", True)]


@pytest.mark.parametrize("job", SHIPPED)
def test_shipped_settings_are_of_jobs_and_machines_that_exist(job: str) -> None:
    assert job in job_names(small=False)
    settings = SHIPPED[job]
    memory = size_in_bytes("memory", settings.memory or "2GiB")
    nvdimm = size_in_bytes("nvdimm", settings.nvdimm)
    check_machine(settings.driver, memory, nvdimm, settings.vcpus, settings.scale)


def test_the_old_spelling_still_captures_a_machine(captured: Captured) -> None:
    result = invoke("trace", "capture", "--system", "--job", "sort", "--causes", "--json")
    assert result.exit_code == 0
    assert captured == [("sort", "sort.hmsim.zst", SystemSettings(causes=True), None, False)]
    assert naming("trace capture --system:", "'hmsim guest capture'").search(result.stderr)
    # After --, the option belongs to the captured program.
    result = invoke("trace", "capture", "--", "ls", "--system")
    assert (result.exit_code, len(captured)) == (2, 1)
    assert "--out, --blocks or both" in result.stderr


def test_programs_and_machines_have_their_own_options() -> None:
    def options(app: typer.Typer) -> set[str]:
        group: Any = typer.main.get_command(app)
        found = {name for each in group.commands["capture"].params for name in each.opts}
        return {name.lstrip("-").replace("-", "_") for name in found}

    machine = {field.name for field in fields(SystemSettings)}
    program = {field.name for field in fields(ProgramSettings)} - {"caches", "level"}
    assert machine <= options(guest)
    assert program <= options(trace)
    assert not options(trace) & (machine - program)
