# SPDX-License-Identifier: BSD-3-Clause
"""Are files that a fio job includes read in its place, and safely?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hmsim import InputError
from hmsim.fio import job
from messages import naming
from support import write


def keys(path: Path) -> list[dict[str, str]]:
    agents, _ = job.load(path)
    return [{setting.name: setting.text for setting in agent} for agent in agents]


def test_included_keys_belong_to_the_section(tmp_path: Path) -> None:
    (tmp_path / "below" / "deep").mkdir(parents=True)
    write(tmp_path / "below" / "all.inc", "# of all\nsize=1m\ninclude deep/one.inc\n")
    write(tmp_path / "below" / "deep" / "one.inc", "bs=16k\n")
    write(tmp_path / "two.inc", "rw=randwrite\n")
    text = "[global]\ninclude below/all.inc\n[a]\nbs=8k\n[b]\ninclude two.inc\n"
    one, two = keys(write(tmp_path / "job.fio", text))
    assert (one["size"], one["access"], one["footprint"]) == (
        *("8192B/1", "sequential", "1048576B"),
    )
    assert (two["size"], two["access"], two["read_share"]) == ("16384B/1", "random", "0")


def test_an_error_names_the_included_file(tmp_path: Path) -> None:
    write(tmp_path / "a.inc", "\nidepth=4\n")
    path = write(tmp_path / "job.fio", "[a]\nsize=1m\ninclude a.inc\nverfy=1\n")
    with pytest.raises(InputError) as error:
        job.load(path)
    first, second = str(error.value).splitlines()
    assert first.startswith(f"{tmp_path / 'a.inc'}:2: idepth:")
    assert second.startswith(f"{path}:4: verfy:")


@pytest.mark.parametrize(
    "text, parts",
    [
        ("include job.fio\n", ("job.fio:2: include:", "includes itself")),
        ("include loop.inc\n", ("loop.inc:1: include:", "includes itself")),
        ("include 0.inc\n", ("7.inc:1: include:", "8 levels")),
        ("include empty.inc\n" * 65, ("job.fio:66: include:", "64 files")),
        ("include none.inc\n", ("job.fio:2: include:", "none.inc", "No such file")),
        ("include .\n", ("job.fio:2: include:",)),
        ("include section.inc\n", ("section.inc:1:", "section")),
        ("include bytes.inc\n", ("job.fio:2: include:", "bytes.inc", "not text")),
    ],
)
def test_an_include_is_rejected_in_one_line(
    tmp_path: Path, text: str, parts: tuple[str, ...]
) -> None:
    write(tmp_path / "loop.inc", "include ./loop.inc\n")
    write(tmp_path / "empty.inc", "")
    write(tmp_path / "section.inc", "[b]\nsize=1m\n")
    (tmp_path / "bytes.inc").write_bytes(b"\xff\xfe=1\n")
    for number in range(9):
        write(tmp_path / f"{number}.inc", f"include {number + 1}.inc\n")
    with pytest.raises(InputError, match=naming(*parts)) as error:
        job.load(write(tmp_path / "job.fio", "[a]\n" + text))
    assert len(str(error.value).splitlines()) == 1
