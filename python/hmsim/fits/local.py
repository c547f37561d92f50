# SPDX-License-Identifier: BSD-3-Clause
"""Around the best machine: refinement by differences, and how far each key can go in the bands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hmsim.fits.file import Target
from hmsim.fits.space import Space, Values
from hmsim.fits.trials import Bench, Trial

Matrix = npt.NDArray[np.float64]
DIFFERENCE = 0.02  # of a range: step of a difference
LARGEST = 30.0  # half bands: residuals beyond count as this much
DAMPINGS = (1e-4, 1e-2, 1.0)  # of refinements
FARTHEST = 0.25  # of a range: how far one refinement goes
ENOUGH = 0.99  # of the loss: a refinement that leaves more is the last
MOST_ROUNDS = 5
WIDER, NARROWER = 1.5, 0.6  # of a probe's step, after it was in the bands and after it was not
PROBES = 5  # in one direction
SAME = 1e-9
WEAK = 1e-6  # of the largest singular value: below, a direction has no effect


@dataclass(frozen=True)
class Slopes:
    """Change of each residual, in half bands, over the whole of each range."""

    targets: Sequence[Target]
    matrix: Matrix  # targets x ranges

    def least_change(self, index: int) -> Matrix:
        """Return the direction that moves a range by 1 and the residuals least."""
        others = np.delete(self.matrix, index, axis=1)
        direction = np.zeros(self.matrix.shape[1])
        if others.size:
            moves = -np.linalg.pinv(others, rcond=WEAK) @ self.matrix[:, index]
            direction[np.arange(len(direction)) != index] = moves
        direction[index] = 1.0
        return direction


class Local:
    """Moves around a trial of whole runs."""

    def __init__(self, bench: Bench, space: Space, targets: Sequence[Target] | None = None) -> None:
        """Take what moves are to meet: by default all fitted targets."""
        self._bench = bench
        self._space = space
        self._targets = targets or bench.fit.fitted

    def slopes(self, at: Trial) -> Slopes:
        """Return the slopes at a trial by differences; a target without numbers has none."""
        space = self._space
        here = space.shares(at.values)
        steps = [max(DIFFERENCE, space.step(name)) for name in space.ranges]
        signs = [-1 if place + step > 1 else 1 for place, step in zip(here, steps)]
        moved = []
        for index in range(len(here)):
            places = list(here)
            places[index] += signs[index] * steps[index]
            moved.append(space.moved(at.values, places))
        matrix = np.zeros((len(self._targets), len(here)))
        for index, trial in enumerate(self._bench.evaluate("difference", moved)):
            apart = space.shares(trial.values)[index] - here[index]
            for row, target in enumerate(self._targets):
                if not trial.error and abs(apart) > SAME:
                    change = _clipped(trial, target) - _clipped(at, target)
                    matrix[row, index] = change / apart
        return Slopes(self._targets, matrix)

    def refined(self, start: Trial, rounds: int = MOST_ROUNDS) -> tuple[Trial, Slopes]:
        """Return a trial with the least loss near another, and the slopes there."""
        best = start
        slopes = self.slopes(best)
        for _ in range(rounds):
            tried = self._bench.evaluate("refinement", self._refinements(best, slopes))
            better = min(tried, key=lambda each: each.loss(self._targets), default=best)
            before, after = best.loss(self._targets), better.loss(self._targets)
            if not after < before:
                break
            best = better
            slopes = self.slopes(best)
            if after > ENOUGH * before:
                break
        return best, slopes

    def _refinements(self, at: Trial, slopes: Slopes) -> list[Values]:
        """Return damped steps of Gauss and Newton, weighted as the loss weights the targets."""
        residuals = np.array([_clipped(at, each) for each in self._targets])
        weights = 1 / np.sqrt(1 + residuals**2)
        matrix, wanted = slopes.matrix * weights[:, None], residuals * weights
        if not matrix.any():
            return []
        scale = np.linalg.norm(matrix, 2) ** 2
        found = []
        for damping in DAMPINGS:
            square = matrix.T @ matrix + damping * scale * np.eye(matrix.shape[1])
            move = np.clip(-np.linalg.solve(square, matrix.T @ wanted), -FARTHEST, FARTHEST)
            places = np.add(self._space.shares(at.values), move)
            found.append(self._space.moved(at.values, list(places)))
        return [each for each in found if each != at.values]

    def probe(self, best: Trial, slopes: Slopes) -> None:
        """Try to move each range away from the best trial within the bands.

        Each is moved alone, and with the others following so that the targets change least.
        """
        here = np.array(self._space.shares(best.values))
        probes = []
        for index in range(len(here)):
            alone = np.zeros(len(here))
            alone[index] = 1.0
            together = slopes.least_change(index)
            directions = [alone] if np.allclose(alone, together) else [alone, together]
            for direction in directions:
                probes += [_Probe(here, sign * direction) for sign in (-1, 1)]
        residuals = np.array([abs(_clipped(best, each)) for each in self._targets])
        for probe in probes:
            probe.begin(slopes.matrix, residuals)
        for _ in range(PROBES):
            active = [each for each in probes if each.step > 0]
            places = [self._space.moved(best.values, list(each.place())) for each in active]
            for probe, trial in zip(active, self._bench.evaluate("probe", places)):
                probe.next(trial.meets(self._targets))


class _Probe:
    """A walk in one direction: steps grow while they stay in the bands, and shrink otherwise."""

    def __init__(self, here: Matrix, direction: Matrix) -> None:
        self._here = here
        self._direction = direction
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(direction > 0, 1 - here, -here) / direction
        self._most = float(np.min(room[np.abs(direction) > SAME]))
        self._inside, self._outside = 0.0, math.inf
        self.step = 0.0

    def begin(self, matrix: Matrix, residuals: Matrix) -> None:
        """Set the first step to where the bands should end."""
        slopes = np.abs(matrix @ self._direction)
        with np.errstate(divide="ignore"):
            ends = np.where(slopes > SAME, np.maximum(1 - residuals, 0.0) / slopes, math.inf)
        self.step = min(self._most, float(np.min(ends, initial=math.inf)))

    def place(self) -> Matrix:
        return self._here + self.step * self._direction

    def next(self, inside: bool) -> None:
        """Choose the next step; 0: there is none."""
        if inside:
            self._inside = self.step
        else:
            self._outside = self.step
        if self._inside >= self._most - SAME:
            self.step = 0.0
        elif math.isinf(self._outside):
            self.step = min(self._most, WIDER * self.step)
        else:
            self.step = self._inside + NARROWER * (self._outside - self._inside)


def _clipped(trial: Trial, target: Target) -> float:
    return float(np.clip(trial.residuals[target.name], -LARGEST, LARGEST))
