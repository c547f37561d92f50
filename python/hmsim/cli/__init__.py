# SPDX-License-Identifier: BSD-3-Clause
"""The command line: ``hmsim COMMAND ...``.

Exit status: 0 done; 2 the user's input or file system is at fault; 1 the simulator is; 130
interrupted (Ctrl-C); 143 terminated (SIGTERM); 129 hung up (SIGHUP); 141 the reader of the output
ended first.
"""

import gc
import sys
from typing import Any

from hmsim.cli.statuses import INTERRUPTED


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'hmsim.cli' has no attribute {name!r}")
    from hmsim.cli.application import app

    return app


def main() -> None:
    """Run the command line. Ctrl-C ends it with one line, even while its modules are loaded."""
    gc.disable()  # until a command is imported: imports make many objects, but no garbage
    try:
        from hmsim.cli.application import app
    except KeyboardInterrupt:
        print("hmsim: interrupted; nothing was written", file=sys.stderr)
        sys.exit(INTERRUPTED)
    gc.freeze()  # so that the interpreter's end does not search them
    app()
