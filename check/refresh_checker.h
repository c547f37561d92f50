// SPDX-License-Identifier: BSD-3-Clause
// Has every bank had its refreshes? The count, the longest time without one, and the order of
// same-bank refreshes, written out from the standards for one channel; it shares nothing with the
// refresh controller but the numbers.
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

  // A DRAM command, in order of cycles; its rank and bank exist.
  void check(const CommandRecord& record);
  // The log has reached `now`: nothing may have been without a refresh for too long.
  void pass(Cycle now) {
    if (now.value() > next_overdue_) {
      check_overdue(now.value());
    }
  }
  // The log ends at `end`: was everything refreshed as often as was due?
  void finish(Cycle end);

  void serialize(Archive& archive) {
    archive.fixed(debtors_);
    archive(next_overdue_);
  }

 private:
  // What owes a refresh in each interval: a rank; or the banks of one number in a rank's groups.
  struct Debtor {
    std::array<std::int64_t, 16> refreshes{};  // the last ones, the last at (count - 1) mod 16
    std::int64_t count = 0;
    std::int64_t overdue = 0;  // no later than in this cycle there must be another one
    std::int64_t since = 0;    // in this cycle it owed none,
    std::int64_t before = 0;   // having had so many
    bool self_refreshing = false;
    void serialize(Archive& archive) {
      archive(refreshes, count, overdue, since, before, self_refreshing);
    }
    // The cycle of the n-th last refresh.
    std::int64_t last(std::int64_t n) const {
      return count < n ? kLongPast : refreshes[static_cast<std::size_t>(count - n) % 16];
    }
  };

  void check_refresh(const CommandRecord& record);
  void check_self_refresh(const CommandRecord& record);
  void check_mode(const CommandRecord& record);
  void check_window(const CommandRecord& record, const Debtor& debtor);
  void check_order(const CommandRecord& record, const Debtor& debtor);
  void check_overdue(std::int64_t now);
  void check_count(std::size_t debtor, std::int64_t now);
  void find_next_overdue();
  void add(const char* rule, std::size_t debtor, std::int64_t now, std::int64_t needed,
           std::int64_t got);

  const bool ddr5_;
  const bool same_bank_;
  const bool refreshed_;
  const std::int64_t numbers_;   // debtors of a rank
  const std::int64_t interval_;  // in which each owes one
  const std::int64_t moved_;     // refreshes that may be postponed, or issued in advance
  const int channel_;
  ViolationLog& violations_;
  std::vector<Debtor> debtors_;
  std::int64_t next_overdue_;  // the earliest Debtor::overdue
};

}  // namespace hmsim
