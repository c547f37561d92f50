// SPDX-License-Identifier: BSD-3-Clause
// Breakdown of a channel's data-bus time: each cycle either carries data or is lost to exactly one
// cause, so all shares add up to 1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/layout/transaction.h"
#include "core/statistics.h"
#include "core/types.h"
#include "dram/parameters.h"

namespace hmsim {

enum class BusLoss : std::uint8_t {
  idle,        // the channel held no request
  queue_full,  // the next request waited outside for a slot
  nvdimm,      // only NVDIMM requests were held, and their acks were pending
  refresh,     // its rank was being refreshed
  activate,    // its activate was delayed by tRRD, tFAW or other commands
  bank,        // its bank was being precharged and activated
  turnaround,  // the driver or the direction of the bus changed
  command,     // its data-bus command was late: command bus taken, column spacing, arbitration
};

inline constexpr std::size_t kBusLosses = 8;

// Attribution of the gaps between bursts. A gap is charged to the causes that delayed the
// transaction of the next burst, in the order of BusLoss. Each cause takes the time for which it
// applied, but at most the rest of the gap. One exception to the order: an NVDIMM transaction's
// wait for its own ack is charged before its wait for a slot.
class BusAccounting {
 public:
  BusAccounting(const DramParameters& dram, Tick clock_period);

  // Sets the number of slots held, by class, from `now` on.
  void holding(std::int64_t dram, std::int64_t nvdimm, Cycle now) {
    if (dram > 0 && state_ == kBusy) {
      return;  // the common case
    }
    const int state = dram > 0 ? kBusy : nvdimm > 0 ? 1 : 0;
    if (state != state_) {
      if (state_ != kBusy) {
        cycles_without_[static_cast<std::size_t>(state_)] += (now - since_).value();
      }
      state_ = state;
      since_ = now;
    }
  }
  // refresh_prepared(): precharging of the banks of a rank and turn for a refresh begins at `now`.
  // refreshed(): the refresh of these banks begins at `now`. `turn`: 0 unless refreshes are
  // same-bank.
  void refresh_prepared(int rank, int turn, Cycle now) {
    Interval& interval = refresh_of(rank, turn);
    if (interval.end <= now) {
      interval = {now, kNeverCycle};
    }
  }
  void refreshed(int rank, int turn, Cycle now) {
    refresh_prepared(rank, turn, now);
    refresh_of(rank, turn).end = now + Cycle(refresh_time_);
  }
  // Accounts for a data-bus command issued at `now` with data from `begin` on. `changed`: driver or
  // direction of the burst differs from that of the previous burst.
  void burst(const Transaction& transaction, bool changed, Cycle now, Cycle begin) {
    if (state_ != kBusy) {
      cycles_without_[static_cast<std::size_t>(state_)] += (now - since_).value();
      since_ = now;
    }
    if (begin > data_end_) {
      charge_gap(transaction, changed, now, (begin - data_end_).value());
    }
    at_last_burst_ = cycles_without_;
    last_issue_ = now;
    // The two halves of a line may interleave with those of another line; the remaining time is the
    // same.
    data_end_ = later(data_end_, begin) + Cycle(line_);
  }

  // Returns the lost cycles by cause. `elapsed`: cycles from the reset to `now`; `data_cycles`:
  // those that carried data. Cycles after the last burst count as `nvdimm` while acks were pending,
  // otherwise as `idle`.
  std::array<std::int64_t, kBusLosses> losses(Cycle now, Cycle elapsed,
                                              std::int64_t data_cycles) const;
  void reset(Cycle now);
  void serialize(Archive& archive);

 private:
  static constexpr int kBusy = 2;

  struct Interval {
    Cycle begin{-1};
    Cycle end{-1};
    void serialize(Archive& archive) { archive(begin, end); }
  };

  static std::int64_t overlap(Cycle begin, Cycle end, Cycle from, Cycle to) {
    return later(std::int64_t{0}, (earlier(end, to) - later(begin, from)).value());
  }
  void charge_gap(const Transaction& transaction, bool changed, Cycle now, std::int64_t gap);
  Interval& refresh_of(int rank, int turn) {
    return refreshes_[static_cast<std::size_t>(rank) * static_cast<std::size_t>(turns_) +
                      static_cast<std::size_t>(turn)];
  }

  const Cycle trcd_;
  const std::int64_t line_;  // bus cycles that a line takes
  const int turns_;          // a power of two
  const std::int64_t refresh_time_;
  const Tick period_;
  std::array<std::int64_t, kBusLosses> lost_{};
  // While nothing was held; while only NVDIMM requests were held.
  std::array<std::int64_t, 2> cycles_without_{};
  std::array<std::int64_t, 2> at_last_burst_{};
  int state_ = 0;  // index of cycles_without_, or kBusy
  Cycle since_{0};
  Cycle last_issue_{0};
  Cycle data_end_{0};
  std::vector<Interval> refreshes_;  // the last refresh of each rank and turn
};

// Charges the cycles without data before a burst. Most causes ended before the previous command was
// issued.
HMSIM_INLINE void BusAccounting::charge_gap(const Transaction& transaction, bool changed, Cycle now,
                                            std::int64_t gap) {
  const bool nvdimm = transaction.request.memory == MemoryClass::nvdimm;
  const Cycle from = last_issue_;
  const auto charge = [this, &gap](BusLoss cause, std::int64_t cycles) {
    if (cycles != 0) {
      const std::int64_t taken = earlier(gap, cycles);
      lost_[static_cast<std::size_t>(cause)] += taken;
      gap -= taken;
    }
  };
  const auto charge_outside = [&] {
    const bool waited = transaction.request.arrival != transaction.admitted.value() * period_;
    if (waited && transaction.admitted > from) {
      charge(BusLoss::queue_full, overlap(Cycle(transaction.request.arrival / period_),
                                          transaction.admitted, from, now));
    }
  };
  charge(BusLoss::idle, cycles_without_[0] - at_last_burst_[0]);
  if (nvdimm) {
    charge(BusLoss::nvdimm, overlap(transaction.admitted, transaction.grant_from, from, now));
    charge_outside();
  } else {
    charge_outside();
    charge(BusLoss::nvdimm, cycles_without_[1] - at_last_burst_[1]);
    const Interval& refresh = refresh_of(transaction.rank, transaction.bank & (turns_ - 1));
    if (refresh.end > from) {
      charge(BusLoss::refresh, overlap(refresh.begin, refresh.end, from, now));
    }
    if (transaction.activated) {
      // Without this delay of its activate the burst could have started that much earlier.
      const Cycle opened = transaction.marks.activated_at + trcd_;
      const std::int64_t held =
          overlap(transaction.marks.activated_at - transaction.marks.activate_held,
                  transaction.marks.activated_at, refresh.end, transaction.marks.activated_at) -
          (now - opened).value();
      if (held > 0) {
        charge(BusLoss::activate, held);
      }
      if (opened > from) {
        charge(BusLoss::bank, overlap(transaction.admitted, opened, from, now));
      }
    }
  }
  lost_[static_cast<std::size_t>(changed ? BusLoss::turnaround : BusLoss::command)] += gap;
}

}  // namespace hmsim
