# SPDX-License-Identifier: BSD-3-Clause
"""Configurations: the user's settings in layers, and the resolved values of all parameters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Union

import yaml

from hmsim._core import InputError, Simulation, nearest_name
from hmsim.common.hints import other_file
from hmsim.common.paths import find_file, shipped
from hmsim.config import policy_names, write_modes
from hmsim.config import settings as yaml_settings
from hmsim.config.composer import events
from hmsim.config.node_reader import located
from hmsim.config.policies import Bundle, PolicyMaker
from hmsim.config.settings import Setting

_resolved = lru_cache(maxsize=128)(Simulation.resolve)
AnyBundle = Union[str, "os.PathLike[str]", Bundle]
MODE = write_modes.PARAMETER
RESERVED = ("base", "description")  # keys of a file that are no parameters
LINE = 64  # bytes
FILE = "dram.dramsim3_ini"  # the only file that values are read from
OPTIONS = ("policy", "seed", "warmup", "workload")  # of commands, and arguments in Python
OF_AGENTS = "keys of agents are set in the workload's file, or in a sweep as agent.N.KEY"


class _Rejected(Exception):
    def __init__(self, errors: list[tuple[str, str]]) -> None:
        super().__init__()
        self.errors = errors


@lru_cache(maxsize=512)
def _accept(flat: tuple[tuple[str, str], ...]) -> None:
    """Raise _Rejected for what the core rejects; what it accepts is checked once."""
    if found := Simulation.check(flat):
        raise _Rejected(found)


@dataclass(frozen=True)
class Config:
    """A configuration of the memory system that the core has validated.

    Attributes:
        name: the file's stem.
        settings: settings of the files, the base's first.
        bundle: settings of the policy bundle; they override ``settings``.
        overrides: settings of the caller; they override both.
        policy: the bundle's name, or None.
        objects: the bundle's policies in Python: a factory by parameter.
        writes: the write mode that the bundle's name gives, or None.
    """

    name: str
    settings: tuple[Setting, ...]
    bundle: tuple[Setting, ...] = ()
    overrides: tuple[Setting, ...] = ()
    policy: str | None = None
    objects: tuple[tuple[str, PolicyMaker], ...] = ()
    writes: str | None = None

    def settings_in_force(self) -> list[Setting]:
        """Return the settings of all layers, one for each name."""
        return yaml_settings.merge(self.settings, self.bundle, self.overrides)

    def flat(self) -> list[tuple[str, str]]:
        """Return (dotted name, text) of each parameter that is set, as the core takes them."""
        return [setting.pair for setting in self.settings_in_force()]

    def resolved(self) -> dict[str, str]:
        """Return the text of every parameter by dotted name, defaults and presets filled in."""
        flat = tuple(self.flat())
        has_file = any(name == FILE for name, _ in flat)  # which may change
        return dict(Simulation.resolve(flat) if has_file else _resolved(flat))

    def capacities(self) -> dict[str, int]:
        """Return the addressable bytes of ``dram`` and ``nvdimm``; 0 for an absent memory.

        Raises InputError.
        """
        dram, nvdimm = Simulation.capacities(self.flat())
        return {"dram": dram, "nvdimm": nvdimm}

    def to_yaml(self) -> str:
        """Return the complete, resolved configuration as a YAML file with each parameter's doc."""
        docs = {info["name"]: info["doc"] for info in Simulation.parameters()}
        return yaml_settings.to_yaml(self.resolved().items(), docs)

    def with_policy(self, bundle: AnyBundle | None) -> Config:
        """Return this configuration under a policy bundle, which replaces an earlier one.

        ``bundle``: a shipped bundle (``split``) or a path to one; a policy's name, or
        ``BUNDLE+NAME``, or the entry point of a package (hmsim.config.policy_names); each also in a
        write mode (``split,drained``); a Bundle, or None for no bundle. Raises InputError.
        """
        if bundle is None:
            return replace(self, bundle=(), policy=None, objects=(), writes=None)
        if isinstance(bundle, Bundle):
            bundle.check()
            under = self.with_policy(bundle.base)
            own = yaml_settings.from_mapping(bundle.overrides, bundle.name)
            changed = replace(
                under,
                bundle=tuple(yaml_settings.merge(under.bundle, own)),
                policy=bundle.name,
                objects=tuple(bundle.objects.items()),
            )
        else:
            with located("policy: "):
                name, mode = write_modes.split(os.fspath(bundle))
                found = policy_names.parse(name)
                file = Path(name).is_file() or name in shipped("configs/policies")
                point = None if file or found else policy_names.packaged().get(name)
                if not found and not point:
                    known = policy_names.known()
                    path = find_file(name, "configs/policies", "policy bundle", known)
            if found:
                base, policy, parameters = found
                under = self.with_policy(base)
                own = yaml_settings.from_mapping(dict.fromkeys(parameters, policy), name)
                title = f"{under.policy}+{policy}" if "+" in name else policy
                laid = tuple(yaml_settings.merge(under.bundle, own))
                changed = replace(under, bundle=laid, policy=title)
            elif point:
                changed = self.with_policy(policy_names.load(point))
            else:
                bare = self.with_policy(None)
                changed = replace(bare, bundle=tuple(_read(path, ())), policy=path.stem)
            if mode is not None:
                return changed.with_writes(mode)
        changed.check()
        return changed

    def with_writes(self, mode: str) -> Config:
        """Return this configuration with its policy bundle in a write mode, ``NAME,MODE``.

        The mode overrides the bundle's own setting. Raises InputError if the bundle's scheduler
        sets the direction itself, or an override contradicts.
        """
        name = write_modes.variant(str(self.policy), mode)
        own = yaml_settings.from_mapping({MODE: mode}, name)
        bundle = tuple(yaml_settings.merge(self.bundle, own))
        changed = replace(self, bundle=bundle, policy=name, writes=mode)
        changed.check()
        return changed

    def check(self) -> None:
        """Raise InputError, one line per error, when the core rejects this configuration."""
        merged = {setting.name: setting for setting in self.settings_in_force()}
        flat = tuple(setting.pair for setting in merged.values())
        try:
            (_accept.__wrapped__ if FILE in merged else _accept)(flat)
            found = []
        except _Rejected as rejected:
            found = rejected.errors
        unknown = {name for name, message in found if message.startswith("unknown")}
        errors = _misplaced(merged.values(), unknown) if found else []
        named = {setting.name for setting, _ in errors}
        lines = [f"{setting.where}: {setting.name}: {what}" for setting, what in errors]
        for name, message in found:
            if name not in named:
                where = merged[name].where if name in merged else self.name
                lines.append(f"{where}: {name}: {message}{self._conflicting_setting(name)}")
        lines += self._misplaced_objects()
        if lines := lines or self._mode_conflicts():
            raise InputError(yaml_settings.joined(lines))

    def sets_direction(self) -> bool:
        """Return whether the scheduler of DRAM's queue decides when writes issue before reads."""
        maker = dict(self.objects).get(write_modes.SCHEDULER)
        return write_modes.sets_direction(self.resolved()[write_modes.SCHEDULER], maker)

    def write_mode(self) -> str:
        """Return ``drained``, ``mixed``, or that the scheduler ``sets the direction itself``."""
        return write_modes.ITSELF if self.sets_direction() else self.resolved()[MODE]

    def _mode_conflicts(self) -> list[str]:
        """Return the errors of settings that contradict the write mode in the bundle's name."""
        if self.writes is None:
            return []
        if self.sets_direction():
            maker = dict(self.objects).get(write_modes.SCHEDULER)
            name = self.resolved()[write_modes.SCHEDULER]
            name = getattr(maker, "__name__", "in Python") if maker else name
            return [
                f"{self.policy}: the scheduler '{name}' {write_modes.ITSELF}, so write "
                f"modes are not supported; use '{write_modes.split(str(self.policy))[0]}'"
            ]
        if (mode := self.resolved()[MODE]) != self.writes:
            where = {setting.name: setting.where for setting in self.settings_in_force()}
            return [
                f"{where[MODE]}: {MODE}: '{mode}' contradicts the policy '{self.policy}'; "
                "set only one of them"
            ]
        return []

    def _conflicting_setting(self, name: str) -> str:
        """Return the other setting that causes a parameter's error, as text for its message.

        A value from a base or a default may be invalid only because another parameter was set. The
        result is '; since WHERE sets NAME to VALUE', or '' if no single other setting is the cause.
        """
        merged = self.settings_in_force()
        reported = {s.where.rpartition(":")[0] for s in merged if s.name == name}
        suspects = [s for s in reversed(merged) if s.where.rpartition(":")[0] not in reported]
        given = (*self.settings, *self.bundle)
        for suspect in suspects:
            below = [s for s in given if s.name == suspect.name and s is not suspect]
            kept = [s.pair for s in (*merged, *below[-1:]) if s is not suspect]
            if all(other != name for other, _ in Simulation.check(kept)):
                return f"; since {suspect.where} sets {suspect.name} to {suspect.text}"
        return ""

    def _misplaced_objects(self) -> list[str]:
        """Return errors of policies in Python that the core cannot detect."""
        given = dict(self.objects)
        values = {setting.name: setting.text for setting in self.settings_in_force()}
        for place in (name.removesuffix("_replacement") for name in given if "ftl.map" in name):
            if values.get(place, "full") == "full":
                return [f"{self.policy}: {place}_replacement: needs {place}: cached"]
        if values.get("controller.queues", "unified") == "unified":
            wrong = "controller.nvdimm_scheduler" in given
            return [f"{self.policy}: needs controller.queues: split"] if wrong else []
        by_key = values.get("controller.arbiter", "scheduler_order") == "scheduler_order"
        schedulers = [name for name in given if name.endswith("scheduler")]
        if schedulers and by_key and "controller.arbiter" not in given:
            return [
                f"{self.policy}: {schedulers[0]}: keys of two schedulers do not compare "
                "with controller.queues: split; set another controller.arbiter"
            ]
        return []


