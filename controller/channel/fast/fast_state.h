// SPDX-License-Identifier: BSD-3-Clause
// What a channel's shortcuts remember. None of it changes a result: with each value as it is here,
// every edge is processed as a whole.
#pragma once

#include "controller/channel/transaction.h"
#include "core/types.h"

namespace hmsim {

struct FastState {
  Cycle uncontended_until{0};         // uncontended.h: the window's end
  Cycle deferred_from = kNeverCycle;  // deferred_refresh.h: the first refresh that was put off
  bool found_empty = false;           // single_request.h: admission began with the channel empty
  Transaction* single = nullptr;      // ... and this is the only request so far

  // Something happened that the window does not foresee.
  void end_window() { uncontended_until = Cycle(0); }
  bool defers_refreshes() const { return deferred_from != kNeverCycle; }
};

}  // namespace hmsim
