# SPDX-License-Identifier: BSD-3-Clause
"""Composes the nodes of a YAML text, with bounds that hold for every parser of PyYAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

import yaml

from hmsim.common.unicode import has_surrogate

# libyaml's parser where PyYAML was built with it, else the one in Python, which is slower.
PARSER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader

DEEPEST_NESTING = 16
MOST_NODES = 100_000  # with every alias expanded
MOST_DIRECTIVES = 16
COLON = "within braces and brackets, a ':' after a key needs a blank after it"
TAB = "begins with a tab; YAML is indented by blanks"
COLON_OF_LIBYAML = "found unexpected ':'"
TAG_DIRECTIVE = re.compile(rb"%\0?T\0?A\0?G")  # in UTF-8 and UTF-16

TEXT = "tag:yaml.org,2002:str"
NULL = "tag:yaml.org,2002:null"
MERGE = "tag:yaml.org,2002:merge"
PLAIN = {"": NULL, "~": NULL, "null": NULL, "Null": NULL, "NULL": NULL, "<<": MERGE}

# PyYAML's types know the marks of the Python parser only.
Event = Any
Pairs = list[tuple[yaml.Node, yaml.Node]]


class MissingInBraces(yaml.ScalarNode):
    """Missing value within braces. An unquoted comma in the value before is a likely cause."""


class _Part(NamedTuple):
    """A node with the number of nodes and of levels that it expands to."""

    node: yaml.Node
    nodes: int
    levels: int


def compose(text: bytes) -> yaml.Node | None:
    """Return the root node of a text with one document, or None if the text is empty.

    Aliases share nodes, so callers must not modify them. Raises MarkedYAMLError or ReaderError.
    """
    return _Composer(text).root()


def events(text: bytes) -> Iterator[Event]:
    """Yield the events of a text, parsed one by one on request.

    Raises MarkedYAMLError or ReaderError.
    """
    if len(TAG_DIRECTIVE.findall(text)) > MOST_DIRECTIVES:  # libyaml compares each with all others
        raise yaml.MarkedYAMLError(problem=f"more than {MOST_DIRECTIVES} %TAG directives")
    parser = PARSER(text)
    try:
        while parser.check_event():
            event = parser.get_event()
            if isinstance(event, yaml.ScalarEvent) and _lacks_blank(event):
                _refuse(event, COLON)
            yield event
    except yaml.MarkedYAMLError as error:
        if error.problem == COLON_OF_LIBYAML:
            error.context, error.problem = None, COLON
        elif "token" in str(error.problem) or "tab" in str(error.problem):
            mark = error.problem_mark
            if mark and _begins_with_tab(text, mark.line):
                error.context, error.problem = None, TAB
        raise
    except (ValueError, OverflowError) as error:  # of int() and chr() in the Python parser
        problem = "found a character code or a version that is out of range"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=parser.get_mark()) from error
    finally:
        parser.dispose()


def _begins_with_tab(text: bytes, line: int) -> bool:
    lines = text.split(b"\n")
    return line < len(lines) and b"\t" in lines[line][: -len(lines[line].lstrip()) or None]


def _lacks_blank(event: Event) -> bool:
    """Return whether a colon without a blank follows a plain scalar, as in {a:, b: 1}.

    libyaml reports this as an error; the Python parser reads a key without a value. The text is
    only in the event's marks.
    """
    mark = event.end_mark
    after = mark.buffer[mark.pointer : mark.pointer + 2] if mark.buffer else ""
    return not event.style and after[:1] == ":" and after[1:] in tuple(",[]{}")


class _Composer:
    """Composes one text; work and result are linear in the text and `MOST_NODES`."""

    def __init__(self, text: bytes) -> None:
        self._events = events(text)
        self._nodes = 0
        self._anchors: dict[str, _Part | None] = {}  # None: its node is not complete yet

    def root(self) -> yaml.Node | None:
        next(self._events)  # the stream's start
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        root = self._part(next(self._events), 1).node
        next(self._events)  # the document's end
        if not isinstance(event := next(self._events), yaml.StreamEndEvent):
            _refuse(event, "expected a single document, found another one")
        return root

    def _part(self, event: Event, level: int, in_braces: bool = False) -> _Part:
        """Return the node whose first event is `event`, after reading its other events."""
        if isinstance(event, yaml.AliasEvent):
            return self._aliased(event, level)
        before = self._nodes
        self._count(event, 1, level)
        anchor = event.anchor
        if anchor in self._anchors:
            _refuse(event, f"the anchor &{anchor} occurs twice")
        if anchor:
            self._anchors[anchor] = None
        levels = 1
        if isinstance(event, yaml.ScalarEvent):
            node = _scalar(event, in_braces)
        elif isinstance(event, yaml.SequenceStartEvent):
            node, levels = self._sequence(event, level)
        else:
            node, levels = self._mapping(event, level)
        part = _Part(node, self._nodes - before, levels)
        if anchor:
            self._anchors[anchor] = part
        return part

    def _aliased(self, event: Event, level: int) -> _Part:
        if event.anchor not in self._anchors:
            _refuse(event, f"the alias *{event.anchor} has no anchor before it")
        part = self._anchors[event.anchor]
        if part is None:
            _refuse(event, f"the alias *{event.anchor} is within its own anchor")
        self._count(event, part.nodes, level + part.levels - 1)
        return part

    def _count(self, event: Event, nodes: int, level: int) -> None:
        self._nodes += nodes
        if self._nodes > MOST_NODES:
            _refuse(event, f"more than {MOST_NODES} values, with aliases expanded")
        if level > DEEPEST_NESTING:
            _refuse(event, f"nested too deeply, more than {DEEPEST_NESTING} levels")

    def _sequence(self, event: Event, level: int) -> tuple[yaml.Node, int]:
        levels = 1
        children = []
        while not isinstance(begin := next(self._events), yaml.SequenceEndEvent):
            part = self._part(begin, level + 1)
            levels = max(levels, 1 + part.levels)
            children.append(part.node)
        return yaml.SequenceNode(event.tag, children, event.start_mark), levels

    def _mapping(self, event: Event, level: int) -> tuple[yaml.Node, int]:
        levels = 1
        pairs: Pairs = []
        merges: Pairs = []
        while not isinstance(begin := next(self._events), yaml.MappingEndEvent):
            key = self._part(begin, level + 1)
            value = self._part(next(self._events), level + 1, bool(event.flow_style))
            levels = max(levels, 1 + key.levels, 1 + value.levels)
            (merges if key.node.tag == MERGE else pairs).append((key.node, value.node))
        pairs = [*_merged(merges, pairs), *pairs]
        return yaml.MappingNode(event.tag, pairs, event.start_mark), levels


def _scalar(event: Event, in_braces: bool) -> yaml.Node:
    if has_surrogate(event.value):
        _refuse(event, "found invalid Unicode character escape code")  # as libyaml's parser
    tag = event.tag
    if tag in (None, "!"):
        tag = PLAIN.get(event.value, TEXT) if event.implicit[0] else TEXT
    kind = MissingInBraces if in_braces and tag == NULL and not event.value else yaml.ScalarNode
    return kind(tag, event.value, event.start_mark)


def _merged(merges: Pairs, own: Pairs) -> Pairs:
    """Return the pairs that a merge key adds to a mapping: new names, the first pair of each."""
    if not merges:
        return []
    (key, value), *others = merges
    if others:
        _refuse(others[0][0], "a second merge key (<<) in one mapping; use a list of aliases")
    found: Pairs = []
    names = _names(own)
    for node in value.value if isinstance(value, yaml.SequenceNode) else [value]:
        if not isinstance(node, yaml.MappingNode):
            _refuse(key, "the merge key (<<) needs an alias of a mapping, or a list of them")
        found += [pair for pair in node.value if not names.intersection(_names([pair]))]
        names |= _names(node.value)
    return found


def _names(pairs: Pairs) -> set[str]:
    return {key.value for key, _ in pairs if isinstance(key, yaml.ScalarNode)}


def _refuse(place: Any, problem: str) -> NoReturn:
    raise yaml.MarkedYAMLError(problem=problem, problem_mark=place.start_mark)
