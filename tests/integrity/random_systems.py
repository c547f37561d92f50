#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random systems of all families, and digests of their statistics.

python tests/integrity/random_systems.py FIRST COUNT prints the digests of systems FIRST to FIRST +
COUNT - 1, in lines of seed, family and digest. Equal lines of two builds show that both simulate
alike. test_random_systems.py compares the first systems with random_systems.txt.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import agent_values
import designs
import memory_values
import storage_values
import test_parameters_act
import test_policy_parameters
from agent_company import COMPANY, INERT, REFUSED
from designs import Design
from hmsim import InputError, SimulatorFault, load_config, run
from hmsim._core import Simulation
from random_families import FAMILIES
from shadow import LINE, PAGE
from small_traces import write_traces

SELDOM, OFTEN = 0.04, 0.4  # shares of parameters that get another value
OTHER: dict[str, Any] = {
    **memory_values.OTHER,
    **test_parameters_act.OTHER,
    **agent_values.OTHER,
    **storage_values.OTHER,
    **test_policy_parameters.OTHER,
    # More values, and times so short that brief runs collect.
    "controller.channels": (2, 3, 4),
    "controller.outstanding": (1, 8, 32),
    "controller.nvdimm_p.credits": (1, 8),
    "dram.preset": ("ddr3_1600k_2gb_x8", "ddr4_2400r_8gb_x8", "ddr5_4800b_16gb_x8"),
    "dram.ranks": (1, 4),
    "nvdimm.count": (2, 3),
    "nvdimm.interleave_size": "12KiB",
    "nvdimm.precondition.overwrite": (0, 1),
    "nvdimm.nand.page_size": ("8KiB", "16KiB"),
    "hbf.banks": (1, 4),
    "hbf.accumulate": ("1us", "20us"),
    "hbf.refresh_every": ("200us", "2ms"),
    "host.entries": (8, 24),
    "nvdimm.nand.read_time": "3us",
    "nvdimm.nand.program_time": "9us",
    "nvdimm.nand.erase_time": "30us",
    "nvdimm.nand.ecc_time": "1us",
    "nvdimm.firmware.time": "2us",
    "nvdimm.firmware.occupied": "1us",
}
# Parameters that depend on the machine or on other files, and limits that end runs early.
LEFT_OUT = re.compile(
    r"dram\.(backend|dramsim3)|.*\.load$|nvdimm\.(present|attach)|frontend\.\w+_limit"
)
DATA = "data"  # the family of `stored`
NAMES = (*FAMILIES, DATA)
NAMED = re.compile(r"[a-z_]+(?:\[\d\])?(?:\.\w+)+")  # settings in a message


class System(NamedTuple):
    """A configuration, agents and options of a run.

    Attributes:
        fixed: settings of the family.
        agents: keys of each agent.
        drawn: settings, and keys of agents as ``agents[N].KEY``, that leave if they do not fit.
    """

    family: str
    config: str
    policy: str | None
    fixed: dict[str, Any]
    agents: list[dict[str, Any]]
    drawn: dict[str, Any]
    warmup: str | None
    seed: int

    def settings(self) -> dict[str, Any]:
        """Return the configuration's settings."""
        drawn = {name: value for name, value in self.drawn.items() if "]" not in name}
        return {**self.fixed, **drawn}

    def workload(self) -> dict[str, Any]:
        """Return the content of the workload's file."""
        agents = []
        for number, keys in enumerate(self.agents):
            start = f"agents[{number}]."
            own = {n[len(start) :]: v for n, v in self.drawn.items() if n.startswith(start)}
            agents.append({**keys, **own})
        return {"agents": agents}


class Outcome(NamedTuple):
    """What ran, the errors of what was refused, and the statistics."""

    seed: int
    family: str
    system: Any
    errors: list[str]
    stats: dict[str, Any]

    def lines(self, without: str | None = None) -> list[str]:
        """Return errors and statistics; ``without``: a pattern of names that are left out."""
        names = [name for name in sorted(self.stats) if not (without and re.search(without, name))]
        # Folders differ between copies of the repository, and comments move lines.
        errors = [re.sub(r"\S*/|(?<=\.yaml):\d+", "", error) for error in self.errors]
        return errors + [f"{name} {self.stats[name]!r}" for name in names]

    def line(self, without: str | None = None) -> str:
        """Return seed, family and digest."""
        content = "\n".join(self.lines(without)).encode()
        return f"{self.seed} {self.family} {hashlib.blake2b(content, digest_size=12).hexdigest()}"


@cache
def values(name: str, agent: str = "") -> tuple[Any, ...]:
    """Return values of a parameter: all of a choice, otherwise some that are not the default."""
    found = Simulation.agent_parameters(agent) if agent else Simulation.parameters()
    entry = next(entry for entry in found if entry["name"] == name)
    if entry["type"] in ("choice", "boolean") and name != "dram.preset":
        return tuple(sorted(entry["range"].split(" | ")))
    other = OTHER.get(f"{agent}.{name}", OTHER.get(name.replace("storage.flash.", "nvdimm.")))
    other = test_policy_parameters.other(entry) if other is None else other
    return other if isinstance(other, tuple) else (other,)


@cache
def names(beginnings: tuple[str, ...]) -> list[str]:
    """Return the parameters whose names begin so, in alphabetical order."""
    found = sorted(entry["name"] for entry in Simulation.parameters())
    return [name for name in found if name.startswith(beginnings) and not LEFT_OUT.match(name)]


