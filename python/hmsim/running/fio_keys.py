# SPDX-License-Identifier: BSD-3-Clause
"""Keys of fio's job files: supported, ignored, or refused (manual of fio 3.33)."""

from __future__ import annotations

from hmsim._core import nearest_name

ALIASES = {
    "readwrite": "rw",
    "blocksize": "bs",
    "blocksize_range": "bsrange",
    "io_limit": "io_size",
    "fdatasync": "fsync",
    "wait_for_previous": "stonewall",
}
FOLLOWED = {
    *("rw", "bs", "bssplit", "bsrange", "size", "filesize", "nrfiles", "io_size", "offset"),
    *("offset_increment", "filename", "iodepth", "numjobs", "rwmixread", "rwmixwrite", "kb_base"),
    *("random_distribution", "fsync", "sync", "number_ios", "loops", "stonewall", "startdelay"),
    *("rate", "rate_iops", "rate_process", "thinktime", "thinktime_blocks", "direct", "buffered"),
    "ioengine",
}
# Ignored without a note: they do not change the requests to the device.
QUIET = {
    *("group_reporting", "new_group", "name", "description", "directory", "thread", "unit_base"),
    *("invalidate", "randrepeat", "randseed", "allrandrepeat", "norandommap", "create_on_open"),
    *("refill_buffers", "scramble_buffers", "buffer_compress_percentage", "zero_buffers"),
    *("buffer_compress_chunk", "buffer_pattern", "dedupe_percentage", "random_generator"),
    *("gtod_reduce", "clocksource", "disable_lat", "disable_clat", "disable_slat", "disable_bw"),
    *("lat_percentiles", "clat_percentiles", "slat_percentiles", "percentile_list", "exitall"),
    *("write_bw_log", "write_lat_log", "write_iops_log", "log_avg_msec", "per_job_logs", "unlink"),
    *("write_hist_log", "log_hist_msec", "log_max_value", "log_offset", "log_unix_epoch"),
    *("bwavgtime", "iopsavgtime", "unified_rw_reporting", "significant_figures", "stats"),
    *("overwrite", "fallocate", "fadvise_hint", "cpus_allowed", "cpus_allowed_policy"),
    *("create_serialize", "create_fsync", "create_only", "filename_format", "file_append"),
    *("numa_cpu_nodes", "numa_mem_policy", "nice", "prio", "prioclass", "hipri", "fixedbufs"),
    *(
        "registerfiles",
        "sqthread_poll",
        "sqthread_poll_cpu",
        "nonvectored",
        "uncached",
        "force_async",
    ),
    *("iodepth_batch", "iodepth_batch_submit", "iodepth_low", "io_submit_mode", "userspace_reap"),
    *("iodepth_batch_complete", "iodepth_batch_complete_min", "iodepth_batch_complete_max"),
    *("mem", "iomem", "mem_align", "iomem_align", "lockmem", "hugepage-size", "openfiles"),
    *("rwmixcycle", "thinktime_blocks_type", "rate_ignore_thinktime", "rate_cycle"),
    *(
        "write_iolog",
        "continue_on_error",
        "error_dump",
        "ignore_error",
        "max_latency",
        "uid",
        "gid",
    ),
    *("exec_prerun", "exec_postrun", "ioscheduler", "cgroup", "cgroup_weight", "cgroup_nodelete"),
}
# Left out with a note.
NOTED = {
    "runtime": "an agent ends with its requests; frontend.time_limit ends a run earlier",
    "time_based": "an agent ends with its requests; set more with loops and io_size",
    "ramp_time": "'--warmup' excludes the beginning",
    "end_fsync": "fsync=N flushes after every N writes",
    "fsync_on_close": "fsync=N flushes after every N writes",
    "thinktime_spin": "a thread sleeps for all of thinktime",
    "pre_read": "no data are cached at the start",
}
# An agent could not reproduce a job with these; the advice names the nearest supported key.
REFUSED = {
    "wait_for": "use stonewall",
    "rate_min": "use rate",
    "rate_iops_min": "use rate_iops",
    "thinktime_iotime": "use thinktime_blocks",
    "thinkcycles": "use thinktime",
    "verify": "use rw=rw to read as well",
    "do_verify": "use rw=rw to read as well",
    "read_iolog": "use an agent of kind block_trace with format: fio",
    "bs_unaligned": "use bsrange",
    "blocksize_unaligned": "use bsrange",
    "bs_is_seq_rand": "use bs",
    "blockalign": "use bs",
    "offset_align": "use offset",
    "percentage_random": "use two jobs, rw=read and rw=randread",
    "rw_sequencer": "use rw",
    "sync_file_range": "use fsync",
    "end_syncfs": "use fsync",
    "write_barrier": "use fsync",
    "file_service_type": "use filesize and offset",
    "flow": "use rate_iops",
    "opendir": "use filename",
    "zonemode": "use offset and size",
    "zonesize": "use offset and size",
    "zonerange": "use offset and size",
    "trim_percentage": "use rw",
    "latency_target": "use iodepth",
    "fill_device": "use size",
    "fill_fs": "use size",
    "profile": "use rw, bs and iodepth",
}
SYNCHRONOUS = {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"}
# Engines that read and write files or devices; others transfer no blocks.
ENGINES = SYNCHRONOUS | {
    *("libaio", "posixaio", "solarisaio", "windowsaio", "io_uring", "io_uring_cmd", "sg", "xnvme"),
    *("libblkio", "splice", "libpmem", "dev-dax", "mtd", "pmemblk", "libzbc", "nbd"),
}


def problem(written: str, key: str, text: str) -> str:
    """Return why a key with this value is refused, with the nearest supported key; or ''."""
    if key in REFUSED and text not in ("0", "none"):
        return f"is not supported, and without it the job would differ; {REFUSED[key]}"
    if key in FOLLOWED | REFUSED.keys() | QUIET | NOTED.keys():
        return ""
    near = nearest_name(written, sorted({*FOLLOWED, *ALIASES, *QUIET, *NOTED}))
    return f"unknown key; did you mean '{near}'?" if near else "unknown key; delete it"
