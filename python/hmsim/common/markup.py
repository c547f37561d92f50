# SPDX-License-Identifier: BSD-3-Clause
"""HTML in which every text is escaped unless it was made here."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from html import escape
from typing import Any, Union

VOID = {"meta", "input", "br", "link"}


class Markup(str):
    """HTML that needs no escaping."""


Content = Union[str, None]


def tag(element: str, /, *content: Content, **attributes: Any) -> Markup:
    """Return an element. Strings are escaped, `Markup` is used as it is, None is omitted.

    A final underscore of an attribute's name is dropped (``class_``), others become hyphens; an
    attribute of None or False is left out, one of True has no value.
    """
    text = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if element in VOID:
        return Markup(f"<{element}{text}>")
    return Markup(f"<{element}{text}>{join(*content)}</{element}>")


def join(*content: Content) -> Markup:
    """Return contents one after the other."""
    return Markup(
        "".join(
            part if isinstance(part, Markup) else escape(part)
            for part in content
            if part is not None
        )
    )


def scrolling(table: Markup, name: str) -> Markup:
    """Return a scroll box for a table, usable by keyboard and named for screen readers."""
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label=name)


def data(identity: str, value: Any) -> Markup:
    """Return a block of JSON for scripts. Texts in it cannot end the block."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json" id="{escape(identity)}">{text}</script>')


def script(source: str) -> tuple[Markup, str]:
    """Return one of our inline scripts and its source for the content security policy."""
    digest = b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return Markup(f"<script>{source}</script>"), f"'sha256-{digest}'"


def style(source: str) -> tuple[Markup, str]:
    """Return one of our inline style sheets and its source for the content security policy."""
    digest = b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return Markup(f"<style>{source}</style>"), f"'sha256-{digest}'"
