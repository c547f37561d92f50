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

// Processing of edges within a window. `features`: the channel's; Features::any rules out windows.
struct Uncontended {
  // Returns the first edge after the window. With Features::keys the starvation limit also ends the
  // window. The limit is read on each call, because issuing a transaction may move it later.
  template <Features features>
  static Cycle end(const Channel& channel) {
    const Cycle until = channel.fast_.uncontended_until;
    return features == Features::keys ? earlier(until, channel.ordering_.guard().next()) : until;
  }

  // Determines the window that begins with the current edge. Call it after admission.
  template <Features features>
  HMSIM_INLINE static void find(Channel& channel) {
    channel.fast_.end_window();
    RefreshControl& refresh = channel.dram_.refresh();
    const Cycle soonest = channel.clock_.soonest();
    if (features == Features::any || channel.nvdimm_.endpoint().has_ack() ||
        refresh.urgent(soonest)) {
      return;
    }
    const Ordering& ordering = channel.ordering_;
    if (features == Features::none) {
      channel.fast_.uncontended_until = refresh.next(soonest);
    } else if (!ordering.keys_changed() && !ordering.guard().any_overdue()) {
      channel.fast_.uncontended_until = earlier(refresh.next(soonest), ordering.next_change());
    }
  }

  // Begins an edge within the window: handles a completion and admits a request to the slot that it
  // frees. Returns false outside the window.
  template <Features features>
  HMSIM_INLINE static bool try_begin_edge(Channel& channel) {
    if (features == Features::any || channel.clock_.edge() >= end<features>(channel)) {
      return false;
    }
    if (channel.bus_.next() <= channel.clock_.edge()) {
      answer<features>(channel);
    } else {
      channel.bus_.begin_edge();
    }
    return true;
  }

  template <Features features>
  HMSIM_INLINE static void answer(Channel& channel) {
    channel.clock_.wake_never();
    channel.bus_.begin_edge();
    channel.admission_.open();
    channel.complete(features);
    channel.admit(features);
    if (features == Features::keys) {
      channel.update_order();
    }
    channel.accounts_.slots_held(channel.admission_.held(), channel.clock_.edge(),
                                 channel.clock_.now());
  }

  // Selects and issues on an edge within the window and on the following ones. Returns false if the
  // window has ended and selection on the current edge is still to be done.
  template <Features features, class Banks>
  HMSIM_INLINE static bool try_issue(Channel& channel, Banks& banks) {
    if (features == Features::any || channel.clock_.edge() >= end<features>(channel)) {
      return false;
    }
    if (channel.nvdimm_.endpoint().active() || channel.bus_.command_taken()) {
      issue_beside_nvdimm<features>(channel, banks);
      return true;
    }
    return issue_dram<features>(channel, banks);
  }

 private:
  // Issues the DRAM command that is best on this edge, if any is legal. Precondition: the NVDIMM is
  // inactive. If the command changes keys, the window ends with this edge.
  template <Features features, class Banks>
  HMSIM_INLINE static void issue(Channel& channel, Banks& banks) {
    const Cycle edge = channel.clock_.edge();
    if (const Best* const burst = banks.select_burst(edge, features != Features::none)) {
      Transaction& transaction = *burst->transaction;
      if (burst->command == Command::read) {  // the command is a constant from here on
        channel.issue_column(banks, transaction, Command::read, features);
      } else {
        channel.issue_column(banks, transaction, Command::write, features);
      }
      channel.leave_line(transaction, features);
    } else if (const Best* const row = banks.select_row(edge)) {
      if (row->command == Command::activate) {
        channel.issue_row(banks, *row->transaction, Command::activate, features);
      } else {
        channel.issue_row(banks, *row->transaction, Command::precharge, features);
      }
    }
    if (features == Features::keys && channel.ordering_.keys_changed()) {
      channel.fast_.uncontended_until = channel.clock_.soonest();
    }
  }

  // Processes the current edge and those after it while the window lasts, the NVDIMM is inactive,
  // and the kernel lets the channel continue. Returns as try_issue().
  template <Features features, class Banks>
  HMSIM_INLINE static bool issue_dram(Channel& channel, Banks& banks) {
    EdgeClock& clock = channel.clock_;
    DataBus& bus = channel.bus_;
    const Wakeup& wakeup = clock.wakeup();
    Tick limit = earlier(wakeup.horizon(), channel.nvdimm_.due());
    Cycle limit_edge = clock.first_edge(limit);
    Cycle last = earlier(limit_edge, end<features>(channel));
    Cycle next;
    for (bool issues = banks.next() <= clock.edge();;) {
      if (issues) {
        issue<features>(channel, banks);
        if (features == Features::keys) {
          last = earlier(limit_edge, end<features>(channel));
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
        wakeup.try_advance(clock.now());
        answer<features>(channel);
        if (clock.edge() >= end<features>(channel)) {
          return false;
        }
        if (channel.nvdimm_.endpoint().active()) {
          issue_beside_nvdimm<features>(channel, banks);
          return true;
        }
        if (features == Features::none && channel.admission_.pool().all_free() &&
            DeferredRefresh::defer(channel, channel.fast_.uncontended_until)) {
          wakeup.advanced_to(clock.now());
          return true;
        }
        if (const Tick changed = earlier(wakeup.horizon(), channel.nvdimm_.due());
            changed != limit) {
          limit = changed;
          limit_edge = clock.first_edge(limit);
        }
        last = earlier(limit_edge, end<features>(channel));
        issues = banks.next() <= clock.edge();
      }
    }
    clock.arrive();
    clock.wake_at(earlier(next, end<features>(channel)));
    wakeup.advanced_to(clock.now());
    return true;
  }

  // Processes one edge on which the NVDIMM may have commands as well.
  template <Features features, class Banks>
  static void issue_beside_nvdimm(Channel& channel, Banks& banks) {
    EdgeClock& clock = channel.clock_;
    if (channel.bus_.command_taken()) {
      if (clock.edge() >= banks.next()) {
        banks.advance(clock.edge());
      }
    } else if (clock.edge() + channel.layout_.turnaround >= banks.next()) {
      channel.issue_of_both(features);
    } else {
      channel.issue_of_nvdimm(features);
    }
    const Cycle soonest = clock.soonest();
    if (features == Features::keys && channel.ordering_.keys_changed()) {
      channel.fast_.uncontended_until = soonest;
    }
    Cycle next = earlier(earlier(banks.next(), channel.bus_.next()), end<features>(channel));
    if (next > soonest) {
      next = earlier(next, channel.nvdimm_.endpoint().next(soonest));
    }
    clock.wake_at(later(soonest, next));
  }
};

}  // namespace hmsim
