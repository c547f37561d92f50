# SPDX-License-Identifier: BSD-3-Clause
"""What a configuration is: sizes, peak rates and limits that follow from its parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from hmsim.common import labels
from hmsim.common.quantities import quantity
from hmsim.common.tables import number
from hmsim.config.configuration import Config, dram_peak
from hmsim.workloads.decoding import KIND, need

LINE, PAGE = 64, 4096  # bytes
GRADES = {"1": 48.0, "2": 96.0, "3": 192.0}  # GB/s of an HBF channel in each direction
LINES = PAGE // LINE  # of a page
Texts = Mapping[str, str]


def size(count: float) -> str:
    """Return bytes in a readable unit: ``222.6 MiB``."""
    power = 0 if count < 1 else min(4, int(math.log2(count)) // 10)
    return f"{number(count / 1024**power)} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def effective_over_provisioning(parameters: Texts) -> float:
    """Return the room for valid pages of flash beyond the logical capacity, in percent of it.

    Blocks that collection keeps free, open blocks and bad ones hold no spare pages
    (``FtlShape::valid_limit``, nvdimm/ftl/ftl_shape.h).
    """
    pages = int(parameters["nvdimm.nand.pages_per_block"]) * int(parameters["nvdimm.nand.planes"])
    raw = _of(parameters, "nvdimm.capacity") / PAGE
    parts = _of(parameters, "nvdimm.nand.page_size") / PAGE
    blocks = raw / (_luns(parameters) * pages * parts)
    share = _of(parameters, "nvdimm.ftl.gc_threshold")
    free = max(math.ceil(round(blocks * share, 6)), _of(parameters, "nvdimm.ftl.reserve_blocks"))
    bad = _of(parameters, "nvdimm.nand.factory_bad") * _of(parameters, "nvdimm.nand.planes")
    places = parameters["nvdimm.ftl.placement"] != "single"
    streams = _of(parameters, "nvdimm.ftl.streams") if places else 1
    frontiers = 1 + streams + (parameters["nvdimm.ftl.map"] == "cached")
    kept = free + math.ceil(round(blocks * bad, 6)) + frontiers
    room = _luns(parameters) * (blocks - kept) * ((pages - 1) * parts + 1)
    logical = raw / (1 + _of(parameters, "nvdimm.ftl.over_provisioning") / 100)
    return 100 * (room / logical - 1)


def _of(parameters: Texts, name: str) -> float:
    return float(quantity(parameters[name]))


def _luns(parameters: Texts) -> float:
    names = ("channels", "chips", "dies")
    return math.prod(_of(parameters, f"nvdimm.nand.{name}") for name in names)


def description(config: Config) -> list[tuple[str, str]]:
    """Return what the machine is: names of its parts, and what they have. Raises InputError."""
    parameters, sizes = config.resolved(), config.capacities()
    peak = dram_peak(parameters)
    rate = "" if peak is None else f", peak {number(peak)} GB/s"
    channels = parameters["controller.channels"]
    lines = [("DRAM", f"{size(sizes['dram'])} on {channels} channel(s){rate}")]
    if parameters["nvdimm.present"] == "true":
        lines += _slow(parameters, sizes["nvdimm"], peak)
    if (kind := parameters["storage.kind"]) != "none":
        name = _capacity(parameters)
        lines.append(("storage", f"{kind}, {name} {parameters[name]}"))
        drives = _of(parameters, "storage.stripe.members")
        lines += _cells(_of_drive(parameters), drives, "drive") if kind == "flash" else []
    return lines + [("", line) for line in unused(parameters)]


def unused(parameters: Texts) -> Iterator[str]:
    """Yield a line for each policy of a cached map whose flash has a full one."""
    present = {"nvdimm": parameters["nvdimm.present"] == "true" and parameters["nvdimm.kind"]}
    for owner, kind in {**present, "storage.flash": parameters["storage.kind"]}.items():
        policy, place = (parameters[f"{owner}.ftl.map{name}"] for name in ("_replacement", ""))
        if kind == "flash" and place == "full" and policy != "lru_entries":
            yield f"{owner}.ftl.map_replacement {policy} not used: {owner}.ftl.map is full"


def needs(config: Config, agents: Iterable[Texts]) -> Iterator[tuple[str, str]]:
    """Yield what agents that decode need of each memory, beside what the machine has."""
    parameters, sizes = config.resolved(), config.capacities()
    names = {"dram": "DRAM", "nvdimm": labels.slow_memory(parameters)}
    if parameters["storage.kind"] != "none":
        names["nvdimm"], sizes["nvdimm"] = "storage", int(_of(parameters, _capacity(parameters)))
    decode = [(i, need(keys)) for i, keys in enumerate(agents) if keys["kind"] == KIND]
    for index, found in decode:
        for memory, parts in found.items():
            total, has = sum(parts.values()), sizes[memory]
            what = ", ".join(f"{name} {size(count)}" for name, count in parts.items())
            end = "" if total <= has else "; too much, so a run simulates some layers"
            said = f"needs {size(total)} of {names[memory]}, which has {size(has)}: {what}{end}"
            yield from [(f"agent {index}", said)] if parts else []


def _capacity(parameters: Texts) -> str:
    """Return the name of the storage device's capacity."""
    return "storage.flash.capacity" if parameters["storage.kind"] == "flash" else "storage.capacity"


