# SPDX-License-Identifier: BSD-3-Clause
"""What keys of agents need beside them to act, and which are refused or change no statistic."""

from __future__ import annotations

from typing import Any

from agent_values import AGENTS, COLUMNS

# Other settings that a parameter needs to act: keys of the agent, and (dotted) configuration.
ON_NVDIMM = {"target": "nvdimm"}
STRIDE = {"prefetcher": "stride"}
EPOCHS = {"controller.scheduler": "nvm_duet"}
COPIED = ("llc_trace", "cpu_trace", "synthetic_core", "block_trace")
MODULO = {"frontend.translation": "modulo"}
APART = {**MODULO, "controller.outstanding": "queue"}  # so that pages of copies meet in the buffer
FLUSHES = {"path": "flushes", "format": "blkparse"}
COMPANY: dict[str, dict[str, Any]] = {
    "llc_trace.vcpu": {"path": "packed", "format": "hmsim"},
    "llc_trace.nt_fence": {"path": "copied", "format": "hmsim"},
    **{f"{kind}.copies": {"copies": 2, "copy_number": 1, **APART} for kind in COPIED},
    **{f"{kind}.copy_number": {"copies": 3, **APART} for kind in COPIED},
    **{
        f"{owner}.stride.{key}": STRIDE
        for owner in ("cpu_trace", "frontend.cache")
        for key in ("degree", "distance")
    },
    "block_trace.fence": EPOCHS,
    "io_pattern.fence": EPOCHS,
    "io_pattern.theta": {"access": "zipf"},
    "io_pattern.separate_writes": {"access": "sequential"},
    "io_pattern.arrivals": {"arrival_rate": 1_000_000},
    "io_pattern.arrival_rate": {"arrivals": "fixed", "arrival_rate": 1_000_000},
    "io_pattern.burst_on": {"arrivals": "bursty", "arrival_rate": 1_000_000},
    "io_pattern.burst_off": {"arrivals": "bursty", "arrival_rate": 1_000_000},
    "io_pattern.queue": {"arrivals": "fixed", "arrival_rate": 10_000_000},
    "io_pattern.pass": {"random_map": "repeat"},
    "io_pattern.passes": {"pass": "64KiB"},
    "io_pattern.think_every": {"think_time": "7us"},
    "block_trace.zero_length": {"path": "faulty", "on_bad_record": "skip"},
    "block_trace.on_bad_record": {"path": "faulty", "on_bad_record": "skip"},
    "memory_trace.on_bad_record": {"path": "faulty lines", "on_bad_record": "skip"},
    "block_trace.barrier": FLUSHES,
    "frontend.block.barrier": FLUSHES,
    "block_trace.time_scale": {"replay": "timed"},
    "block_trace.think_scale": {"replay": "inferred", "old_response": "100us"},
    "block_trace.think_spread": {"replay": "inferred", "old_response": "100us"},
    "block_trace.old_response": {"replay": "inferred", "old_response": "100us"},
    "block_trace.random_stream": {
        "replay": "inferred",
        "old_response": "100us",
        "think_spread": 0.5,
    },
    "llc_trace.random_stream": {"dependence": 0.5},
    "memory_trace.frequency": {"mode": "timed"},
    "synthetic.stride": {"pattern": "strided"},
    "synthetic_core.dependence": {"pattern": "pointer_chase"},
    "pattern.write_ratio": ON_NVDIMM,
    "pattern.write_randomness": {**ON_NVDIMM, "write_ratio": 0.5},
    "pattern.read_randomness": ON_NVDIMM,
    "frontend.block.fence": EPOCHS,
    "frontend.node.dma_lines": {"frontend.node.engine": "dma"},
    "frontend.node.persistence": {"flushers": 0},
    **{
        f"frontend.node.prefetch.{key}": {"frontend.node.machine": "prefetch"}
        for key in ("distance", "training", "mshrs", "buffers")
    },
    "frontend.node.prefetch.streams": {
        "path": "streams",
        "format": "hmsim",
        "frontend.node.machine": "prefetch",
    },
    "job.skip": {"path": "packed", "format": "hmsim"},
    "job.instructions": {"path": "packed", "format": "hmsim"},
    "job.transfer": {"path": "transfers", "format": "hmsim"},
    "job.transfer_gap": {"path": "transfers", "format": "hmsim"},
}
TABLE = {
    "path": "table",
    "format": "csv",
    **{
        f"columns.{key}": name for key, name in COLUMNS.items() if key not in ("device", "response")
    },
    "columns.time_unit": "1us",
    "columns.separator": "tab",
    "columns.header": 2,
}
COMPANY |= {
    f"block_trace.columns.{key}": TABLE for key in (*COLUMNS, "handle", "offset_unit", "size_unit")
}
COMPANY |= {
    f"block_trace.columns.{key}": {**TABLE, "replay": "timed"} for key in ("time", "time_unit")
}
COMPANY["block_trace.columns.response"] = {**TABLE, "replay": "inferred", "old_response": "1ms"}
COMPANY["block_trace.columns.header"] = {
    **TABLE,
    **{f"columns.{key}": number for number, key in enumerate(("time", "op", "offset", "size"))},
}
# By number: tabs delimit an empty column, blanks do not.
COMPANY["block_trace.columns.separator"] = {**TABLE, "columns.device": "5"}
VECTORS = {"path": "vectors", "format": "ramulator2_rw", "levels": "1, 2, 4, 4, 1024, 256"}
STORES = {"path": "stores", "format": "ramulator2_ls"}
COMPANY["memory_trace.levels"] = VECTORS
COMPANY["memory_trace.interval"] = {**STORES, "mode": "timed", "interval": "100ns"}
COMPANY["llc_trace.levels"] = {**VECTORS, "instructions_per_request": 20}
COMPANY["llc_trace.instructions_per_request"] = {**STORES, "instructions_per_request": 20}
SWAP = {"storage.kind": "table", "storage.paging.memory": "64KiB"}
COMPANY |= {f"{kind}.paged": SWAP for kind in ("llc_trace", "synthetic_core")}
# An agent's core has an effect only with schedulers that distinguish cores.
BY_CORE = {"controller.scheduler": "par_bs", "policies.par_bs.sources": "core"}
COMPANY |= {f"{kind}.core": BY_CORE for kind in AGENTS if kind != "job"}
TWO_NODES = {"frontend.nodes.count": 2}
MESSAGES = {**TWO_NODES, "path": "messages", "nodes": "0-1", "tasks": 2}
COMPANY |= {f"{kind}.node": TWO_NODES for kind in AGENTS if kind != "job"}
COMPANY["job.nodes"] = TWO_NODES
COMPANY |= {f"frontend.{key}": MESSAGES for key in ("network.latency", "network.rate")}
COMPANY["frontend.nodes.memory"] = {**MESSAGES, "path": "job"}
COMPANY["memory_trace.sources"] = {"path": "packets", "format": "gem5", **BY_CORE}
# A trace that is read in another format is rejected.
REFUSED = tuple(f"{kind}_trace.format" for kind in ("llc", "block", "memory", "cpu"))
REFUSED += ("job.format", "block_trace.zero_length")
REFUSED += tuple(f"{kind}_trace.on_bad_record" for kind in ("block", "memory"))
# A trace is also rejected if no word, or two words, stand for an operation.
WORDS = tuple(f"block_trace.columns.{key}" for key in ("read", "write", "flush", "trim", "skip"))
COMPANY |= {name: TABLE for name in WORDS}
REFUSED += WORDS
# Parameters that change no statistic. The test fails for an entry that changes one.
INERT = {
    "frontend.until": "needs a longer run; tests/cc/simulation/steady_watch_test.cc",
    **{
        f"{kind}.{key}": "needs several streams; tests/cli/test_handles.py"
        for kind in ("io_pattern", "block_trace")
        for key in ("handle", "handle_order")
    },
    "block_trace.columns.handle": "needs several streams; tests/cli/test_handles.py",
    "io_pattern.until": "needs a longer run; tests/cli/test_fio_pace.py",
    "block_trace.until": "needs a longer run; tests/cc/simulation/steady_watch_test.cc",
    "io_pattern.stage": "orders several agents; tests/cli/test_fio_pace.py",
    "frontend.series_interval": "adds a table of its own; tests/cc/simulation/series_test.cc",
    "frontend.stall_limit": "makes an error; tests/cc/simulation/run_limits_test.cc",
    "cpu_trace.address_space": "no other core has it; tests/cc/agents/last_level_cache_test.cc",
}
# Kind of agent that a group of frontend parameters affects; llc_trace if the group is not listed.
CONCERNS = {
    **{"core": "synthetic_core", "cache": "cpu_trace", "block": "block_trace"},
    **{key: "job" for key in ("node", "nodes", "network")},
}
