// SPDX-License-Identifier: BSD-3-Clause
// Sums of one view over the measured window, as exact integers.
//
// `area` comes from the times of entries and exits without pairing them. The latencies come from
// pairs. Little's law in integers is area = latencies - before + after.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/request.h"
#include "core/types.h"

namespace hmsim {

// Kinds of requests. Writes of a core are posted: its program does not wait for them. Requests
// without a core come from streams, block drivers and devices.
enum class ViewClass : std::uint8_t { load, prefetch, core_write, other_read, other_write };

class ViewSums {
 public:
  static constexpr std::size_t kClasses = 5;

  struct Sum {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    Tick latency{0};
  };

  // Starts the window. Requests under way enter again, with their first times.
  void begin(Tick now) {
    *this = ViewSums();
    begin_ = now;
  }
  void entered(Tick at) {
    ++inside_;
    area_ -= later(at, begin_) - begin_;
    before_ += begin_ - earlier(at, begin_);
  }
  void left(ViewClass kind, Tick at, Tick latency) {
    --inside_;
    area_ += at - begin_;
    Sum& sum = sums_[static_cast<std::size_t>(kind)];
    ++sum.count;
    sum.bytes += kLineBytes.value();
    sum.latency += latency;
  }

  const Sum& of(std::size_t kind) const { return sums_[kind]; }
  std::int64_t inside() const { return inside_; }  // requests in flight
  Tick before() const { return before_; }          // time before the window of those in it
  // Integral over the window of the number of requests in flight.
  Tick area(Tick now) const { return area_ + inside_ * (now - begin_); }

 private:
  Tick begin_{0};
  std::int64_t inside_ = 0;
  Tick area_{0};
  Tick before_{0};
  std::array<Sum, kClasses> sums_{};
};

}  // namespace hmsim
