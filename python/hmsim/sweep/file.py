# SPDX-License-Identifier: BSD-3-Clause
"""Sweep files: YAML definitions of the points of a sweep (docs/sweeps.md).

config: quick
grid:                                   # every combination
  workload: [mix:sort+mcf, mix:kmeans+mcf]
  policy: [split, hms]
  policies.harmonic.weight: {from: 0.2, to: 0.8, count: 4}
seeds: 5
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from hmsim._core import InputError, Simulation, nearest_name
from hmsim.common.paths import find_file
from hmsim.common.statistic_names import valid
from hmsim.config import settings as yaml_settings
from hmsim.config.node_reader import NodeReader, Value, located
from hmsim.runs.options import LARGEST_SEED, options
from hmsim.sweep.constraints import Constraint
from hmsim.sweep.gem5_points import Gem5, read_gem5
from hmsim.sweep.sampling import MOST_DIMENSIONS, Choice, Domain, Range, draw, parse_range
from hmsim.workloads import mixes

MOST_POINTS = 1_000_000
MOST_VALUES = 10_000  # of an axis
COMMON = ("config", "warmup")
KEYS = (
    *("description", *COMMON, "runner", "gem5"),
    *("set", "grid", "points", "samples", "seeds", "where", "show"),
)
SAMPLE_KEYS = ("method", "count", "seed", "over", "objective", "direction")
RANGE_KEYS = ("from", "to", "scale")
METHODS = ("random", "sobol", "optimise")
DIRECTIONS = ("minimise", "maximise")
OWN_AXES = ("config", "policy", "workload", "seed")
AGENT_KEY = re.compile(r"agent\.[0-9]{1,3}\.[a-z0-9_.]+")


Combination = Mapping[str, Value]  # by the axis's name


@dataclass(frozen=True)
class Samples:
    """Axes whose values are sampled, or chosen by a search.

    Attributes:
        method: random, sobol or optimise.
        count: number of samples, or of the search's trials.
        seed: seed of the sampler or the search.
        over: each axis's domain and the domain's place in the file.
        objective: for ``optimise``: a statistic, or several to trade off, each with its place.
        directions: minimise or maximise, for each statistic of ``objective``.
    """

    method: str
    count: int
    seed: int
    over: Mapping[str, tuple[Domain, str]]
    objective: tuple[Value, ...] = ()
    directions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sweep:
    """A sweep file's content.

    Attributes:
        path: of the file.
        common: values that all points share: `COMMON` and what ``set`` gives.
        grid: values by axis, all combinations of which are wanted.
        entries: combinations that are listed, each wanted with every one of the grid.
        samples: further values for each of these, or None.
        constraints: with their places in the file.
        show: statistics that the summary shows, each with its place in the file.
        gem5: runners of the points in gem5, by the workload's name; None: the simulator.
    """

    path: Path
    common: Combination
    grid: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    entries: tuple[Combination, ...] = ()
    samples: Samples | None = None
    constraints: tuple[tuple[Constraint, str], ...] = ()
    show: tuple[Value, ...] = ()
    gem5: Mapping[str, Gem5] | None = None

    @property
    def axes(self) -> list[str]:
        """The names of all axes that vary, in the file's order."""
        over = self.samples.over if self.samples else {}
        listed = (name for entry in self.entries for name in entry)
        return list(dict.fromkeys([*self.grid, *listed, *over]))

    @property
    def statistics(self) -> tuple[Value, ...]:
        """All statistics that the file names, each with its place in the file."""
        return (*self.show, *(self.samples.objective if self.samples else ()))

    @property
    def is_search(self) -> bool:
        """Whether values are searched for, trial by trial."""
        return self.samples is not None and self.samples.method == "optimise"

    def combinations(self) -> Iterator[Combination]:
        """Yield the points that meet the constraints, without the axes of a search."""
        drawn: list[Combination] = [{}]
        if self.samples and not self.is_search:
            over = self.samples.over
            domains = [domain for domain, _ in over.values()]
            rows = draw(domains, self.samples.count, self.samples.method, self.samples.seed)
            drawn = [
                {name: Value(text, over[name][1]) for name, text in zip(over, row)} for row in rows
            ]
        for parts in itertools.product(self.entries or ({},), drawn, self.grid_combinations()):
            merged: dict[str, Value] = {}
            for part in parts:
                merged.update(part)
            if self.allows(merged):
                yield {name: merged[name] for name in self.axes if name in merged}

    def grid_combinations(self) -> list[Combination]:
        """Return every combination of the grid's values."""
        return [dict(zip(self.grid, row)) for row in itertools.product(*self.grid.values())]

    def allows(self, combination: Combination) -> bool:
        """Return whether a combination meets every constraint whose names all have values in it."""
        texts = {name: value.text for name, value in {**self.common, **combination}.items()}
        for constraint, where in self.constraints:
            if constraint.names.keys() <= texts.keys():
                with located(f"{where}: where: "):
                    if not constraint.holds(texts):
                        return False
        return True


