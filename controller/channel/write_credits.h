// SPDX-License-Identifier: BSD-3-Clause
// The host's credits for writes to an NVDIMM, including credits on their way back.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/ring.h"
#include "core/types.h"

namespace hmsim {

class WriteCredits {
 public:
  // `delay`: from a response to the first use of its credit.
  WriteCredits(std::int64_t credits, Cycle delay) : delay_(delay), free_(credits) {}

  bool any() const { return free_ > 0; }
  void take() { --free_; }

  // The NVDIMM returns a credit in three steps. add_pending(): it has a credit to return.
  // respond(): it sends a response that carries one owed credit. arrive(): frees the credits whose
  // responses have arrived by `now`.
  void add_pending() { ++owed_; }
  bool owed() const { return owed_ > 0; }
  void respond(Cycle now) {
    --owed_;
    arriving_.push(now + delay_);
  }
  void arrive(Cycle now) {
    for (; !arriving_.empty() && arriving_.front() <= now; arriving_.pop()) {
      ++free_;
    }
  }
  Cycle next_arrival() const { return arriving_.empty() ? kNeverCycle : arriving_.front(); }

  void serialize(Archive& archive) { archive(free_, owed_, arriving_); }

 private:
  Cycle delay_;
  std::int64_t free_;
  std::int64_t owed_ = 0;
  Ring<Cycle> arriving_;
};

}  // namespace hmsim
