# SPDX-License-Identifier: BSD-3-Clause
"""Where the command ``hmsim`` begins, so that Ctrl-C ends it quietly while modules are loaded."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from hmsim.cli import main as run
    except KeyboardInterrupt:
        print("hmsim: interrupted; nothing was written", file=sys.stderr)
        sys.exit(130)
    run()