def load_sweep(path_or_name: str | os.PathLike[str]) -> Sweep:
    """Return the sweep in a YAML file: a path, or the name of a shipped one.

    Names of axes are checked; values are when points are made of them (hmsim.sweep).

    Raises:
        InputError: names file, line, key and the nearest valid choice.
    """
    return SweepReader(find_file(path_or_name, "configs/sweeps", "sweep")).sweep()


class SweepReader(NodeReader):
    """Reads sweep files, and the parts that files of fits share with them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.parameters = [info["name"] for info in Simulation.parameters()]

    def sweep(self) -> Sweep:
        given = self.keys(yaml_settings.read_mapping(self.path), "", KEYS)
        common = self.common(given)
        grid = self.grid(given["grid"]) if "grid" in given else {}
        if "seeds" in given:
            if "seed" in grid:
                self.refuse(given["seeds"], "seeds", "the grid already has an axis 'seed'")
            grid["seed"] = self.seeds(given["seeds"])
        entries: tuple[Combination, ...] = ()
        if "points" in given:
            listed = self.sequence(given["points"], "points")
            entries = tuple(self.entry(node, "points") for node in listed)
        samples = self.samples(given["samples"]) if "samples" in given else None
        show = self.statistic_names(given["show"], "show") if "show" in given else ()
        found = Sweep(self.path, common, grid, entries, samples, (), show, self.gem5(given))
        self.check_axes(found)
        if "where" in given:
            conditions = self.values(given["where"], "where")
            found = replace(found, constraints=self.constraints(conditions, found))
        return found

    def common(self, given: Mapping[str, yaml.Node]) -> dict[str, Value]:
        """Return the values that all points share: `COMMON` and what ``set`` gives."""
        common = {name: self.value(given[name], name) for name in COMMON if name in given}
        if "description" in given:
            self.value(given["description"], "description")
        if "warmup" in common:
            with located(f"{common['warmup'].where}: "):
                options(warmup=common["warmup"].text)
        if "set" in given:
            common.update(self.entry(given["set"], "set"))
        return common

    def gem5(self, given: Mapping[str, yaml.Node]) -> Mapping[str, Gem5] | None:
        runner = "hmsim"
        if "runner" in given:
            runner = self.choice(given["runner"], given["runner"], "runner", ("hmsim", "gem5"))
        if runner == "gem5" and "gem5" not in given:
            self.refuse(given["runner"], "gem5", "is required: executable, script and workloads")
        if runner != "gem5" and "gem5" in given:
            self.refuse(given["gem5"], "gem5", "needs runner: gem5")
        return read_gem5(self, given["gem5"]) if runner == "gem5" else None

    def check_axes(self, found: Sweep) -> None:
        """Reject an axis that is given twice, and an unreasonable number of points."""
        over = found.samples.over if found.samples else {}
        parts = [
            {name: values[0].where for name, values in found.grid.items()},
            {name: value.where for entry in found.entries for name, value in entry.items()},
            {name: where for name, (_, where) in over.items()},
            {name: value.where for name, value in found.common.items() if name not in OWN_AXES},
        ]
        seen: dict[str, str] = {}
        for part in parts:
            for name, where in part.items():
                if name in seen:
                    raise InputError(f"{where}: {name}: already set at {seen[name]}")
            seen.update(part)
        if "workload" not in seen:
            raise InputError(f"{self.path}: workload: is required in grid: or points:")
        drawn = found.samples.count if found.samples else 1
        count = math.prod(map(len, found.grid.values())) * max(len(found.entries), 1) * drawn
        if count > MOST_POINTS:
            raise InputError(
                f"{self.path}: {count} points are too many: must be at most {MOST_POINTS}"
            )

    def constraints(
        self, conditions: Sequence[Value], found: Sweep
    ) -> tuple[tuple[Constraint, str], ...]:
        names = [*found.common, *found.axes]
        made = []
        for condition in conditions:
            with located(f"{condition.where}: where: "):
                made.append((Constraint(condition.text, names), condition.where))
        return tuple(made)

    def grid(self, node: yaml.Node) -> dict[str, tuple[Value, ...]]:
        grid = {}
        for name, (key, child) in self.mapping(node, "grid").items():
            self.check_name(key, name)
            if isinstance(child, yaml.MappingNode):
                found = self.range(child, name, (*RANGE_KEYS, "count"))
                count = self.number(found.get("count"), child, f"{name}: count", MOST_VALUES)
                domain = self.domain(found, child, name)
                where = yaml_settings.place(self.path, child)
                grid[name] = tuple(Value(text, where) for text in domain.spaced(count))
            elif name == "workload":
                grid[name] = tuple(
                    Value(text, value.where)
                    for value in self.values(child, name)
                    for text in self.expanded(value)
                )
            else:
                grid[name] = self.values(child, name)
        return grid

    def expanded(self, value: Value) -> list[str]:
        with located(f"{value.where}: workload: "):
            return mixes.expand([value.text])

    def seeds(self, node: yaml.Node) -> tuple[Value, ...]:
        if isinstance(node, yaml.SequenceNode):
            return self.values(node, "seeds")
        count = self.number(node, node, "seeds", MOST_VALUES)
        where = yaml_settings.place(self.path, node)
        return tuple(Value(str(seed + 1), where) for seed in range(count))

    def statistic_names(self, node: yaml.Node, what: str) -> tuple[Value, ...]:
        return tuple(replace(name, text=valid(name.text)) for name in self.values(node, what))

    def samples(self, node: yaml.Node) -> Samples:
        given = self.keys(node, "samples: ", SAMPLE_KEYS)
        method = self.choice(given.get("method"), node, "method", METHODS)
        count = self.number(given.get("count"), node, "samples: count", MOST_POINTS)
        seed = given.get("seed")
        over = self.domains(given.get("over", node))
        if method == "sobol" and len(over) > MOST_DIMENSIONS:
            self.refuse(node, "over", f"a Sobol sequence has at most {MOST_DIMENSIONS} axes")
        objectives: tuple[Value, ...] = ()
        directions: tuple[str, ...] = ()
        if method == "optimise":
            if "objective" not in given:
                self.refuse(node, "objective", "is required: the statistic to minimise or maximise")
            objectives = self.statistic_names(given["objective"], "objective")
            wanted = self.values(given.get("direction", node), "direction", repeats=True)
            directions = tuple(self.choice(v, node, "direction", DIRECTIONS) for v in wanted)
            if len(objectives) != len(directions):
                self.refuse(node, "direction", "must have one entry for each objective")
        elif {"objective", "direction"} & given.keys():
            self.refuse(node, "objective", "only the method optimise has an objective")
        drawn = 1 if seed is None else self.number(seed, seed, "seed", LARGEST_SEED, 0)
        return Samples(method, count, drawn, over, objectives, directions)

    def domains(self, node: yaml.Node) -> dict[str, tuple[Domain, str]]:
        """Return what ``over`` holds: a domain and its place by axis."""
        over: dict[str, tuple[Domain, str]] = {}
        for name, (key, child) in self.mapping(node, "over").items():
            self.check_name(key, name)
            where = yaml_settings.place(self.path, key)
            if isinstance(child, yaml.MappingNode):
                found = self.range(child, name, RANGE_KEYS)
                over[name] = (self.domain(found, child, name), where)
            else:
                texts = (value.text for value in self.values(child, name))
                over[name] = (Choice(tuple(texts)), where)
        return over

    def entry(self, node: yaml.Node, what: str) -> dict[str, Value]:
        """Return a mapping of names to single values."""
        found = {}
        for name, (key, child) in self.mapping(node, what).items():
            self.check_name(key, name)
            found[name] = self.value(child, name)
        return found

    def range(
        self, node: yaml.MappingNode, name: str, known: Sequence[str]
    ) -> dict[str, yaml.Node]:
        found = self.keys(node, f"{name}: ", known)
        for end in ("from", "to"):
            if end not in found:
                self.refuse(node, name, f"'{end}' is required: a range is {{from: 1, to: 9}}")
        return found

    def domain(self, found: Mapping[str, yaml.Node], node: yaml.Node, name: str) -> Range:
        low, high = (self.value(found[end], name).text for end in ("from", "to"))
        scale = self.value(found["scale"], name).text if "scale" in found else "linear"
        with located(f"{yaml_settings.place(self.path, node)}: {name}: "):
            return parse_range(low, high, scale)

    def check_name(self, key: yaml.Node, name: str) -> None:
        """Reject a name that is neither a parameter nor another valid axis."""
        if name in OWN_AXES or name in self.parameters or AGENT_KEY.fullmatch(name):
            return
        near = nearest_name(name, [*OWN_AXES, *self.parameters])
        hint = f"; did you mean '{near}'?" if near else ""
        self.refuse(key, name, f"must be a parameter, {', '.join(OWN_AXES)} or agent.N.KEY{hint}")
