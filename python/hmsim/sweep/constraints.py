# SPDX-License-Identifier: BSD-3-Clause
"""Conditions on a sweep's values, such as ``controller.queue_depth <= 2 * nvdimm.queue``.

The syntax is Python's for comparisons, ``and or not in``, ``+ - * / // %`` and parentheses, over
names of axes, numbers and quoted texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.common.quantities import quantity
from hmsim.sweep.expression import FAILURES, Expression


class Constraint(Expression):
    """Condition on the values of ``names``; `holds` evaluates it."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        """Parse a condition over these names. Raises InputError if it is not valid."""
        super().__init__(text, "a condition")
        for name in self.names:
            if name not in names:
                raise InputError(
                    f"'{text}': {name} is not an axis of this sweep; {hint(name, names)}"
                )

    def holds(self, values: Mapping[str, str]) -> bool:
        """Return whether values, texts by name, meet the condition. Raises InputError."""
        try:
            return bool(self.value(lambda name: quantity(values[name]), quantity))
        except FAILURES as error:
            shown = ", ".join(f"{name}={value}" for name, value in values.items())
            raise InputError(f"'{self.text}' has no result for {shown}: {error}") from error
