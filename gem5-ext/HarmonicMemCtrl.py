# SPDX-License-Identifier: BSD-3-Clause
"""hmsim's memory controller for DRAM and NVDIMM DIMMs that share a channel, as gem5 objects."""

from m5.objects.AbstractMemory import AbstractMemory
from m5.objects.ClockedObject import ClockedObject
from m5.params import NULL, Param, ResponsePort, VectorParam
from m5.util.pybind import PyBindMethod


class HarmonicMemInterface(AbstractMemory):
    """Contents and address range of one of the controller's two memories, DRAM or NVDIMM."""

    type = "HarmonicMemInterface"
    cxx_header = "gem5-ext/harmonic_mem_ctrl.hh"
    cxx_class = "gem5::memory::HarmonicMemInterface"

    latency = Param.Latency("50ns", "latency of an access in atomic mode")


class HarmonicMemCtrl(ClockedObject):
    """The controller. Each port has a separate request layer, so that a full NVDIMM queue does not
    block DRAM (with controller.queues: split)."""

    type = "HarmonicMemCtrl"
    cxx_header = "gem5-ext/harmonic_mem_ctrl.hh"
    cxx_class = "gem5::memory::HarmonicMemCtrl"

    dram = Param.HarmonicMemInterface("the DRAM's bytes")
    dram_port = ResponsePort("requests to DRAM")
    nvdimm = Param.HarmonicMemInterface(NULL, "the NVDIMM's bytes, if there is one")
    nvdimm_port = ResponsePort("requests to the NVDIMM")

    parameters = VectorParam.String([], "NAME=VALUE, as `hmsim check --flat` prints them")
    seed = Param.UInt64(1, "seed of all pseudo-random choices")
    check = Param.Bool(False, "check every command against the rules of devices, buses and acks")
    views = Param.Bool(False, "compare gem5's times of each packet with hmsim's")
    # Same defaults as gem5's MemCtrl.
    static_frontend_latency = Param.Latency(
        "10ns", "delay from the port to the queue; writes end there"
    )
    static_backend_latency = Param.Latency("10ns", "delay from the device back to the port")
    written = Param.String(
        "",
        "file of the NVDIMM pages written before this machine began: a line "
        "'FIRST COUNT' for each run of pages, oldest first",
    )
    record = Param.String("", "name in the output folder for a packet trace of accepted requests")

    cxx_exports = [  # noqa: RUF012
        PyBindMethod("statistics"),
        PyBindMethod("view_sums"),
        PyBindMethod("resolved"),
    ]
