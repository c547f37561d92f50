// SPDX-License-Identifier: BSD-3-Clause
// Shortcut: uncontended windows. Removing this file changes no result.
//
// On most edges the channel knows an edge before which only commands of its transactions and their
// completions can happen: no refresh becomes urgent, no policy changes its keys, and no transaction
// becomes overdue. Unless a request or an ack arrives, edges within such a window skip all other
// checks. If the NVDIMM is inactive as well, they follow each other without calls to the kernel.
#pragma once

#include "controller/channel/channel.h"
#include "controller/channel/channel_commands.h"
#include "controller/channel/fast/deferred_refresh.h"

namespace hmsim {

// Processing of edges within a window. `extras`: the channel's; Extras::any rules out windows.
struct Uncontended {
  // Returns the first edge after the window. With Extras::keys the starvation limit also ends the
  // window. The limit is read on each call, because issuing a transaction may move it later.
  template <Extras extras>
  static Cycle end(const Channel& channel) {
    const Cycle until = channel.fast_.uncontended_until;
    return extras == Extras::keys ? earlier(until, channel.ordering_.guard().next()) : until;
  }

  // Determines the window that begins with the current edge. Call it after admission.
  template <Extras extras>
  HMSIM_INLINE static void find(Channel& channel) {
    channel.fast_.end_window();
    RefreshControl& refresh = channel.dram_.refresh();
    const Cycle soonest = channel.clock_.soonest();
    if (extras == Extras::any || channel.nvdimm_.endpoint().has_ack() || refresh.urgent(soonest)) {
      return;
    }
    const Ordering& ordering = channel.ordering_;
    if (extras == Extras::none) {
      channel.fast_.uncontended_until = refresh.next(soonest);
    } else if (!ordering.keys_changed() && !ordering.guard().any_overdue()) {
      channel.fast_.uncontended_until = earlier(refresh.next(soonest), ordering.next_change());
    }
  }

  // Begins an edge within the window: handles a completion and admits a request to the slot that it
  // frees. Returns false outside the window.
  template <Extras extras>
  HMSIM_INLINE static bool try_begin_edge(Channel& channel) {
    if (extras == Extras::any || channel.clock_.edge() >= end<extras>(channel)) {
      return false;
    }
    if (channel.bus_.next() <= channel.clock_.edge()) {
      answer<extras>(channel);
    } else {
      channel.bus_.begin_edge();
    }
    return true;
  }

  template <Extras extras>
  HMSIM_INLINE static void answer(Channel& channel) {
    channel.clock_.wake_never();
    channel.bus_.begin_edge();
    channel.admission_.open();
    channel.complete(extras);
    channel.admit(extras);
    if (extras == Extras::keys) {
      channel.renew_keys();
    }
    channel.accounts_.slots_held(channel.admission_.held(), channel.clock_.edge(),
                                 channel.clock_.now());
  }

  // Selects and issues on an edge within the window and on the following ones. Returns false if the
  // window has ended and selection on the current edge is still to be done.
  template <Extras extras, class Banks>
  HMSIM_INLINE static bool try_issue(Channel& channel, Banks& banks) {
    if (extras == Extras::any || channel.clock_.edge() >= end<extras>(channel)) {
      return false;
    }
    if (channel.nvdimm_.endpoint().active() || channel.bus_.command_taken()) {
      issue_beside_nvdimm<extras>(channel, banks);
      return true;
    }
    return issue_dram<extras>(channel, banks);
  }

