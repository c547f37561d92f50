# SPDX-License-Identifier: BSD-3-Clause
"""Agents of each kind, and another value of each of their keys."""

from __future__ import annotations

from typing import Any

from keys import keys

# A small NVDIMM whose flash is quick.
BASE: dict[str, Any] = {
    "nvdimm.capacity": "8MiB",
    "nvdimm.ftl.over_provisioning": 60,
    **keys("nvdimm.buffer.", "read_size=64KiB write_size=64KiB"),
    **keys("nvdimm.nand.", "pages_per_block=8 program_time=20us read_time=5us"),
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
    **keys("l1.", "size=8KiB ways=2 latency=9 mshrs=2"),
    **keys("l2.", "size=16KiB ways=4 latency=20 mshrs=2"),
    **keys("l3.", "size=32KiB ways=8 latency=50 mshrs=2 sharing=shared"),
    "prefetcher": "stride",
    **keys("stride.", "degree=1 distance=4"),
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
    **keys(
        "",
        "core=3 paged=true node=1 random_stream=7 measured=false frequency=500MHz width=1 "
        "window=8 base_cpi=2 mshrs=2 target=nvdimm outstanding=2 requests=300 instructions=1000 "
        "footprint=1MiB skip=700 loop=2 copies=3 copy_number=1",
    ),
    **CACHES,
    **{f"frontend.cache.{key}": value for key, value in CACHES.items()},
    **keys("cpu_trace.", "address_space=3 format=drmemtrace"),
    "block_trace.windows": "skip=30, requests=10; skip=5, warmup=2, requests=9, weight=2",
    "llc_trace.path": "other misses",
    **keys(
        "llc_trace.",
        "format=hmsim vcpu=1 dependence=0.5 nt_fence=none instructions_per_request=50",
    ),
    "windows": "skip=100, instructions=500; skip=1500, instructions=400, weight=2",
    "cpu_trace.path": "other program",
    "block_trace.path": "other blocks",
    **keys(
        "block_trace.",
        "skip=3 format=msr zero_length=error on_bad_record=error threads=1 request_time=1us "
        "software_time=1us fence=request driver=pmbd copy=write_back wait=block "
        "write_end=accepted barrier=driver map_time=300ns fault_time=1us replay=timed "
        "time_scale=0.5 think_scale=3 think_spread=0.5 old_response=1ms requests=20 duration=20us "
        "device_stride=64KiB handle=1 handle_order=random",
    ),
    **keys(
        "memory_trace.",
        "on_bad_record=error format=ramulator_rw mode=timed sources=trace interval=50ns",
    ),
    **keys(
        "io_pattern.",
        "threads=1 request_time=1us software_time=1us fence=request driver=pmbd copy=write_back "
        "wait=block write_end=accepted barrier=driver map_time=300ns fault_time=1us depth=2 "
        "size=8KiB read_share=0.25 trim_share=0.5 trim_writes=true access=sequential theta=2 "
        "separate_writes=true regions=per_thread offset=2KiB flush_every=1 fua=true "
        "arrivals=poisson arrival_rate=200000 burst_on=10us burst_off=10us queue=3 think_time=7us "
        "think_every=3 start=9us stage=0 requests=20 duration=20us random_map=repeat align=16KiB "
        "pass=64KiB passes=1 bytes=64KiB handle=1 handle_order=random",
    ),
    "memory_trace.path": "other lines",
    "levels": "1, 2, 4, 8, 2048, 96",
    **{f"block_trace.columns.{key}": column for key, column in COLUMNS.items()},
    **keys(
        "block_trace.columns.",
        "time=lag offset=long size=more time_unit=2us offset_unit=1KiB size_unit=2B "
        "separator=blanks header=3 skip=R handle=disk",
    ),
    "block_trace.columns.op": "what else",
    **{f"block_trace.columns.{key}": "word" for key in ("read", "write", "flush", "trim")},
    **keys(
        "synthetic.",
        "pattern=sequential read_ratio=0.5 offset=1GiB stride=128KiB interval=100ns latency=300ns",
    ),
    **keys("synthetic_core.", "rpki=20 wpki=20 pattern=stream dependence=0.25"),
    "job.path": "other job",
    **keys(
        "job.",
        "format=hmsim cores=1 nodes=1 tasks=2 flushers=0 dirty_ratio=1e-06 transfer=1KiB "
        "transfer_gap=2 skip_idle=true",
    ),
    **keys("pattern.", "stride=64 reuse=0.1 write_ratio=0.5 write_randomness=1 read_randomness=1"),
    **keys("frontend.core.", "frequency=500MHz width=1 window=8 base_cpi=2 mshrs=2"),
    **keys(
        "frontend.block.",
        "threads=1 window=8 request_time=1us software_time=1us fence=request driver=dax "
        "copy=uncached wait=block write_end=accepted barrier=driver map_time=300ns fault_time=1us",
    ),
    **keys(
        "frontend.node.",
        "machine=dma engine=dma mshrs=2 copy_instructions=100 dma_lines=2 persistence=module "
        "wake=queues quantum=1us switch_time=100ns",
    ),
    **keys("frontend.node.prefetch.", "degree=2 distance=2 training=8 streams=1 mshrs=1 buffers=2"),
    **keys("frontend.nodes.", "count=2 memory=shared"),
    **keys("frontend.network.", "latency=2us rate=1Gb/s"),
    **keys("frontend.", "translation=modulo series_interval=1us time_limit=2us stall_limit=1ms"),
    **{f"{owner}.until": "steady" for owner in ("frontend", "io_pattern", "block_trace")},
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
