# SPDX-License-Identifier: BSD-3-Clause
"""A device as a table of mean times, for simulators that cannot simulate it.

Key names, the bandwidth's ramp and the jitter's law are those of BLIS (inference-sim/inference-sim:
issue 1581, PR 1599; sim/kvtransfer/station.go at 9be04fd5, cmd/catalog_devices.go at a8996328). In
BLIS a transfer takes base_latency + bytes / (bandwidth x ramp(q)) with q transfers of its direction
in service: ramp(q) = f + (1 - f) (q - 1) / (Q - 1) below the saturation queue depth Q, 1 above. Its
bandwidth is not shared. Here it is: a transfer takes q x bytes / (bandwidth x ramp(q)).
"""

from __future__ import annotations

import heapq
import json
import math
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hmsim._core import InputError
from hmsim.common.directories import read_regular
from hmsim.common.hints import hint

DIRECTIONS = ("read", "write")
FORMAT = "hmsim device curve 1"
LEAST_FACTOR = 0.05  # of a jittered time, as in BLIS
MOST_BYTES = 16 << 20  # of a file
POSITIVE = ("size", "bandwidth", "single_transfer_share", "saturation_queue_depth")


def ramp(depth: float, share: float, saturation: float) -> float:
    """Return the part of the peak bandwidth that ``depth`` transfers reach together."""
    if saturation <= 1 or depth >= saturation:
        return 1.0
    return share + (1 - share) * (depth - 1) / (saturation - 1)


def saturation(depths: Sequence[int], rates: Sequence[float]) -> int:
    """Return the depth at which the ramp to the largest rate ends, for the least squared error."""

    def error(candidate: int) -> float:
        parts = [ramp(depth, rates[0] / max(rates), candidate) for depth in depths]
        return sum(math.log(rate / max(rates) / part) ** 2 for rate, part in zip(rates, parts))

    return min(range(1, depths[-1] + 1), key=error)


