// SPDX-License-Identifier: BSD-3-Clause
// Rules of the data bus if a line moves in two halves, with a gap into which half of another line
// fits: JESD209-5's bursts of 32 with bank groups, and pairs of bursts of 8 in JESD238.
#pragma once

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
  HalfLineChecker(const DramParameters& dram, ViolationLog& violations);

  static bool applies_to(const DramParameters& dram) {
    return dram.is("lpddr5") || dram.is("hbm3");
  }

  // Checks a read or write of the DRAM. Calls come in order of cycles.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(buses_); }

 private:
  struct Half {
    std::int64_t begin = kLongPast;  // its first data cycle
    void serialize(Archive& archive) { archive(begin); }
  };
  struct Bus {
    std::array<Half, 16> halves;         // most recent ones, unordered
    std::size_t next = 0;                // index of the oldest
    std::int64_t end = kLongPast;        // end of all data so far
    std::int64_t other_end = kLongPast;  // end of all data by drivers other than the last
    int driver = -1;                     // last driver: rank x 2 + write
    EarlierCommand last{ChannelCommand::read, kLongPast};
    void serialize(Archive& archive) {
      archive(halves, next, end, other_end, driver, last.command, last.cycle);
      archive.check_index(next, halves.size(), "invalid half of a line");
    }
  };

  void check_half(const CommandRecord& record, Bus& bus, std::int64_t begin);

  const DramTiming t_;
  const bool bus_of_rank_;  // pseudo-channels have one each
  ViolationLog& violations_;
  std::vector<Bus> buses_;
};

}  // namespace hmsim
