// SPDX-License-Identifier: BSD-3-Clause
// The next event times of the kernel's components, of which the earliest is wanted at each step.
#pragma once

#include <cstddef>
#include <vector>

#include "core/types.h"

namespace hmsim {

// A few times are scanned. More form a tree in which each node has the earlier time of its two
// children, so that a step costs log2(components).
class EventOrder {
 public:
  struct First {
    std::size_t index = 0;  // of equal times, the lowest
    Tick time{0};
    Tick second{0};  // the earliest of all others
  };

  void add() {
    if (size_ == leaves_) {
      grow();
    }
    ++size_;
  }
  std::size_t size() const { return size_; }
  Tick operator[](std::size_t index) const { return times_[leaves_ + index]; }
  void set(std::size_t index, Tick time) {
    times_[leaves_ + index] = time;
    if (leaves_ > kScanned) {
      climb(leaves_ + index);
    }
  }
  // There is at least one.
  First first() const { return leaves_ > kScanned ? descend() : scan(); }

 private:
  static constexpr std::size_t kScanned = 8;

  void grow() {
    const std::vector<Tick> before(times_.begin() + static_cast<std::ptrdiff_t>(leaves_),
                                   times_.end());
    leaves_ *= 2;
    times_.assign(2 * leaves_, kNever);
    for (std::size_t i = 0; i < before.size(); ++i) {
      set(i, before[i]);
    }
  }

  First scan() const {
    const Tick* const times = &times_[leaves_];
    First first{0, times[0], kNever};
    for (std::size_t i = 1; i < size_; ++i) {
      if (times[i] < first.time) {
        first.second = first.time;
        first.time = times[i];
        first.index = i;
      } else {
        first.second = earlier(first.second, times[i]);
      }
    }
    return first;
  }

  First descend() const {
    First first{0, times_[1], kNever};
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      const Tick left = times_[node];
      const Tick right = times_[node + 1];
      const bool goes_right = right < left;
      first.second = earlier(first.second, goes_right ? left : right);
      node += goes_right ? 1 : 0;
    }
    first.index = node - leaves_;
    return first;
  }

  void climb(std::size_t node) {
    while (node > 1) {
      node /= 2;
      const Tick time = earlier(times_[2 * node], times_[2 * node + 1]);
      if (times_[node] == time) {
        return;
      }
      times_[node] = time;
    }
  }

  std::size_t size_ = 0;
  std::size_t leaves_ = kScanned;
  // Node n has the children 2n and 2n + 1, the root is 1; leaves follow from `leaves_` on.
  std::vector<Tick> times_ = std::vector<Tick>(2 * kScanned, kNever);
};

}  // namespace hmsim
