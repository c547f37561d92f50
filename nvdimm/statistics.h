// SPDX-License-Identifier: BSD-3-Clause
// Counters of one flash NVDIMM, floor by floor.
#pragma once

#include "nvdimm/buffer/buffer_statistics.h"
#include "nvdimm/ftl/ftl_statistics.h"
#include "nvdimm/module/module.h"
#include "nvdimm/nand/nand_statistics.h"

namespace hmsim {

struct NvdimmStatistics {
  BufferStatistics& buffer;
  FtlStatistics& ftl;
  NandStatistics& nand;
};

// Reads flash modules, which have been attached to a kernel, as one.
void register_flash_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
