# SPDX-License-Identifier: BSD-3-Clause
"""SPEC CPU2006 or CPU2017 programs side by side under hmsim's controller, for owners of SPEC.

Run by gem5. --spec-root is an installed SPEC. Its benchmarks must be built (static, without OpenMP)
and set up with the same --size: `runspec --action=setup` or `runcpu --action=setup`.

    gem5.opt configs/gem5/spec_mix.py --spec-root /opt/cpu2006 --benchmark 429.mcf \\
        --size ref --fast-forward 1000000000 --program "block_copy read 64 0" --policy all

Each benchmark runs the first command of speccmds.cmd in its run folder. --program adds programs as
in se_mix.py. hmsim contains nothing of SPEC, and its authors have not run SPEC with it.
"""

import shlex
import sys
from itertools import takewhile
from pathlib import Path

from gem5_run import allow_builds_without_ruby, give_up, run_each_policy
from program_runs import parser
from se_mix import run_mix

COMMANDS = "speccmds.cmd"


def arguments():
    made = parser(
        __doc__.splitlines()[0],
        "spec_mix.py --spec-root /opt/cpu2006 --benchmark 429.mcf --policy all",
        "gem5-programs.md",
    )
    made.add_argument(
        "--spec-root", required=True, metavar="DIR", help="folder of an installed SPEC"
    )
    made.add_argument(
        "--benchmark",
        action="append",
        required=True,
        help="name, for example 429.mcf or 505.mcf_r; may be repeated",
    )
    made.add_argument("--size", default="ref", help="test, train or ref; CPU2017: refrate, ...")
    made.add_argument(
        "--program", action="append", default=[], help="additional program, as in se_mix.py"
    )
    made.add_argument(
        "--fast-forward", type=int, default=1_000_000_000, metavar="N", help="instructions to skip"
    )
    return made.parse_args()


def benchmark_folder(root, name):
    """Return a benchmark's folder in SPEC."""
    folder = Path(root, "benchspec")
    suites = [folder / suite for suite in ("CPU2006", "CPU", "CPU2017")]
    suites = [suite for suite in suites if suite.is_dir()]
    if not suites:
        give_up(f"--spec-root {root}: must contain SPEC CPU2006 or CPU2017, in benchspec/CPU*")
    for suite in suites:
        if (suite / name).is_dir():
            return suite / name
    known = sorted(
        path.name for suite in suites for path in suite.iterdir() if path.name[0].isdigit()
    )
    give_up(f"--benchmark {name}: not in {suites[0]}; known: {', '.join(known) or 'none'}")


def run_folder(folder, size):
    """Return the newest run folder of the given size."""
    found = sorted(folder.glob(f"run/run_*_{size}*.[0-9]*"), key=lambda path: path.name[-4:])
    found = [path for path in found if (path / COMMANDS).is_file()]
    if not found:
        give_up(
            f"{folder}/run: no run folder of size {size} with {COMMANDS}; set one up "
            f"with 'runspec --action=setup --size={size} {folder.name}' (CPU2017: "
            "runcpu)"
        )
    return found[-1]


def not_redirection(word):
    return not word.startswith((">", "2>"))


def first_command(folder):
    """Return the first command of a run folder, with an absolute path of its program.

    A line of speccmds.cmd has options (-C folder, -i, -o, -e file, -N part, -E name value, ...)
    and the command. A redirected standard input (-i) is an error; redirected output is ignored.
    """
    takes = {"-C": 1, "-i": 1, "-o": 1, "-e": 1, "-N": 1, "-E": 2, "-k": 0, "-n": 1, "-r": 0}
    for line in (folder / COMMANDS).read_text().splitlines():
        words = shlex.split(line, comments=True)
        redirected = False
        while words and words[0] in takes:
            option, words = words[0], words[1:]
            redirected = redirected or option == "-i"
            words = words[takes[option] :]
        if not words:
            continue
        if redirected:
            give_up(f"{folder}/{COMMANDS}: reads standard input, which is not supported here")
        program = (folder / words[0]).resolve()
        if not program.is_file():
            give_up(f"{folder}/{COMMANDS}: {program}: is not built")
        return shlex.join([str(program), *takewhile(not_redirection, words[1:])])
    give_up(f"{folder}/{COMMANDS}: contains no command")


if __name__ == "__m5_main__":
    given = arguments()
    allow_builds_without_ruby()
    homes = [
        run_folder(benchmark_folder(given.spec_root, name), given.size) for name in given.benchmark
    ]
    run_each_policy(given)
    lines = [first_command(home) for home in homes]
    run_mix(given, [*lines, *given.program], [*homes, *[Path.cwd()] * len(given.program)])
    sys.exit(0)
