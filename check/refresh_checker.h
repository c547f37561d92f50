// SPDX-License-Identifier: BSD-3-Clause
// Checks the refreshes of one channel against the standards: their number, the longest time without
// one, and the order of same-bank refreshes. It shares nothing with the refresh controller but the
// parameters.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

class RefreshChecker {
 public:
  // `violations` must outlive the checker.
  RefreshChecker(const DramParameters& dram, int channel, ViolationLog& violations);

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record);
  // Advances to `now` and reports overdue refreshes.
  void pass(Cycle now) {
    if (now.value() > next_overdue_) {
      check_overdue(now.value());
    }
  }
  // Ends the check at `end` and reports missing refreshes.
  void finish(Cycle end);

  void serialize(Archive& archive) {
    archive.fixed(debtors_);
    archive(next_overdue_);
  }

 private:
  // Unit that owes one refresh per interval: a rank, or the banks with one number in a rank's
  // groups.
  struct RefreshUnit {
    std::array<std::int64_t, 16> refreshes{};  // most recent ones, the last at (count - 1) mod 16
    std::int64_t count = 0;
    std::int64_t overdue = 0;  // last cycle by which the next one must come
    std::int64_t since = 0;    // cycle at which it owed none
    std::int64_t before = 0;   // value of `count` at that cycle
    bool self_refreshing = false;
    void serialize(Archive& archive) {
      archive(refreshes, count, overdue, since, before, self_refreshing);
    }
    // Returns the cycle of the n-th last refresh.
    std::int64_t last(std::int64_t n) const {
      return count < n ? kLongPast : refreshes[static_cast<std::size_t>(count - n) % 16];
    }
  };

  void check_refresh(const CommandRecord& record);
  void check_self_refresh(const CommandRecord& record);
  void check_mode(const CommandRecord& record);
  void check_window(const CommandRecord& record, const RefreshUnit& debtor);
  void check_order(const CommandRecord& record, const RefreshUnit& debtor);
  void check_overdue(std::int64_t now);
  void check_count(std::size_t debtor, std::int64_t now, std::int64_t soon = 0);
  void find_next_overdue();
  void add(const char* rule, std::size_t debtor, std::int64_t now, std::int64_t needed,
           std::int64_t got);

  const bool ddr5_;
  const bool same_bank_;
  const bool refreshed_;
  const std::int64_t numbers_;   // debtors per rank
  const std::int64_t interval_;  // each debtor owes one per interval
  const std::int64_t moved_;     // refreshes that may be postponed or issued in advance
  const int channel_;
  ViolationLog& violations_;
  std::vector<RefreshUnit> debtors_;
  std::int64_t next_overdue_;  // minimum of RefreshUnit::overdue
};

}  // namespace hmsim
