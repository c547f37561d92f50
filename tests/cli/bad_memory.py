# SPDX-License-Identifier: BSD-3-Clause
"""Memory systems that cannot work: host queues, links, load levels, DIMMs and refreshes."""

from __future__ import annotations

# name of the case: (content of c.yaml, what the message must hold)
MEMORY: dict[str, tuple[str, tuple[str, ...]]] = {
    "a host queue without entries": (
        "host:\n  queue: shared\n  entries: 0\n",
        ("c.yaml:3: host.entries: '0'", "1 .. 65536"),
    ),
    "a divided host queue without entries for NVDIMMs": (
        "host:\n  queue: divided\n  slow_entries: 0\n",
        ("c.yaml:3: host.slow_entries: '0'", "1 .. 65536"),
    ),
    "a limit that stops all NVDIMM requests": (
        "host: {queue: shared, limiter: limit}\npolicies:\n  limit.entries: 0\n",
        ("c.yaml:3: policies.limit.entries: '0'", "1 .."),
    ),
    "a link without a rate": (
        "nvdimm: {attach: cxl}\ncxl:\n  down.rate: 0GT/s\n",
        ("c.yaml:3: cxl.down.rate: '0GT/s'", "1MT/s"),
    ),
    "a link without time": (
        "nvdimm: {attach: cxl}\ncxl:\n  up.latency: 0s\n",
        ("c.yaml:3: cxl.up.latency:", "nearest: 1ps"),
    ),
    "a link without credits": (
        "nvdimm: {attach: cxl}\ncxl:\n  credits: 0\n",
        ("c.yaml:3: cxl.credits: '0'", "1 .. 4096"),
    ),
    "load levels in the wrong order": (
        "nvdimm: {attach: cxl}\ncxl:\n  load: {optimal: 8, moderate: 8}\n",
        ("c.yaml:3: cxl.load.moderate:", "cxl.load.optimal", "nearest: 9"),
    ),
    "the highest load level below the others": (
        "nvdimm: {attach: cxl}\ncxl:\n  load:\n    severe: 64\n",
        ("c.yaml:4: cxl.load.severe:", "cxl.load.moderate", "nearest: 65"),
    ),
    "a level above a default": (
        "nvdimm: {attach: cxl}\ncxl:\n  load:\n    optimal: 70\n",
        ("cxl.load.moderate:", "nearest: 71", "c.yaml:4 sets cxl.load.optimal to 70"),
    ),
    "more expanders than channels": (
        "nvdimm: {attach: cxl}\nexpander:\n  channels: 2\n",
        ("c.yaml:3: expander.channels:", "controller.channels, 1"),
    ),
    "an expander that NVDIMMs share": (
        "expander:\n  channels: 1\n",
        ("c.yaml:2: expander.channels:", "nvdimm.attach: cxl", "nearest: 0"),
    ),
    "blocks over CXL": (
        "nvdimm:\n  attach: cxl\n  access: block\n",
        ("c.yaml:3: nvdimm.access:", "must be line with nvdimm.attach: cxl", "one line"),
    ),
    "blocks of writes on credit": (
        "controller: {ack: nvdimm_p}\nnvdimm:\n  access: block\n",
        ("c.yaml:3: nvdimm.access:", "controller.ack: grant or auto", "nearest: line"),
    ),
    "blocks of items": (
        "nvdimm:\n  access: block\n  buffer: {granularity: item}\n",
        ("c.yaml:2: nvdimm.access:", "granularity: page", "nearest: line"),
    ),
    "blocks of PCM": (
        "nvdimm:\n  access: block\n  kind: pcm\n",
        ("c.yaml:2: nvdimm.access:", "NVDIMMs of flash", "nearest: line"),
    ),
    "a command rate that the standard lacks": (
        "nvdimm: {present: false}\ndram:\n  preset: lpddr5_6400_16gb_x16\n  command_rate: 2N\n",
        ("c.yaml:4: dram.command_rate:", "JESD209-5", "'1N'"),
    ),
    "DIMMs of unequal ranks": (
        "dram:\n  ranks: 4\n  ranks_per_dimm: 3\n",
        ("c.yaml:3: dram.ranks_per_dimm:", "dram.ranks, 4", "nearest: 2"),
    ),
    "a DIMM's gap below that of its ranks": (
        "dram:\n  timing:\n    tRTRS_dimm: 0\n",
        ("c.yaml:3: dram.timing.tRTRS_dimm:", "1 cycles"),
    ),
    "refresh management of a standard without it": (
        "dram:\n  refresh_management: true\n",
        ("c.yaml:2: dram.refresh_management:", "JESD79-3", "false"),
    ),
}
