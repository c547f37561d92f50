// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/statistics.h"

#include <algorithm>

#include "nvdimm/nvdimm.h"

namespace hmsim {

namespace {

using Nvdimms = std::vector<Nvdimm*>;

double microseconds(Tick time) {
  return static_cast<double>(time.value()) / static_cast<double>(kMicrosecond.value());
}

// Registers a gauge. `read` folds one module into the value of the preceding ones.
template <class Read>
void gauge(StatisticRegistry& registry, const Nvdimms& nvdimms, const char* name, const char* unit,
           const char* description, Read read) {
  registry.gauge(name, unit, description, [nvdimms, read] {
    double value = 0;
    for (Nvdimm* nvdimm : nvdimms) {
      value = read(value, *nvdimm);
    }
    return value;
  });
}

void report_power(StatisticRegistry& registry, const Nvdimms& nvdimms) {
  register_power_statistics(registry, {nvdimms.begin(), nvdimms.end()});
  gauge(registry, nvdimms, "nvdimm.power.flushed_pages", "pages",
        "dirty pages saved at power failures", [](double sum, const Nvdimm& nvdimm) {
          return sum + static_cast<double>(nvdimm.power_record().flushed_pages);
        });
  gauge(registry, nvdimms, "nvdimm.power.merged_pages", "pages",
        "dirty pages saved at power failures that were completed from flash before",
        [](double sum, const Nvdimm& nvdimm) {
          return sum + static_cast<double>(nvdimm.power_record().merged_pages);
        });
  gauge(registry, nvdimms, "nvdimm.power.torn_pages", "pages",
        "pages whose program or erase was interrupted by power failures",
        [](double sum, const Nvdimm& nvdimm) {
          return sum + static_cast<double>(nvdimm.power_record().torn_pages);
        });
  gauge(registry, nvdimms, "nvdimm.power.recovery_us", "us",
        "the longest time from power to the first command: reading all spare areas, collecting "
        "LUNs that have too few free blocks",
        [](double most, const Nvdimm& nvdimm) {
          return std::max(most, microseconds(nvdimm.power_record().recovery));
        });
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
