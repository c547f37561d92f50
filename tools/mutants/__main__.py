# SPDX-License-Identifier: BSD-3-Clause
"""Do the C++ tests notice when a line is wrong? ``python -m tools.mutants COMMAND WORK``

Mutants of controller, nvdimm and policies are compiled in once, in a copy of the tree below WORK,
where an environment variable chooses one; the tree itself has none. CONTRIBUTING.md says more.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from tools.mutants import summary
from tools.mutants.copy import Copy, processors
from tools.mutants.runner import Runner

ROOT = Path(__file__).resolve().parents[2]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser(
        "build", help="copy, mutate, compile; if repeated, with renewed tests"
    )
    build.add_argument("--mutants", type=int, help="number to draw of each room; default: all")
    build.add_argument("--seed", type=int, default=1, help="seed of the draw")
    build.add_argument("--tests", default="**/*.cc", help="pattern below tests/cc")
    run = commands.add_parser(
        "run", help="run tests against mutants; continues after an interruption"
    )
    run.add_argument(
        "--seconds",
        type=float,
        default=math.inf,
        help="tests per mutant, the fastest first; default: all that reach it",
    )
    shown = commands.add_parser("summary", help="print scores, and the mutants that survive")
    for each in (build, run):
        each.add_argument("--jobs", type=int, default=processors())
    for each in (build, run, shown):
        each.add_argument("work", type=Path)
    return parser.parse_args()


def run(copy: Copy, options: argparse.Namespace) -> None:
    """Try the mutants without a verdict, one of each room in turn."""
    runner = Runner(copy.program, copy.tree, copy.work, options.jobs, options.seconds)
    runner.measure()
    known = summary.read(copy.verdicts)
    left = [n for n in copy.alive() if n not in known]
    for count, verdict in enumerate(runner.judge(left), 1):
        summary.write(copy.verdicts, verdict)
        shown = f"{verdict.outcome} {verdict.test} ({verdict.seconds} s)"
        print(f"{count}/{len(left)} {copy.shown(verdict.mutant)}: {shown}", flush=True)


def main() -> None:
    options = arguments()
    work = options.work.resolve()
    if work == ROOT or ROOT in work.parents:
        raise SystemExit("WORK must be outside the repository")
    work.mkdir(parents=True, exist_ok=True)
    copy = Copy(work)
    if options.command == "build":
        if copy.mutants:
            copy.renew_tests(ROOT)
        else:
            copy.make(ROOT, options.mutants, options.seed, options.jobs)
        copy.compile(options.tests, options.jobs)
        print(f"{len(copy.alive())} mutants; {len(copy.dropped)} do not compile")
    elif options.command == "run":
        run(copy, options)
    else:
        verdicts = summary.read(copy.verdicts)
        print(*summary.table(copy.counts, copy.alive(), verdicts), sep="\n")
        alive = [verdict for verdict in verdicts.values() if not verdict.killed]
        lines = [f"{copy.shown(each.mutant)}  ({each.mutant} {each.outcome})" for each in alive]
        print(*sorted(lines), sep="\n")


if __name__ == "__main__":
    main()
