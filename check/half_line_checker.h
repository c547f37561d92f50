// SPDX-License-Identifier: BSD-3-Clause
// Rules of the data bus if a line moves in two halves, with a gap into which half of another line
// fits: JESD209-5's bursts of 32 with bank groups, and pairs of bursts of 8 in JESD238.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checks one channel. Parts that move whole lines are covered by BusChecker.
class HalfLineChecker {
 public:
  // `violations` must outlive the checker.
  HalfLineChecker(const DramParameters& dram, ViolationLog& violations)
      : t_(dram.timing),
        bus_of_rank_(dram.is("hbm3")),
        violations_(violations),
        buses_(bus_of_rank_ ? static_cast<std::size_t>(dram.ranks) : 1) {}

  static bool applies_to(const DramParameters& dram) {
    return dram.is("lpddr5") || dram.is("hbm3");
  }

  // Checks a read or write of the DRAM. Calls come in order of cycles. Checks bus times, but
  // reports distances between commands, as the other rules do.
  void check(const CommandRecord& record) {
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

  void serialize(Archive& archive) { archive.fixed(buses_); }

 private:
  struct Bus {
    Bus() { halves.fill(kLongPast); }
    std::array<std::int64_t, 16> halves;  // first data cycles of the most recent ones, unordered
    std::size_t next = 0;                 // index of the oldest
    std::int64_t end = kLongPast;         // end of all data so far
    std::int64_t other_end = kLongPast;   // end of all data by drivers other than the last
    int driver = -1;                      // last driver: rank x 2 + write
    EarlierCommand last{ChannelCommand::read, kLongPast};
    void serialize(Archive& archive) {
      archive(halves, next, end, other_end, driver, last.command, last.cycle);
      archive.check_index(next, halves.size(), "invalid half of a line");
    }
  };

  void check_half(const CommandRecord& record, Bus& bus, std::int64_t begin) {
    const std::int64_t length = t_.burst / 2;
    const bool clash = std::any_of(bus.halves.begin(), bus.halves.end(), [&](std::int64_t half) {
      return begin < half + length && half < begin + length;
    });
    if (clash) {
      violations_.require("data bus", record, bus.last, record.cycle.value() - bus.last.cycle + 1);
    }
    bus.halves[bus.next] = begin;
    bus.next = (bus.next + 1) % bus.halves.size();
  }

  const DramTiming t_;
  const bool bus_of_rank_;  // pseudo-channels have one each
  ViolationLog& violations_;
  std::vector<Bus> buses_;
};

}  // namespace hmsim
