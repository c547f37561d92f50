// SPDX-License-Identifier: BSD-3-Clause
// Time series: the values of all statistics at regular times while measuring.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/kernel.h"
#include "core/statistics.h"

namespace hmsim {

// Component that reads the registry every `interval` from begin() on. Attach it last, so that it
// sees what other components did at the same time. A row takes 8 bytes per column of the registry.
// A table that reaches the limit of values drops every other row and doubles the interval, so
// memory stays bounded and rows stay equidistant.
class Series final : public Component {
 public:
  static constexpr std::size_t kMaxValues = 10'000'000;

  // Calls `update` before each reading. The registry must outlive the series.
  Series(const StatisticRegistry& registry, Tick interval, std::function<void()> update,
         std::size_t max_values = kMaxValues);

  void attach(Wakeup wakeup) { wakeup_ = wakeup; }
  void begin(Tick now);

  Tick interval() const { return interval_; }
  const std::vector<Tick>& times() const { return times_; }
  // Values row by row, in the order of StatisticRegistry::sample().
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
  Wakeup wakeup_;
};

}  // namespace hmsim
