# SPDX-License-Identifier: BSD-3-Clause
"""Agents of each kind, and another value of each of their keys, for test_agent_parameters_act.py.

One file: each key stands once in the tables.
"""

from __future__ import annotations

from typing import Any

# A small NVDIMM whose flash is quick.
BASE: dict[str, Any] = {
    "nvdimm.capacity": "8MiB",
    "nvdimm.ftl.over_provisioning": 60,
    "nvdimm.buffer.read_size": "64KiB",
    "nvdimm.buffer.write_size": "64KiB",
    "nvdimm.nand.pages_per_block": 8,
    "nvdimm.nand.program_time": "20us",
    "nvdimm.nand.read_time": "5us",
}
# Keys of an agent of each kind; beside it there is NEIGHBOUR.
AGENTS: dict[str, dict[str, Any]] = {
    "llc_trace": {"path": "misses", "format": "ramulator"},
    "cpu_trace": {
        "path": "program",
        "format": "champsim",
        "frontend.cache.l1.size": "4KiB",
        "frontend.cache.l2.size": "8KiB",
        "frontend.cache.l3.size": "16KiB",
    },
    "block_trace": {"path": "blocks", "format": "mqsim"},
    "io_pattern": {
        "footprint": "2MiB",
        "read_share": 0.5,
        "flush_every": 3,
        "size": "4KiB, 8KiB",
        "requests": 60,
    },
    "memory_trace": {"path": "lines", "format": "dramsim3", "target": "dram"},
    "synthetic": {"target": "dram", "footprint": "4MiB", "requests": 2_000},
    "synthetic_core": {"rpki": 40, "instructions": 40_000},
    "pattern": {"target": "dram", "requests": 2_000},
    "job": {"path": "job", "format": "job", "cores": "0-1"},
    "llm_decode": {
        "layers_simulated": 2,
        "width": 128,
        "kv_heads": 2,
        "head_size": 64,
        "feed_forward": 192,
        "vocabulary": 96,
        "batch": 2,
        "context": 31,
        "kv": "nvdimm",
        "steps": 5,
        "flops": 10,
    },
}
NEIGHBOUR = {"kind": "synthetic", "core": 3, "target": "dram", "read_ratio": 0.5, "requests": 100}
CACHES = {
    "l1.size": "8KiB",
    "l2.size": "16KiB",
    "l3.size": "32KiB",
    "l1.ways": 2,
    "l2.ways": 4,
    "l3.ways": 8,
    "l1.latency": 9,
    "l2.latency": 20,
    "l3.latency": 50,
    "l1.mshrs": 2,
    "l2.mshrs": 2,
    "l3.mshrs": 2,
    "l3.sharing": "shared",
    "prefetcher": "stride",
    "stride.degree": 1,
    "stride.distance": 4,
    "stride.entries": 2,
}
# Column names of a trace of columns.
COLUMNS = {
    "time": "at",
    "op": "what",
    "offset": "where",
    "size": "long",
    "device": "disk",
    "response": "took",
}
# Values that differ from AGENTS and from the default, by parameter, or by key for all kinds.
OTHER: dict[str, Any] = {
    "core": 3,
    "paged": True,
    "node": 1,
    "random_stream": 7,
    "measured": False,
    "frequency": "500MHz",
    "width": 1,
    "window": 8,
    "base_cpi": 2,
    "mshrs": 2,
    "target": "nvdimm",
    "outstanding": 2,
    "requests": 300,
    "instructions": 1_000,
    "footprint": "1MiB",
    **CACHES,
    **{f"frontend.cache.{key}": value for key, value in CACHES.items()},
    "cpu_trace.address_space": 3,
    "block_trace.windows": "skip=30, requests=10; skip=5, warmup=2, requests=9, weight=2",
    "llc_trace.path": "other misses",
    "llc_trace.format": "hmsim",
    "llc_trace.vcpu": 1,
    "llc_trace.dependence": 0.5,
    "llc_trace.nt_fence": "none",
    "skip": 700,
    "loop": 2,
    "windows": "skip=100, instructions=500; skip=1500, instructions=400, weight=2",
    "copies": 3,
    "copy_number": 1,
    "cpu_trace.path": "other program",
    "cpu_trace.format": "drmemtrace",
    "block_trace.path": "other blocks",
    "block_trace.skip": 3,
    "block_trace.format": "msr",
    "block_trace.zero_length": "error",
    "block_trace.on_bad_record": "error",
    "memory_trace.on_bad_record": "error",
    "block_trace.threads": 1,
    "block_trace.request_time": "1us",
    "block_trace.software_time": "1us",
    "block_trace.fence": "request",
    "block_trace.driver": "pmbd",
    "block_trace.copy": "write_back",
    "block_trace.wait": "block",
    "block_trace.write_end": "accepted",
    "block_trace.barrier": "driver",
    "block_trace.map_time": "300ns",
    "block_trace.fault_time": "1us",
    "block_trace.replay": "timed",
    "block_trace.time_scale": 0.5,
    "block_trace.think_scale": 3,
    "block_trace.think_spread": 0.5,
    "block_trace.old_response": "1ms",
    "block_trace.requests": 20,
    "block_trace.device_stride": "64KiB",
    "io_pattern.threads": 1,
    "io_pattern.request_time": "1us",
    "io_pattern.software_time": "1us",
    "io_pattern.fence": "request",
    "io_pattern.driver": "pmbd",
    "io_pattern.copy": "write_back",
    "io_pattern.wait": "block",
    "io_pattern.write_end": "accepted",
    "io_pattern.barrier": "driver",
    "io_pattern.map_time": "300ns",
    "io_pattern.fault_time": "1us",
    "io_pattern.depth": 2,
    "io_pattern.size": "8KiB",
    "io_pattern.read_share": 0.25,
    "io_pattern.access": "sequential",
    "io_pattern.theta": 2,
    "io_pattern.regions": "per_thread",
    "io_pattern.offset": "2KiB",
    "io_pattern.flush_every": 1,
    "io_pattern.fua": True,
    "io_pattern.arrivals": "poisson",
    "io_pattern.arrival_rate": 200_000,
    "io_pattern.burst_on": "10us",
    "io_pattern.burst_off": "10us",
    "io_pattern.queue": 3,
    "io_pattern.think_time": "7us",
    "io_pattern.think_every": 3,
    "io_pattern.start": "9us",
    "io_pattern.stage": 0,
    "io_pattern.requests": 20,
    "memory_trace.path": "other lines",
    "memory_trace.format": "ramulator_rw",
    "memory_trace.mode": "timed",
    "memory_trace.sources": "trace",
    "memory_trace.interval": "50ns",
    "levels": "1, 2, 4, 8, 2048, 96",
    "llc_trace.instructions_per_request": 50,
    **{f"block_trace.columns.{key}": column for key, column in COLUMNS.items()},
    "block_trace.columns.time": "lag",
    "block_trace.columns.op": "what else",
    "block_trace.columns.offset": "long",
    "block_trace.columns.size": "more",
    "block_trace.columns.time_unit": "2us",
    "block_trace.columns.offset_unit": "1KiB",
    "block_trace.columns.size_unit": "2B",
    "block_trace.columns.separator": "blanks",
    "block_trace.columns.header": 3,
    **{f"block_trace.columns.{key}": "word" for key in ("read", "write", "flush", "trim")},
    "block_trace.columns.skip": "R",
    "synthetic.pattern": "sequential",
    "synthetic.read_ratio": 0.5,
    "synthetic.offset": "1GiB",
    "synthetic.stride": "128KiB",
    "synthetic.interval": "100ns",
    "synthetic_core.rpki": 20,
    "synthetic_core.wpki": 20,
    "synthetic_core.pattern": "stream",
    "synthetic_core.dependence": 0.25,
    "job.path": "other job",
    "job.format": "hmsim",
    "job.cores": "1",
    "job.nodes": "1",
    "job.tasks": 2,
    "job.flushers": 0,
    "job.dirty_ratio": 0.000001,
    "job.transfer": "1KiB",
    "job.transfer_gap": 2,
    "job.skip_idle": True,
    "job.sampling.period": 2_000,
    "job.sampling.length": 300,
    "job.sampling.warmup": 300,
    "pattern.stride": 64,
    "pattern.reuse": 0.1,
    "pattern.write_ratio": 0.5,
    "pattern.write_randomness": 1,
    "pattern.read_randomness": 1,
    "frontend.core.frequency": "500MHz",
    "frontend.core.width": 1,
    "frontend.core.window": 8,
    "frontend.core.base_cpi": 2,
    "frontend.core.mshrs": 2,
    "frontend.block.threads": 1,
    "frontend.block.window": 8,
    "frontend.block.request_time": "1us",
    "frontend.block.software_time": "1us",
    "frontend.block.fence": "request",
    "frontend.block.driver": "dax",
    "frontend.block.copy": "uncached",
    "frontend.block.wait": "block",
    "frontend.block.write_end": "accepted",
    "frontend.block.barrier": "driver",
    "frontend.block.map_time": "300ns",
    "frontend.block.fault_time": "1us",
    "frontend.node.machine": "dma",
    "frontend.node.engine": "dma",
    "frontend.node.mshrs": 2,
    "frontend.node.copy_instructions": 100,
    "frontend.node.dma_lines": 2,
    "frontend.node.prefetch.degree": 2,
    "frontend.node.prefetch.distance": 2,
    "frontend.node.prefetch.training": 8,
    "frontend.node.prefetch.streams": 1,
    "frontend.node.prefetch.mshrs": 1,
    "frontend.node.prefetch.buffers": 2,
    "frontend.node.persistence": "module",
    "frontend.node.wake": "queues",
    "frontend.node.quantum": "1us",
    "frontend.node.switch_time": "100ns",
    "frontend.nodes.count": 2,
    "frontend.nodes.memory": "shared",
    "frontend.network.latency": "2us",
    "frontend.network.rate": "1Gb/s",
    "frontend.translation": "modulo",
    "frontend.series_interval": "1us",
    "frontend.time_limit": "2us",
    "frontend.stall_limit": "1ms",
}
OTHER |= {
    f"llm_decode.{key}": value
    for key, value in {
        "model": "llama_3_1_70b",
        "layers": 3,
        "width": 256,
        "kv_heads": 4,
        "head_size": 128,
        "feed_forward": 256,
        "vocabulary": 128,
        "weight_bytes": 1,
        "kv_bytes": 4,
        "batch": 3,
        "context": 40,
        "output": 2,
        "steps": 3,
        "prefill": True,
        "page_tokens": 32,
        "layers_simulated": 1,
        "weights": "dram",
        "kv": "dram",
        "prefetch": 0,
        "flops": 5,
        "request": "8KiB",
        "window": 8,
        "lines": 1,
    }.items()
}
# Other settings that a parameter needs to act: keys of the agent, and (dotted) configuration.
ON_NVDIMM = {"target": "nvdimm"}
STRIDE = {"prefetcher": "stride"}
EPOCHS = {"controller.scheduler": "nvm_duet"}
COPIED = ("llc_trace", "cpu_trace", "synthetic_core", "block_trace")
MODULO = {"frontend.translation": "modulo"}
APART = {**MODULO, "controller.outstanding": "queue"}  # so that pages of copies meet in the buffer
FLUSHES = {"path": "flushes", "format": "blkparse"}
SAMPLED = {
    **{"path": "packed", "format": "hmsim"},
    **{"sampling.length": 100, "sampling.warmup": 100},
}
COMPANY: dict[str, dict[str, Any]] = {
    "llc_trace.vcpu": {"path": "packed", "format": "hmsim"},
    "llc_trace.nt_fence": {"path": "copied", "format": "hmsim"},
    **{f"{kind}.copies": {"copies": 2, "copy_number": 1, **APART} for kind in COPIED},
    **{f"{kind}.copy_number": {"copies": 3, **APART} for kind in COPIED},
    **{
        f"{owner}.stride.{key}": STRIDE
        for owner in ("cpu_trace", "frontend.cache")
        for key in ("degree", "distance", "entries")
    },
    "block_trace.fence": EPOCHS,
    "io_pattern.fence": EPOCHS,
    "io_pattern.theta": {"access": "zipf"},
    "io_pattern.arrivals": {"arrival_rate": 1_000_000},
    "io_pattern.arrival_rate": {"arrivals": "fixed", "arrival_rate": 1_000_000},
    "io_pattern.burst_on": {"arrivals": "bursty", "arrival_rate": 1_000_000},
    "io_pattern.burst_off": {"arrivals": "bursty", "arrival_rate": 1_000_000},
    "io_pattern.queue": {"arrivals": "fixed", "arrival_rate": 10_000_000},
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
    "job.sampling.period": SAMPLED,
    **{
        f"job.sampling.{key}": {**SAMPLED, "sampling.period": 2_000} for key in ("length", "warmup")
    },
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
COMPANY |= {f"block_trace.columns.{key}": TABLE for key in (*COLUMNS, "offset_unit", "size_unit")}
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
# A job beside others is not sampled; tests/validation/test_sampled_runs.py shows that the keys act.
REFUSED += ("job.sampling.period", "job.sampling.length", "job.sampling.warmup")
# Parameters that change no statistic. The test fails for an entry that changes one.
INERT = {
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
