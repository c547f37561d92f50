# SPDX-License-Identifier: BSD-3-Clause
"""The C++ core. Times are integers of picoseconds; assignments are (dotted name, text) pairs."""

from collections.abc import Callable, Sequence
from typing import Any, Optional

Assignments = Sequence[tuple[str, str]]

version: str

class InputError(ValueError):
    """The user's input is at fault; the message is meant for the user."""

class SimulatorFault(RuntimeError):
    """An invariant of the simulator broke: component, time and request are named."""

class Simulation:
    """One memory system and the agents that drive it; to be used by one thread at a time."""

    def __init__(
        self,
        config: Assignments,
        agents: Sequence[Assignments],
        seed: int,
        warmup_ps: int,
        warmup_instructions: int,
        source: Callable[[int, int], bytes],
        trace_bytes: Sequence[int],
    ) -> None:
        """Build a simulation.

        ``source(agent, offset)`` returns bytes of an agent's trace, none at its end;
        ``trace_bytes`` are the traces' expected lengths for `progress`, 0 where unknown.
        """

    def run(self, steps: int) -> bool:
        """Run at most ``steps`` kernel steps; true at the run's end. Releases the GIL."""

    def advance(self, until_ps: int) -> None: ...
    def progress(self) -> float: ...
    @property
    def now(self) -> int: ...
    def statistics(self) -> list[dict[str, Any]]:
        """Return dictionaries with path, unit, description, kind and value.

        A value is a number, None where there is none, or for a histogram a dictionary of its
        mean, quantiles, max and count.
        """

    def enqueue(self, address: int, write: bool, source: int) -> Optional[int]: ...
    def take_completions(self) -> list[tuple[int, int, int]]:
        """Return (id, arrival, finish) of the requests done since the last call."""

    def save(self) -> bytes: ...
    def load(self, checkpoint: bytes) -> None: ...
    @staticmethod
    def check(config: Assignments) -> list[tuple[str, str]]:
        """Return (name, message) of every error."""

    @staticmethod
    def check_agent(config: Assignments, agent: Assignments) -> list[tuple[str, str]]: ...
    @staticmethod
    def resolve(config: Assignments) -> list[tuple[str, str]]: ...
    @staticmethod
    def parameters() -> list[dict[str, str]]:
        """Return dictionaries with name, type, unit, default, range, doc and source."""

    @staticmethod
    def agent_kinds() -> list[str]: ...
    @staticmethod
    def agent_parameters(kind: str) -> list[dict[str, str]]: ...

def policies() -> list[dict[str, Any]]:
    """Return dictionaries with kind, name, doc, source and parameters."""

def nearest_name(name: str, candidates: Sequence[str]) -> str:
    """Return the candidate nearest by edit distance, or '' when none is near."""

def parse_time(text: str) -> int: ...
def format_time(ps: int) -> str: ...
