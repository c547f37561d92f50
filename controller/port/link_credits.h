// SPDX-License-Identifier: BSD-3-Clause
// Credits of a link: a fixed number, which are taken and return in the same order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

class LinkCredits {
 public:
  explicit LinkCredits(std::int64_t count) {
    std::size_t capacity = 1;
    while (capacity < static_cast<std::size_t>(count)) {
      capacity *= 2;
    }
    times_.resize(capacity, kNever);
    std::fill_n(times_.begin(), count, Tick(0));
    mask_ = capacity - 1;
    returned_ = static_cast<std::size_t>(count) & mask_;
  }

  // Returns from when on the next credit is at the host; kNever if its return is not known yet.
  Tick next() const { return times_[next_]; }
  bool available(Tick now) const { return next() <= now; }
  // Precondition: a credit is available.
  void take() {
    times_[next_] = kNever;
    next_ = (next_ + 1) & mask_;
  }
  // Returns a credit, which is at the host at `time`, after all others.
  void give_back(Tick time) {
    times_[returned_] = time;
    returned_ = (returned_ + 1) & mask_;
  }

  void serialize(Archive& archive) {
    archive(times_, next_, returned_);
    archive.check(times_.size() == mask_ + 1 && next_ <= mask_ && returned_ <= mask_,
                  "invalid credits of a link");
  }

 private:
  std::vector<Tick> times_;   // a ring: from when on each credit is at the host, or kNever
  std::size_t mask_ = 0;      // size of the ring, a power of two, less 1
  std::size_t next_ = 0;      // place of the credit that is taken next
  std::size_t returned_ = 0;  // place of the credit that returns next
};

}  // namespace hmsim
