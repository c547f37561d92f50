# SPDX-License-Identifier: BSD-3-Clause
"""Fit files: keys, runs, and the targets that the keys are to explain (docs/fit.md)."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import yaml

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.common.paths import find_file
from hmsim.config import settings as yaml_settings
from hmsim.config.node_reader import Value, located
from hmsim.fits.formula import Formula
from hmsim.fits.source import FormulaSource, Run, Source
from hmsim.fits.wanted import Wanted
from hmsim.sweep.file import Combination, Sweep, SweepReader
from hmsim.sweep.sampling import MOST_DIMENSIONS, Domain, Range
from hmsim.workloads.workload import load_inline

KEYS = ("description", "config", "set", "warmup", "seeds", "over", "constants", "runs", "targets")
REQUIRED = ("over", "targets")
BANDS = ("is", "at_least", "at_most")
COMMON_KEYS = ("group", "hold_out")
KINDS = {  # of targets, with their keys
    "of": ("of", *BANDS, "within"),
    "family": ("family", "reads", "at", "saturation", "constant", "within"),
    "claim": ("claim",),
}
TIMES = ("ps", "ns", "us", "ms", "s")
NAME = re.compile(r"[\w.+-]+")
SLACK = 0.05  # of a bound: what counts as one band beyond it, without ``within``
MOST_SEEDS = 100


@dataclass(frozen=True)
class Target:
    """A number that a machine is to reach.

    Attributes:
        name: in the file.
        text: how it is computed.
        wanted: the band.
        source: computes it from runs.
        group: '' without one.
        hold_out: whether no search sees it.
    """

    name: str
    text: str
    wanted: Wanted
    source: Source
    group: str = ""
    hold_out: bool = False


@dataclass(frozen=True)
class Fit:
    """A fit file's content.

    Attributes:
        sweep: path, and the values that all runs share.
        over: domain of each key that is fitted, and of each constant.
        constants: names in ``over`` that are no keys of the machine, only of formulas.
        runs: by name.
        targets: in the file's order.
        seeds: of each run; a statistic is their mean.
    """

    sweep: Sweep
    over: Mapping[str, Domain]
    constants: frozenset[str]
    runs: Mapping[str, Run]
    targets: Sequence[Target]
    seeds: int = 1
    places: Mapping[str, str] = field(default_factory=dict)  # of the names in ``over``

    @property
    def fitted(self) -> list[Target]:
        """The targets that the search sees."""
        return [each for each in self.targets if not each.hold_out]

    @property
    def held_out(self) -> list[Target]:
        """The targets that judge the result."""
        return [each for each in self.targets if each.hold_out]

    def holding_out(self, groups: Sequence[str]) -> Fit:
        """Return the fit with all targets of these groups held out. Raises InputError."""
        known = list(dict.fromkeys(each.group for each in self.targets if each.group))
        for group in groups:
            if group not in known:
                near = f"; {hint(group, known, 'groups')}" if known else ", which has none"
                raise InputError(f"--hold-out {group}: not a group of {self.sweep.path}{near}")
        held = [replace(t, hold_out=t.hold_out or t.group in groups) for t in self.targets]
        found = replace(self, targets=held)
        found.check()
        return found

    def check(self) -> None:
        """Raise InputError if every target is held out."""
        if not self.fitted:
            which = "all are held out" if self.targets else "there is none"
            raise InputError(f"{self.sweep.path}: targets: {which}; fit at least one")


def load_fit(path_or_name: str | os.PathLike[str], some_fitted: bool = True) -> Fit:
    """Return the fit in a YAML file: a path, or the name of a shipped one.

    ``some_fitted``: whether to refuse a file that holds out all targets. Raises InputError: names
    file, line, key and the nearest valid choice.
    """
    found = _Reader(find_file(path_or_name, "configs/fits", "fit")).fit()
    if some_fitted:
        found.check()
    return found


class _Reader(SweepReader):
    def fit(self) -> Fit:
        root = yaml_settings.read_mapping(self.path)
        given = self.keys(root, "", KEYS)
        for name in REQUIRED:
            if name not in given:
                raise InputError(f"{self.path}: {name}: is required")
        common = self.common(given)
        seeds = given.get("seeds")
        count = self.number(seeds, seeds, "seeds", MOST_SEEDS) if seeds else 1
        over = self.domains(given["over"])
        constants = self.constants(given["constants"]) if "constants" in given else {}
        self.check_over(given["over"], {**over, **constants}, common)
        listed = self.mapping(given["runs"], "runs") if "runs" in given else {}
        runs = {name: self.run(node, name, over) for name, (_, node) in listed.items()}
        for name in over:
            if "." not in name and not runs:
                raise InputError(f"{over[name][1]}: {name}: only runs: have one")
        targets: dict[str, Target] = {}
        for name, (key, node) in self.mapping(given["targets"], "targets").items():
            if not NAME.fullmatch(name):
                self.refuse(key, name[:40], "a target's name has letters, digits and '_.+-' only")
            for target in self.targets(node, name, runs, constants):
                if target.name in targets:
                    self.refuse(key, target.name, "is a target already")
                targets[target.name] = target
        both = {**over, **constants}
        return Fit(
            Sweep(self.path, common),
            {name: domain for name, (domain, _) in both.items()},
            frozenset(constants),
            runs,
            list(targets.values()),
            count,
            {name: where for name, (_, where) in both.items()},
        )

    def domain(self, found: Mapping[str, yaml.Node], node: yaml.Node, name: str) -> Range:
        """Return a range; one of times is never limited to whole numbers of its unit."""
        made = super().domain(found, node, name)
        return replace(made, whole=False) if made.unit in TIMES else made

    def check_over(
        self, node: yaml.Node, both: Mapping[str, tuple[Domain, str]], common: Combination
    ) -> None:
        if len(both) > MOST_DIMENSIONS:
            self.refuse(node, "over", f"must have at most {MOST_DIMENSIONS} keys and constants")
        for name, (_, where) in both.items():
            if name in ("seed", "workload"):
                raise InputError(f"{where}: {name}: cannot be fitted; each run has its own")
            if name in common:
                raise InputError(f"{where}: {name}: already set at {common[name].where}")

    def constants(self, node: yaml.Node) -> dict[str, tuple[Domain, str]]:
        """Return the ranges of numbers that only formulas have."""
        found: dict[str, tuple[Domain, str]] = {}
        for name, (key, child) in self.mapping(node, "constants").items():
            if not name.isidentifier():
                self.refuse(key, name, "must be one word of letters, digits and '_'")
            if not isinstance(child, yaml.MappingNode):
                self.refuse(child, name, "expected a range, {from: 0, to: 9}")
            domain = self.domain(self.range(child, name, ("from", "to", "scale")), child, name)
            if domain.unit:
                self.refuse(child, name, f"must be plain numbers, got the unit '{domain.unit}'")
            found[name] = (domain, self.place(key))
        return found

    def run(self, node: yaml.Node, name: str, over: Mapping[str, tuple[Domain, str]]) -> Run:
        """Return a run: its workload, keys of its own, and what is shorter while searching."""
        if not name.isidentifier():
            self.refuse(node, name, "must be one word of letters, digits and '_'")
        values: dict[str, Value] = {}
        short: Combination = {}
        inline = None
        for key, (key_node, child) in self.mapping(node, name).items():
            if key == "short":
                short = self.entry(child, f"{name}: short")
            elif key == "workload" and isinstance(child, yaml.MappingNode):
                inline = load_inline(self.path, child, name)
                values[key] = Value(name, self.place(child))
            elif key == "warmup":
                values[key] = self.value(child, key)
            else:
                self.check_name(key_node, key)
                values[key] = self.value(child, key)
        if "workload" not in values:
            self.refuse(node, name, "workload: is required: a name, or {agents: [...]}")
        for key in ("seed", *over):
            if key in values:
                text = "is fitted" if key in over else "is given by seeds:"
                raise InputError(f"{values[key].where}: {name}: {key}: {text}")
        return Run(name, values, short, inline)

    def targets(
        self,
        node: yaml.Node,
        name: str,
        runs: Mapping[str, Run],
        constants: Mapping[str, tuple[Domain, str]],
    ) -> list[Target]:
        """Return what an entry of ``targets`` asks for: one target, or those of a family."""
        given = self.keys(
            node, f"{name}: ", (*COMMON_KEYS, *KINDS["of"], *KINDS["family"], "claim")
        )
        kinds = [kind for kind in KINDS if kind in given]
        if len(kinds) != 1:
            self.refuse(node, name, f"needs one of {', '.join(KINDS)}")
        (kind,) = kinds
        for key in given:
            if key not in (*COMMON_KEYS, *KINDS[kind]):
                self.refuse(given[key], f"{name}: {key}", f"does not go with {kind}:")
        held = False
        if "hold_out" in given:
            word = self.choice(given["hold_out"], node, f"{name}: hold_out", ("true", "false"))
            held = word == "true"
        group = self.value(given["group"], "group").text if "group" in given else ""
        text = self.value(given[kind], kind)
        if kind == "family":
            found = self.family(given, node, name, text, constants)
        else:
            with located(f"{text.where}: {name}: {kind}: "):
                if kind == "claim":
                    from hmsim.fits import claims  # with pandas and all figures

                    claim = claims.claim_of(text.text)
                    source: Source = claims.ClaimSource(claim)
                    found = [Target(name, claim.statement, claims.wanted(claim), source)]
                else:
                    source = self.formula(text, runs, constants)
                    found = [Target(name, text.text, self.wanted(given, node, name), source)]
        return [replace(each, group=group, hold_out=held) for each in found]

    def formula(
        self, text: Value, runs: Mapping[str, Run], constants: Mapping[str, tuple[Domain, str]]
    ) -> FormulaSource:
        formula = Formula(text.text)
        if not formula.names:
            raise InputError(f"'{text.text}' names no run")
        for each in formula.names:
            self.check_term(each, runs, constants)
        return FormulaSource(formula, text.where)

    def family(
        self,
        given: Mapping[str, yaml.Node],
        node: yaml.Node,
        name: str,
        family: Value,
        constants: Mapping[str, tuple[Domain, str]],
    ) -> list[Target]:
        """Return the quantities of a measured family: latencies, and the saturation."""
        from hmsim.fits import families  # with the method of the card

        for key in ("reads", "within"):
            if key not in given:
                self.refuse(node, name, f"{key}: is required")
        if "at" not in given and "saturation" not in given:
            self.refuse(node, name, "at: or saturation: is required")
        reads = self.share(given["reads"], f"{name}: reads")
        constant = self.value(given["constant"], "constant").text if "constant" in given else ""
        if constant and constant not in constants:
            self.refuse(given["constant"], f"{name}: constant", f"'{constant}' is not one")
        shares: list[float | None] = []
        if "at" in given:
            nodes = [given["at"]]
            if isinstance(given["at"], yaml.SequenceNode):
                nodes = self.sequence(given["at"], "at")
            shares += [self.share(each, f"{name}: at") for each in nodes]
        if "saturation" in given:
            self.choice(given["saturation"], node, f"{name}: saturation", ("true",))
            shares.append(None)
        found = []
        for at in shares:
            quantity = "saturation, % of peak" if at is None else f"ns at {at:g} of its maximum"
            with located(f"{family.where}: {name}: family: "):
                source = families.FamilySource(family.text, reads, at, constant)
            centre = source.wanted()
            if not math.isfinite(centre):
                self.refuse(given["at"], f"{name}: at", f"{at} is not on the measured curve")
            half = self.width(given["within"], f"{name}: within", centre)
            end = "saturation" if at is None else f"{100 * at:g}"
            wanted = Wanted(centre - half, centre + half, centre)
            text = f"{family.text}, {100 * reads:g} % reads: {quantity}"
            found.append(Target(f"{name}_{end}", text, wanted, source))
        return found

    def share(self, node: yaml.Node, what: str) -> float:
        text = self.value(node, what).text
        scale = 100 if text.endswith("%") else 1
        found = self.real(yaml.ScalarNode(node.tag, text.removesuffix("%"), node.start_mark), what)
        if not 0 <= found / scale <= 1:
            self.refuse(node, what, f"must be a share, 0 to 1 or in %, got '{text}'")
        return found / scale

    def check_term(
        self, name: str, runs: Mapping[str, Run], constants: Mapping[str, tuple[Domain, str]]
    ) -> None:
        run, dot, _ = name.partition(".")
        if (dot and run in runs) or (not dot and run in constants):
            return
        kind, known = ("run", [*runs]) if dot else ("constant", [*constants])
        raise InputError(f"{name}: '{run}' is not a {kind}; {hint(run, known, f'{kind}s')}")

    def wanted(self, given: Mapping[str, yaml.Node], node: yaml.Node, name: str) -> Wanted:
        numbers = {k: self.real(given[k], f"{name}: {k}") for k in BANDS if k in given}
        bounds = [numbers[k] for k in ("at_least", "at_most") if k in numbers]
        if ("is" in numbers) == bool(bounds):
            self.refuse(node, name, "needs either 'is' with 'within', or 'at_least' or 'at_most'")
        about = [abs(each) for each in (numbers.get("is"), *bounds) if each is not None]
        within = SLACK * max(about)
        if "within" in given:
            within = self.width(given["within"], f"{name}: within", max(about))
        elif "is" in numbers:
            self.refuse(node, name, "within: is required: 5%, or a number")
        if "is" in numbers:
            centre = numbers["is"]
            return Wanted(centre - within, centre + within, centre)
        low, high = numbers.get("at_least", -math.inf), numbers.get("at_most", math.inf)
        if not low <= high:
            self.refuse(node, name, f"at_least: {low:g} is above at_most: {high:g}")
        return Wanted(low, high, None, within or 1.0)

    def real(self, node: yaml.Node, what: str) -> float:
        text = self.value(node, what).text
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not math.isfinite(found) or "_" in text:
            self.refuse(node, what, f"must be a number, got '{text[:40]}'")
        return found

    def width(self, node: yaml.Node, what: str, about: float) -> float:
        text = self.value(node, what).text
        scalar = yaml.ScalarNode(node.tag, text.removesuffix("%"), node.start_mark)
        found = self.real(scalar, what)
        width = found / 100 * about if text.endswith("%") else found
        if not width > 0:
            self.refuse(node, what, f"must be above 0, got '{text}'")
        return width
