// SPDX-License-Identifier: BSD-3-Clause
// Shortcut: deferred commands. Removing this file changes no result.
//
// Within an uncontended window, only completions concern other components. The commands before the
// next completion are deferred when the kernel must run another component first. They are issued
// together, each on its edge, when the completion is due, when a request or an ack arrives, or when
// the kernel requests it for an observer. The kernel enters the channel once for all of them.
#pragma once

#include "controller/channel/channel.h"
#include "controller/channel/fast/uncontended.h"

namespace hmsim {

// For channels without features only.
using DeferredCommands = Uncontended::Deferred;

// Returns whether nobody sees the edges of this window that have no completion: no request can be
// admitted, the NVDIMM is inactive, and no observer or policy follows the commands.
inline bool Uncontended::Deferred::is_private(const Channel& channel) {
  return !channel.admission_.may_admit() && !channel.nvdimm_.endpoint().active() &&
         !channel.accounts_.observed() && !channel.ordering_.wanted(TransactionPolicy::kIssue);
}

// If the next edge is not before `other`, an event of another component, and only DRAM commands can
// be issued on it, defers all edges before the first one with a completion or outside the window.
// The bursts on the data bus determine that one; without any, the least time from a data-bus
// command to its last data beat bounds it.
HMSIM_INLINE void Uncontended::try_defer(Channel& channel, Tick other) {
  EdgeClock& clock = channel.clock_;
  FastState& fast = channel.fast_;
  const Cycle next = clock.next();
  if (next >= fast.uncontended_until) {
    return;
  }
  const Cycle visible = earlier(fast.uncontended_until, channel.bus_.next_from(next));
  const Tick time = clock.next_time();
  if (next < visible && other <= time && Deferred::is_private(channel) &&
      clock.wakeup().may_defer(time)) {
    fast.deferred_from = next;
    fast.defers_commands = true;
    clock.wake_at(visible);
  }
}

// Called when the kernel enters the channel. Processes the deferred edges before `end`. Later ones
// are deferred again only if the kernel must run another component before them, so this call of
// run_edges() does not reach them.
inline void Uncontended::Deferred::make_due(Channel& channel, Cycle end) {
  make_before(channel, end);
  try_defer(channel, channel.clock_.wakeup().horizon());
}

// Processes the deferred edges before `end`, whether they have commands or refreshes, and ends the
// deferral.
inline void Uncontended::Deferred::make_any_before(Channel& channel, Cycle end) {
  if (channel.fast_.defers_commands) {
    make_before(channel, end);
  } else {
    DeferredRefresh::make_before(channel, end);
  }
}

}  // namespace hmsim
