# SPDX-License-Identifier: BSD-3-Clause
"""Writes, or checks, generated pages: tools/pages [--check] [--data DIR] [NAME ...]"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from hmsim import InputError

from pages import ROOT, WRITERS


def listed() -> str:
    """Return the list of writers, one line of help for each."""
    lines = []
    for name, each in WRITERS.items():
        minutes = f"{each.minutes:g} min" if each.minutes else "seconds"
        needs = f"; needs {each.needs}" if each.needs else ""
        lines.append(f"  {name:15}{each.writes} ({minutes}{needs})")
    return "\n".join(lines)


def stale(name: str, data: Path) -> list[Path]:
    """Return the files of a writer that are missing or differ from its current output."""
    found = WRITERS[name].documents(data)
    return [p for p, content in found if not p.exists() or p.read_text("utf-8") != content]


def main(arguments: list[str]) -> int:
    """Return the exit status: 1 if a checked file is out of date, 2 after an error, otherwise 0."""
    parser = argparse.ArgumentParser(
        prog="tools/pages",
        description="Writes the generated pages and pictures: all, or those of the named writers.",
        epilog=f"writers:\n{listed()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    quick = ", ".join(name for name, each in WRITERS.items() if each.checked)
    parser.add_argument("--check", action="store_true", help=f"only compare (default: {quick})")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in WRITERS:
            near = difflib.get_close_matches(name, WRITERS, n=1, cutoff=0)[0]
            print(f"tools/pages: {name}: unknown writer; nearest: {near!r}", file=sys.stderr)
            return 2
    status = 0
    chosen = [n for n, each in WRITERS.items() if each.checked] if given.check else [*WRITERS]
    for name in given.names or chosen:
        try:
            if given.check:
                for path in stale(name, given.data.resolve()):
                    print(f"{path.relative_to(ROOT)}: out of date: run tools/pages {name}")
                    status = max(status, 1)
                continue
            for path, content in WRITERS[name].documents(given.data.resolve()):
                path.write_text(content, encoding="utf-8")
                print(path.relative_to(ROOT), flush=True)
        except (InputError, ImportError, OSError, RuntimeError, ValueError) as error:
            print(f"tools/pages: {name}: {error}", file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
