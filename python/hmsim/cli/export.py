# SPDX-License-Identifier: BSD-3-Clause
"""The commands ``hmsim export``: models of devices for other simulators."""

import json
from pathlib import Path
from typing import Annotated

import typer

from hmsim._core import version
from hmsim.cli.support import (
    ConfigArgument,
    Force,
    Jobs,
    Sets,
    application,
    configuration,
    epilog,
    print_table,
    resumable,
)
from hmsim.common.directories import check_file, new_file
from hmsim.common.progress import warn

app = application("Write models of devices for other simulators.")


@app.callback()
def group() -> None:
    """Write models of devices for other simulators."""


@app.command(
    "device-curve", epilog=epilog("export device-curve quick --out q.json", "c-library.md")
)
def device_curve(
    config: ConfigArgument,
    out: Annotated[Path, typer.Option(metavar="FILE", help="JSON file to write; FILE.csv too.")],
    sets: Sets = None,
    jobs: Jobs = None,
    force: Force = False,
) -> None:
    """Write a device's time per transfer by state, direction, size and transfers in flight.

    Then replay loads that the curve was not made from, and print the errors of the table and of
    BLIS's ramp. A cache keeps finished points.
    """
    csv = Path(f"{out}.csv")
    for path in (out, csv):
        check_file(path, force)
    system = configuration(config, sets)
    from hmsim.curves.device import device_curve as measured
    from hmsim.curves.device import document

    with resumable("finished points are kept in the cache"):
        rows = measured(system, jobs=jobs, progress=True)
    check, missing = rows.attrs["check"], rows.attrs["missing"]
    content = {"hmsim": version, "config": system.name, **document(rows, system.name)}
    flat = rows.explode("points", ignore_index=True)
    points = flat.pop("points").tolist()
    flat[["depth", "us", "us_low", "us_high"]] = points
    with new_file(out, force) as first, new_file(csv, force) as second:
        first.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        flat.to_csv(second, index=False, float_format="%.6g")
    keys = (
        *("base_latency", "bandwidth", "saturation_queue_depth", "single_transfer_share"),
        "latency_jitter_stddev",
    )
    titles = ("state", "direction", ">KiB", ">base (us)", ">peak (MB/s)", ">saturation depth")
    print_table(
        (*titles, ">single share", ">jitter"),
        [
            (row["state"], row["direction"], row["size"] / 1024, *(row[key] for key in keys))
            for row in rows.to_dict("records")
        ],
    )
    parts = [(state, mix, own) for (state, mix), own in check.groupby(["state", "mix"], sort=False)]
    print_table(
        ("replayed", "mixed", ">times", ">median (%)", ">P95 (%)", ">ramp: median (%)", ">P95 (%)"),
        [
            (
                *(state, mix, len(own)),
                *(
                    float(100 * own[f"{model}_error"].quantile(part))
                    for model in ("table", "formula")
                    for part in (0.5, 0.95)
                ),
            )
            for state, mix, own in [*parts, ("all", "", check)]
        ],
    )
    if missing:
        warn(f"{len(missing)} loads have no result; the first: {missing[0]}")
    print(f"{out}, {csv}")
