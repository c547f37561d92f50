// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/series.h"

#include <algorithm>
#include <utility>

#include "core/archive.h"

namespace hmsim {

Series::Series(const StatisticRegistry& registry, Tick interval, std::function<void()> update,
               std::size_t max_values)
    : registry_(registry),
      update_(std::move(update)),
      max_values_(max_values),
      interval_(interval) {}

void Series::begin(Tick now) {
  begun_ = now;
  next_ = now + interval_;
  wakeup_.notify();
}

Tick Series::advance(Tick now) {
  update_();
  times_.push_back(now);
  registry_.sample(values_);
  if (values_.size() >= max_values_) {
    thin_out();
  }
  next_ = times_.empty() ? begun_ + interval_ : times_.back() + interval_;
  return next_;
}

// Keeps the rows at multiples of the doubled interval.
void Series::thin_out() {
  const std::size_t columns = values_.size() / times_.size();
  const std::size_t kept = times_.size() / 2;
  for (std::size_t row = 0; row < kept; ++row) {
    const std::size_t from = 2 * row + 1;
    times_[row] = times_[from];
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(from * columns), columns,
                values_.begin() + static_cast<std::ptrdiff_t>(row * columns));
  }
  times_.resize(kept);
  values_.resize(kept * columns);
  interval_ = interval_ * 2;
}

void Series::serialize(Archive& archive) {
  archive.section("series");
  archive(interval_, begun_, next_, times_, values_);
  archive.check(interval_ > Tick(0) && values_.size() == times_.size() * registry_.columns().size(),
                "inconsistent time series");
}

}  // namespace hmsim
