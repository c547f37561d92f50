// SPDX-License-Identifier: BSD-3-Clause
// Shortcut: a single request. Removing this file changes no result.
//
// A DRAM request that finds its channel empty and stays alone has no competitor. Its commands are
// issued at once, each as early as it is legal, and its completion follows. The request joins
// neither its line's chain nor its bank's queue unless it has to compete later.
#pragma once

#include <utility>

#include "controller/channel/channel.h"
#include "controller/channel/channel_commands.h"
#include "controller/channel/fast/deferred_refresh.h"
#include "controller/channel/fast/uncontended.h"

namespace hmsim {

// For channels without features only.
struct SingleRequest {
  // Admits requests on an edge that finds the channel empty. With a single request it may also
  // process later edges. Returns false if it did nothing.
  HMSIM_INLINE static bool try_admit(Channel& channel) {
    if (!channel.admission_.pool().all_free() || !channel.admission_.may_admit()) {
      return false;
    }
    admit(channel);
    return true;
  }

  // Called during that admission. Keeps the first request alone if it is for DRAM. A second request
  // makes both compete.
  HMSIM_INLINE static bool try_stay_alone(Channel& channel, Transaction& transaction) {
    FastState& fast = channel.fast_;
    if (fast.single == nullptr && !is_nvdimm(transaction)) {
      fast.single = &transaction;
      return true;
    }
    fast.found_empty = false;
    if (fast.single != nullptr) {
      compete_after_all(channel, *std::exchange(fast.single, nullptr));
    }
    return false;
  }

 private:
  [[gnu::noinline, gnu::flatten]] static void admit(Channel& channel) {
    FastState& fast = channel.fast_;
    fast.found_empty = true;
    channel.admit(Features::none);
    channel.accounts_.slots_held(channel.admission_.held(), channel.clock_.edge(),
                                 channel.clock_.now());
    Uncontended::find<Features::none>(channel);
    fast.found_empty = false;
    Transaction* const alone = std::exchange(fast.single, nullptr);
    if (alone != nullptr && (channel.admission_.pool().taken() != 1 ||
                             channel.bus_.command_taken() || !issue(channel, *alone))) {
      compete_after_all(channel, *alone);
    }
  }

  [[gnu::noinline]] static void compete_after_all(Channel& channel, Transaction& transaction) {
    channel.order_line(transaction, Features::none);
  }

  // Issues the request's commands, and completes it, as far as they fall within the uncontended
  // window and before any other event. Returns false if its data-bus command was not issued. Within
  // a bank no two commands fall on the same edge.
  HMSIM_INLINE static bool issue(Channel& channel, Transaction& transaction) {
    if (channel.clock_.edge() >= channel.fast_.uncontended_until) {
      return false;
    }
    LoneBanks banks(*channel.dram_.native());
    const Tick limit = earlier(channel.clock_.wakeup().horizon(), channel.nvdimm_.due());
    const auto issue_row = [&](Command command) {
      if (!reach(channel, banks.earliest(command, transaction), limit)) {
        return false;
      }
      channel.issue_row(banks, transaction, command, Features::none);
      return true;
    };
    const auto issue_column = [&](Command command) {
      if (!reach(channel, banks.earliest(command, transaction), limit)) {
        return false;
      }
      channel.issue_column(banks, transaction, command, Features::none);
      complete(channel, limit);
      return true;
    };
    if (const std::int64_t open = banks.open_row(transaction.bank); open != transaction.row) {
      if ((open != kNoRow && !issue_row(Command::precharge)) || !issue_row(Command::activate)) {
        return false;
      }
    }
    return transaction.request.write ? issue_column(Command::write) : issue_column(Command::read);
  }

  // Moves the current edge to that of the next command, which is legal from `legal` on. Returns
  // false if the window or the limit ends before.
  HMSIM_INLINE static bool reach(Channel& channel, Cycle legal, Tick limit) {
    EdgeClock& clock = channel.clock_;
    if (legal > clock.edge()) {
      const Tick time = clock.time_of(legal);
      if (legal >= channel.fast_.uncontended_until || time >= limit) {
        return false;
      }
      clock.move_to(legal, time);
    }
    return true;
  }

  HMSIM_INLINE static void complete(Channel& channel, Tick limit) {
    EdgeClock& clock = channel.clock_;
    const Cycle end = channel.bus_.next();
    if (end >= channel.fast_.uncontended_until || clock.time_of(end) >= limit) {
      return;
    }
    clock.move_to(end, clock.time_of(end));
    clock.wakeup().try_advance(clock.now());
    Uncontended::answer<Features::none>(channel);
    if (channel.admission_.pool().all_free()) {
      DeferredRefresh::defer(channel, channel.fast_.uncontended_until);
    }
  }
};

}  // namespace hmsim
