// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/power.h"

#include "core/units.h"
#include "nvdimm/module/power_record.h"
#include "nvdimm/nand/nand_timing.h"

namespace hmsim {

namespace {

Tick running_program(const NvdimmParameters& parameters) {
  const std::int64_t programs = parameters.nand.cache ? 2 : 1;
  return parameters.buffer.release == FrameRelease::datain
             ? programs * longest_program(parameters.nand)
             : Tick(0);
}

}  // namespace

std::int64_t merge_reads(const NvdimmParameters& parameters) {
  return parameters.ftl.map == MapPlace::cached ? 2 : 1;
}

std::int64_t flush_pages(const NvdimmParameters& parameters) {
  return parameters.buffer.frames(parameters.buffer.write_size) + parameters.posted_writes;
}

std::int64_t save_pages(const NvdimmParameters& parameters) {
  return flush_pages(parameters) + parameters.spared_writes;
}

// Counts one partly filled flash page for each time that LUNs collect.
std::int64_t flash_pages(const NvdimmParameters& parameters, std::int64_t pages) {
  const std::int64_t most = flush_pages(parameters);
  const std::int64_t parts = parameters.nand.parts();
  return pages / most * share(most, parts) + share(pages % most, parts);
}

Tick flush_time(const NvdimmParameters& parameters, std::int64_t pages, std::int64_t merged) {
  return share(flash_pages(parameters, pages), parameters.luns()) *
             longest_program(parameters.nand) +
         merged * merge_reads(parameters) * parameters.nand.read_time;
}

Tick worst_hold_up(const NvdimmParameters& parameters) {
  const std::int64_t pages = save_pages(parameters);
  return running_program(parameters) + flush_time(parameters, pages, pages);
}

std::int64_t flush_blocks(const NvdimmParameters& parameters) {
  return share(share(flash_pages(parameters, flush_pages(parameters)), parameters.luns()),
               parameters.nand.superblock_pages());
}

std::string check_energy(const NvdimmParameters& parameters) {
  const std::int64_t budget = parameters.power.energy;
  const std::int64_t need = flush_energy(parameters.power, worst_hold_up(parameters));
  if (budget == kEnoughEnergy || need <= budget * kMicrojoulesPerMillijoule) {
    return "";
  }
  const std::int64_t pages = save_pages(parameters);
  std::int64_t saved = 0;  // the most that fit; the energy grows monotonically with the pages
  for (std::int64_t step = pages; step > 0; step /= 2) {
    while (saved + step <= pages &&
           flush_energy(parameters.power, running_program(parameters) +
                                              flush_time(parameters, saved + step, saved + step)) <=
               budget * kMicrojoulesPerMillijoule) {
      saved += step;
    }
  }
  return std::to_string(budget) +
         " mJ is too little for a power failure: " + std::to_string(pages) +
         " dirty pages take up to " + format_time(worst_hold_up(parameters)) + " and " +
         std::to_string(share(need, kMicrojoulesPerMillijoule)) + " mJ at " +
         std::to_string(parameters.power.draw) + " mW; " + std::to_string(pages - saved) +
         " of them would be lost";
}

}  // namespace hmsim
