# SPDX-License-Identifier: BSD-3-Clause
"""The reference pages, docs/parameters.md and docs/statistics.md, from the simulator itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hmsim import load_config
from hmsim._core import Simulation
from hmsim.config.composer import DEEPEST_NESTING, MOST_NODES

from pages import DOCS, Documents

NOTE = "<!-- Written by tools/pages {}. -->"
MODEL = [
    *(("kind", "llm_decode"), ("core", "6"), ("layers", "3"), ("layers_simulated", "2")),
    *(("width", "256"), ("feed_forward", "256"), ("vocabulary", "256")),
]
AGENTS = [
    [("kind", "synthetic_core"), ("core", "0")],
    [
        *(("kind", "block_trace"), ("core", "1"), ("path", "t"), ("format", "mqsim")),
        *(("replay", "timed"), ("windows", "requests=1")),
    ],
    [
        *(("kind", "cpu_trace"), ("core", "2"), ("path", "t"), ("format", "champsim")),
        *(("prefetcher", "stride"), ("l3.sharing", "shared")),
    ],
    [
        *(("kind", "llc_trace"), ("core", "3"), ("path", "t"), ("format", "ramulator")),
        ("windows", "instructions=1"),
    ],
    [("kind", "job"), ("cores", "4"), ("path", "t"), ("format", "job")],
    [("kind", "io_pattern"), ("core", "5"), ("arrivals", "fixed"), ("arrival_rate", "1000")],
    [*MODEL, ("weights", "nvdimm"), ("kv", "dram")],
    [*MODEL, ("weights", "dram"), ("kv", "nvdimm")],
]
TRACES = [b"", b"0 0 0 8 1\n", bytes(64), b"0 64\n", b"thread only\ncompute 1\n", b"", b"", b""]


def parameters(_: Path) -> Documents:
    """Yield docs/parameters.md."""
    lines = [
        NOTE.format("parameters"),
        "# Parameters",
        "",
        "Each is a dotted name in a configuration file (dots are nesting), in `--set NAME=VALUE` "
        "and in Python. Times, sizes and rates carry units: `52ns`, `4MiB`, `200MT/s`, `2GHz`; "
        "counts may end in `k`, `M`, `G` or an exponent: `5M`, `1e6`. "
        "`hmsim params PREFIX` prints the same. Presets and shipped configurations set parameters "
        "that describe parts, so `hmsim params` lists them only with a PREFIX or `--all`.",
        "",
        "Every YAML file that hmsim reads may use anchors (`&name`), aliases (`*name`) and merge "
        f"keys (`<<: *name`). The result is bounded: {MOST_NODES:,} values and {DEEPEST_NESTING} "
        "levels. Tags are refused. An error in an aliased value names the line of its anchor.",
    ]
    known = Simulation.parameters()
    for section in dict.fromkeys(info["name"].split(".")[0] for info in known):
        members = [info for info in known if info["name"].split(".")[0] == section]
        lines += ["", f"## {section}", ""]
        lines += [_parameter(info) for info in members if not info["of_part"]]
        if any(info["of_part"] for info in members):
            lines += ["", f"### Parts: {section}", ""]
            lines += [_parameter(info) for info in members if info["of_part"]]
    for kind in Simulation.agent_kinds():
        lines += ["", f"## Keys of agents: `kind: {kind}`", ""]
        lines += [_parameter(info) for info in Simulation.agent_parameters(kind)]
    yield DOCS / "parameters.md", "\n".join(lines) + "\n"


def _parameter(info: dict[str, str]) -> str:
    default = f"`{info['default']}`" if info["default"] else "none"
    unit = f" {info['unit']}" if info["unit"] else ""
    allowed = f" ({info['range'] or info['type']})"
    source = f" *Source: {info['source']}.*" if info["source"] else ""
    return f"- **`{info['name']}`** = {default}{unit}{allowed}: {info['doc']}.{source}"


def statistics(_: Path) -> Documents:
    """Yield docs/statistics.md."""
    lines = [
        NOTE.format("statistics"),
        "# Statistics",
        "",
        "`stats.json` contains all statistics with dots as nesting, `Result.stats` by path. They "
        "count from the end of the warm-up. Statistics of an agent (`agent`, `core`) stop at its "
        "first finish, statistics of the memory at the end of the run. A ratio whose denominator "
        "is 0 and a histogram without values are absent. `nvdimm.media` exists for NVDIMMs without "
        "flash, which have no statistics of buffers, FTL, collections and flash. Its statistics "
        "from `buffer_reads` to `amplification` need a `nvdimm.media.line` above 64 B.",
        "",
        "A **histogram** has the values `.mean`, `.p50`, `.p99`, `.p999`, `.max` and `.count`; "
        "quantiles are exact to 1/32. N is the number of an agent, a core or a channel. `storage` "
        "exists if `storage.kind` is not `none`; the parts of its latencies are means that add up "
        "to the mean of the whole.",
        "",
        "`dram.read_latency_ns`, `dram.write_latency_ns` and `nvdimm.line_latency_ns` are the "
        "requester's: from a request's issue to its data, with host queue, credits and link. "
        "`dram.device_read_latency_ns`, `dram.device_write_latency_ns` and "
        "`nvdimm.device_line_latency_ns` are those of the channel, from a request's arrival there "
        "to its last data beat. Without a host queue, a port or the host's FTL, both are equal. "
        "`agent.N.held_back_us` is the time before the issue for which a limit on requests in "
        "flight held back a request that had a time; no latency contains it. Figures 8(b) and "
        "8(c), comparisons, reports and sweeps use the requester's. The comparison of DRAM "
        "models (`hmsim validate dram`) uses the device's. Anchors on drives use "
        "`agent.N.request_latency_us`. Times in a log of requests are the device's; its `link_ps` "
        "is the time on the link.",
        "",
        "The statistics of a memory add up its channels. If there are several, on one node or on "
        "many, `dram.channel.N` and `nvdimm.channel.N` repeat a few for each: "
        "`dram.channel.N.reads` is its part of `dram.reads`. `bus_share` is `bus.dram_share` or "
        "`bus.nvdimm_share` of its data bus; on a shared bus, the two add up to the bus's use. "
        "HBF, and memory behind CXL, have `link`.",
        "",
        "| path | unit | kind | meaning |",
        "|---|---|---|---|",
    ]
    seen = set()
    nodes: dict[str, object] = {"frontend.nodes.count": 2, "frontend.node.machine": "prefetch"}
    nodes |= {"nvdimm.nand.slc_blocks": 1, "nvdimm.ftl.slc_size": "dynamic"}
    nodes |= {"nvdimm.ftl.placement": "by_handle", "nvdimm.ftl.streams": 2}
    storage: list[dict[str, object]] = [
        {"storage.kind": "array"},
        {"storage.kind": "table", "storage.cache.first": "1MiB", "storage.stripe.members": 2},
        {"storage.kind": "disk", "storage.write_cache.size": "1MiB"},
        {"storage.kind": "flash", "storage.capacity": "1GiB"},
    ]
    two = {"controller.channels": 2}
    ports = {"dram.refresh_management": True, "host.queue": "shared", "expander.channels": 2, **two}
    flash = {"hbf.ftl": "host", "hbf.refresh": "paced_refresh", **two}
    wide = {"nvdimm.media.line": "256B", "nvdimm.media.interleave": "256B", **two}
    systems = (
        *(("quick", nodes), ("pcm", wide), ("ddr5_cxl_dram", ports), ("hbm3_hbf", flash)),
        *(("quick", kind) for kind in storage),
    )
    for entry in [each for system in systems for each in _statistics(*system)]:
        path = re.sub(r"\.\d+\.", ".N.", entry["path"])
        if path in seen:
            continue
        seen.add(path)
        unit = entry["unit"]
        if path in ("agent.N.progress", "agent.N.rate"):
            unit = "work" + unit.removeprefix("instructions")
        lines.append(f"| `{path}` | {unit} | {entry['kind']} | {entry['description']} |")
    lines += [
        "",
        "Work: instructions of a core, 4 KB blocks of a block agent, tokens of llm_decode, "
        "requests otherwise.",
    ]
    yield DOCS / "statistics.md", "\n".join(lines) + "\n"


def _statistics(config: str, changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the statistics of a configuration with some changes."""
    simulation = Simulation(
        load_config(config, changes).flat(),
        AGENTS,
        1,
        0,
        0,
        lambda agent, offset: TRACES[agent][offset:],
        [0] * len(AGENTS),
    )
    return simulation.statistics()
