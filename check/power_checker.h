// SPDX-License-Identifier: BSD-3-Clause
// Checks power-down and self-refresh of one channel's ranks. Sources: JESD79-3F ("Power-Down
// Modes", "Self-Refresh Operation") and JESD79-4B, whose wording JESD79-5B keeps.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

class PowerChecker {
 public:
  // `violations` must outlive the checker.
  PowerChecker(const DramParameters& dram, ViolationLog& violations);

  // Checks a DRAM command. Commands arrive in cycle order; rank and bank must exist.
  void check(const CommandRecord& record);

  void serialize(Archive& archive) { archive.fixed(ranks_); }

 private:
  struct Rank {
    bool powered_down = false;
    bool self_refreshing = false;
    bool refreshed = true;              // since the last self-refresh ended
    std::uint64_t open = 0;             // one bit per bank
    std::int64_t activate = kLongPast;  // cycle of the last command of each kind
    std::int64_t precharge = kLongPast;
    std::int64_t read = kLongPast;
    std::int64_t refresh = kLongPast;
    std::int64_t power_down_enter = kLongPast;
    std::int64_t power_down_exit = kLongPast;
    std::int64_t self_refresh_enter = kLongPast;
    std::int64_t self_refresh_exit = kLongPast;
    void serialize(Archive& archive) {
      archive(powered_down, self_refreshing, refreshed, open, activate, precharge, read, refresh,
              power_down_enter, power_down_exit, self_refresh_enter, self_refresh_exit);
    }
  };

  void check_power_down(const CommandRecord& record, Rank& rank);
  void check_power_up(const CommandRecord& record, Rank& rank);
  void check_self_refresh(const CommandRecord& record, Rank& rank);
  void check_self_refresh_end(const CommandRecord& record, Rank& rank);
  void check_other(const CommandRecord& record, Rank& rank);
  void check_entry(const CommandRecord& record, const Rank& rank);

  const DramTiming t_;
  ViolationLog& violations_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
