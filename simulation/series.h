// SPDX-License-Identifier: BSD-3-Clause
// A time series: what every statistic reads at regular times while measuring.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/kernel.h"
#include "core/statistics.h"

namespace hmsim {

// Reads the registry every `interval` from begin() on; attach it last, so that it sees what others
// did at the same time. A row costs as many bytes as 8 times the registry has columns. A table that
// reaches kMaxValues drops every other row and doubles the interval, so memory stays bounded and
// the rows regular.
class Series final : public Component {
 public:
  static constexpr std::size_t kMaxValues = 10'000'000;

  // `update` is called before each reading. The registry must outlive the series.
  Series(const StatisticRegistry& registry, Tick interval, std::function<void()> update,
         std::size_t max_values = kMaxValues);

  void begin(Tick now);

  Tick interval() const { return interval_; }
  const std::vector<Tick>& times() const { return times_; }
  // Row by row, as StatisticRegistry::sample() appends them.
  const std::vector<double>& values() const { return values_; }

  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  void thin_out();

  const StatisticRegistry& registry_;
  std::function<void()> update_;
  std::size_t max_values_;
  Tick interval_;
  Tick begun_{0};
  Tick next_ = kNever;
  std::vector<Tick> times_;
  std::vector<double> values_;
};

}  // namespace hmsim
