// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/statistics_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "controller/accounts/bus_accounting.h"
#include "controller/channel/memory_channel.h"
#include "controller/channel/refresh_management.h"
#include "core/statistic_sums.h"
#include "core/statistic_table.h"
#include "dram/energy.h"

namespace hmsim {

namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
// Bounds for a queue of 128 entries; 104 is the bound in Fig. 7 of the paper.
constexpr std::array<std::int64_t, 6> kSharesOver{0, 8, 16, 32, 64, 104};

using Channels = std::vector<MemoryChannel*>;
using Table = StatisticTable<MemoryChannel, ChannelStatistics>;
using S = ChannelStatistics;

std::function<double()> sum(const Channels& channels, Counter ChannelStatistics::*counter) {
  return sum_over(channels,
                  [counter](MemoryChannel& channel) { return channel.statistics().*counter; });
}

// Counters of command-bus slots, in cycles.
std::function<double()> slot_cycles(const Channels& channels, Counter ChannelStatistics::*counter) {
  return sum_over(channels, [counter](MemoryChannel& channel) {
    return static_cast<double>(channel.statistics().*counter) *
           static_cast<double>(channel.meters().command_slots);
  });
}

std::function<double()> elapsed(const Channels& channels) {
  return sum_over(channels, [](const MemoryChannel& channel) { return channel.elapsed().value(); });
}

template <class Read>
std::function<double()> average(const Channels& channels, Read read) {
  return [total = sum_over(channels, read), count = static_cast<double>(channels.size())] {
    return total() / count;
  };
}

// Returns the largest number of slots held for a non-zero time, or 0 if no time has passed.
std::int64_t greatest(const Occupancy& occupancy, Tick now) {
  const std::vector<std::int64_t> times = occupancy.time_at(now);
  std::size_t last = times.size() - 1;
  while (last > 0 && times[last] == 0) {
    --last;
  }
  return static_cast<std::int64_t>(last);
}

void report_row_hit_ratio(StatisticRegistry& registry, const Channels& channels) {
  registry.ratio("dram.row_hit_ratio", "row hits per DRAM column command",
                 sum(channels, &S::row_hits), sum_over(channels, [](MemoryChannel& channel) {
                   return channel.statistics().dram_data_cycles /
                          static_cast<Counter>(channel.meters().burst_cycles);
                 }));
}

void report_bandwidth(StatisticRegistry& registry, const Channels& channels) {
  registry.gauge("dram.bandwidth_gb_per_s", "GB/s", "DRAM lines completed, times 64 bytes",
                 sum_over(channels, [](MemoryChannel& channel) {
                   const S& s = channel.statistics();
                   const double ps = static_cast<double>(channel.elapsed().value()) *
                                     static_cast<double>(channel.clock_period().value());
                   constexpr double kGigabytesPerSecond = 1e3;  // bytes/ps x 10^12 / 10^9
                   return ps == 0 ? 0
                                  : static_cast<double>(s.dram_reads + s.dram_writes) *
                                        static_cast<double>(kLineBytes.value()) *
                                        kGigabytesPerSecond / ps;
                 }));
}

void report_shares_over(StatisticRegistry& registry, const Channels& channels,
                        const std::string& path, const char* description, Occupancy S::*held) {
  for (const std::int64_t slots : kSharesOver) {
    registry.gauge(path + std::to_string(slots), "", description,
                   average(channels, [slots, held](MemoryChannel& channel) {
                     return (channel.statistics().*held).share_over(slots, channel.now());
                   }));
  }
}

void report_dram_queue(StatisticRegistry& registry, const Channels& channels) {
  registry.gauge("dram.queue.occupancy", "entries",
                 "transaction queue slots held by DRAM requests, mean over time and channels",
                 average(channels, [](MemoryChannel& channel) {
                   return channel.statistics().dram_occupancy.mean(channel.now());
                 }));
  report_shares_over(
      registry, channels, "dram.queue.share_over_",
      "share of time in which DRAM requests hold more slots than the number in the name",
      &S::dram_occupancy);
}

void report_nvdimm_queue(StatisticRegistry& registry, const Channels& channels) {
  registry.gauge("nvdimm.queue.occupancy", "entries",
                 "transaction queue slots held by NVDIMM requests, mean over time and channels",
                 average(channels, [](MemoryChannel& channel) {
                   return channel.statistics().nvdimm_occupancy.mean(channel.now());
                 }));
  registry.gauge("nvdimm.queue.greatest_occupancy", "entries",
                 "most transaction queue slots of a channel that NVDIMM requests held at a time",
                 largest_of(channels, [](MemoryChannel& channel) {
                   return greatest(channel.statistics().nvdimm_occupancy, channel.now());
                 }));
  report_shares_over(
      registry, channels, "nvdimm.queue.share_over_",
      "share of time in which NVDIMM requests hold more slots than the number in the name",
      &S::nvdimm_occupancy);
}

// Registers shares of the data-bus time of all channels together. With the two data shares they add
// up to 1.
void register_losses(StatisticRegistry& registry, const Channels& channels) {
  constexpr std::array<std::pair<const char*, const char*>, kBusLosses> kNames{
      {{"bus.lost.idle", "the channel held no request"},
       {"bus.lost.queue_full", "the next request waited outside for a slot"},
       {"bus.lost.nvdimm", "all requests held waited for the NVDIMM's ack"},
       {"bus.lost.refresh", "the next request's rank was refreshed"},
       {"bus.lost.activate",
        "the next request's activate was held back (tRRD, tFAW, other commands)"},
       {"bus.lost.bank", "the next request's bank was precharged and activated"},
       {"bus.lost.turnaround", "the data bus's driver or direction changed"},
       {"bus.lost.command", "the next data-bus command came late (command bus, column spacing)"}}};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    registry.ratio(
        kNames[i].first, kNames[i].second,
        sum_over(channels,
                 [i](MemoryChannel& channel) {
                   const S& s = channel.statistics();
                   return channel.meters().bus->losses(
                       Cycle(channel.now() / channel.clock_period()), channel.elapsed(),
                       static_cast<std::int64_t>(s.dram_data_cycles + s.nvdimm_data_cycles))[i];
                 }),
        elapsed(channels));
  }
}

