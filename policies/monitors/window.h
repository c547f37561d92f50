// SPDX-License-Identifier: BSD-3-Clause
// Tools to measure characteristics of one memory class's traffic in windows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

inline constexpr std::int64_t kWhole = std::int64_t{1} << 20;  // 1.0 in fixed point

// Returns the index of the first bound that is not below `value`. The last bin is open-ended.
template <std::size_t N>
constexpr int bin_of(std::int64_t value, const std::array<std::int64_t, N>& bounds) {
  int bin = 0;
  while (bin + 1 < static_cast<int>(N) && value > bounds[static_cast<std::size_t>(bin)]) {
    ++bin;
  }
  return bin;
}

// Returns the upper bounds of N equal bins of 0 .. whole.
template <std::size_t N>
constexpr std::array<std::int64_t, N> equal_bins(std::int64_t whole) {
  std::array<std::int64_t, N> bounds{};
  for (std::size_t i = 0; i < N; ++i) {
    bounds[i] = whole * static_cast<std::int64_t>(i + 1) / static_cast<std::int64_t>(N);
  }
  return bounds;
}

// Length of a window: a number of requests or a time, whichever ends first.
struct WindowLength {
  std::int64_t requests = 1;
  Tick time = kNever;
};

// The current window. It begins with its first request. A request that arrives `time` or more after
// that finds the window late.
class Window {
 public:
  bool empty() const { return requests_ == 0; }
  bool full(const WindowLength& length) const { return requests_ >= length.requests; }
  bool late(const WindowLength& length, Tick now) const {
    return !empty() && now - began_ >= length.time;
  }
  void add(Tick now) {
    began_ = empty() ? now : began_;
    ++requests_;
  }
  void restart() { requests_ = 0; }
  std::int64_t requests() const { return requests_; }
  void serialize(Archive& archive) {
    archive(began_, requests_);
    archive.check(requests_ >= 0, "wrong count of a window");  // shares are divided by it
  }

 private:
  Tick began_{0};
  std::int64_t requests_ = 0;
};

// Exponentially weighted average: half the last window, half the previous average. The first window
// sets the initial value.
class Average {
 public:
  void add(std::int64_t value) {
    value_ = known_ ? (value_ + value) / 2 : value;
    known_ = true;
  }
  std::int64_t value() const { return value_; }
  void serialize(Archive& archive) { archive(value_, known_); }

 private:
  std::int64_t value_ = 0;
  bool known_ = false;
};

}  // namespace hmsim
