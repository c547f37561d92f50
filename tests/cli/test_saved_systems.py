# SPDX-License-Identifier: BSD-3-Clause
"""Is a crafted file of a saved system refused with one message that names it?"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hmsim import InputError, System

MASK = (1 << 64) - 1
SMALL = {
    "nvdimm.capacity": "2MiB",
    "nvdimm.command_queue": 128,
    "controller.queue_depth": 16,
    "nvdimm.buffer.read_size": "64KiB",
    "nvdimm.buffer.write_size": "64KiB",
    "nvdimm.ftl.over_provisioning": 60,
    "nvdimm.nand.channels": 2,
    "nvdimm.nand.chips": 1,
    "nvdimm.nand.pages_per_block": 16,
}
MAGIC, DIGEST, STATE_HEADER = 8, 32, 40


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    system = System("quick", SMALL, check=True)
    for index in range(60):
        system.enqueue(index * 7919 * 64 % (2 << 30), write=index % 3 == 0)
        system.enqueue((2 << 30) + index * 4096, write=index % 2 == 0)
        system.advance(system.now + 40_000)
    path = tmp_path_factory.mktemp("saved") / "system"
    system.save(path)
    return path.read_bytes()


def sealed(content: bytes, head: bytes, state: bytes) -> bytes:
    """Return the file with this header and state, whatever they are, and right checksums."""
    body = len(head).to_bytes(8, "little") + head + state
    return content[:MAGIC] + hashlib.sha256(body).digest() + body


def parts(content: bytes) -> tuple[bytes, bytes]:
    body = content[MAGIC + DIGEST :]
    length = int.from_bytes(body[:8], "little")
    return body[8 : 8 + length], body[8 + length :]


def mix(number: int) -> int:
    """Return one step of SplitMix64."""
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & MASK
    return number ^ number >> 31


def hash_of(state: bytes) -> bytes:
    """Return the checksum that the simulator expects of a state."""
    found = mix(len(state))
    for at in range(0, len(state), 8):
        found = mix(found ^ int.from_bytes(state[at : at + 8], "big"))
    return found.to_bytes(8, "little")


def resealed(checkpoint: bytes, state: bytes) -> bytes:
    """Return the checkpoint with another state, and its hash and length."""
    length = len(state).to_bytes(8, "little")
    return checkpoint[: STATE_HEADER - 16] + hash_of(state) + length + state


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        System.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.count(str(path)) == 1
    return message


def test_the_helpers_reproduce_a_saved_file(saved: bytes) -> None:
    head, state = parts(saved)
    assert sealed(saved, head, resealed(state, state[STATE_HEADER:])) == saved


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a list": lambda header: [header],
    "no seed": lambda header: {key: header[key] for key in header if key != "seed"},
    "a seed that is true": lambda header: {**header, "seed": True},
    "a seed that is none": lambda header: {**header, "seed": float("nan")},
    "a negative seed": lambda header: {**header, "seed": -1},
    "a large seed": lambda header: {**header, "seed": 1 << 70},
    "check as text": lambda header: {**header, "check": "yes"},
    "a name that is a number": lambda header: {**header, "name": 5},
    "settings as numbers": lambda header: {**header, "settings": [["nvdimm.capacity", 5]]},
    "a setting alone": lambda header: {**header, "settings": [["nvdimm.capacity"]]},
    "an unknown setting": lambda header: {**header, "settings": [["nvdimm.kapacity", "5"]]},
    "half a character": lambda header: {**header, "settings": [["\ud800", "5"]]},
    "objects as text": lambda header: {**header, "objects": "none"},
    "another seed": lambda header: {**header, "seed": 7},
}


@pytest.mark.parametrize("change", CHANGES)
def test_headers_of_another_shape_are_rejected(saved: bytes, tmp_path: Path, change: str) -> None:
    head, state = parts(saved)
    changed = json.dumps(CHANGES[change](json.loads(head))).encode()
    refused(tmp_path / "system", sealed(saved, changed, state))


@pytest.mark.parametrize("head", [b"", b"{", b"[" * 100_000, b"\xff\xfe{", b"NaN", b"1" * 10_000])
def test_headers_that_are_not_json_are_rejected(saved: bytes, tmp_path: Path, head: bytes) -> None:
    refused(tmp_path / "system", sealed(saved, head, parts(saved)[1]))


def test_a_header_longer_than_the_file_is_rejected(saved: bytes, tmp_path: Path) -> None:
    body = MASK.to_bytes(8, "little") + saved[MAGIC + DIGEST + 8 :]
    crafted = saved[:MAGIC] + hashlib.sha256(body).digest() + body
    refused(tmp_path / "system", crafted)


@pytest.mark.parametrize("length", [0, 5, 8, 39, 40, 41, 60])
def test_short_files_are_rejected(saved: bytes, tmp_path: Path, length: int) -> None:
    refused(tmp_path / "system", saved[:length])


def test_a_fault_of_a_loaded_state_is_an_input_error(saved: bytes, tmp_path: Path) -> None:
    """Put a violation into the state whose rule has a name that is not valid text."""

    def number(value: int) -> bytes:
        return value.to_bytes(8, "little", signed=True)

    head, checkpoint = parts(saved)
    state = checkpoint[STATE_HEADER:]
    mark = b"protocol checker"
    at = state.index(number(len(mark)) + mark) + 8 + len(mark)
    assert state[at : at + 16] == bytes(16)  # none was seen, none is kept
    rule = b"rule \xff"
    violation = number(0) + number(5) + number(len(rule)) + rule + number(0)
    violation += 3 * number(-1) + number(0) + 3 * number(0)
    crafted = state[:at] + number(1) + number(1) + violation + state[at + 16 :]
    path = tmp_path / "system"
    path.write_bytes(sealed(saved, head, resealed(checkpoint, crafted)))
    system = System.load(path)
    with pytest.raises(InputError) as caught:
        system.advance("1ms")
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "rule \\xff" in message


def test_changed_words_are_rejected_or_harmless(saved: bytes, tmp_path: Path) -> None:
    """For any content of a file, loading and running succeed, or a message names the file."""
    head, checkpoint = parts(saved)
    original = checkpoint[STATE_HEADER:]
    path = tmp_path / "system"
    chance = random.Random(3)
    refusals = 0
    for _ in range(150):
        state = bytearray(original)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(state) - 8)
            word = int.from_bytes(state[at : at + 8], "little")
            changes = (word + 1, word - 1, chance.getrandbits(8), chance.getrandbits(64), MASK)
            state[at : at + 8] = (chance.choice(changes) & MASK).to_bytes(8, "little")
        path.write_bytes(sealed(saved, head, resealed(checkpoint, bytes(state))))
        try:
            system = System.load(path)
            system.advance(system.now + 5_000_000)
        except InputError as error:
            refusals += 1
            assert str(error).startswith(f"{path}: ") and len(str(error).splitlines()) == 1
    assert refusals > 10
