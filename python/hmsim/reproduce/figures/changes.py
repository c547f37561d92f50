# SPDX-License-Identifier: BSD-3-Clause
"""Changes of points after an experiment has made them: readings of the paper, and wrong models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hmsim.config import write_modes
from hmsim.config.configuration import AnyBundle, Config
from hmsim.config.settings import from_mapping
from hmsim.points.point import Point, Scalar
from hmsim.reproduce.figures.regimes import MACHINE

BUNDLE = "bundle."  # prefix of a setting: the policy bundle whose points it concerns
FIGURE = "figure."  # prefix of a setting: a choice of a figure, and no parameter
# Policies that figures show beside those of a verdict.
SHOWN = ("hms", "all", "unified_256_fcfs")


@dataclass(frozen=True)
class Change:
    """One change. Columns of the results stay as they are, so figures find what they ask for.

    Attributes:
        settings: parameters and their values.
        where: labels of the points that it concerns, such as ``program``; a ``policy`` is named
            without its write mode. Empty: all points.
        bundle: replaces the policy bundle of these points; "": none does.
        wins: whether the settings win over those of the experiment.
        deciding: whether it leaves points that enter no verdict as they are (`decides`).
    """

    settings: tuple[tuple[str, str], ...] = ()
    where: tuple[tuple[str, Scalar], ...] = ()
    bundle: str = ""
    wins: bool = False
    deciding: bool = False

    def concerns(self, point: Point) -> bool:
        """Return whether a point has the labels, and decides something if it has to."""
        if self.deciding and not decides(point):
            return False
        labels = _labels(point)
        return all(labels.get(name) == value for name, value in self.where)

    def apply(self, point: Point, bundles: Mapping[str, AnyBundle]) -> Point:
        """Return the changed point. Raises InputError: its system is not in order.

        Args:
            point: returned as it is, if it is not concerned.
            bundles: by name, those that are not shipped.
        """
        if not self.concerns(point):
            return point
        config = point.config
        if self.bundle:
            config = _under(config, bundles.get(self.bundle, self.bundle))
        own = tuple(from_mapping(dict(self.settings), "change"))
        layers = (*config.overrides, *own) if self.wins else (*own, *config.overrides)
        config = replace(config, overrides=layers)
        config.check()
        return replace(point, config=config)


def decides(point: Point) -> bool:
    """Return whether a verdict uses a point, rather than the text beside a verdict.

    Mixed writes where both modes run, other machines of a node, small buffers of Fig. 20 and the
    policies of `SHOWN` enter texts only. Their results under a reading are never shown.
    """
    labels = _labels(point)
    return (
        point.config.writes != write_modes.MIXED
        and labels.get("machine", MACHINE) == MACHINE
        and not ("machine" in labels and labels["config"] == "quick")
        and labels.get("policy") not in SHOWN
    )


def of_settings(settings: Mapping[str, str]) -> tuple[Change, ...]:
    """Return the changes that the settings of a reading ask for."""
    found = []
    for name, value in settings.items():
        where: tuple[tuple[str, Scalar], ...] = ()
        if name.startswith(BUNDLE):
            policy, _, name = name.removeprefix(BUNDLE).partition(".")
            where = (("policy", policy),)
        if not name.startswith(FIGURE):
            found.append(Change(((name, value),), where, deciding=True))
    return tuple(found)


def choices_of(settings: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the choices of figures in the settings of a reading, by bare name."""
    return tuple(
        (name.removeprefix(FIGURE), value)
        for name, value in settings.items()
        if name.startswith(FIGURE)
    )


def _labels(point: Point) -> dict[str, Scalar]:
    """Return a point's labels, with the policy's bare name."""
    labels = point.labels()
    if point.config.writes is not None:
        labels["policy"] = write_modes.split(str(labels["policy"]))[0]
    return labels


def _under(config: Config, bundle: AnyBundle) -> Config:
    """Return the system under another bundle, in the same write mode and with the same label."""
    changed = config.with_policy(bundle)
    if config.writes is not None and not changed.sets_direction():
        changed = changed.with_writes(config.writes)
    return replace(changed, policy=config.policy)
