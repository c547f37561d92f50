// SPDX-License-Identifier: BSD-3-Clause
// Shortcut: deferred refreshes. Removing this file changes no result.
//
// While a channel is empty, its refreshes are all that happens, and nobody sees them. They are put
// off, and made in one go when a request or an ack comes, or when the kernel asks for it because
// somebody looks. Each has the edges that it would have had; observers get to know of them late.
#pragma once

#include <utility>

#include "controller/channel/channel.h"
#include "controller/channel/native_banks.h"

namespace hmsim {

// Of channels without extras.
struct DeferredRefresh {
  // On an edge on which a refresh is due: puts it off, with all that follow, if nothing is held but
  // by the NVDIMM, asked for or answered.
  HMSIM_INLINE static bool try_defer(Channel& channel) {
    return channel.dram_.refresh().urgent(channel.clock_.edge()) && may_defer(channel) &&
           defer(channel, channel.clock_.edge());
  }

  // From this edge on. False: somebody looks on between the kernel's steps.
  HMSIM_INLINE static bool defer(Channel& channel, Cycle from) {
    if (!channel.clock_.wakeup().puts_off()) {
      return false;
    }
    channel.fast_.deferred_from = from;
    channel.clock_.wake_never();
    return true;
  }

  // Makes those that were put off and begin before `end`, and puts off none any longer.
  [[gnu::noinline]] static void make_before(Channel& channel, Cycle end);

 private:
  // Makes all refreshes before `end`, most of them at once, if all banks are closed, nobody
  // observes commands, and nothing delays a refresh. Otherwise it does nothing and returns false.
  // Requires that the first refresh is urgent before `end`.
  [[gnu::noinline]] static bool make_periodic(Channel& channel, LoneBanks& banks, Cycle end);
  [[gnu::noinline]] static bool may_defer(const Channel& channel);
  static void make_of_rank(Channel& channel, LoneBanks& banks, int rank, Cycle end);
};

}  // namespace hmsim