 private:
  // Issues the DRAM command that is best on this edge, if any is legal. Precondition: the NVDIMM is
  // inactive. If the command changes keys, the window ends with this edge.
  template <Extras extras, class Banks>
  HMSIM_INLINE static void issue(Channel& channel, Banks& banks) {
    const Cycle edge = channel.clock_.edge();
    if (const Best* const burst = banks.select_burst(edge, extras != Extras::none)) {
      Transaction& transaction = *burst->transaction;
      if (burst->command == Command::read) {  // the command is a constant from here on
        channel.issue_column(banks, transaction, Command::read, extras);
      } else {
        channel.issue_column(banks, transaction, Command::write, extras);
      }
      channel.leave_line(transaction, extras);
    } else if (const Best* const row = banks.select_row(edge)) {
      if (row->command == Command::activate) {
        channel.issue_row(banks, *row->transaction, Command::activate, extras);
      } else {
        channel.issue_row(banks, *row->transaction, Command::precharge, extras);
      }
    }
    if (extras == Extras::keys && channel.ordering_.keys_changed()) {
      channel.fast_.uncontended_until = channel.clock_.soonest();
    }
  }

  // Processes the current edge and those after it while the window lasts, the NVDIMM is inactive,
  // and the kernel lets the channel continue. Returns as try_issue().
  template <Extras extras, class Banks>
  HMSIM_INLINE static bool issue_dram(Channel& channel, Banks& banks) {
    EdgeClock& clock = channel.clock_;
    DataBus& bus = channel.bus_;
    const Wakeup& wakeup = clock.wakeup();
    Tick limit = earlier(wakeup.leave(), channel.nvdimm_.due());
    Cycle limit_edge = clock.first_edge(limit);
    Cycle last = earlier(limit_edge, end<extras>(channel));
    Cycle next;
    for (bool issues = banks.next() <= clock.edge();;) {
      if (issues) {
        issue<extras>(channel, banks);
        if (extras == Extras::keys) {
          last = earlier(limit_edge, end<extras>(channel));
        }
      }
      next = earlier(later(clock.soonest(), banks.next()), bus.next());
      if (next >= last) {
        break;
      }
      clock.move_to(next);
      issues = true;  // without a completion, the banks have a command here
      if (bus.next() == next) {
        clock.arrive();
        wakeup.go_on(clock.now());
        answer<extras>(channel);
        if (clock.edge() >= end<extras>(channel)) {
          return false;
        }
        if (channel.nvdimm_.endpoint().active()) {
          issue_beside_nvdimm<extras>(channel, banks);
          return true;
        }
        if (extras == Extras::none && channel.admission_.pool().all_free() &&
            DeferredRefresh::defer(channel, channel.fast_.uncontended_until)) {
          wakeup.advanced_to(clock.now());
          return true;
        }
        if (const Tick changed = earlier(wakeup.leave(), channel.nvdimm_.due()); changed != limit) {
          limit = changed;
          limit_edge = clock.first_edge(limit);
        }
        last = earlier(limit_edge, end<extras>(channel));
        issues = banks.next() <= clock.edge();
      }
    }
    clock.arrive();
    clock.wake_at(earlier(next, end<extras>(channel)));
    wakeup.advanced_to(clock.now());
    return true;
  }

  // Processes one edge on which the NVDIMM may have commands as well.
  template <Extras extras, class Banks>
  static void issue_beside_nvdimm(Channel& channel, Banks& banks) {
    EdgeClock& clock = channel.clock_;
    if (channel.bus_.command_taken()) {
      if (clock.edge() >= banks.next()) {
        banks.advance(clock.edge());
      }
    } else if (clock.edge() + channel.layout_.turnaround >= banks.next()) {
      channel.issue_of_both(extras);
    } else {
      channel.issue_of_nvdimm(extras);
    }
    const Cycle soonest = clock.soonest();
    if (extras == Extras::keys && channel.ordering_.keys_changed()) {
      channel.fast_.uncontended_until = soonest;
    }
    Cycle next = earlier(earlier(banks.next(), channel.bus_.next()), end<extras>(channel));
    if (next > soonest) {
      next = earlier(next, channel.nvdimm_.endpoint().next(soonest));
    }
    clock.wake_at(later(soonest, next));
  }
};

}  // namespace hmsim
