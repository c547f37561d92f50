# SPDX-License-Identifier: BSD-3-Clause
"""Findings of a claim under all readings, and how they are kept beside the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hmsim.reproduce.figures.claims import BY_ID, Claim
from hmsim.reproduce.figures.readings import others
from hmsim.reproduce.figures.style import Made
from hmsim.reproduce.figures.verdicts import (
    CONSTRUCTED,
    DEFAULT,
    REPRODUCED,
    UNREAD,
    Estimate,
    Finding,
    judge,
    overall,
)


@dataclass(frozen=True)
class Found:
    """A claim with its findings by reading, that of `DEFAULT` among them."""

    claim: Claim
    findings: Mapping[str, Finding]

    @property
    def default(self) -> Finding:
        return self.findings[DEFAULT]

    def wanted(self) -> list[str]:
        """Return the names of the other readings that the words leave open."""
        return [each.name for each in others(self.claim) if not each.decided]

    def verdicts(self) -> dict[str, str]:
        """Return the verdict under each reading that was run and is open."""
        names = [name for name in (DEFAULT, *self.wanted()) if name in self.findings]
        return {name: judge(self.findings[name], self.claim) for name in names}

    def verdict(self) -> str:
        """Return the verdict over all readings."""
        return overall(self.verdicts(), self.wanted())

    def held(self) -> str:
        """Return under how many readings it is reproduced, for a table."""
        verdicts, wanted = self.verdicts(), self.wanted()
        if verdicts[DEFAULT] == CONSTRUCTED or not wanted:
            return "–"
        if self.verdict() == UNREAD:
            return f"{DEFAULT}: {verdicts[DEFAULT]}"
        return f"{[*verdicts.values()].count(REPRODUCED)} of {len(verdicts)}"


def record(name: str, made: Made, readings: Mapping[str, Sequence[Finding]]) -> dict[str, Any]:
    """Return what the page says about a figure, as JSON can hold it.

    ``readings`` are findings under readings other than the default.
    """
    return {
        "figure": name,
        "title": made.title,
        "caption": " ".join(made.caption.split()),
        "findings": [asdict(finding) for finding in made.findings],
        "readings": {key: [asdict(each) for each in found] for key, found in readings.items()},
    }


def found_in(content: Mapping[str, Any]) -> dict[str, Found]:
    """Return by claim what `record` saved."""
    findings: dict[str, dict[str, Finding]] = {}
    for reading, saved in {DEFAULT: content["findings"], **content["readings"]}.items():
        for each in map(finding_of, saved):
            findings.setdefault(each.claim, {})[reading] = each
    return {name: Found(BY_ID[name], own) for name, own in findings.items()}


def finding_of(saved: Mapping[str, Any]) -> Finding:
    """Return a finding that `record` saved."""
    ours, median = (
        None if saved[name] is None else Estimate(**saved[name]) for name in ("ours", "median")
    )
    return Finding(saved["claim"], ours, saved["trend"], median)
