// SPDX-License-Identifier: BSD-3-Clause
#include "controller/accounts/energy_statistics.h"

#include <functional>
#include <string>
#include <utility>

#include "controller/memory_channel.h"
#include "dram/energy.h"

namespace hmsim {

namespace {

using Channels = std::vector<MemoryChannel*>;

constexpr int kAllRanks = -1;

DramEnergy energy_of(const Channels& channels, int rank) {
  DramEnergy energy;
  for (const MemoryChannel* channel : channels) {
    const Cycle now(channel->now() / channel->clock_period());
    const int first = rank == kAllRanks ? 0 : rank;
    const int end = rank == kAllRanks ? channel->energy()->ranks() : rank + 1;
    for (int each = first; each < end; ++each) {
      energy += channel->energy()->energy(each, now);
    }
  }
  return energy;
}

struct Share {
  const char* path;
  const char* description;
  std::function<double(const DramEnergy&)> read;
};

}  // namespace

void register_energy_statistics(StatisticRegistry& registry, const Channels& channels) {
  using E = DramEnergy;
  const std::vector<Share> shares{
      {"dram.energy.activate_j", "activates with their precharges",
       [](const E& e) { return e.activate; }},
      {"dram.energy.read_j", "reads, beyond active standby", [](const E& e) { return e.read; }},
      {"dram.energy.write_j", "writes, beyond active standby", [](const E& e) { return e.write; }},
      {"dram.energy.refresh_j", "refreshes, beyond active standby",
       [](const E& e) { return e.refresh; }},
      {"dram.energy.active_standby_j", "background while a bank is open or a rank is refreshed",
       [](const E& e) { return e.active_standby; }},
      {"dram.energy.precharged_standby_j", "background while all banks are closed",
       [](const E& e) { return e.precharged_standby; }},
      {"dram.energy.background_j", "background, active and precharged standby",
       [](const E& e) { return e.background(); }},
      {"dram.energy.power_down_j", "ranks in power-down", [](const E& e) { return e.power_down; }},
      {"dram.energy.self_refresh_j", "ranks in self-refresh",
       [](const E& e) { return e.self_refresh; }},
      {"dram.energy.total_j", "all DRAM devices", [](const E& e) { return e.total(); }}};
  for (const Share& share : shares) {
    registry.gauge(share.path, "J", share.description,
                   [channels, read = share.read] { return read(energy_of(channels, kAllRanks)); });
  }
  for (int rank = 0; rank < channels.front()->energy()->ranks(); ++rank) {
    registry.gauge("dram.rank." + std::to_string(rank) + ".energy_j", "J",
                   "devices of that rank, summed over channels",
                   [channels, rank] { return energy_of(channels, rank).total(); });
  }
  registry.gauge("dram.power_w", "W", "DRAM energy per time", [channels] {
    constexpr double kPico = 1e-12;
    const MemoryChannel& one = *channels.front();
    const double seconds = static_cast<double>(one.elapsed().value()) *
                           static_cast<double>(one.clock_period().value()) * kPico;
    return seconds == 0 ? 0 : energy_of(channels, kAllRanks).total() / seconds;
  });
}

}  // namespace hmsim
