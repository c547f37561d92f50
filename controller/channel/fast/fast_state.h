// SPDX-License-Identifier: BSD-3-Clause
// State of a channel's shortcuts. It never changes a result: with the default values, every edge is
// processed completely.
#pragma once

#include "controller/layout/transaction.h"
#include "core/types.h"

namespace hmsim {

struct FastState {
  Cycle uncontended_until{0};         // uncontended.h: end of the window
  Cycle deferred_from = kNeverCycle;  // the first deferred edge
  bool defers_commands = false;       // deferred_commands.h; otherwise deferred_refresh.h
  bool found_empty = false;           // single_request.h: admission began with the channel empty
  Transaction* single = nullptr;      // single_request.h: the only request so far

  // Ends the window after an event that it does not cover.
  void end_window() { uncontended_until = Cycle(0); }
  void end_window_by(Cycle edge) { uncontended_until = earlier(uncontended_until, edge); }
  bool defers() const { return deferred_from != kNeverCycle; }
};

}  // namespace hmsim
