// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/statistics.h"

#include "core/statistic_sums.h"
#include "nvdimm/nvdimm.h"

namespace hmsim {

namespace {

using Nvdimms = std::vector<Nvdimm*>;

void report_power(StatisticRegistry& registry, const Nvdimms& nvdimms) {
  register_power_statistics(registry, {nvdimms.begin(), nvdimms.end()});
  const auto pages = [&](const char* name, const char* description, Counter PowerRecord::*count) {
    registry.gauge(name, "pages", description, sum_over(nvdimms, [count](const Nvdimm& nvdimm) {
                     return nvdimm.power_record().*count;
                   }));
  };
  pages("nvdimm.power.flushed_pages", "dirty pages saved at power failures",
        &PowerRecord::flushed_pages);
  pages("nvdimm.power.merged_pages",
        "dirty pages saved at power failures that were completed from flash before",
        &PowerRecord::merged_pages);
  pages("nvdimm.power.torn_pages", "pages whose program or erase was interrupted by power failures",
        &PowerRecord::torn_pages);
  registry.gauge("nvdimm.power.recovery_us", "us",
                 "the longest time from power to the first command: reading all spare areas, "
                 "collecting LUNs that have too few free blocks",
                 largest_of(nvdimms, [](const Nvdimm& nvdimm) {
                   return microseconds(nvdimm.power_record().recovery);
                 }));
}

}  // namespace

void register_flash_statistics(StatisticRegistry& registry, const NvdimmModules& modules) {
  Nvdimms nvdimms;
  std::vector<SyncBuffer*> buffers;
  std::vector<Ftl*> ftls;
  std::vector<FlashArray*> arrays;
  for (NvdimmModule* module : modules) {
    auto* const nvdimm = static_cast<Nvdimm*>(module);
    nvdimms.push_back(nvdimm);
    buffers.push_back(&nvdimm->buffer());
    ftls.push_back(&nvdimm->ftl());
    arrays.push_back(&nvdimm->flash());
  }
  registry.on_reset([nvdimms](Tick now) {
    for (Nvdimm* nvdimm : nvdimms) {
      nvdimm->reset_statistics(now);
    }
  });
  register_buffer_statistics(registry, buffers);
  register_ftl_statistics(registry, ftls, arrays);
  report_power(registry, nvdimms);
  register_nand_statistics(registry, arrays);
}

}  // namespace hmsim
