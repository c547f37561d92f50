# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of how well targets determine a key: each machine's worst miss over the key's value."""

from __future__ import annotations

import math

from hmsim.common.markup import Markup, tag
from hmsim.fits.findings import Findings
from hmsim.fits.space import share
from hmsim.sweep.sampling import Choice

WIDTH, HEIGHT = 460, 230
LEFT, RIGHT, TOP, BOTTOM = 46, 16, 10, 40  # margins
LEAST, MOST = 0.1, 30.0  # half bands: ends of the logarithmic axis
LABELS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def picture(found: Findings, name: str) -> Markup:
    """Return the picture of a key: machines within all bands are full dots."""
    domain = found.fit.over[name]
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(text: str) -> float:
        if isinstance(domain, Choice):
            place = domain.values.index(text) if text in domain.values else -1
            return LEFT + (place + 0.5) / len(domain.values) * (right - LEFT)
        return LEFT + share(domain, text) * (right - LEFT)

    def y(miss: float) -> float:
        height = math.log(min(max(miss, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
        return bottom - height * (bottom - TOP)

    parts: list[Markup] = []
    for label in LABELS:
        place = f"{y(label):.1f}"
        kind = "axis" if label == 1.0 else "grid"
        parts.append(tag("line", x1=LEFT, x2=right, y1=place, y2=place, class_=kind))
        where = {"x": LEFT - 5, "y": f"{y(label) + 4:.1f}", "text_anchor": "end"}
        parts.append(tag("text", f"{label:g}", **where))
    ends = domain.values if isinstance(domain, Choice) else (domain.at(0.0), domain.at(1.0))
    for text in ends:
        anchor = "middle" if isinstance(domain, Choice) else "end" if text == ends[-1] else "start"
        where = {"x": f"{x(text):.1f}", "y": bottom + 16, "text_anchor": anchor}
        parts.append(tag("text", text, **where))
    middle = (LEFT + right) / 2
    parts.append(tag("text", name, x=middle, y=HEIGHT - 6, text_anchor="middle"))
    turned = f"rotate(-90 11 {HEIGHT / 2 - 10})"
    where = {"x": 11, "y": HEIGHT / 2 - 10, "text_anchor": "middle", "transform": turned}
    parts.append(tag("text", "worst miss, half bands", **where))
    inside = {id(trial) for trial in found.inside}
    for trial in sorted(found.judged, key=lambda each: id(each) in inside):
        if found.is_inside(trial.values):
            miss = trial.worst(found.fit.fitted)
            at = {"cx": f"{x(trial.values[name]):.1f}", "cy": f"{y(miss):.1f}", "r": 3}
            parts.append(tag("circle", **at, class_="in" if id(trial) in inside else "out"))
    best = f"{x(found.best.values[name]):.1f}"
    parts.append(tag("line", x1=best, x2=best, y1=TOP, y2=bottom, class_="best"))
    drawn = tag(
        "svg", *parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=f"misses over {name}"
    )
    return tag("figure", tag("figcaption", name), drawn)