def _of_drive(parameters: Texts) -> Texts:
    """Return the parameters of a drive's flash under the names of an NVDIMM's."""
    start = "storage.flash."
    own = {name: text for name, text in parameters.items() if name.startswith(start)}
    own = {f"nvdimm.{name[len(start) :]}": text for name, text in own.items()}
    return {"nvdimm.kind": "flash", "nvdimm.devices": "", **own}


def _slow(parameters: Texts, capacity: int, peak: float | None) -> list[tuple[str, str]]:
    """Return the lines on the slow memory."""
    channels, attach = _of(parameters, "controller.channels"), parameters["nvdimm.attach"]
    modules = channels * _of(parameters, "nvdimm.count")
    way = "of the links to the host" if attach != "ddr" else "of the buses, which DRAM shares"
    if attach == "cxl":
        lanes = _of(parameters, "cxl.lanes") / 8  # bytes of a transfer
        peak = modules * _of(parameters, "cxl.up.rate") / 1e9 * lanes
    elif attach == "hbf":
        own = parameters["hbf.read_rate"]
        peak = channels * (GRADES[parameters["hbf.grade"]] if own == "grade" else float(own) / 1e3)
    link = "" if peak is None else f", peak {number(peak)} GB/s {way}"
    what = f"{size(capacity)} in {number(modules)} module(s){link}"
    flash = _flash(parameters, modules) if parameters["nvdimm.kind"] in ("flash", "hbf") else []
    return [(labels.slow_memory(parameters), what), *flash]


def _cells(parameters: Texts, modules: float, noun: str) -> list[tuple[str, str]]:
    """Return the lines on the flash of the first module."""
    page, luns = _of(parameters, "nvdimm.nand.page_size"), _luns(parameters)
    lines = [("", f"a {noun}: {number(luns)} LUNs, pages of {size(page)}")]
    if sense := _of(parameters, "nvdimm.nand.read_time"):
        reads = number(modules * luns * page / sense * 1e3)
        lines = [("", f"{lines[0][1]}; all LUNs sense at most {reads} GB/s")]
    if parameters["nvdimm.kind"] == "flash":
        given, spare = parameters["nvdimm.ftl.over_provisioning"], "differs between modules"
        if not parameters["nvdimm.devices"]:
            spare = f"{number(effective_over_provisioning(parameters))} % effective"
        reason = "blocks kept free, open or bad hold no spare pages"
        lines.append(("", f"over-provisioning {given} %, {spare}: {reason}"))
    return lines


def _flash(parameters: Texts, modules: float) -> list[tuple[str, str]]:
    """Return the lines on the flash of the first module, and on its pages in flight."""
    depth = "queue_depth" if parameters["controller.queues"] == "unified" else "nvdimm_queue_depth"
    entries = int(parameters[f"controller.{depth}"])
    in_flight = f"{entries} requests of up to a page"
    if parameters["nvdimm.kind"] == "flash":
        in_flight = f"{max(1, entries // LINES)} in {entries} entries for lines"
        by_line = ("line", "nvdimm_p", "cxl", "item")
        names = ("nvdimm.access", "controller.ack", "nvdimm.attach", "nvdimm.buffer.granularity")
        if not any(parameters[name] == wrong for name, wrong in zip(names, by_line)):
            in_flight += f"; {entries} in entries for pages, of block drivers"
    lines = _cells(parameters, modules, "module")
    return [*lines, ("", f"pages in flight on a channel: {in_flight}")]