void report_shares(StatisticRegistry& registry, const Channels& channels) {
  registry.ratio("bus.dram_share", "share of time in which the data bus carries DRAM data",
                 sum(channels, &S::dram_data_cycles), elapsed(channels));
  registry.ratio("bus.nvdimm_share", "share of time in which the data bus carries NVDIMM data",
                 sum(channels, &S::nvdimm_data_cycles), elapsed(channels));
  registry.ratio(
      "bus.idle_ratio", "share of time in which the data bus carries no data",
      [total = elapsed(channels), dram = sum(channels, &S::dram_data_cycles),
       nvdimm = sum(channels, &S::nvdimm_data_cycles)] { return total() - dram() - nvdimm(); },
      elapsed(channels));
}

void report_command_shares(StatisticRegistry& registry, const Channels& channels) {
  registry.ratio("bus.command_share", "share of command-bus cycles that carry a command",
                 slot_cycles(channels, &S::command_cycles),
                 [total = elapsed(channels), buses = channels.front()->meters().command_buses] {
                   return total() * static_cast<double>(buses);
                 });
  registry.ratio("bus.ack_share", "share of command-bus cycles that return an ack's address",
                 slot_cycles(channels, &S::ack_cycles), elapsed(channels));
}

constexpr int kAllRanks = -1;

DramEnergy energy_of(const Channels& channels, int rank) {
  DramEnergy energy;
  for (MemoryChannel* channel : channels) {
    const EnergyMeter& meter = *channel->meters().energy;
    const Cycle now(channel->now() / channel->clock_period());
    const int first = rank == kAllRanks ? 0 : rank;
    const int end = rank == kAllRanks ? meter.ranks() : rank + 1;
    for (int each = first; each < end; ++each) {
      energy += meter.energy(each, now);
    }
  }
  return energy;
}

