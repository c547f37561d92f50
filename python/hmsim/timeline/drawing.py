# SPDX-License-Identifier: BSD-3-Clause
"""Boxes, lines and words, as SVG and, with matplotlib, as PNG."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Union

from hmsim.common.packages import need

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
CHARACTER = 0.6  # mean width of a character, in sizes
INK = "#1a1a1a"


@dataclass(frozen=True)
class Box:
    """A rectangle; ``hint`` shows when somebody points at it."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    hint: str = ""
    edge: str = ""


@dataclass(frozen=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    color: str = INK
    width: float = 1.0
    dashed: bool = False


@dataclass(frozen=True)
class Words:
    """A line of text; ``y``: of its base line; ``anchor``: start, middle or end."""

    x: float
    y: float
    text: str
    size: float = 12
    anchor: str = "start"
    bold: bool = False
    color: str = INK


Shape = Union[Box, Line, Words]


@dataclass
class Drawing:
    """Shapes, the first at the bottom. Lengths are pixels, y grows downwards."""

    width: float
    height: float = 0
    title: str = ""
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        """Put shapes on top."""
        self.shapes += shapes

    def svg(self) -> str:
        """Return the drawing as an SVG file on white."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" font-family="{FONT}">',
            f"<title>{escape(self.title)}</title>",
            f'<rect {size} fill="#ffffff"/>',
            *(_svg(shape) for shape in self.shapes),
            "</svg>\n",
        ]
        return "\n".join(lines)

    def write_png(self, path: Path) -> None:
        """Write the drawing as a PNG file, two dots a pixel.

        Raises InputError when matplotlib is not installed.
        """
        need("a PNG (choose SVG without)", "figures", "matplotlib")
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
        from matplotlib.patches import Rectangle

        dpi = 72
        figure = Figure(figsize=(self.width / dpi, self.height / dpi), dpi=dpi, facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        axes.axis("off")
        for z, shape in enumerate(self.shapes, 1):
            if isinstance(shape, Box):
                edge = shape.edge or "none"
                place = (shape.x, shape.y)
                axes.add_patch(
                    Rectangle(
                        place, shape.width, shape.height, fc=shape.fill, ec=edge, lw=0.8, zorder=z
                    )
                )
            elif isinstance(shape, Line):
                style = (0, (3, 3)) if shape.dashed else "-"
                xs, ys = (shape.x1, shape.x2), (shape.y1, shape.y2)
                axes.add_line(Line2D(xs, ys, color=shape.color, lw=shape.width, ls=style, zorder=z))
            else:
                side = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
                axes.text(
                    *(shape.x, shape.y, shape.text.replace("$", r"\$")),
                    fontsize=shape.size,
                    ha=side,
                    va="baseline",
                    color=shape.color,
                    weight="bold" if shape.bold else "normal",
                    zorder=z,
                )
        FigureCanvasAgg(figure).print_png(str(path), metadata={"Software": "hmsim"})


def fits(text: str, size: float, width: float) -> bool:
    """Return whether a text of font size ``size`` fits into ``width``."""
    return len(text) * size * CHARACTER <= width


def shortened(text: str, size: float, width: float) -> str:
    """Return a text that fits as `fits` says: its beginning and an ellipsis if it is too long."""
    if fits(text, size, width):
        return text
    return text[: max(int(width / (size * CHARACTER)) - 1, 0)] + "…"


def _svg(shape: Shape) -> str:
    if isinstance(shape, Box):
        edge = f' stroke="{shape.edge}" stroke-width="0.8"' if shape.edge else ""
        box = (
            f'<rect x="{shape.x:.2f}" y="{shape.y:.2f}" width="{shape.width:.2f}" '
            f'height="{shape.height:.2f}" fill="{shape.fill}"{edge}'
        )
        return f"{box}><title>{escape(shape.hint)}</title></rect>" if shape.hint else box + "/>"
    if isinstance(shape, Line):
        dash = ' stroke-dasharray="3 3"' if shape.dashed else ""
        return (
            f'<line x1="{shape.x1:.2f}" y1="{shape.y1:.2f}" x2="{shape.x2:.2f}" '
            f'y2="{shape.y2:.2f}" stroke="{shape.color}" stroke-width="{shape.width:g}"{dash}/>'
        )
    weight = ' font-weight="bold"' if shape.bold else ""
    return (
        f'<text x="{shape.x:.2f}" y="{shape.y:.2f}" font-size="{shape.size:g}" '
        f'text-anchor="{shape.anchor}" fill="{shape.color}"{weight}>{escape(shape.text)}</text>'
    )
