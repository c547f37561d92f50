# SPDX-License-Identifier: BSD-3-Clause
"""Line charts of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hmsim.common.labels import HBF
from hmsim.common.markup import Markup, join, tag
from hmsim.report.collect import Shown, slow_of

COLORS = 8
CLASSES = ("dram", "nvdimm")
NS = {"label": "latency", "format": "ns", "log": True}
MS = {"label": "simulated time", "format": "ms", "log": False}


class Charts:
    """Places for charts, and the contents of the charts (`specs`, for charts.js)."""

    def __init__(self, shown: Sequence[Shown]) -> None:
        self._shown = shown
        self._slow = slow_of(shown)
        self.specs: list[dict[str, Any]] = []

    def latency(self) -> Markup:
        """Distributions, a chart for each kind of request."""
        parts: list[Markup | None] = []
        whole = True
        y = {"label": "share of requests that took at most this long", "format": "share", "top": 1}
        for title, memory, write in (
            ("DRAM reads", "dram", False),
            ("DRAM writes", "dram", True),
            (f"{self._slow} requests", "nvdimm", None),
        ):
            lines = []
            for index, one in enumerate(self._shown):
                points, complete = one.latency(memory, write)
                whole = whole and (complete or not points)
                lines.append(self._line(index, one.name, points, dots=not complete))
            text = f"{title}: distribution"
            parts.append(self._chart(text, NS, y, lines, tail="share of requests that took longer"))
        if not whole:
            parts.append(
                tag(
                    "p",
                    "Dots are the median, p99, p99.9 and the maximum, which every run keeps. Runs "
                    "made with --request-log show the whole curve.",
                    class_="note",
                )
            )
        return join(*parts)

    def blocks(self) -> Markup:
        """Block requests: distributions, and the slowest over time beside the collections."""
        y = {"label": "share of requests that took at most this long", "format": "share", "top": 1}
        distributions, slowest = [], []
        for index, one in enumerate(self._shown):
            for io in one.io:
                name = f"{one.name}, agent {io.agent} {io.kind}s"
                dots = not io.slowest
                line = self._line(index, name, io.points, io.agent * 2 + (io.kind == "write"), dots)
                distributions.append(line)
                slowest.append({**line, "points": io.slowest})
        tail = "share of requests that took longer"
        longest = {**NS, "label": "slowest block request completed in this time"}
        drawn = [
            self._chart("Block requests: distribution", NS, y, distributions, tail=tail),
            self._chart("The slowest block requests over time", MS, longest, slowest),
        ]
        return join(*drawn, *(self._collections() if any(s["points"] for s in slowest) else ()))

    def queues(self) -> Markup:
        """Held slots: share of time by their number, and their number over time."""
        share = {
            "label": "share of time in which at most this many are held",
            "format": "share",
            "top": 1,
        }
        levels = [
            self._line(index, _name(one, memory), one.levels(memory), dash)
            for index, one in enumerate(self._shown)
            for dash, memory in enumerate(CLASSES)
        ]
        slots = {"label": "transaction queue slots of a channel", "format": "plain", "log": False}
        held = self._by_class("occupancy")
        y = {"label": "slots held, mean over channels", "format": "plain"}
        found = [
            self._chart("Distribution of the queue slots held", slots, share, levels, step=True),
            self._chart("Queue slots held over time", MS, y, held),
        ]
        return self._or_hint(
            found, "queue occupancy", "--request-log (or, over time, frontend.series_interval)"
        )

    def bandwidth(self) -> Markup:
        """Lines completed over time; data of HBF, which does not share the DRAM's peak."""
        y: dict[str, Any] = {"label": "lines completed, GB/s", "format": "rate"}
        peaks = {one.run.peak_gb_per_s for one in self._shown}
        if any(one.slow == HBF for one in self._shown):
            y |= {"label": "lines completed (HBF: data on its links), GB/s"}
        elif len(peaks) == 1 and (peak := peaks.pop()):
            y |= {"label": f"lines completed, GB/s (peak: {peak:.4g})", "peak": peak}
        chart = self._chart("Bandwidth over time", MS, y, self._by_class("bandwidth"))
        return self._or_hint(
            [chart], "bandwidth over time", "--request-log or frontend.series_interval"
        )

    def collection(self) -> Markup:
        """Collections over time, and the slowest requests beside them."""
        slow = [self._line(index, one.name, one.slowest()) for index, one in enumerate(self._shown)]
        longest = {**NS, "label": f"slowest {self._slow} request completed in this time"}
        title = f"The slowest {self._slow} requests over time"
        return self._or_hint(
            [*self._collections(), self._chart(title, MS, longest, slow)],
            "garbage collection over time",
            "--command-log, frontend.series_interval or --request-log",
        )

    def _collections(self) -> list[Markup | None]:
        active = [
            self._line(index, one.name, one.collecting or [])
            for index, one in enumerate(self._shown)
        ]
        counts = [
            self._line(index, one.name, one.collections()) for index, one in enumerate(self._shown)
        ]
        luns = {"label": "LUNs under collection", "format": "plain"}
        blocks = {"label": "blocks collected so far", "format": "plain"}
        return [
            self._chart("Collections in progress", MS, luns, active, step=True),
            self._chart("Blocks collected over time", MS, blocks, counts),
        ]

    def _by_class(self, what: str) -> list[dict[str, Any]]:
        return [
            self._line(index, _name(one, memory), getattr(one, what)(memory), dash)
            for index, one in enumerate(self._shown)
            for dash, memory in enumerate(CLASSES)
        ]

    def _line(
        self,
        index: int,
        name: str,
        points: list[list[float]],
        dash: int | None = None,
        dots: bool = False,
    ) -> dict[str, Any]:
        # Runs differ in colour. They also differ in dashes, unless these distinguish classes.
        pattern = (index if dash is None else dash + 2 * (index // COLORS)) % 4
        return {
            "name": name,
            "color": index % COLORS,
            "dash": pattern,
            "points": points,
            "dots": dots,
        }

    def _chart(
        self,
        title: str,
        x: dict[str, Any],
        y: dict[str, Any],
        lines: list[dict[str, Any]],
        step: bool = False,
        tail: str | None = None,
    ) -> Markup | None:
        drawn = [line for line in lines if any(value for _, value in line["points"])]
        if not drawn:
            return None
        identity = f"chart-{len(self.specs)}"
        self.specs.append(
            {
                "id": identity,
                "title": title,
                "x": x,
                "y": y,
                "lines": drawn,
                "step": step,
                "tail": tail,
            }
        )
        return tag("figure", tag("figcaption", title), tag("div", id=identity))

    def _or_hint(self, found: Sequence[Markup | None], what: str, option: str) -> Markup:
        present = [part for part in found if part is not None]
        if present:
            return join(*present)
        return tag(
            "p", f"These runs do not contain {what}: make them with {option}.", class_="note"
        )


def _name(one: Shown, memory: str) -> str:
    """Return the name of a run's line of one memory."""
    return f"{one.name}, {'DRAM' if memory == 'dram' else one.slow}"
