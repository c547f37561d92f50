// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel_parts.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "controller/channel/slow_memory.h"
#include "controller/channel/statistics_table.h"
#include "controller/port/cxl_port.h"
#include "core/statistic_sums.h"

namespace hmsim {

namespace {

using Picks = std::vector<StatisticRegistry::Pick>;

Picks dram_picks() {
  return {{"dram.reads", "reads"},
          {"dram.writes", "writes"},
          {"dram.read_latency_ns", "read_latency_ns"},
          {"dram.row_hit_ratio", "row_hit_ratio"},
          {"dram.queue.occupancy", "queue.occupancy"},
          {"bus.dram_share", "bus_share"},
          {"link.down.busy", "link.down.busy"},
          {"link.up.busy", "link.up.busy"}};
}

Picks nvdimm_picks(bool on_bus) {
  Picks picks{{"nvdimm.reads", "reads"},
              {"nvdimm.writes", "writes"},
              {"nvdimm.line_latency_ns", "line_latency_ns"},
              {"nvdimm.queue.occupancy", "queue.occupancy"},
              {"link.down.busy", "link.down.busy"},
              {"link.up.busy", "link.up.busy"},
              {"hbf.to_device.busy", "link.down.busy"},
              {"hbf.to_host.busy", "link.up.busy"},
              {"nvdimm.nand.reads", "nand.reads"},
              {"nvdimm.nand.programs", "nand.programs"},
              {"nvdimm.media.reads", "media.reads"},
              {"nvdimm.media.writes", "media.writes"},
              {"nvdimm.gc.count", "gc.count"}};
  if (on_bus) {
    picks.push_back({"bus.nvdimm_share", "bus_share"});
  }
  return picks;
}

void register_imbalance(StatisticRegistry& registry, const std::string& path,
                        const std::vector<MemoryChannel*>& channels,
                        Counter (*requests)(MemoryChannel& channel)) {
  const auto count = static_cast<double>(channels.size());
  registry.ratio(
      path, "requests of the busiest channel, over the mean of all channels; 1: even",
      [most = largest_of(channels, requests), count] { return most() * count; },
      sum_over(channels, requests));
}

}  // namespace

void register_each_channel(StatisticRegistry& registry, const ChannelSet& channels,
                           const std::vector<SlowMemory*>& slow, const SystemConfig& config) {
  const auto count = static_cast<std::size_t>(config.all_channels());
  if (count == 1) {
    return;
  }
  const std::size_t first_of_nvdimm = channels.size() - count;
  const bool on_bus = config.port.on_bus();
  std::vector<MemoryChannel*> of_dram;
  std::vector<MemoryChannel*> of_nvdimm;
  std::size_t expanders = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "channel." + std::to_string(i) + ".";
    of_dram.push_back(&channels[i]);
    of_nvdimm.push_back(&channels[first_of_nvdimm + i]);
    StatisticRegistry dram;
    register_channel_statistics(dram, {of_dram[i], of_nvdimm[i]}, 1, 1);
    if (config.is_expander(static_cast<std::int64_t>(i) % config.controller.channels)) {
      register_port_statistics(dram, {"link.", ""}, {channels.expanders()[expanders++]});
    }
    registry.pick(dram, "dram." + name, dram_picks());
    if (slow.empty()) {
      continue;
    }
    // The first channel's meters decide whether there is a bus.
    StatisticRegistry nvdimm;
    register_channel_statistics(nvdimm, {on_bus ? of_nvdimm[i] : of_dram[i], of_nvdimm[i]}, 1, 1);
    slow[i]->register_statistics(nvdimm, {slow[i]});
    if (!channels.ports().empty()) {
      register_port_statistics(nvdimm, {"link.", ""}, {channels.ports()[i]});
    }
    registry.pick(nvdimm, "nvdimm." + name, nvdimm_picks(on_bus));
  }
  register_imbalance(registry, "dram.channel_imbalance", of_dram, [](MemoryChannel& channel) {
    return channel.statistics().dram_reads + channel.statistics().dram_writes;
  });
  if (!slow.empty()) {
    register_imbalance(registry, "nvdimm.channel_imbalance", of_nvdimm, [](MemoryChannel& channel) {
      return channel.statistics().nvdimm_reads + channel.statistics().nvdimm_writes;
    });
  }
}

}  // namespace hmsim
