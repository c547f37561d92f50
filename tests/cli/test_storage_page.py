# SPDX-License-Identifier: BSD-3-Clause
"""Is the table in docs/storage-claims.md what its script makes of hmsim validate's rows?"""

from __future__ import annotations

from support import REPO

BEGIN = "<!-- tools/pages storage-claims writes all that follows. -->\n"
END = "<!-- The part of tools/pages storage-claims ends. -->\n"
VERDICTS = ("met", "missed", "calibrated", "not judged: an estimate")


def within(band: str, value: float) -> bool:
    """Whether a value is in a band as the page states it."""
    words = band.removesuffix(", direction only").replace(",", "")
    if words.startswith("at least "):
        return value >= float(words.removeprefix("at least "))
    if words.startswith("at most "):
        return value <= float(words.removeprefix("at most "))
    low, high = map(float, words.split(" to "))
    return low <= value <= high


def test_verdicts_of_the_page_follow_from_its_numbers() -> None:
    text = (REPO / "docs" / "storage-claims.md").read_text(encoding="utf-8")
    block = text.partition(BEGIN)[2].partition(END)[0].strip()
    lines = [line.strip("| ").split(" | ") for line in block.splitlines()[4:]]
    judged = [line[-1] for line in lines if line[-1] in ("met", "missed")]
    count = (
        f"{len(judged)} of {len(lines)} claims judge, and {judged.count('met')} of those are met"
    )
    assert block.startswith(count)
    for *_, band, here, verdict in lines:
        inside = within(band, float(here.split()[0].replace(",", "")))
        word = verdict.removesuffix(", outside")
        assert word in VERDICTS
        assert inside == (word == verdict and word != "missed"), here
