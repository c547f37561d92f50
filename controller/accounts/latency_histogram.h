// SPDX-License-Identifier: BSD-3-Clause
// Latency histograms. A latency of few whole clock cycles, the common case, costs one increment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// A clock period prepared for division.
class WholeCycles {
 public:
  explicit WholeCycles(Tick period)
      : period_(period), shift_(__builtin_ctzll(static_cast<std::uint64_t>(period.value()))) {
    const std::uint64_t odd = static_cast<std::uint64_t>(period.value()) >> shift_;
    inverse_ = odd;  // modulo 2^3; each Newton step doubles the number of correct bits
    for (int bits = 3; bits < 64; bits *= 2) {
      inverse_ *= 2 - odd * inverse_;
    }
  }

  Tick period() const { return period_; }
  // Returns the number of cycles in `time` if it is a multiple of the period, otherwise a value
  // above 2^64 / period. Multiplies by the inverse modulo 2^64 instead of dividing (Granlund and
  // Montgomery, "Division by invariant integers using multiplication", section 9).
  std::uint64_t in(Tick time) const {
    const std::uint64_t product = static_cast<std::uint64_t>(time.value()) * inverse_;
    return product >> shift_ | product << (-shift_ & 63);
  }

 private:
  Tick period_;
  int shift_;  // period = odd << shift
  std::uint64_t inverse_;
};

class LatencyHistogram {
 public:
  LatencyHistogram() { histogram_.reserve(); }

  void add(Cycle cycles, const WholeCycles& clock) {
    if (static_cast<std::uint64_t>(cycles.value()) < kCounted) {
      ++counts_[static_cast<std::size_t>(cycles.value())];
    } else {
      histogram_.add((cycles.value() * clock.period()).value());
    }
  }
  void add(Tick time, const WholeCycles& clock) {
    if (const std::uint64_t cycles = clock.in(time); cycles < kCounted) {
      ++counts_[cycles];
    } else {
      histogram_.add(time.value());
    }
  }

  // Returns the histogram in picoseconds. It holds all values only after fold().
  Histogram& histogram() { return histogram_; }
  void fold(Tick period) {
    for (std::size_t cycles = 0; cycles < counts_.size(); ++cycles) {
      if (counts_[cycles] != 0) {
        histogram_.add_times((static_cast<std::int64_t>(cycles) * period).value(), counts_[cycles]);
        counts_[cycles] = 0;
      }
    }
  }
  void reset() {
    counts_ = {};
    histogram_.reset();
    histogram_.reserve();
  }
  void serialize(Archive& archive) { archive(histogram_); }  // call fold() first

 private:
  static constexpr std::uint64_t kCounted = 512;
  std::array<Counter, kCounted> counts_{};  // by number of cycles
  Histogram histogram_;
};

}  // namespace hmsim
