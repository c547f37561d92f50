// SPDX-License-Identifier: BSD-3-Clause
// Shortcut: deferred refreshes. Removing this file changes no result.
//
// While a channel is empty, its refreshes are its only events, and no other component observes
// them. They are deferred, and made together when a request or an ack arrives or when the kernel
// requests it for an observer. Each refresh is on the edges that it would have had without
// deferral; only its report to observers is late.
#pragma once

#include <utility>

#include "controller/channel/channel.h"
#include "controller/channel/native_banks.h"

namespace hmsim {

// For channels without features only.
struct DeferredRefresh {
  // On an edge with an urgent refresh, defers it and all following ones if only the NVDIMM holds
  // requests, and none of them competes or has an unreturned ack.
  HMSIM_INLINE static bool try_defer(Channel& channel) {
    return channel.dram_.refresh().urgent(channel.clock_.edge()) && may_defer(channel) &&
           defer(channel, channel.clock_.edge());
  }

  // Defers refreshes from this edge on. Returns false if a component observes the channel between
  // kernel steps.
  HMSIM_INLINE static bool defer(Channel& channel, Cycle from) {
    if (!channel.clock_.wakeup().may_defer()) {
      return false;
    }
    channel.fast_.deferred_from = from;
    channel.clock_.wake_never();
    return true;
  }

  // Makes the deferred refreshes that begin before `end`, and ends the deferral.
  [[gnu::noinline]] static void make_before(Channel& channel, Cycle end);

 private:
  // Makes all refreshes before `end`, most of them at once, and returns true. Does nothing and
  // returns false unless all banks are closed, no command observer exists, and nothing delays a
  // refresh. Precondition: the first refresh becomes urgent before `end`.
  [[gnu::noinline]] static bool make_periodic(Channel& channel, LoneBanks& banks, Cycle end);
  [[gnu::noinline]] static bool may_defer(const Channel& channel);
  static void make_of_rank(Channel& channel, LoneBanks& banks, int rank, Cycle end);
};

}  // namespace hmsim
