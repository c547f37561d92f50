// SPDX-License-Identifier: BSD-3-Clause
#include "check/half_line_checker.h"

#include <algorithm>

namespace hmsim {

HalfLineChecker::HalfLineChecker(const DramParameters& dram, ViolationLog& violations)
    : t_(dram.timing),
      bus_of_rank_(dram.is("hbm3")),
      violations_(violations),
      buses_(bus_of_rank_ ? static_cast<std::size_t>(dram.ranks) : 1) {}

// Checks bus times, but reports distances between commands, as the other rules do.
void HalfLineChecker::check(const CommandRecord& record) {
  const bool write = record.command == ChannelCommand::write;
  Bus& bus = buses_[bus_of_rank_ ? static_cast<std::size_t>(record.rank) : 0];
  const std::int64_t latency = write ? t_.cwl : t_.cl;
  const std::int64_t begin = record.cycle.value() + latency;
  const int driver = record.rank * 2 + (write ? 1 : 0);
  if (driver != bus.driver) {
    bus.other_end = bus.end;
  }
  const std::int64_t from_last = bus.other_end - latency - bus.last.cycle;
  if (driver != bus.driver && bus.driver >= 0) {
    violations_.require("tRTRS", record, bus.last, from_last + t_.trtrs);
  }
  check_half(record, bus, begin);
  check_half(record, bus, begin + t_.burst / 2 + t_.burst_gap);
  bus.driver = driver;
  bus.end = std::max(bus.end, begin + t_.burst + t_.burst_gap);
  bus.last = {record.command, record.cycle.value()};
}

void HalfLineChecker::check_half(const CommandRecord& record, Bus& bus, std::int64_t begin) {
  const std::int64_t length = t_.burst / 2;
  const bool clash = std::any_of(bus.halves.begin(), bus.halves.end(), [&](const Half& half) {
    return begin < half.begin + length && half.begin < begin + length;
  });
  if (clash) {
    violations_.require("data bus", record, bus.last, record.cycle.value() - bus.last.cycle + 1);
  }
  bus.halves[bus.next].begin = begin;
  bus.next = (bus.next + 1) % bus.halves.size();
}

}  // namespace hmsim
