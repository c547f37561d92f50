// SPDX-License-Identifier: BSD-3-Clause
// Statistics of one flash NVDIMM, by layer.
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

// Registers the statistics of flash modules, combined. Each must be attached to a kernel.
void register_flash_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
