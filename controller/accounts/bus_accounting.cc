// SPDX-License-Identifier: BSD-3-Clause
#include "controller/accounts/bus_accounting.h"

#include <algorithm>
#include <numeric>

#include "core/archive.h"

namespace hmsim {

namespace {

std::int64_t overlap(Cycle begin, Cycle end, Cycle from, Cycle to) {
  return later(std::int64_t{0}, (earlier(end, to) - later(begin, from)).value());
}

}  // namespace

BusAccounting::BusAccounting(const DramParameters& dram, Tick clock_period)
    : timing_(dram.timing),
      line_(dram.line_share()),
      turns_(static_cast<int>(dram.refreshes_per_round())),
      refresh_time_(dram.refresh_mode == RefreshMode::same_bank ? timing_.trfcsb : timing_.trfc),
      period_(clock_period),
      refreshes_(static_cast<std::size_t>(dram.ranks * turns_)) {}

// The cycles without data before a burst. Most causes were over when the one before was issued.
void BusAccounting::charge_gap(const Transaction& transaction, bool changed, Cycle now,
                               std::int64_t gap) {
  const bool nvdimm = transaction.request.memory == MemoryClass::nvdimm;
  const Cycle from = last_issue_;
  const auto charge = [this, &gap](BusLoss cause, std::int64_t cycles) {
    const std::int64_t taken = earlier(gap, cycles);
    lost_[static_cast<std::size_t>(cause)] += taken;
    gap -= taken;
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
      // Without the delay of its activate the burst would have come so much earlier.
      const Cycle opened = transaction.marks.activated_at + Cycle(timing_.trcd);
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
  charge(changed ? BusLoss::turnaround : BusLoss::command, gap);
}

std::array<std::int64_t, kBusLosses> BusAccounting::losses(Cycle now, Cycle elapsed,
                                                           std::int64_t data_cycles) const {
  std::array<std::int64_t, kBusLosses> losses = lost_;
  const std::int64_t accounted =
      data_cycles + std::accumulate(lost_.begin(), lost_.end(), std::int64_t{0});
  // Bursts count from their command on, so the last one may reach beyond the present.
  const std::int64_t tail = later(std::int64_t{0}, elapsed.value() - accounted);
  const std::int64_t waiting =
      cycles_without_[1] - at_last_burst_[1] + (state_ == 1 ? (now - since_).value() : 0);
  losses[static_cast<std::size_t>(BusLoss::nvdimm)] += earlier(tail, waiting);
  losses[static_cast<std::size_t>(BusLoss::idle)] += tail - earlier(tail, waiting);
  return losses;
}

void BusAccounting::reset(Cycle now) {
  lost_ = {};
  data_end_ = later(data_end_, now);
}

void BusAccounting::serialize(Archive& archive) {
  archive(lost_, cycles_without_, at_last_burst_, state_, since_, last_issue_, data_end_);
  archive.fixed(refreshes_);
  archive.check(state_ >= 0 && state_ <= kBusy, "a bus is in no state");
  for (const Cycle date : {since_, last_issue_, data_end_}) {
    archive.check(date != kNeverCycle, "a bus has no date");
  }
  for (const auto* counts : {lost_.data(), cycles_without_.data(), at_last_burst_.data()}) {
    const std::size_t size = counts == lost_.data() ? lost_.size() : cycles_without_.size();
    archive.check(std::all_of(counts, counts + size,
                              [](std::int64_t cycles) {
                                return cycles >= 0 && cycles < std::int64_t{1} << 51;
                              }),
                  "cycles of a bus are miscounted");
  }
}

}  // namespace hmsim
