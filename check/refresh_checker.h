// SPDX-License-Identifier: BSD-3-Clause
// Checks the refreshes of one channel against the standards: their number, the longest time without
// one, and the order of same-bank refreshes. It shares nothing with the refresh controller but the
// parameters.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "check/bank_refresh_checker.h"
#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

class RefreshChecker {
 public:
  // `violations` must outlive the checker.
  RefreshChecker(const DramParameters& dram, int channel, ViolationLog& violations)
      : ddr5_(dram.is("ddr5")),
        same_bank_(dram.refresh_mode == RefreshMode::same_bank),
        refreshed_(dram.refresh),
        numbers_(same_bank_ ? BankRefreshChecker::same_bank_stride(dram) : 1),
        interval_(interval(dram, numbers_)),
        moved_(movable(ddr5_, same_bank_)),
        channel_(channel),
        violations_(violations),
        debtors_(static_cast<std::size_t>(dram.ranks * numbers_)),
        next_overdue_(refreshed_ ? (moved_ + 1) * interval_
                                 : std::numeric_limits<std::int64_t>::max()) {
    for (RefreshUnit& debtor : debtors_) {
      debtor.overdue = (moved_ + 1) * interval_;
    }
  }

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record) {
    if (refreshed_ && (record.command == C::refresh || record.command == C::refresh_same_bank)) {
      check_refresh(record);
    } else if (refreshed_ && (record.command == C::self_refresh_enter ||
                              record.command == C::self_refresh_exit)) {
      check_self_refresh(record);
    }
  }

  // Advances to `now` and reports overdue refreshes.
  void pass(Cycle now) {
    if (now.value() > next_overdue_) {
      check_overdue(now.value());
    }
  }

  // Ends the check at `end` and reports missing refreshes. The run may end while the rank of a
  // postponed refresh is prepared for it. check_overdue() limits that time.
  void finish(Cycle end) {
    if (!refreshed_) {
      return;
    }
    pass(end);
    for (std::size_t i = 0; i < debtors_.size(); ++i) {
      check_count(i, end.value(), 1);
    }
  }

  void serialize(Archive& archive) {
    archive.fixed(debtors_);
    archive(next_overdue_);
  }

 private:
  using C = ChannelCommand;

  // Returns the number of refreshes that may be moved. JESD79-3F and JESD79-4B, "Refresh Command":
  // at most 8 may be postponed or issued in advance, so two are at most 9 tREFI apart. JESD79-5B:
  // at most 4, so two are at most 5 tREFI apart. With fine granularity, which same-bank refreshes
  // require, at most 8, so two are at most 9 tREFI2 (half of tREFI) apart.
  static std::int64_t movable(bool ddr5, bool same_bank) { return ddr5 && !same_bank ? 4 : 8; }

  // Returns the interval between refreshes of one debtor: tREFI for a rank. JESD79-5B, "Same-Bank
  // Refresh": tREFI2, half of tREFI, for the banks of one number. JESD209-5: tREFI for a bank. The
  // refreshes of a rank are evenly spaced in whole cycles, which may shorten the interval.
  static std::int64_t interval(const DramParameters& dram, std::int64_t numbers) {
    if (dram.refresh_mode != RefreshMode::same_bank) {
      return dram.timing.trefi;
    }
    return numbers * (dram.timing.trefi / (dram.is("ddr5") ? 2 : 1) / numbers);
  }

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

  // Section "Same-Bank Refresh": same-bank refreshes are legal only with fine granularity. The
  // model then issues no other refreshes, so a run may contain only one kind. Section "Refresh
  // Command" of DDR3 and DDR4: at most 16 refreshes within 2 tREFI. Checked for every standard
  // except DDR5.
  void check_refresh(const CommandRecord& record) {
    if ((record.command == C::refresh_same_bank) != same_bank_) {
      violations_.add("refresh mode", record, same_bank_ ? 1 : 0, same_bank_ ? 0 : 1);
      return;
    }
    const std::int64_t now = record.cycle.value();
    const auto index =
        static_cast<std::size_t>(record.rank * numbers_ + (same_bank_ ? record.bank : 0));
    RefreshUnit& debtor = debtors_[index];
    if (!ddr5_) {
      violations_.require("refresh window", record, {C::refresh, debtor.last(16)}, 2 * interval_);
    }
    check_order(record, debtor);
    debtor.refreshes[static_cast<std::size_t>(debtor.count) % debtor.refreshes.size()] = now;
    ++debtor.count;
    check_count(index, now);
    debtor.overdue = now + (moved_ + 1) * interval_;
    find_next_overdue();
  }

  // Section "Self-Refresh Operation": the rank refreshes itself. It owes no refresh when it leaves
  // self-refresh, so the count starts again.
  void check_self_refresh(const CommandRecord& record) {
    const std::int64_t now = record.cycle.value();
    const bool begins = record.command == C::self_refresh_enter;
    const auto first = static_cast<std::size_t>(record.rank * numbers_);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(numbers_); ++i) {
      RefreshUnit& debtor = debtors_[i];
      if (begins) {
        check_count(i, now);
      }
      debtor.self_refreshing = begins;
      debtor.since = now;
      debtor.before = debtor.count;
      debtor.overdue =
          begins ? std::numeric_limits<std::int64_t>::max() : now + (moved_ + 1) * interval_;
    }
    find_next_overdue();
  }

  // Section "Same-Bank Refresh": no bank is refreshed again before each other bank of the group has
  // been.
  void check_order(const CommandRecord& record, const RefreshUnit& debtor) {
    const auto first = static_cast<std::size_t>(record.rank * numbers_);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(numbers_); ++i) {
      if (debtors_[i].count < debtor.count) {
        violations_.add("refresh order", record, debtor.count, debtors_[i].count);
        return;
      }
    }
  }

  void check_overdue(std::int64_t now) {
    for (std::size_t i = 0; i < debtors_.size(); ++i) {
      RefreshUnit& debtor = debtors_[i];
      if (now > debtor.overdue) {
        const std::int64_t since = std::max(debtor.last(1), debtor.since);
        add("refresh interval", i, now, (moved_ + 1) * interval_, now - since);
        debtor.overdue = now + (moved_ + 1) * interval_;  // report once per such period
      }
    }
    find_next_overdue();
  }

  // On average one refresh per interval; up to `moved_` may be postponed or issued in advance.
  // `soon`: refreshes that may still follow at `now`.
  void check_count(std::size_t index, std::int64_t now, std::int64_t soon = 0) {
    const RefreshUnit& debtor = debtors_[index];
    const std::int64_t count = debtor.count - debtor.before;
    const std::int64_t due = debtor.self_refreshing ? 0 : (now - debtor.since) / interval_;
    if (count + soon < due - moved_ || count > due + moved_ + 1) {
      add("refresh count", index, now, due, count);
    }
  }

  void find_next_overdue() {
    next_overdue_ = std::numeric_limits<std::int64_t>::max();
    for (const RefreshUnit& debtor : debtors_) {
      next_overdue_ = std::min(next_overdue_, debtor.overdue);
    }
  }

  void add(const char* rule, std::size_t debtor, std::int64_t now, std::int64_t needed,
           std::int64_t got) {
    const auto place = static_cast<std::int64_t>(debtor);
    violations_.add({channel_, Cycle(now), rule, "", static_cast<int>(place / numbers_),
                     same_bank_ ? static_cast<int>(place % numbers_) : -1, -1, needed, got});
  }

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
