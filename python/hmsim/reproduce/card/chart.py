# SPDX-License-Identifier: BSD-3-Clause
"""Charts of latency against share of peak, or of quantities, as SVG without scripts."""

from __future__ import annotations

from hmsim.common.markup import Markup, join, tag
from hmsim.reproduce.card.content import Chart, Line

WIDTH, HEIGHT = 460, 290  # of the drawing
LEFT, RIGHT, TOP, BOTTOM = 46, 16, 8, 40  # margins
STEPS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 25, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4)  # of the grid
MOST_LINES = 7  # horizontal ones
CEILING = 4  # times the lowest latency; curves are cut above
COLORS = 5


def _scale(chart: Chart) -> tuple[float, float]:
    """Return the largest latency shown and the distance of grid lines."""
    values = [ns for line in chart.lines for _, ns in line.points]
    top = max(values) if chart.places else min(max(values), CEILING * min(values))
    step = next((s for s in STEPS if top / s <= MOST_LINES), STEPS[-1])
    return -(-top // step) * step, step


def _classes(chart: Chart) -> list[str]:
    classes, ours, theirs = [], 0, 0
    for line in chart.lines:
        if line.measured:
            classes.append(f"m{theirs % 2}")
            theirs += 1
        else:
            classes.append(f"k{ours % COLORS}")
            ours += 1
    return classes


def draw(chart: Chart, identity: str) -> Markup:
    """Return a figure; ``identity`` is unique on the page."""
    top, step = _scale(chart)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    most = max(1, len(chart.places) - 1)  # of x

    def x(place: float) -> float:
        return LEFT + place / most * (right - LEFT)

    def y(ns: float) -> float:
        return bottom - ns / top * (bottom - TOP)

    parts: list[Markup] = []
    for index in range(round(top / step) + 1):
        ns = index * step
        place = f"{y(ns):.1f}"
        parts.append(tag("line", x1=LEFT, x2=right, y1=place, y2=place, class_="grid"))
        spot = {"x": LEFT - 5, "y": f"{y(ns) + 4:.1f}", "text_anchor": "end"}
        parts.append(tag("text", f"{ns:g}", **spot))
    shares = [(percent / 100, f"{percent}") for percent in range(0, 101, 20)]
    every = 1 + len(chart.places) // 10
    for at, label in [*enumerate(chart.places)][::every] or shares:
        parts.append(tag("text", label, x=f"{x(at):.1f}", y=bottom + 16, text_anchor="middle"))
    parts.append(tag("line", x1=LEFT, x2=right, y1=bottom, y2=bottom, class_="axis"))
    middle = (LEFT + right) / 2
    if not chart.places:
        parts.append(tag("text", "share of peak, %", x=middle, y=HEIGHT - 6, text_anchor="middle"))
        turned = f"rotate(-90 11 {HEIGHT / 2 - 10})"
        where = {"x": 11, "y": HEIGHT / 2 - 10, "text_anchor": "middle", "transform": turned}
        parts.append(tag("text", "latency, ns", **where))
    size = {"width": right - LEFT, "height": bottom - TOP}
    clip = tag("clipPath", tag("rect", x=LEFT, y=TOP, **size), id=identity)
    lines = []
    for line, name in zip(chart.lines, _classes(chart)):
        lines.append(tag("path", d=_path([(x(s), y(ns)) for s, ns in line.points]), class_=name))
        if line.measured:
            lines += [
                tag("circle", cx=f"{x(s):.1f}", cy=f"{y(ns):.1f}", r=2) for s, ns in line.points
            ]
    view = f"0 0 {WIDTH} {HEIGHT}"
    drawn = tag(
        "svg",
        *(clip, *parts, tag("g", *lines, clip_path=f"url(#{identity})")),
        viewBox=view,
        role="img",
        aria_label=chart.title + ": latency against share of peak" * (not chart.places),
    )
    return tag("figure", tag("figcaption", chart.title), drawn, _keys(chart))


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _keys(chart: Chart) -> Markup:
    return tag(
        "div",
        *(_key(line, name) for line, name in zip(chart.lines, _classes(chart))),
        class_="keys",
    )


def _key(line: Line, name: str) -> Markup:
    dot = tag("circle", cx=15, cy=5, r=2.5) if line.measured else None
    sample = tag("svg", tag("path", d="M0 5 L30 5", class_=name), dot, viewBox="0 0 30 10")
    return tag("span", join(sample, line.name))
