# SPDX-License-Identifier: BSD-3-Clause
"""Are fio's job files read with the comments, variables and minor keys that people use?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.fio import job, keys
from messages import naming
from support import fio_agents, write


def test_a_comment_may_end_any_line(tmp_path: Path) -> None:
    text = "; first\n[a] # a job\nsize=1m\t; of each\nnumjobs=2#two\ninclude more ; keys\n"
    write(tmp_path / "more", "bs=8k ; and no more\n")
    (agent,), _ = fio_agents(tmp_path, text)
    assert (agent["threads"], agent["size"], agent["passes"]) == ("2", "8192B/1", "1")
    assert job.is_job_file(write(tmp_path / "job.ini", text))


def test_variables_of_the_environment_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMSIM_BLOCK", "16")
    (agent,), _ = fio_agents(tmp_path, "[a]\nsize=1m\nbs=${HMSIM_BLOCK}k\n")
    assert agent["size"] == "16384B/1"
    monkeypatch.delenv("HMSIM_BLOCK")
    with pytest.raises(InputError, match=naming("job.fio:3:", "${HMSIM_BLOCK}", "not set")):
        fio_agents(tmp_path, "[a]\nsize=1m\nbs=${HMSIM_BLOCK}k\n")


def test_keys_of_other_tools_are_ignored(tmp_path: Path) -> None:
    plain = "[a]\nsize=1m\ndirect=1\n"
    minor = "verify_fatal=1\nlatency_window=5\nlog_entries=9\nss_dur=1800\nflow_sleep=100\n"
    assert fio_agents(tmp_path, plain + minor) == fio_agents(tmp_path, plain)


@pytest.mark.parametrize("key", ["exitall", "exit_what=all", "ratemin=1k"])
def test_a_key_that_would_end_jobs_gives_a_note(tmp_path: Path, key: str) -> None:
    plain = "[a]\nsize=1m\ndirect=1\n"
    agents, (note,) = fio_agents(tmp_path, f"{plain}{key}\n")
    assert agents == fio_agents(tmp_path, plain)[0]
    name = key.partition("=")[0]
    assert note.startswith(f"{keys.ALIASES.get(name, name)} of fio is ignored")
