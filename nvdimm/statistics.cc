// SPDX-License-Identifier: BSD-3-Clause
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

double bytes_programmed(Nvdimm& nvdimm) {
  return static_cast<double>(nvdimm.statistics().nand.page_programs) *
         static_cast<double>(nvdimm.parameters().nand.page_size.value());
}

double bytes_written(Nvdimm& nvdimm) {
  return static_cast<double>(nvdimm.statistics().buffer.write_lookups) *
         static_cast<double>(kLineBytes.value());
}

// Returns the bytes that can be programmed until the endurance is reached, times the measured days.
double byte_days(Nvdimm& nvdimm) {
  constexpr double kSecondsPerDay = 86'400;
  const NvdimmParameters& parameters = nvdimm.parameters();
  return static_cast<double>(parameters.nand.endurance) *
         static_cast<double>(parameters.capacity.value()) *
         seconds(nvdimm.now() - nvdimm.statistics().nand.since) / kSecondsPerDay;
}

void report_wear(StatisticRegistry& registry, const Nvdimms& nvdimms) {
  registry.ratio("nvdimm.ftl.flash_bytes_per_host_byte",
                 "bytes of all programmed flash pages, without spare bytes, for each byte that the "
                 "host wrote to the buffer, whole lines of 64 B. Above nvdimm.ftl.waf if the host "
                 "writes parts of pages; below 1 if the buffer absorbs writes",
                 sum_over(nvdimms, bytes_programmed), sum_over(nvdimms, bytes_written));
  registry.ratio("nvdimm.nand.lifetime_days",
                 "days until all blocks have nand.endurance erases, if programs continue at the "
                 "measured rate and wear is even: nand.endurance x capacity of all blocks / bytes "
                 "programmed per day",
                 sum_over(nvdimms, byte_days), sum_over(nvdimms, bytes_programmed));
}

}  // namespace

void register_flash_statistics(StatisticRegistry& registry, const NvdimmModules& modules) {
  Nvdimms nvdimms;
  for (NvdimmModule* module : modules) {
    nvdimms.push_back(static_cast<Nvdimm*>(module));
  }
  const auto arrays =
      members_of(nvdimms, [](Nvdimm& nvdimm) -> FlashArray& { return nvdimm.flash(); });
  registry.on_reset([nvdimms](Tick now) {
    for (Nvdimm* nvdimm : nvdimms) {
      nvdimm->reset_statistics(now);
    }
  });
  register_buffer_statistics(registry, members_of(nvdimms, &Nvdimm::buffer));
  register_ftl_statistics(
      registry, members_of(nvdimms, [](Nvdimm& nvdimm) -> Ftl& { return nvdimm.ftl(); }), arrays);
  report_power(registry, nvdimms);
  register_nand_statistics(registry, arrays);
  report_wear(registry, nvdimms);
}

}  // namespace hmsim
