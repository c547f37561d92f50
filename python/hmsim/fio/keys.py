# SPDX-License-Identifier: BSD-3-Clause
"""Keys of fio's job files: supported, ignored, or refused (manual of fio 3.33)."""

from __future__ import annotations

from hmsim._core import nearest_name

ALIASES = {
    "readwrite": "rw",
    "blocksize": "bs",
    "blocksize_range": "bsrange",
    "io_limit": "io_size",
    "ba": "blockalign",
    "fileoffset": "offset",
    "nr_files": "nrfiles",
    "fdatasync": "fsync",
    "wait_for_previous": "stonewall",
    "timeout": "runtime",
    "ratemin": "rate_min",
    "ss": "steadystate",
}
FOLLOWED = {
    *("rw", "bs", "bssplit", "bsrange", "size", "filesize", "nrfiles", "io_size", "offset"),
    *("offset_increment", "filename", "iodepth", "numjobs", "rwmixread", "rwmixwrite", "kb_base"),
    *("random_distribution", "fsync", "sync", "number_ios", "loops", "stonewall", "startdelay"),
    *("rate", "rate_iops", "rate_process", "thinktime", "thinktime_blocks", "direct", "buffered"),
    *("ioengine", "blockalign", "norandommap", "softrandommap", "randrepeat", "runtime"),
    "time_based",
}
# Ignored without a note: they do not change the requests to the device.
QUIET = {
    *("group_reporting", "new_group", "name", "description", "directory", "thread", "unit_base"),
    *("invalidate", "randseed", "allrandrepeat"),
    *("refill_buffers", "scramble_buffers", "zero_buffers", "random_generator", "create_on_open"),
    *("gtod_reduce", "gtod_cpu", "clocksource", "job_start_clock_id", "unified_rw_reporting"),
    *("disable_lat", "disable_clat", "disable_slat", "disable_bw", "disable_bw_measurement"),
    *("lat_percentiles", "clat_percentiles", "slat_percentiles", "percentile_list", "disk_util"),
    *("block_error_percentiles", "significant_figures", "stats", "per_job_logs"),
    *("write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log", "write_iolog"),
    *("bwavgtime", "iopsavgtime", "overwrite", "fallocate", "fadvise_hint", "filetype"),
    *("create_serialize", "create_fsync", "create_only", "filename_format", "file_append"),
    *("unique_filename", "unlink", "unlink_each_loop", "allow_file_create", "openfiles"),
    *("allow_mounted_write", "cpus_allowed", "cpus_allowed_policy", "cpumask", "comm"),
    *("numa_cpu_nodes", "numa_mem_policy", "nice", "prio", "prioclass", "priohint", "hipri"),
    *("registerfiles", "sqthread_poll", "sqthread_poll_cpu", "nonvectored", "uncached"),
    *("fixedbufs", "force_async", "userspace_reap", "io_submit_mode", "cmd_type", "gpu_dev_id"),
    *("iodepth_batch", "iodepth_batch_submit", "iodepth_low"),
    *("iodepth_batch_complete", "iodepth_batch_complete_min", "iodepth_batch_complete_max"),
    *("mem", "iomem", "mem_align", "iomem_align", "lockmem", "hugepage-size", "atomic"),
    *("rwmixcycle", "rate_ignore_thinktime", "rate_cycle", "ratecycle", "read_iolog_chunked"),
    *("continue_on_error", "error_dump", "ignore_error", "max_latency", "uid", "gid"),
    *("exec_prerun", "exec_postrun", "ioscheduler", "cgroup", "cgroup_weight", "cgroup_nodelete"),
    *("max_open_zones", "job_max_open_zones", "read_beyond_wp", "ignore_zone_limits"),
    *("zonecapacity", "recover_zbd_write_error", "write_zone_remainder", "num_range"),
}
# Details of logs, buffers and priorities, or of a key that is ignored or refused itself.
DETAILS = (
    *("log_", "buffer_", "dedupe_", "cmdprio", "verify_", "verifysort", "do_verify", "zone_"),
    *("flow_", "latency_", "replay_", "merge_blktrace_", "trim_", "steadystate_", "ss_", "spr_"),
    *("fdp_", "plid", "thinktime_blocks_type"),
)
# Left out with a note.
NOTED = {
    "ramp_time": "'--warmup' excludes the beginning",
    "ramp_size": "'--warmup' excludes the beginning",
    "end_fsync": "fsync=N flushes after every N writes",
    "fsync_on_close": "fsync=N flushes after every N writes",
    "thinktime_spin": "a thread sleeps for all of thinktime",
    "pre_read": "no data are cached at the start",
    "exitall": "each job ends with its own requests",
    "exit_what": "each job ends with its own requests",
    "exitall_on_error": "each job ends with its own requests",
    "steadystate": "a job ends by hmsim's limits of range and slope, SNIA's",
    "rate_min": "a job does not end if it is slower",
    "rate_iops_min": "a job does not end if it is slower",
    "lockfile": "jobs do not lock files",
    "serialize_overlap": "overlapping requests do not wait for each other",
    "write_hint": "the device takes no hints of placement",
    "fdp": "the device takes no hints of placement",
    "dataplacement": "the device takes no hints of placement",
    "data_placement": "the device takes no hints of placement",
    "dp_scheme": "the device takes no hints of placement",
}
# An agent could not reproduce a job with these; the advice names the nearest supported key.
REFUSED = {
    "wait_for": "use stonewall",
    "thinktime_iotime": "use thinktime_blocks",
    "thinkcycles": "use thinktime",
    "verify": "use rw=rw to read as well",
    "verify_only": "use rw=read",
    "experimental_verify": "use rw=rw to read as well",
    "read_iolog": "use an agent of kind block_trace with format: fio",
    "bs_unaligned": "use bsrange",
    "blocksize_unaligned": "use bsrange",
    "bs_is_seq_rand": "use bs",
    "offset_align": "use offset",
    "percentage_random": "use two jobs, rw=read and rw=randread",
    "percentage_sequential": "use two jobs, rw=read and rw=randread",
    "random_sequence_stride": "use rw=randread or rw=randwrite",
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
    "zoneskip": "use offset and size",
    "sprandom": "use rw=randwrite",
    "trim_percentage": "use rw",
    "trim_backlog": "use rw",
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
    if key == "ioengine" and text not in ENGINES:
        near = nearest_name(text, sorted(ENGINES))
        hint = f"did you mean '{near}'?" if near else "use libaio, io_uring or psync"
        return f"'{text}' is not an engine of files or block devices; {hint}"
    known = FOLLOWED | REFUSED.keys() | QUIET | NOTED.keys()
    if key in known or key.startswith(DETAILS):
        return ""
    near = nearest_name(written, sorted({*FOLLOWED, *ALIASES, *NOTED}))
    return f"unknown key; did you mean '{near}'?" if near else "unknown key; delete it"
