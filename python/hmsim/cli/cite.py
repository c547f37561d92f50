# SPDX-License-Identifier: BSD-3-Clause
"""The command that prints how to cite hmsim."""

from typing import Any

from hmsim._core import version
from hmsim.common.paths import data_directory


def cite() -> None:
    """Print BibTeX entries for this version and for the paper whose system it re-implements."""
    import yaml

    about = yaml.safe_load((data_directory() / "CITATION.cff").read_text(encoding="utf-8"))
    paper = about["references"][0]
    people = " and ".join(f"{p['family-names']}, {p['given-names']}" for p in paper["authors"])
    year = str(about["date-released"])[:4]
    hmsim = {"author": "{The hmsim authors}", "title": about["title"], "year": year}
    print(_entry("software", "hmsim", {**hmsim, "version": version}))
    conference = {"booktitle": paper["conference"]["name"], "year": paper["year"]}
    print(
        _entry(
            "inproceedings",
            "hmsim-paper",
            {"author": people, "title": paper["title"], **conference},
        )
    )


def _entry(kind: str, key: str, fields: dict[str, Any]) -> str:
    lines = [f"  {name} = {{{text}}}" for name, text in fields.items()]
    return "\n".join([f"@{kind}{{{key},", ",\n".join(lines), "}"])
