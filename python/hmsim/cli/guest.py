# SPDX-License-Identifier: BSD-3-Clause
"""The commands below ``hmsim guest``."""

from typing import Annotated

import typer

from hmsim.capture import guest
from hmsim.cli.support import Json, application, epilog, on_terminal, print_json, print_table
from hmsim.common.progress import Bars

app = application("Build the guests that full-system captures start.")


@app.callback()
def group() -> None:
    """Build the guests that full-system captures start."""


@app.command(epilog=epilog("guest build --small", "full-system-capture.md"))
def build(
    small: Annotated[
        bool, typer.Option("--small", help="Kernel, busybox and small C programs only.")
    ] = False,
    json: Json = False,
) -> None:
    """Build kernel and image from Debian's packages, or find them built in the cache."""
    with Bars(on_terminal()) as bars:
        made = guest.build(small, bars.report)
    content = made.manifest()
    if json:
        print_json(content)
        return
    rows: list[tuple[str, str]] = []
    for part, facts in content.items():
        print(f"{part}: {facts['directory']}")
        rows += facts["packages"].items()
        rows += [
            (name, f"{about['bytes'] / (1 << 20):.1f} MiB")
            for name, about in facts["files"].items()
        ]
    print_table(("", ">"), rows)
    print(f"jobs: {', '.join(made.jobs)}")
