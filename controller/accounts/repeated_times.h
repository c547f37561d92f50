// SPDX-License-Identifier: BSD-3-Clause
// Histogram of times, many of which equal the one before. Such a time costs one increment.
#pragma once

#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

class RepeatedTimes {
 public:
  void add(Tick time) {
    if (time == last_) {
      ++repeats_;
    } else {
      change(time);
    }
  }

  // Returns the histogram in picoseconds. It holds all times only after fold().
  Histogram& histogram() { return histogram_; }
  void fold() {
    if (repeats_ != 0) {
      histogram_.add_times(last_.value(), repeats_);
      repeats_ = 0;
    }
  }
  void serialize(Archive& archive) {
    fold();
    archive(histogram_);
  }

 private:
  [[gnu::noinline]] void change(Tick time) {
    fold();
    last_ = time;
    repeats_ = 1;
  }

  Histogram histogram_;
  Tick last_{0};
  Counter repeats_ = 0;
};

}  // namespace hmsim
