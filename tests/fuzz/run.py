# SPDX-License-Identifier: BSD-3-Clause
"""Runs the fuzzers that `scons fuzz` built, from the seeds in tests/fuzz/seeds.

Usage: python tests/fuzz/run.py [--seconds N] [FORMAT]...

FORMAT: one of traces, `checkpoint` or `preconditioned`. Inputs that the fuzzers keep are in
build/corpus, from which the next run starts. An input that crashes, takes more than a minute or
allocates 64 MiB at once is also written there, and the run's status is 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "clang-release-address-undefined"
CORPUS = ROOT / "build" / "corpus"
SEEDS = ROOT / "tests" / "fuzz" / "seeds"
LIMITS = ("-timeout=60", "-rss_limit_mb=1024", "-malloc_limit_mb=64", "-max_len=4096")


def formats() -> list[str]:
    """Return the formats whose fuzzers are built."""
    return sorted(
        path.name.removeprefix("fuzz_") for path in BUILT.glob("fuzz_*") if not path.suffix
    )


def fuzz(name: str, seconds: int, corpus: Path) -> subprocess.CompletedProcess[str]:
    """Fuzz a format for ``seconds`` seconds; new inputs are kept in ``corpus``."""
    corpus.mkdir(parents=True, exist_ok=True)
    CORPUS.mkdir(exist_ok=True)
    seeds = [str(SEEDS / name)] if (SEEDS / name).is_dir() else []
    command = [str(BUILT / f"fuzz_{name}"), str(corpus), *seeds, *LIMITS, "-print_final_stats=1"]
    command += [f"-max_total_time={seconds}", f"-artifact_prefix={CORPUS}/{name}-", "-verbosity=0"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> None:
    """Fuzz one format after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60, help="for each format")
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="by default all")
    options = parser.parse_args()
    if not formats():
        sys.exit("nothing is built; run 'scons fuzz'")
    failed = False
    for name in options.formats or formats():
        done = fuzz(name, options.seconds, CORPUS / name)
        stats = dict(
            line.removeprefix("stat::").split(":", 1)
            for line in done.stderr.splitlines()
            if line.startswith("stat::")
        )
        runs = stats.get("number_of_executed_units", "?").strip()
        print(f"{name}: {runs} inputs, status {done.returncode}", flush=True)
        if done.returncode:
            failed = True
            print(done.stderr[-4000:])
    sys.exit(failed)


if __name__ == "__main__":
    main()
