// SPDX-License-Identifier: BSD-3-Clause
#include "controller/accounts/bus_accounting.h"

#include <numeric>

#include "core/archive.h"

namespace hmsim {

BusAccounting::BusAccounting(const DramParameters& dram, Tick clock_period)
    : trcd_(dram.timing.trcd + dram.activate_delay()),
      line_(dram.line_share()),
      turns_(static_cast<int>(dram.refreshes_per_round())),
      refresh_time_(dram.refresh_time()),
      period_(clock_period),
      refreshes_(static_cast<std::size_t>(dram.ranks * turns_)) {}

std::array<std::int64_t, kBusLosses> BusAccounting::losses(Cycle now, Cycle elapsed,
                                                           std::int64_t data_cycles) const {
  std::array<std::int64_t, kBusLosses> losses = lost_;
  const std::int64_t accounted =
      data_cycles + std::accumulate(lost_.begin(), lost_.end(), std::int64_t{0});
  // Bursts are counted from their command on, so the last one may extend past `now`.
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
  archive.check_index(state_, kBusy + 1, "invalid state of a bus");
}

}  // namespace hmsim
