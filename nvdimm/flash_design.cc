// SPDX-License-Identifier: BSD-3-Clause
// The flash kind of NVDIMM.
#include "nvdimm/design.h"
#include "nvdimm/nvdimm.h"

namespace hmsim {

namespace {

std::int64_t luns(const NvdimmParameters& parameters) { return parameters.luns(); }

Tick lookup(const NvdimmParameters& parameters) { return parameters.buffer.lookup; }

Tick page_read(const NvdimmParameters& parameters) {
  const NandParameters& nand = parameters.nand;
  return nand.command_time + nand.read_time + nand.firmware.time +
         Tick(kPageBytes.value() * kSecond.value() / nand.bus_rate);
}

std::unique_ptr<NvdimmModule> make(const NvdimmParameters& parameters, AckListener& host,
                                   std::uint64_t seed, const Assignments& assignments) {
  return std::make_unique<Nvdimm>(parameters, host, seed, assignments);
}

}  // namespace

const NvdimmDesign kFlashDesign{check_flash, Nvdimm::logical_capacity, luns, lookup, page_read,
                                make,        register_flash_statistics};

}  // namespace hmsim