def load_config(
    path_or_name: str | os.PathLike[str],
    overrides: Mapping[str, Any] | None = None,
    *,
    where: str = "overrides",
    check: bool = True,
) -> Config:
    """Return the configuration in a YAML file, checked.

    Args:
        path_or_name: a path, or the name of a shipped configuration (``quick``).
        overrides: values by dotted name (``{"controller.queues": "split"}``); they win.
        where: place of the overrides, as named in errors.
        check: whether the core checks the configuration; pass false if a policy bundle will be
            applied, because that checks the result.

    Raises:
        InputError: with one line per error that names file, line, parameter and nearest valid name.
    """
    path = find_file(path_or_name, "configs", "configuration")
    found = yaml_settings.from_mapping(overrides or {}, where)
    config = Config(path.stem, tuple(_read(path, ())), overrides=tuple(found))
    if check:
        config.check()
    return config


def description(path: Path) -> str:
    """Return the ``description`` of a shipped YAML file on one line; what follows is not read."""
    depth, key = 0, ""
    for event in events(yaml_settings.read_text_file(path)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if not isinstance(event, yaml.ScalarEvent) or depth != 1:
            key = ""
        elif key == "description":
            return " ".join(str(event.value).split())
        else:
            key = "" if key else str(event.value)
    return ""


def _read(path: Path, inner: tuple[Path, ...]) -> list[Setting]:
    """Return the settings of a file's bases, then its own; ``inner``: files on top."""
    root = yaml_settings.read_mapping(path)
    found: list[Setting] = []
    own: list[tuple[yaml.Node, yaml.Node]] = []
    for key, key_node, value_node in yaml_settings.items(path, root):
        if key == "base":
            where = yaml_settings.place(path, key_node)
            base = _find_base(path, yaml_settings.scalar(path, value_node, key), where)
            chain = (*inner, path.resolve())
            if base.resolve() in chain:
                raise InputError(f"{where}: base: '{base}' is based on this file")
            found = _read(base, chain)
        elif key == "description":
            yaml_settings.scalar(path, value_node, key)
        else:
            own.append((key_node, value_node))
    rest = yaml.MappingNode(root.tag, own, root.start_mark)
    return [*found, *yaml_settings.flatten(path, rest)]


def _find_base(path: Path, name: str, where: str) -> Path:
    beside = path.parent / name
    if beside.is_file():
        return beside
    if name in (bundles := shipped("configs/policies")):  # no configuration has such a name
        return bundles[name]
    with located(f"{where}: base: "):
        return find_file(name, "configs", "configuration")


def _misplaced(settings: Iterable[Setting], unknown: set[str]) -> list[tuple[Setting, str]]:
    """Return settings whose name is a section, below a parameter, or at another one's end."""
    names = [info["name"] for info in Simulation.parameters()]
    sections = {
        ".".join(parts[:length])
        for parts in (name.split(".") for name in names)
        for length in range(1, len(parts))
    }
    errors = []
    for setting in settings:
        above = ".".join(setting.name.split(".")[:-1])
        if setting.name in sections:
            errors.append((setting, "is a section of parameters and takes no value"))
        elif above in names:
            errors.append((setting, f"'{above}' takes a single value"))
        elif setting.name in RESERVED:
            errors.append((setting, "is allowed only in a file"))
        elif setting.name.split(".")[0] in ("agent", "agents"):
            errors.append((setting, f"unknown parameter; {OF_AGENTS}"))
        elif setting.name in OPTIONS:
            errors.append((setting, f"unknown parameter; an option: --{setting.name}"))
        elif other := other_file(setting.name):
            errors.append((setting, f"unknown parameter{other}"))
        elif "." not in setting.name and setting.name not in names:
            kinds = map(Simulation.agent_parameters, Simulation.agent_kinds())
            keys = {info["name"] for kind in kinds for info in kind}
            near = nearest_name(setting.name, [*names, *sections, *RESERVED, *keys])
            key = f", a key of agents in the workload: '{near}'" if near in keys else ""
            hint = f"; did you mean '{near}'?" if near else ""
            errors.append((setting, f"unknown parameter{key or hint}"))
        elif len(same := _at_end(setting.name, names)) == 1 and setting.name in unknown:
            errors.append((setting, f"unknown parameter; did you mean '{same[0]}'?"))
    return errors


def _at_end(name: str, names: Iterable[str]) -> list[str]:
    """Return parameters with the last word of a name (not storage's copies), and longer names."""
    end = name[name.rfind(".") :]
    found = [each for each in names if each.endswith(end) and not each.startswith("storage.")]
    return found + [each for each in names if each.startswith(name)]


def dram_peak(parameters: Mapping[str, str]) -> float | None:
    """Return the peak of the data buses of all channels in GB/s; None: the parameters lack it.

    A data bus moves at most one 64-byte line in ``dram.timing.burst`` cycles. A channel has one
    bus, with HBM3 one for each rank (pseudo-channel).
    """
    names = ("controller.channels", "dram.timing.burst", "dram.timing.tCK", "dram.ranks")
    texts = [parameters.get(name, "") for name in names]
    if not all(text.isdecimal() and int(text) > 0 for text in texts):
        return None
    channels, cycles, picoseconds, ranks = map(int, texts)
    buses = channels * (ranks if parameters.get("dram.preset", "").startswith("hbm3") else 1)
    return buses * LINE * 1000 / (cycles * picoseconds)
