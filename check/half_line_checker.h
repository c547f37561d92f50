// SPDX-License-Identifier: BSD-3-Clause
// Checks the data bus of parts that move a line in two halves, with a gap into which half of
// another line fits: JESD209-5's bursts of 32 with bank groups, and two bursts of 8 of JESD238.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checker of one channel. BusChecker handles parts that move a line in one piece.
class HalfLineChecker {
 public:
  // `violations` must outlive the checker.
  HalfLineChecker(const DramParameters& dram, ViolationLog& violations);

  static bool knows(const DramParameters& dram) { return dram.is("lpddr5") || dram.is("hbm3"); }

  // Checks a read or write of the DRAM. Commands arrive in cycle order.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(buses_); }

 private:
  struct Half {
    std::int64_t begin = kLongPast;  // first cycle with data
    void serialize(Archive& archive) { archive(begin); }
  };
  struct Bus {
    std::array<Half, 16> halves;         // the last ones, unordered
    std::size_t next = 0;                // index of the oldest
    std::int64_t end = kLongPast;        // end of all data so far, ...
    std::int64_t other_end = kLongPast;  // ... and of all data by drivers other than the last
    int driver = -1;                     // the last driver: rank x 2 + write
    Past last{ChannelCommand::read, kLongPast};
    void serialize(Archive& archive) {
      archive(halves, next, end, other_end, driver, last.command, last.cycle);
      archive.check_index(next, halves.size(), "there is no such half of a line");
    }
  };

  void check_half(const CommandRecord& record, Bus& bus, std::int64_t begin);

  const DramTiming t_;
  const bool bus_of_rank_;  // each pseudo-channel has a data bus
  ViolationLog& violations_;
  std::vector<Bus> buses_;
};

}  // namespace hmsim