struct Share {
  const char* path;
  const char* description;
  std::function<double(const DramEnergy&)> read;
};

// Precondition: every channel has an EnergyMeter.
void report_energy(StatisticRegistry& registry, const Channels& channels) {
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
  for (int rank = 0; rank < channels.front()->meters().energy->ranks(); ++rank) {
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

// Registers the latencies that the channels see: those that requesters see, if nothing is in front.
void report_device(StatisticRegistry& registry, const Channels& channels, const char* path,
                   const char* description, LatencyHistogram S::*seen,
                   LatencyHistogram DeviceLatencies::*own) {
  std::vector<Histogram*> histograms;
  for (MemoryChannel* channel : channels) {
    S& s = channel->statistics();
    const bool same = s.device.front == Front::nothing;
    histograms.push_back(&(same ? s.*seen : s.device.*own).histogram());
  }
  registry.histogram(path, "ns", description, kPicosecondsPerNanosecond, std::move(histograms));
}

void report_device_dram(StatisticRegistry& registry, const Channels& channels) {
  report_device(registry, channels, "dram.device_read_latency_ns",
                "DRAM read, from its arrival at its channel, after a host queue and the way down a "
                "link, to its last data beat there",
                &S::dram_read_latency, &DeviceLatencies::dram_read);
  report_device(registry, channels, "dram.device_write_latency_ns",
                "DRAM write, from its arrival at its channel to its last data beat there",
                &S::dram_write_latency, &DeviceLatencies::dram_write);
}

void report_device_nvdimm(StatisticRegistry& registry, const Channels& channels) {
  report_device(registry, channels, "nvdimm.device_line_latency_ns",
                "NVDIMM line, from its arrival at its channel, after a host queue, the host's FTL "
                "and the way down a link, to its last data beat there; with the FTL's own requests",
                &S::nvdimm_line_latency, &DeviceLatencies::nvdimm_line);
}

// All channels have the same arbiter, so counters are matched by index.
void register_arbiter(StatisticRegistry& registry, const Channels& channels) {
  std::vector<std::vector<PolicyCounter>> counters;
  for (MemoryChannel* channel : channels) {
    counters.push_back(channel->arbiter_counters());
  }
  for (std::size_t i = 0; i < counters.front().size(); ++i) {
    std::vector<Counter*> sources;
    for (const std::vector<PolicyCounter>& own : counters) {
      sources.push_back(own[i].value);
    }
    const PolicyCounter& info = counters.front()[i];
    registry.counter(std::string("arbiter.") + info.name, info.unit, info.doc, std::move(sources));
  }
}

constexpr std::array kDramRows{
    Table::counter<&S::dram_reads>("dram.reads", "requests", "DRAM reads completed"),
    Table::counter<&S::dram_writes>("dram.writes", "requests", "DRAM writes completed"),
    Table::histogram<&S::dram_read_latency>(
        "dram.read_latency_ns", "ns",
        "DRAM read, from its issue (arrival at the host queue or controller) to its data at the "
        "requester",
        kPicosecondsPerNanosecond),
    Table::histogram<&S::dram_write_latency>(
        "dram.write_latency_ns", "ns",
        "DRAM write, from its issue to its last data beat; behind a port, until the host knows of "
        "it",
        kPicosecondsPerNanosecond),
    Table::part<&S::device>(),
    Table::derived(report_device_dram),
    Table::counter<&S::row_hits>("dram.row_hits", "requests",
                                 "column commands that found their row open"),
    Table::derived(report_row_hit_ratio),
    Table::derived(report_bandwidth),
    Table::counter<&S::activates>("dram.activates", "commands", "ACT commands"),
    Table::counter<&S::precharges>("dram.precharges", "commands", "PRE commands"),
    Table::counter<&S::refreshes>("dram.refreshes", "commands",
                                  "REF commands (same-bank: REFsb), all ranks"),
    Table::counter<&S::power_downs>("dram.power_downs", "commands",
                                    "power-downs of a rank entered"),
    Table::counter<&S::self_refreshes>("dram.self_refreshes", "commands",
                                       "self-refreshes of a rank entered"),
    Table::part<&S::dram_occupancy>(),
    Table::derived(report_dram_queue),
};

constexpr std::array kNvdimmRows{
    Table::counter<&S::nvdimm_reads>("nvdimm.reads", "requests", "NVDIMM line reads completed"),
    Table::counter<&S::nvdimm_writes>("nvdimm.writes", "requests", "NVDIMM line writes completed"),
    Table::histogram<&S::nvdimm_line_latency>(
        "nvdimm.line_latency_ns", "ns",
        "NVDIMM line, from its issue (arrival at the host queue, FTL or controller) to its data at "
        "the requester; of a write, to its last data beat or answer; with nvdimm.access: block, of "
        "all lines of a command together",
        kPicosecondsPerNanosecond),
    Table::derived(report_device_nvdimm),
    Table::part<&S::nvdimm_occupancy>(),
    Table::derived(report_nvdimm_queue),
};

constexpr std::array kBusRows{
    Table::part<&S::dram_data_cycles>(),
    Table::part<&S::nvdimm_data_cycles>(),
    Table::derived(report_shares),
    Table::counter<&S::turnarounds>("bus.turnarounds", "changes",
                                    "changes of the data bus's driver or direction"),
    Table::part<&S::command_cycles>(),
    Table::part<&S::ack_cycles>(),
    Table::derived(report_command_shares),
    Table::counter<&S::dram_wins>("arbiter.dram_wins", "decisions",
                                  "contested data-bus slots given to DRAM"),
    Table::counter<&S::nvdimm_wins>("arbiter.nvdimm_wins", "decisions",
                                    "contested data-bus slots given to the NVDIMM"),
};

static_assert(Table::complete(kDramRows, kNvdimmRows, kBusRows),
              "missing or duplicate row of a count");

void register_management(StatisticRegistry& registry, const Channels& channels) {
  std::vector<Counter*> commands;
  for (MemoryChannel* channel : channels) {
    if (RefreshManagement* const management = channel->meters().management) {
      commands.push_back(&management->commands());
    }
  }
  if (!commands.empty()) {
    registry.counter("dram.refresh_managements", "commands", "RFM commands, all ranks",
                     std::move(commands));
  }
}

}  // namespace

void ChannelStatistics::serialize(Archive& archive) {
  Table::serialize(*this, archive, kDramRows, kNvdimmRows, kBusRows);
}

void register_channel_statistics(StatisticRegistry& registry,
                                 const std::vector<MemoryChannel*>& channels, std::int64_t of_class,
                                 std::int64_t on_bus) {
  const Channels buses(channels.begin(), channels.begin() + on_bus);
  Table::report(kDramRows, registry, {channels.begin(), channels.begin() + of_class});
  if (channels.front()->meters().bus != nullptr) {
    Table::report(kNvdimmRows, registry, {channels.end() - of_class, channels.end()});
    Table::report(kBusRows, registry, buses);
    register_arbiter(registry, buses);
    register_losses(registry, buses);
    register_latency_statistics(registry, channels);
  }
  register_management(registry, {channels.begin(), channels.begin() + of_class});
  if (channels.front()->meters().energy != nullptr) {
    report_energy(registry, buses);
  }
  registry.on_read([channels] {
    for (MemoryChannel* channel : channels) {
      channel->statistics().fold(channel->clock_period());
    }
  });
  registry.on_reset([channels](Tick now) {
    for (MemoryChannel* channel : channels) {
      channel->reset_statistics(now);
    }
  });
}

}  // namespace hmsim
