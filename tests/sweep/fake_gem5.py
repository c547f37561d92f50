#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for gem5: takes its arguments, records the call, and writes a run directory."""

import json
import sys
from pathlib import Path

outdir, script, *options = sys.argv[1:]
assert outdir.startswith("--outdir=") and Path(script).is_file()
given = dict(zip(options[::2], options[1::2]))
with Path(script).with_name("calls").open("a") as calls:
    calls.write(json.dumps(given) + "\n")
text = Path(given["--config"]).read_text()
controller = text[text.index("controller:") :]
depth = next(
    line.split(":")[1] for line in controller.splitlines() if line.strip().startswith("queue_depth")
)
if given.get("--program") == "wrong":
    sys.exit("se_mix.py: no such program" if given["--seed"] == "1" else 2)
run = Path(given["--out"])
run.mkdir()
(run / "stats.json").write_text(json.dumps({"dram": {"reads": int(depth.split("#")[0])}}))
(run / "config.yaml").write_text("{}")
(run / "run.json").write_text(json.dumps({"units": {"dram.reads": "lines"}}))
