// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>

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

// Returns the same, but counts a page in one-bit mode as the pages whose share of an erase it
// takes.
double bytes_worn(Nvdimm& nvdimm) {
  return bytes_programmed(nvdimm) + static_cast<double>(nvdimm.parameters().nand.cell_bits - 1) *
                                        static_cast<double>(nvdimm.statistics().ftl.cached_pages) *
                                        static_cast<double>(kPageBytes.value());
}

double bytes_written(Nvdimm& nvdimm) {
  return static_cast<double>(nvdimm.statistics().buffer.write_lines) *
         static_cast<double>(kLineBytes.value());
}

constexpr double kSecondsPerDay = 86'400;

double measured_days(Nvdimm& nvdimm) {
  return seconds(nvdimm.now() - nvdimm.statistics().nand.since) / kSecondsPerDay;
}

// Returns the bytes that can be programmed until the endurance is reached, times the measured days.
double byte_days(Nvdimm& nvdimm) {
  const NvdimmParameters& parameters = nvdimm.parameters();
  return static_cast<double>(parameters.nand.endurance) *
         static_cast<double>(parameters.capacity.value()) *
         seconds(nvdimm.now() - nvdimm.statistics().nand.since) / kSecondsPerDay;
}

// Erases of all good blocks of modules.
struct Erases {
  double blocks = 0;
  double sum = 0;
  double squares = 0;
  double least = 0;
  double most = 0;

  double mean() const { return blocks == 0 ? 0 : sum / blocks; }
  double deviation() const {
    return blocks == 0 ? 0 : std::sqrt(std::max(0.0, squares / blocks - mean() * mean()));
  }
};

Erases erases_of(const Nvdimms& nvdimms) {
  Erases all;
  for (const Nvdimm* nvdimm : nvdimms) {
    for (std::uint32_t lun = 0; lun < nvdimm->ftl().shape().luns; ++lun) {
      nvdimm->ftl().blocks(lun).wear().each([&all](std::uint32_t erases, std::uint32_t blocks) {
        const auto each = static_cast<double>(erases);
        const auto count = static_cast<double>(blocks);
        all.least = blocks > 0 && (all.blocks == 0 || each < all.least) ? each : all.least;
        all.most = blocks > 0 ? std::max(all.most, each) : all.most;
        all.blocks += count;
        all.sum += count * each;
        all.squares += count * each * each;
      });
    }
  }
  return all;
}

double life_used(const Nvdimms& nvdimms) {
  return erases_of(nvdimms).mean() /
         static_cast<double>(nvdimms.front()->parameters().nand.endurance);
}

// Returns the bytes of logical capacity times the measured days.
double capacity_days(Nvdimm& nvdimm) {
  return static_cast<double>(nvdimm.ftl().shape().logical_pages) *
         static_cast<double>(kPageBytes.value()) * measured_days(nvdimm);
}

void report_erases(StatisticRegistry& registry, const Nvdimms& nvdimms) {
  const auto erases = [&](const char* name, const char* description, auto read) {
    registry.gauge(std::string("nvdimm.nand.wear.") + name, "erases", description,
                   [nvdimms, read] { return read(erases_of(nvdimms)); });
  };
  erases("mean", "erases of a good block, mean, including those of nvdimm.precondition",
         [](const Erases& all) { return all.mean(); });
  erases("least", "erases of the least worn good block",
         [](const Erases& all) { return all.least; });
  erases("most", "erases of the most worn good block", [](const Erases& all) { return all.most; });
  erases("deviation", "standard deviation of the erases of good blocks",
         [](const Erases& all) { return all.deviation(); });
  registry.gauge("nvdimm.ftl.spare", "",
                 "effective over-provisioning: pages of the blocks that are full when collection "
                 "begins, beyond the logical pages and relative to them",
                 [nvdimms] { return nvdimms.front()->ftl().shape().spare(); });
  registry.gauge("nvdimm.nand.wear.life_used", "",
                 "mean erases of good blocks, as a share of nand.endurance",
                 [nvdimms] { return life_used(nvdimms); });
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
                 "programmed per day; a page of an SLC cache counts nand.cell_bits times",
                 sum_over(nvdimms, byte_days), sum_over(nvdimms, bytes_worn));
  report_erases(registry, nvdimms);
  registry.ratio(
      "nvdimm.nand.wear.days_left",
      "days until the mean erases of good blocks are nand.endurance, if programs continue "
      "at the measured rate: nand.lifetime_days x (1 - nand.wear.life_used)",
      [nvdimms, all = sum_over(nvdimms, byte_days)] {
        return all() * std::max(0.0, 1 - life_used(nvdimms));
      },
      sum_over(nvdimms, bytes_worn));
  registry.ratio("nvdimm.nand.wear.writes_per_day",
                 "device writes a day: bytes that the host wrote to the buffer, over the logical "
                 "capacity and the measured days",
                 sum_over(nvdimms, bytes_written), sum_over(nvdimms, capacity_days));
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
