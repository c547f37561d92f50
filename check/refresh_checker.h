// SPDX-License-Identifier: BSD-3-Clause
// Checks that every bank is refreshed: the number of refreshes, the longest time without one, and
// the order of same-bank refreshes, as in the standards, for one channel. It shares only parameter
// values with the refresh controller.
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

  // Checks a DRAM command. Commands arrive in cycle order; rank and bank must exist.
  void check(const CommandRecord& record);
  // Checks that nothing has gone without a refresh for too long at `now`.
  void pass(Cycle now) {
    if (now.value() > next_overdue_) {
      check_overdue(now.value());
    }
  }
  // Checks at the end of the log that everything had the refreshes that were due.
  void finish(Cycle end);

  void serialize(Archive& archive) {
    archive.fixed(debtors_);
    archive(next_overdue_);
  }

 private:
  // Unit that needs one refresh per interval: a rank, or the banks with one number in a rank's
  // groups.
  struct Debtor {
    std::array<std::int64_t, 16> refreshes{};  // the last 16; the latest is at (count - 1) mod 16
    std::int64_t count = 0;
    std::int64_t overdue = 0;  // last cycle by which the next refresh must come
    std::int64_t since = 0;    // cycle at which it owed none, ...
    std::int64_t before = 0;   // ... and its count then
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
  const std::int64_t numbers_;   // debtors per rank
  const std::int64_t interval_;  // each debtor needs one refresh per interval
  const std::int64_t moved_;     // most refreshes postponed or issued in advance
  const int channel_;
  ViolationLog& violations_;
  std::vector<Debtor> debtors_;
  std::int64_t next_overdue_;  // earliest Debtor::overdue
};

}  // namespace hmsim
