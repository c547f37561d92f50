# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of pages, and compares the output that they show: page_commands.py [PAGE...]

A block of ``sh`` is commands, one of ``python`` a program, and one of ``text`` below them is lines
of their output. A block below the name of a file is that file. Each page has a copy of the tree,
with the files of examples/ that it links to in its top folder.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 120  # seconds of a command
EXCEPTIONS = {  # commands with these words do not run here, for this reason
    r"gem5": "needs gem5",
    r"hmsim guest|qemu-system|fio-direct-read": "boots a machine",
    r"apt-get|pip |hmsim-(0|env|workloads)|podman": "needs root, a release or the network",
    r"--cluster slurm": "needs a cluster",
    r"\bscons\b|hmsim_tests|tools/(demo|test|release)": "compiles hmsim",
    r"arbiter/|policies\.shares|policy shares|\$placement|=serial": "needs a part in C++",
    r"figure all|artifact run figures|fit mascots16": "takes an hour",
    r"mine\.yaml|requests\.csv|big\.csv|capture\.(hmsim|yaml)": "needs a file of the user",
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w.]+\.(?:c|fio|job|py|simpoints|txt|yaml))`[^`]*\n\n\Z")
EXAMPLE = re.compile(r"\]\(\.\./(examples/\w+\.\w+)\)")
KEPT = re.compile(r"cd |export |[A-Z]+=")  # of a command that later ones of the page need
Done = subprocess.CompletedProcess[str]
HOST_TIME = re.compile(r"(simulated|points) in [\d.]+ s")


def commands(block: str) -> Iterator[tuple[int, str]]:
    """Yield the commands of a block of the shell, each with the number of lines above it."""
    text = ""
    for number, line in enumerate(block.splitlines(keepends=True), 1):
        text += line
        if line.endswith("\\\n"):
            continue
        if subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True).returncode == 0:
            yield number - text.count("\n"), text
            text = ""


def run(command: str, folder: Path, limit: float = LIMIT) -> Optional[Done]:
    """Run a command of the shell; return None after `limit` seconds."""
    paths = {"PATH": f"{ROOT}/.venv/bin:{os.environ['PATH']}", "PYTHONPATH": f"{ROOT}/python"}
    env = {**os.environ, **paths, "COLUMNS": "100", "XDG_CACHE_HOME": str(folder / "cache")}
    words, pipe = ["nice", "bash", "-o", "pipefail", "-c", command], subprocess.PIPE
    with subprocess.Popen(
        words, cwd=folder, env=env, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as child:
        try:
            output, errors = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None
    return Done(words, child.returncode, output, errors)


def stale(shown: str, printed: str) -> Iterator[str]:
    """Yield the shown lines that were not printed, each with the nearest one that was."""
    lines = [HOST_TIME.sub("in S", line.strip()) for line in printed.splitlines()]
    for line in shown.splitlines():
        if (wanted := HOST_TIME.sub("in S", line.strip())) not in lines:
            yield f"  - {line}"
            yield from (f"  + {near}" for near in difflib.get_close_matches(wanted, lines, 1))


def blocks(text: str, folder: Path) -> list[tuple[int, str, str]]:
    """Write the files of a page into a folder; return line, language and text of other blocks."""
    for example in EXAMPLE.findall(text):
        shutil.copy(ROOT / example, folder)
    found = []
    for block in FENCE.finditer(text):
        if named := FILE.search(text, 0, block.start()):
            (folder / named[1]).write_text(block[2], encoding="utf-8")
        else:
            found.append((text.count("\n", 0, block.start(2)) + 1, block[1], block[2]))
    return found


def check(page: Path, folder: Path, limit: float = LIMIT) -> int:
    """Run the commands of a page in a folder; return the number of faults."""
    kept, faults, late = "", 0, False
    printed: Optional[str] = None  # by the block above, if all of it ran
    for first, language, content in blocks(page.read_text(encoding="utf-8"), folder):
        if language == "text" and printed is not None and (lines := [*stale(content, printed)]):
            print(f"{page}:{first}: stale", *lines, sep="\n", flush=True)
            faults += 1
        program = f"cat >program.py <<'END'\n{content}END\npython program.py"
        steps = {"sh": commands(content), "python": [(0, program)]}.get(language)
        printed = None if steps is None else ""
        for above, command in steps or ():
            start = time.monotonic()
            reason = next((why for w, why in EXCEPTIONS.items() if re.search(w, command)), "")
            done = None if reason else run(kept + command, folder, limit)
            late |= not reason and done is None  # later commands may lack its files
            printed = printed + done.stdout if done and printed is not None else None
            kept += command if done and KEPT.match(command) else ""
            outcome = reason or (f"status {done.returncode}" if done else "too long")
            print(
                f"{page}:{first + above}: {outcome}, {time.monotonic() - start:.1f} s", flush=True
            )
            if done and done.returncode and not late:
                print(command, *done.stderr.splitlines()[-12:], sep="\n    ", flush=True)
                faults += 1
    return faults


def main(names: list[str]) -> int:
    os.chdir(ROOT)
    pages = [*map(Path, names)] or [Path("README.md"), *sorted(Path().glob("*/*.md"))]
    faults = 0
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            copy = 'git ls-files -z | xargs -0 cp --parents -t "$0"; ln -s "$PWD/.venv" "$0"'
            subprocess.run(["bash", "-c", copy, folder], check=True)
            faults += check(page, Path(folder))
    print(f"{len(pages)} pages, {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
