# SPDX-License-Identifier: BSD-3-Clause
"""Is YAML converted to its dotted names and texts, and back?"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hmsim import InputError, load_config
from hmsim.common.paths import shipped
from hmsim.config import composer, settings
from hypothesis import given
from hypothesis import strategies as st
from messages import naming
from support import write

pytestmark = pytest.mark.usefixtures("parser")
KEYS = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
SCALARS = st.one_of(
    TEXTS, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)
)
TREES = st.recursive(
    st.dictionaries(KEYS, SCALARS, max_size=4),
    lambda inner: st.dictionaries(KEYS, st.one_of(SCALARS, inner), max_size=4),
    max_leaves=12,
)


def leaves(tree: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in tree.items():
        if isinstance(value, dict):
            found += leaves(value, f"{prefix}{key}.")
        else:
            found.append((prefix + key, value))
    return found


def flat(path: Path) -> list[tuple[str, str]]:
    return [setting.pair for setting in settings.flatten(path, settings.read_mapping(path))]


@given(tree=TREES)
def test_every_leaf_of_a_tree_is_found_in_order(
    tree: dict[str, Any], tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("tree") / "c.yaml"
    write(path, yaml.safe_dump(tree, sort_keys=False, allow_unicode=True))
    expected = leaves(tree)
    found = flat(path)
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (_, text), (_, value) in zip(found, expected):
        if isinstance(value, str):
            assert text == value
        else:
            assert yaml.safe_load(text) == value


@given(pairs=st.dictionaries(st.lists(KEYS, min_size=1, max_size=3).map(".".join), TEXTS))
def test_written_settings_read_back_unchanged(pairs: dict[str, str], tmp_path_factory: Any) -> None:
    names = sorted(pairs)
    names = [n for n in names if not any(other.startswith(n + ".") for other in names)]
    if not names:
        return
    path = tmp_path_factory.mktemp("pairs") / "c.yaml"
    wanted = {name: pairs[name] for name in names}
    write(path, settings.to_yaml(wanted.items(), dict.fromkeys(names, "a  doc\nof two lines")))
    assert dict(flat(path)) == wanted


def test_numbers_keep_the_text_that_the_user_wrote(tmp_path: Path) -> None:
    path = write(tmp_path / "c.yaml", "a: 0x10\nb: 1e3\nc: 007\nd: yes\ne: 2001-01-01\nf: 1_0\n")
    assert flat(path) == [
        ("a", "0x10"),
        ("b", "1e3"),
        ("c", "007"),
        ("d", "yes"),
        ("e", "2001-01-01"),
        ("f", "1_0"),
    ]


def test_settings_know_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "c.yaml", "# first\na:\n  b: 1\n\n  c:\n    d: 2\n")
    found = settings.flatten(path, settings.read_mapping(path))
    assert [setting.where for setting in found] == [f"{path}:3", f"{path}:6"]


def test_shipped_configurations_are_valid_and_complete() -> None:
    assert {"mascots16", "mascots16_4ch", "quick", "validate_ddr3"} <= set(shipped("configs"))
    for name in shipped("configs"):
        config = load_config(name)
        for policy in shipped("configs/policies"):
            if policy == "oracle" and config.resolved()["nvdimm.present"] == "false":
                with pytest.raises(
                    InputError, match=naming("controller.bus:", "controller.queues", "NVDIMM")
                ):
                    config.with_policy(policy)
            else:
                assert config.with_policy(policy).policy == policy


def test_the_resolved_configuration_is_complete_and_a_fixed_point(tmp_path: Path) -> None:
    config = load_config(
        "quick", {"controller.queues": "split", "controller.arbiter": "dram_first"}
    )
    path = write(tmp_path / "again.yaml", config.to_yaml())
    again = load_config(path)
    assert again.resolved() == config.resolved()
    assert [name for name, _ in again.flat()] == list(config.resolved())
    assert again.to_yaml() == config.to_yaml()
    assert config.resolved()["controller.queues"] == "split"


def test_layers_win_in_the_order_file_bundle_override() -> None:
    config = load_config("quick", {"controller.queue_depth": 64})
    assert config.resolved()["controller.queues"] == "unified"
    changed = config.with_policy("split")
    assert changed.resolved()["controller.queues"] == "split"
    assert changed.resolved()["controller.queue_depth"] == "64"
    assert changed.with_policy("unified_256").resolved()["controller.queues"] == "unified"
    assert changed.with_policy(None).flat() == config.flat()


def test_a_base_is_found_beside_the_file_and_among_the_shipped(tmp_path: Path) -> None:
    write(tmp_path / "own.yaml", "base: quick\ndram: {ranks: 2}\n")
    path = write(tmp_path / "top.yaml", "base: own.yaml\ncontroller.queue_depth: 16\n")
    resolved = load_config(path).resolved()
    assert resolved["dram.ranks"] == "2"
    assert resolved["controller.queue_depth"] == "16"
    assert resolved["nvdimm.capacity"] == "256MiB"


def test_a_lone_surrogate_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    for text, line in (('dram:\n  preset: "\\ud800"\n', 2), ('"\\udfff": 1\n', 1)):
        path.write_text(text)
        with pytest.raises(InputError, match=rf"c\.yaml:{line}: .*Unicode"):
            load_config(path)
    for name, value in (("dram.preset", "\udcff"), ("\ud800", 1)):
        with pytest.raises(InputError, match=r"^overrides: [\x20-\x7e]+: must be text in UTF-8$"):
            load_config("quick", {name: value})


def test_overrides_take_numbers_and_booleans() -> None:
    config = load_config("mascots16", {"dram.refresh": False, "dram.ranks": 2})
    assert config.resolved()["dram.refresh"] == "false"
    assert config.resolved()["dram.ranks"] == "2"


def test_a_file_is_parsed_once_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[bytes] = []

    def count(text: bytes) -> Any:
        parsed.append(text)
        return composer.compose(text)

    monkeypatch.setattr(settings, "composed", lru_cache(settings.MOST_CACHED)(count))
    path = write(tmp_path / "c.yaml", "base: quick\ncontroller.queue_depth: 16\n")
    for _ in range(3):
        assert load_config(path).resolved()["controller.queue_depth"] == "16"
    assert len(parsed) == len(set(parsed))
    times = os.stat(path)
    write(path, "base: quick\ncontroller.queue_depth: 32\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # the same size, time and inode
    assert load_config(path).resolved()["controller.queue_depth"] == "32"


def test_reading_a_configuration_leaves_its_nodes_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "c.yaml", "base: quick\ndescription: x\ndram: {ranks: 2}\n")
    first, second = load_config(path), load_config(path)
    assert first.settings == second.settings
    assert [key.value for key, _ in settings.read_mapping(path).value] == [
        "base",
        "description",
        "dram",
    ]


def test_an_address_map_may_be_a_list(tmp_path: Path) -> None:
    masks = [1 << bit for bit in range(6, 31)]
    content = f"base: quick\ncontroller:\n  address_map: [{', '.join(map(hex, masks))}]\n"
    listed = load_config(write(tmp_path / "c.yaml", content))
    assert listed.resolved()["controller.address_map"] == ", ".join(map(hex, masks))
    assert load_config("quick", {"controller.address_map": masks}).resolved()
    with pytest.raises(InputError, match=r"c.yaml:3: controller.address_map: .* 25 masks .* got 1"):
        load_config(write(tmp_path / "c.yaml", content[: content.index(",")] + "]\n"))
