// SPDX-License-Identifier: BSD-3-Clause
#include "controller/layout/channel_layout.h"

#include "nvdimm/design.h"

namespace hmsim {

namespace {

// Returns the longest gap between bursts of different drivers, in addition to the burst. Read to
// write is the longest unless the write latency exceeds the read latency.
Cycle longest_turnaround(const DramParameters& dram) {
  const DramTiming& timing = dram.timing;
  return Cycle(timing.dimm_gap() +
               (timing.cl > timing.cwl ? timing.cl - timing.cwl : timing.cwl - timing.cl));
}

bool command_queues_may_fill(const SystemConfig& config) {
  const ControllerParameters& controller = config.controller;
  return controller.structure == QueueStructure::flat &&
         (controller.writes == WriteMode::drained ||
          config.transaction_slots() > controller.command_queue_depth);
}

}  // namespace

ChannelLayout::ChannelLayout(const SystemConfig& config, int channel)
    : controller(config.controller),
      dram(config.dram),
      map(config),
      index(channel),
      period(config.dram.clock_period()),
      banks_per_rank(static_cast<int>(config.dram.organisation.banks)),
      nvdimm_rank(static_cast<int>(config.dram.ranks)),
      nvdimms(static_cast<int>(config.population.count)),
      pseudo_banks(config.nvdimms()),
      split(config.controller.split()),
      two_level(config.controller.structure == QueueStructure::two_level),
      drained(config.controller.writes == WriteMode::drained),
      command_queues_fill(command_queues_may_fill(config)),
      posts_writes(config.controller.posts_writes()),
      blocks(config.block_access()),
      grants(config.controller.grants()),
      command_slots(config.dram.command_slots()),
      turnaround(config.controller.contest == Contest::ready ? longest_turnaround(config.dram)
                                                             : Cycle(0)),
      ack_to_burst(grants ? config.controller.grant_delay() : 0) {}

RequestView ChannelLayout::view_of(const Transaction& transaction) const {
  const Request& request = transaction.request;
  const std::int64_t line = is_nvdimm(transaction) ? transaction.local / Address(kLineBytes.value())
                                                   : map.dram_line(request.address);
  return {transaction.slot,
          request.id,
          request.arrival,
          request.memory,
          request.write,
          request.source,
          is_nvdimm(transaction) ? nvdimm_rank : transaction.rank,
          bank_in_rank(transaction),
          transaction.row,
          line,
          false,
          request.epoch,
          request.origin};
}

ChannelShape ChannelLayout::shape(const std::vector<NvdimmParameters>& modules,
                                  std::size_t slots) const {
  const DramTiming& timing = dram.timing;
  const auto cycles = [this](std::int64_t count) { return time_of(Cycle(count)); };
  ChannelShape shape;
  shape.clock_period = period;
  shape.slots = static_cast<std::uint32_t>(slots);
  shape.dram_slots = static_cast<int>(controller.queue_depth);
  shape.nvdimm_slots = static_cast<int>(controller.slots_for_nvdimm());
  shape.ranks = nvdimm_rank;
  shape.banks_per_rank = banks_per_rank;
  shape.burst = cycles(timing.burst);
  shape.read_to_write = cycles(timing.cl + timing.trtrs - timing.cwl);
  shape.write_to_read = cycles(timing.cwl + timing.twtr);
  shape.rank_switch = cycles(timing.trtrs);
  shape.row_miss = cycles(timing.trp + timing.trcd);
  shape.pseudo_banks = static_cast<int>(pseudo_banks.count());
  for (const NvdimmParameters& module : modules) {
    const NvdimmDesign& design = design_of(module.kind);
    shape.nvdimm_hit_delay = later(shape.nvdimm_hit_delay, design.hit_delay(module));
    shape.nvdimm_read_time = later(shape.nvdimm_read_time, design.miss_delay(module));
  }
  return shape;
}

}  // namespace hmsim
