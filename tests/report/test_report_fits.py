# SPDX-License-Identifier: BSD-3-Clause
"""Does a page say where it is cut, and does it show every number whole?"""

from __future__ import annotations

import browser
import pytest

pytestmark = pytest.mark.browser

# For each box of a table: whether it is wider than the page, whether it says so in words, and
# whether its right edge fades, before and after it is scrolled to the end.
HINTS = """Promise.all([...document.querySelectorAll(".wide")].map(async (e) => {
  const frames = () => new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)));
  const look = () => [
    e.scrollWidth > e.clientWidth + 1,
    getComputedStyle(e, "::before").content.includes("Scroll sideways"),
    getComputedStyle(e).maskImage !== "none",
  ];
  await frames();
  const before = look();
  e.scrollLeft = e.scrollWidth;
  await frames();
  return [before, look()];
}))"""


def test_a_clipped_table_shows_that_it_scrolls(opened: browser.Page) -> None:
    for width in (1400, 390):
        opened.resize(width, 844)
        opened.js("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        hints = opened.js(HINTS)
        for (is_cut, *reported), (_, words, fades) in hints:
            assert reported == [is_cut, is_cut] and [words, fades] == [is_cut, False]
        assert any(before[0] for before, _ in hints) or width == 1400


LONG_LABELS = """(() => {
  const host = document.createElement("div");
  document.querySelector("main").append(host);
  const points = [[0, 1e-8], [1, 4.25e-8]];
  new Chart(host, { id: "long", title: "long", step: false,
    x: { label: "x", format: "ms", log: false }, y: { label: "y", format: "rate" },
    lines: [{ name: "one", color: 0, dash: 0, points, dots: false }] });
  const left = host.getBoundingClientRect().left;
  return [...host.querySelectorAll("svg text")].map((e) => [e.textContent,
    e.getBoundingClientRect().left - left]);
})()"""


def test_long_numbers_beside_an_axis_are_not_cut(opened: browser.Page) -> None:
    for width in (1400, 390):
        opened.resize(width, 844)
        labels = opened.js(LONG_LABELS)
        assert any(len(text) > 10 for text, _ in labels)
        assert min(left for _, left in labels) >= 0
