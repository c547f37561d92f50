# SPDX-License-Identifier: BSD-3-Clause
"""Is changed saved state with a correct checksum harmless, or refused in one line?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import invoke, succeed, write
from test_saved_systems import MASK, hash_of

SMALL = {
    "nvdimm.capacity": "16MiB",
    "nvdimm.nand.pages_per_block": 32,
    "nvdimm.ftl.gc_threshold": 0,
    "nvdimm.ftl.over_provisioning": 80,
    "nvdimm.buffer.write_size": "256KiB",
    "nvdimm.precondition.fill": 0.9,
    "nvdimm.precondition.overwrite": 1,
}
SETS = [f"--set={name}={value}" for name, value in SMALL.items()]
WORD = 8


def with_word(state: bytes, at: int, word: int) -> bytes:
    return state[:at] + word.to_bytes(WORD, "little") + state[at + WORD :]


def loading(path: object) -> tuple[int, list[str]]:
    load = f"--set=nvdimm.precondition.load={path}"
    result = invoke("run", "mascots16", "--workload", "demo", *SETS, load)
    return result.exit_code, result.stderr.splitlines()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("start") / "state"
    succeed("precondition", "mascots16", "--out", path, *SETS)
    return path.read_bytes()


@pytest.mark.parametrize("share", [0.3, 0.7, 1.0])
def test_a_changed_start_is_harmless_or_rejected_in_one_line(
    start: bytes, tmp_path: Path, share: float
) -> None:
    body = start[32:]
    at = len(body) - WORD - int((1 - share) * len(body) / WORD) * WORD
    changed = with_word(body, at, MASK)
    path = write(tmp_path / "crafted", start[:16] + hash_of(changed) + start[24:32] + changed)
    status, lines = loading(path)
    if status != 0:
        assert (status, len(lines)) == (2, 1)
        assert f"{path}: " in lines[0]


def test_the_checksum_of_these_tests_is_the_simulator_s(start: bytes) -> None:
    assert start[16:24] == hash_of(start[32:])


def test_a_file_of_another_length_is_rejected_unread(start: bytes, tmp_path: Path) -> None:
    header = start[:24] + (2**40).to_bytes(WORD, "little")
    for size, message in ((2**40 + 32, "longer"), (2**40, "length")):
        huge = write(tmp_path / "huge", header)
        os.truncate(huge, size)
        status, lines = loading(huge)
        assert (status, len(lines)) == (2, 1)
        assert f"{huge}: " in lines[0]
        assert message in lines[0]