class DeviceCurve:
    """One state of a device: the time of a transfer by size, transfers in flight and direction.

    Attributes:
        state: ``fresh``, ``cached`` or ``steady``.
    """

    def __init__(
        self, rows: Iterable[Mapping[str, Any]], state: str = "fresh", formula: bool = False
    ) -> None:
        """Take the rows of one state of `hmsim.device_curve`.

        Args:
            rows: of any states.
            state: to choose.
            formula: take times from each row's bandwidth, single-transfer share and saturation
                queue depth, instead of from its measured points.

        Raises:
            InputError: a row is damaged, or none has the state.
        """
        self.state = state
        self._tables: dict[str, list[tuple[float, list[tuple[float, float]]]]] = {}
        self._jitter: dict[str, list[tuple[float, float]]] = {}
        found = sorted((_checked(row) for row in rows), key=lambda row: float(row["size"]))
        states = {str(row["state"]): None for row in found}
        if state not in states:
            raise InputError(f"state: the curve has no '{state}'; {hint(state, states)}")
        for row in found:
            if row["state"] == state:
                points = [(depth, row["size"], time) for depth, time in row["points"]]
                if formula:
                    points = [(depth, size, _formula(row, depth)) for depth, size, _ in points]
                line = [(float(depth), time) for depth, _, time in points]
                self._tables.setdefault(row["direction"], []).append((float(row["size"]), line))
                jitter = (float(row["size"]), float(row["latency_jitter_stddev"]))
                self._jitter.setdefault(row["direction"], []).append(jitter)

    @classmethod
    def load(cls, path: str | os.PathLike[str], state: str = "fresh") -> DeviceCurve:
        """Read a file of ``hmsim export device-curve``. Raises InputError."""
        name = os.fspath(path)
        try:
            content = json.loads(read_regular(path, MOST_BYTES))
            if not isinstance(content, dict) or content.get("format") != FORMAT:
                raise InputError(f"must be a file with format '{FORMAT}'")
            rows = content.get("rows")
            if not isinstance(rows, list):
                raise InputError("rows: must be a list")
            return cls(rows, state)
        except InputError as error:
            text = str(error)
            raise InputError(text if text.startswith(name) else f"{name}: {text}") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}: is not JSON: {error}") from error

    def time(self, size: float, depth: float, direction: str) -> float:
        """Return the mean time of a transfer in us.

        Between measured sizes and depths it is linear in both. Outside, it is the time of the
        smallest size, proportional to the size above the largest, and to the depth above the
        deepest.

        Args:
            size: bytes.
            depth: transfers in flight, this one included.
            direction: ``read`` or ``write``.

        Raises:
            InputError: a number is not positive, or the curve lacks the direction.
        """
        if direction not in self._tables:
            raise InputError(f"direction: the curve has no '{direction}' when {self.state}")
        if not (0 < size < math.inf and 1 <= depth < math.inf):
            raise InputError(f"size and depth: must be positive, got {size} and {depth}")
        lines = self._tables[direction]
        return _linear([(each, _linear(line, depth)) for each, line in lines], size)

    def replay(
        self,
        requests: Sequence[tuple[float, int, str]],
        depth: int | None = None,
        seed: int | None = None,
    ) -> list[float]:
        """Return the time of each request in us, from its issue to its end.

        As in BLIS, a request's time is fixed when it is issued, by its own size and direction, and
        the requests then in flight, which are taken to be like it.

        Args:
            requests: earliest issue in us, in order; bytes; direction.
            depth: most requests in flight; a later one is issued at an end. None: no limit.
            seed: of the jitter, a factor max(0.05, 1 + N(0, sigma)) as in BLIS; None: no jitter.

        Raises:
            InputError: as `time`.
        """
        draw = None if seed is None else random.Random(seed)
        flying: list[float] = []  # ends
        times, now = [], 0.0
        for earliest, size, direction in requests:
            now = max(now, earliest)
            while flying and (flying[0] <= now or len(flying) == depth):
                now = max(now, heapq.heappop(flying))
            taken = self.time(size, len(flying) + 1, direction)
            if draw is not None:
                sigma = _linear(self._jitter[direction], size, level=True)
                taken *= max(LEAST_FACTOR, 1 + draw.gauss(0, sigma))
            heapq.heappush(flying, now + taken)
            times.append(taken)
        return times


def _linear(points: Sequence[tuple[float, float]], at: float, level: bool = False) -> float:
    """Interpolate; level before the first point, proportional after the last, or ``level``."""
    place = sum(point[0] <= at for point in points)
    if place == 0:
        return points[0][1]
    left, value = points[place - 1]
    if place == len(points):
        return value if level else value * at / left
    right, other = points[place]
    return value + (other - value) * (at - left) / (right - left)


def _formula(row: Mapping[str, Any], depth: float) -> float:
    part = ramp(depth, row["single_transfer_share"], row["saturation_queue_depth"])
    return float(depth * row["size"] / (row["bandwidth"] * part))


def _checked(row: Any) -> Mapping[str, Any]:
    """Return a row. Raises InputError: it is damaged."""
    try:
        points = [(float(depth), float(time)) for depth, time, *_ in row["points"]]
        numbers = [float(row[name]) for name in POSITIVE] + [time for _, time in points]
        jitter = float(row["latency_jitter_stddev"])
        depths = [depth for depth, _ in points]
        good = all(0 < number < math.inf for number in numbers) and 0 <= jitter < math.inf
        if not good or depths[:1] != [1.0] or sorted({*depths}) != depths:
            raise ValueError
        if row["direction"] not in DIRECTIONS:
            raise ValueError
        return {**row, "points": points, "state": str(row["state"])}
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise InputError(
            "rows: each needs a state, a direction, positive numbers for "
            f"{', '.join(POSITIVE)}, a jitter, and points of rising depth from 1"
        ) from error
