# SPDX-License-Identifier: BSD-3-Clause
"""A user's file of measured machines and drives (docs/anchors.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from hmsim._core import InputError, parse_time
from hmsim.config import settings as yaml_settings
from hmsim.config.configuration import load_config
from hmsim.config.node_reader import NodeReader, located
from hmsim.reproduce.card import families
from hmsim.reproduce.card.curves import measured
from hmsim.reproduce.card.method import anchors

TOP = ("machines", "drives", "variants", "reads")
MACHINE = ("measured", "clock_ghz", "peak_gb_per_s", "channels", "parts")
LOADS = ("agents", "outstanding", "constant")
DRIVE = ("system", "settings", "fit", "measured")
NUMBERS = ("depth_1_us", "depth_1_iops", "depth_16_us", "depth_16_iops")
READS = (1, 0.5, 0)  # shares of curves, without own ones
VARIANTS = ("queue 64", "queue 256", "queue 64, closed page")  # of method.yaml, without own ones
MOST = {"channels": 32, "agents": 511, "outstanding": 1024}


class OwnFile(NodeReader):
    """Reads the file and checks all that it names, before any run. Raises InputError."""

    def __init__(self, path: Path, method: Mapping[str, Any], drives: Mapping[str, Any]) -> None:
        """Take what the file leaves out from hmsim's method.yaml and drives.yaml."""
        super().__init__(path)
        given = self.keys(yaml_settings.read_mapping(path), "", TOP)
        if "machines" not in given and "drives" not in given:
            raise InputError(f"{path}: has neither machines: nor drives:")
        variants: Mapping[str, Any] = {name: method["variants"][name] for name in VARIANTS}
        if "variants" in given:
            variants = self._systems(given["variants"], "variants")
        shares = list(READS)
        if "reads" in given:
            self.values(given["reads"], "reads")  # none twice
            nodes = self.sequence(given["reads"], "reads")
            shares = [self.number(node, node, "reads: per cent", 100, 0) / 100 for node in nodes]
        load = {**method["load"], "reads": shares}
        common = {"file": str(path), "load": load, "variants": variants, "machines": {}}
        self.method = {**method, **common}
        for name, node in self._entries(given.get("machines"), "machines"):
            self.method["machines"][name] = self._machine(node, name)
        drive_nodes = self._entries(given.get("drives"), "drives")
        found = {name: self._drive(node, name) for name, node in drive_nodes}
        self.drives = {**drives, "file": str(path), "drives": found}

    def _entries(self, node: yaml.Node | None, what: str) -> list[tuple[str, yaml.Node]]:
        if node is None:
            return []
        found = [(name, child) for name, (_, child) in self.mapping(node, what).items()]
        if not found:
            self.refuse(node, what, "must have at least one entry")
        return found

    def _systems(self, node: yaml.Node, what: str) -> dict[str, dict[str, str]]:
        return {name: self._settings(child, name) for name, child in self._entries(node, what)}

    def _settings(self, node: yaml.Node, what: str) -> dict[str, str]:
        self.mapping(node, what)
        assert isinstance(node, yaml.MappingNode)
        return {each.name: each.text for each in yaml_settings.flatten(self.path, node)}

    def _positive(self, given: Mapping[str, yaml.Node], key: str, near: yaml.Node) -> float:
        if key not in given:
            self.refuse(near, key, "is required")
        text = self.value(given[key], key).text
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not 0 < found < 1e12:
            self.refuse(given[key], key, f"must be a number above 0, got '{text[:40]}'")
        return found

    def _machine(self, node: yaml.Node, name: str) -> dict[str, Any]:
        given = self.keys(node, f"{name}: ", (*MACHINE, *LOADS))
        if "measured" not in given or "parts" not in given:
            self.refuse(node, name, "needs measured: and parts:")
        clock = self._positive(given, "clock_ghz", node) if "clock_ghz" in given else 1.0
        curves = [self._family(each.text) for each in self.values(given["measured"], "measured")]
        found: dict[str, Any] = {
            "measured": curves,
            "scored": True,
            "clock_ghz": clock,
            "parts": self._systems(given["parts"], f"{name}: parts"),
            "without": [],
            "closed_form_ns": {},
            "constant": {"": self._positive(given, "constant", node)},
            **{key: self.number(given.get(key), node, key, MOST[key]) for key in MOST},
        }
        shares = self.method["load"]["reads"]
        with located(f"{self.place(given['measured'])}: {name}: "):
            unloaded = [
                measured(family, round(100 * share), clock).unloaded
                for share in sorted(shares, reverse=True)
                for family in curves
            ]
        here = {**self.method, "file": self.place(given["parts"])}
        for variant in self.method["variants"]:
            for part in found["parts"].values():
                config = families.system(here, part, variant, found["channels"])
        found["unloaded_ns"] = unloaded[0]  # of the most reads
        found["peak_gb_per_s"] = families.peak(config)
        if "peak_gb_per_s" in given:
            found["peak_gb_per_s"] = self._positive(given, "peak_gb_per_s", node)
        return found

    def _family(self, text: str) -> str:
        shipped = (anchors() / "curves" / text).is_dir() and "/" not in text
        return text if shipped else str((self.path.parent / text).absolute())

    def _drive(self, node: yaml.Node, name: str) -> dict[str, Any]:
        given = self.keys(node, f"{name}: ", DRIVE)
        for key in ("system", "fit", "measured"):
            if key not in given:
                self.refuse(node, name, f"{key}: is required")
        numbers = self.keys(given["measured"], f"{name}: measured: ", NUMBERS)
        settings = self._settings(given["settings"], "settings") if "settings" in given else {}
        system = self.value(given["system"], "system").text
        fit = self.value(given["fit"], "fit").text
        where = self.place(given.get("settings", node))
        values = load_config(system, settings, where=where).resolved()
        try:
            parse_time(values[fit])
        except (KeyError, InputError):
            self.refuse(given["fit"], "fit", f"'{fit}' is not a time of the system")
        real = {key: self._positive(numbers, key, given["measured"]) for key in NUMBERS}
        return {"system": system, "settings": settings, "fit": fit, "measured": real}
