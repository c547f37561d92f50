# SPDX-License-Identifier: BSD-3-Clause
"""Do both parsers of PyYAML give the same nodes, with aliases and merge keys expanded?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hmsim import InputError
from hmsim.config import composer, settings
from support import REPO, write

SHIPPED = sorted(
    path
    for name in ("configs", "workloads")
    for path in (REPO / name).rglob("*.yaml")
    if path.parent.name != "kubernetes"  # of several documents, for another program
)

# name of the case: (content of c.yaml, what the message must hold)
FAULTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "an alias without an anchor": ("a: 1\nnvdimm: *d\n", ("c.yaml:2: the alias *d",)),
    "an alias before its anchor": (
        "nvdimm: *d\ndram: &d {ranks: 1}\n",
        ("c.yaml:1: the alias *d",),
    ),
    "an alias in its own anchor": (
        "dram: &d\n  ranks: 1\n  inner: [*d]\n",
        ("c.yaml:3: the alias *d", "its own anchor"),
    ),
    "an anchor twice": ("a: &d 1\nb: &d 2\n", ("c.yaml:2: the anchor &d",)),
    "nesting by aliases": (
        "a: &a " + "{x: " * 10 + "1" + "}" * 10 + "\nb: " + "{x: " * 6 + "*a" + "}" * 6,
        ("c.yaml:2: nested",),
    ),
    "a merge of a value": ("dram:\n  <<: 1\n", ("c.yaml:2: the merge key", "mapping")),
    "a merge of a list of values": ("dram:\n  <<: [1]\n", ("c.yaml:2: the merge key",)),
    "two merges": (
        "dram: &d {ranks: 1}\nnvdimm:\n  <<: *d\n  <<: *d\n",
        ("c.yaml:4: a second merge key",),
    ),
    "a repeated key in what is merged": (
        "nvdimm:\n  <<: {a: 1,\n    a: 2}\n",
        ("c.yaml:3: a:", "line 2"),
    ),
    "a list as a key in what is merged": (
        "nvdimm:\n  <<: {[a]: 1}\n",
        ("c.yaml:2: key:", "a list"),
    ),
    "a code beyond Unicode": ('dram:\n  preset: "\\UFFFFFFFF"\n', ("c.yaml:2: found",)),
    "a colon before a comma": (
        "dram:\n  {ranks:, channels: 1}\n",
        ("c.yaml:2: within braces and brackets, a ':'", "blank"),
    ),
    "a colon before a list": ("a:\n\n  {cores:[1]}\n", ("c.yaml:3: within braces", "blank")),
    "a version of many digits": ("%YAML 1." + "1" * 5000 + "\n---\n", ("c.yaml:1: found",)),
    "lists without an end": ("[" * 5000, ("c.yaml:1:", "nest")),
    "many tag directives": (
        "".join(f"%TAG !e{n}! tag:x\n" for n in range(17)) + "---\na: 1\n",
        ("c.yaml: more than 16 %TAG directives",),
    ),
}


def tree(node: Any) -> Any:
    """Return a node as its line, its tag and what it holds."""
    value = node.value
    if isinstance(node, yaml.SequenceNode):
        value = [tree(child) for child in value]
    elif isinstance(node, yaml.MappingNode):
        value = [(tree(key), tree(child)) for key, child in value]
    return (type(node), node.start_mark.line, node.tag, value)


def flat(path: Path) -> dict[str, tuple[str, int]]:
    """Return by name the text of each setting and its line."""
    found = settings.flatten(path, settings.read_mapping(path))
    return {each.name: (each.text, int(each.where.rpartition(":")[2])) for each in found}


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_parsers_agree_on_shipped_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(SHIPPED) > 50
    found = {}
    for parser in (yaml.CSafeLoader, yaml.SafeLoader):
        monkeypatch.setattr(composer, "PARSER", parser)
        found[parser] = {path: tree(composer.compose(path.read_bytes())) for path in SHIPPED}
    assert found[yaml.CSafeLoader] == found[yaml.SafeLoader]


def test_libyaml_is_used_if_available() -> None:
    assert composer.PARSER is (yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)


def test_an_alias_equals_its_anchor(parser: str, tmp_path: Path) -> None:
    path = write(tmp_path / "c.yaml", "a: &a\n  x: 1\nb: {inner: *a}\nc: &c 5\nd: *c\n")
    assert flat(path) == {"a.x": ("1", 2), "b.inner.x": ("1", 2), "c": ("5", 4), "d": ("5", 5)}


def test_a_merge_key_yields_to_own_keys_and_to_earlier_mappings(
    parser: str, tmp_path: Path
) -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc:\n  z: 3\n  <<: [*a, *b]\nd: {<<: *b, w: 4}\n"
    found = flat(write(tmp_path / "c.yaml", text))
    assert {name: text for name, (text, _) in found.items() if name[0] in "cd"} == {
        "c.x": "1",
        "c.y": "1",
        "c.z": "3",
        "d.y": "2",
        "d.z": "2",
        "d.w": "4",
    }


def test_a_quoted_merge_key_is_a_name(parser: str, tmp_path: Path) -> None:
    assert flat(write(tmp_path / "c.yaml", '"<<": 1\n')) == {"<<": ("1", 1)}


def test_the_number_of_values_is_bounded(parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composer, "MOST_NODES", 1000)
    root = composer.compose(b"[" + b"1, " * 999 + b"]")
    assert root is not None and len(root.value) == 999
    with pytest.raises(yaml.MarkedYAMLError, match="more than 1000 values"):
        composer.compose(b"[" + b"1, " * 1000 + b"]")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be"])
def test_directives_are_bounded_in_every_encoding(parser: str, encoding: str) -> None:
    mark = "" if encoding == "utf-8-sig" else "\ufeff"
    text = mark + "".join(f"%TAG !e{n}! tag:x\r" for n in range(17)) + "---\ra: 1\r"
    assert composer.compose((mark + "a: 1\r").encode(encoding)) is not None
    with pytest.raises(yaml.MarkedYAMLError, match="%TAG directives"):
        composer.compose(text.encode(encoding))


@pytest.mark.parametrize("case", FAULTS)
def test_an_error_is_one_line_with_its_place(parser: str, tmp_path: Path, case: str) -> None:
    content, expected = FAULTS[case]
    path = write(tmp_path / "c.yaml", content)
    with pytest.raises(InputError) as refused:
        flat(path)
    assert str(refused.value).count("\n") == 0
    for text in expected:
        assert text in str(refused.value)
