// SPDX-License-Identifier: BSD-3-Clause
// Decides when the host rewrites the oldest block of high bandwidth flash, which keeps data for a
// limited time only. The host's FTL does the work.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

struct RefreshView {
  Tick period;              // hbf.refresh_every: a block must be rewritten before this age
  Tick oldest;              // time at which the oldest block was first written
  Tick last;                // time at which the last rewrite began; 0 before the first
  std::int64_t blocks = 0;  // of the channel with data; at least 1
};

class RefreshPacer : public Policy {
 public:
  // Returns the time from which on the oldest block is to be rewritten, or kNever. Asked again
  // after each rewrite, and when a block was filled.
  virtual Tick next(const RefreshView& view) const = 0;
};

}  // namespace hmsim