def system(seed: int, family: str) -> System:
    """Return the system of a seed; a new parameter changes only the systems that draw it."""
    of = FAMILIES[family]
    numbers = random.Random(seed)
    variant = numbers.choice(of.variants)
    others, limit = numbers.choice(of.beside)
    agents = [dict(numbers.choice(of.agents)) for _ in range(numbers.choice((1, 1, 2)))]
    agents += [dict(numbers.choice(others)) for _ in range(numbers.randrange(3) if others else 0)]
    config, policy = numbers.choice(of.configs), numbers.choice(of.bundles)
    warmup = numbers.choice((None, None, None, "2us"))
    fixed = {**of.base, **variant, "frontend.time_limit": limit}
    drawn: dict[str, Any] = {}
    for name in names((*of.often, *of.seldom)):
        own = random.Random(f"{seed} {name}")
        if own.random() < (OFTEN if name.startswith(of.often) else SELDOM) and name not in variant:
            drawn[name] = own.choice(values(name))
    for number, keys in enumerate(agents):
        kind = keys["kind"]
        keys |= {} if kind == "job" else {"core": 4 + number}
        own_keys = {entry["name"] for entry in Simulation.agent_parameters(kind)}
        for key in [key for key in keys if key not in own_keys and key != "kind"]:
            fixed[key] = keys.pop(key)
        for key in sorted(own_keys):
            own = random.Random(f"{seed} {number} {key}")
            if own.random() < SELDOM and f"{kind}.{key}" not in (*REFUSED, *INERT):
                company = {**COMPANY.get(f"{kind}.{key}", {}), key: own.choice(values(key, kind))}
                for name, value in company.items():
                    drawn[f"agents[{number}].{name}" if name in own_keys else name] = value
    return System(family, config, policy, fixed, agents, drawn, warmup, seed)


def leave(of: System, message: str) -> bool:
    """Take drawn settings out of a system that an error refuses; false if none is left.

    These are all that the error names, otherwise the last one beside a named one, or of all.
    """
    named = NAMED.findall(message)
    wrong = {*named} & {*of.drawn}
    if not wrong:
        rooms = tuple(name.rpartition(".")[0] + "." for name in named)
        wrong = {*([name for name in of.drawn if name.startswith(rooms)] or [*of.drawn])[-1:]}
    for name in wrong:
        del of.drawn[name]
    return bool(wrong)


def simulated(of: System) -> Outcome:
    """Run a system without the drawn settings that do not fit the others."""
    errors: list[str] = []
    while True:
        try:
            config = load_config(of.config, of.settings(), check=False).with_policy(of.policy)
            config.check()
            done = run(config, of.workload(), seed=of.seed + 1, warmup=of.warmup, calibrate=False)
            return Outcome(of.seed, of.family, of, errors, done.stats)
        except InputError as error:
            errors.append(str(error))
            partial = getattr(error, "partial", None)
            if partial or not leave(of, str(error)):
                return Outcome(of.seed, of.family, of, errors, partial.stats if partial else {})
        except SimulatorFault as error:
            return Outcome(of.seed, of.family, of, [*errors, f"fault: {error}"], {})


def stored(seed: int) -> Outcome:
    """Send lines, blocks, trims, flushes and power failures to a system in data mode."""
    numbers = random.Random(seed)
    design = Design({name: numbers.choice(values) for name, values in designs.CHOICES.items()})
    shadow = design.shadow
    for step in range(2_500):
        address = design.address(numbers.randrange(2 * designs.PAGES), numbers.randrange(64))
        kind = numbers.random()
        if kind < 0.01:
            cut = (numbers.randrange(10 ** numbers.choice((6, 9))), numbers.randrange(10**9))
            shadow.power_cycle(0, 0.1, [cut] * numbers.randrange(3))
        elif kind < 0.02:
            shadow.trim(address - address % PAGE, PAGE)
        elif kind < 0.04:
            shadow.flush()
        elif kind < 0.1:
            shadow.run(shadow.system.now + numbers.choice((10**5, 10**9)))
        elif kind < 0.2:
            shadow.send(step * LINE, LINE, numbers.choice((None, bytes([step % 256] * LINE))))
        elif kind < 0.5:
            shadow.send(address, numbers.choice((8, LINE)))
        else:
            lines = numbers.choice((1, 64 - address % PAGE // LINE)) if design.blocks else 1
            shadow.send(address, lines * LINE, bytes([step % 256] * lines * LINE))
    shadow.settle()
    shadow.check()
    return Outcome(seed, DATA, shadow.system.config.overrides, [], shadow.system.stats)


def outcome(seed: int) -> Outcome:
    """Run the system of a seed."""
    family = NAMES[seed % len(NAMES)]
    return stored(seed) if family == DATA else simulated(system(seed, family))


def line(seed: int, without: str | None = None) -> str:
    """Return seed, family and digest of a system."""
    return outcome(seed).line(without)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--without", metavar="PATTERN", help="statistics to leave out")
    parser.add_argument("--show", action="store_true", help="print settings and all statistics")
    given = parser.parse_args(arguments)
    seeds = range(given.first, given.first + given.count)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_traces(1)
        if given.show:
            for found in map(outcome, seeds):
                print(found.system, *found.lines(given.without), sep="\n")
            return
        with ProcessPoolExecutor(given.jobs) as pool:
            for each in pool.map(partial(line, without=given.without), seeds, chunksize=8):
                print(each, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
