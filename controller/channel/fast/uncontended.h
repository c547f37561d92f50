// SPDX-License-Identifier: BSD-3-Clause
// Shortcut: uncontended windows. Removing this file changes no result.
//
// On most edges the channel knows an edge before which only commands of its transactions, closing
// of rows by the page policy, and completions can happen: no refresh becomes urgent, no policy
// changes its keys, no transaction becomes overdue, no rank falls asleep. Unless a request, an ack
// or a credit arrives, edges within such a window skip all other checks. If the NVDIMM is inactive
// as well, they follow each other without calls to the kernel.
#pragma once

#include "controller/channel/channel.h"
#include "controller/channel/channel_commands.h"
#include "controller/channel/fast/deferred_refresh.h"

namespace hmsim {

// Processing of edges within a window. `features`: the channel's.
struct Uncontended {
  struct Deferred {  // deferred_commands.h
    static void make_due(Channel& channel, Cycle end);
    [[gnu::noinline]] static void make_before(Channel& channel, Cycle end);
    static void make_any_before(Channel& channel, Cycle end);
    [[gnu::noinline]] static void wake(Channel& channel, Cycle edge);
    static bool is_private(const Channel& channel);
  };

  // Returns the first edge after the window. With keys the starvation limit also ends the window.
  // The limit is read on each call, because issuing a transaction may move it later.
  template <Features features>
  static Cycle end(const Channel& channel) {
    const Cycle until = channel.fast_.uncontended_until;
    return features != Features::none ? earlier(until, channel.ordering_.guard().next()) : until;
  }

  // Returns whether a request or a policy changed, since the channel's last edge, what it may do.
  template <Features features>
  HMSIM_INLINE static bool changed_outside(const Channel& channel) {
    return channel.admission_.may_admit() ||
           (features != Features::none && channel.ordering_.keys_changed()) ||
           (features == Features::any && may_change_side(channel));
  }

  // Determines the window that begins with the current edge. Call it after admission.
  template <Features features>
  HMSIM_INLINE static void find(Channel& channel) {
    channel.fast_.end_window();
    RefreshControl& refresh = channel.dram_.refresh();
    const Cycle soonest = channel.clock_.soonest();
    if (channel.nvdimm_.endpoint().has_ack() || refresh.urgent(soonest) ||
        (features == Features::any && may_change_side(channel))) {
      return;
    }
    const Ordering& ordering = channel.ordering_;
    if (features == Features::none) {
      channel.fast_.uncontended_until = refresh.next(soonest);
    } else if (!ordering.keys_changed() && !ordering.guard().any_overdue()) {
      channel.fast_.uncontended_until = earlier(refresh.next(soonest), ordering.next_change());
      if (features == Features::any) {
        const Cycle own = next_own_action(channel, channel.clock_.edge());
        channel.fast_.end_window_by(earlier(channel.clock_.next(), own));
      }
    }
  }

  // Begins an edge within the window: handles a completion and admits a request to the slot that it
  // frees. Returns false outside the window.
  template <Features features>
  HMSIM_INLINE static bool try_begin_edge(Channel& channel) {
    if (channel.clock_.edge() >= end<features>(channel)) {
      return false;
    }
    if (channel.bus_.next() <= channel.clock_.edge()) {
      answer<features>(channel);
    } else {
      begin_edge<features>(channel);
    }
    return true;
  }

  template <Features features>
  HMSIM_INLINE static void answer(Channel& channel) {
    channel.clock_.wake_never();
    begin_edge<features>(channel);
    channel.admission_.open();
    do {
      channel.complete(features);
    } while (features == Features::any && channel.bus_.next() <= channel.clock_.edge());
    channel.admit(features);
    channel.prepare(features);
    if (features == Features::any) {
      channel.fast_.end_window_by(channel.dram_.plans_changed() ? channel.clock_.edge()
                                                                : channel.clock_.next());
    }
    channel.accounts_.slots_held(channel.admission_.held(), channel.clock_.edge(),
                                 channel.clock_.now());
  }

  // Selects and issues on an edge within the window and on the following ones. Returns false if the
  // window has ended and selection on the current edge is still to be done.
  template <Features features, class Banks>
  HMSIM_INLINE static bool try_issue(Channel& channel, Banks& banks) {
    if (channel.clock_.edge() >= end<features>(channel)) {
      return false;
    }
    if (channel.nvdimm_.endpoint().active() ||
        (features != Features::any && channel.bus_.command_taken())) {
      issue_beside_nvdimm<features>(channel, banks);
      return true;
    }
    return issue_dram<features>(channel, banks);
  }

 private:
  static void try_defer(Channel& channel, Tick other);  // deferred_commands.h

  template <Features features>
  HMSIM_INLINE static void begin_edge(Channel& channel) {
    channel.bus_.begin_edge(features, channel.clock_.edge(), channel.dram_.slots());
  }
  static bool may_change_side(const Channel& channel) {
    return channel.layout_.drained && channel.dram_.may_change_side(channel.ordering_.direction(
                                          channel.admission_.pool(), channel.dram_));
  }
  // Returns the edge that admission to command queues asked for on this edge, or kNeverCycle.
  static Cycle wake_of(const EdgeClock& clock) {
    return clock.next() > clock.edge() ? clock.next() : kNeverCycle;
  }
  // Returns the first edge from `from` on, the current or the next one, on which the channel may
  // act by a feature beyond keys and the page policy, unless a command is issued or a request or an
  // ack comes.
  [[gnu::noinline]] static Cycle next_own_action(Channel& channel, Cycle from) {
    if (!channel.uses_windows_ || channel.nvdimm_.block() != nullptr) {
      return from;
    }
    return earlier(channel.nvdimm_.next_credit(from),
                   channel.dram_.next_own_action(channel.clock_.edge(), from));
  }
  // Determines a new end of the window, after events that the last determination left out.
  [[gnu::noinline]] static void renew(Channel& channel) {
    RefreshControl& refresh = channel.dram_.refresh();
    const EdgeClock& clock = channel.clock_;
    const Cycle soonest = clock.soonest();
    channel.fast_.uncontended_until = soonest;
    if (!refresh.urgent(soonest)) {
      channel.fast_.uncontended_until =
          earlier(earlier(wake_of(clock), refresh.next(soonest)),
                  earlier(channel.ordering_.next_change(), next_own_action(channel, soonest)));
    }
  }

  // Does what follows the commands of an edge. If they changed keys, the window ends with the edge.
  template <Features features>
  HMSIM_INLINE static void settle(Channel& channel) {
    if (features == Features::any) {
      const bool changed = channel.dram_.plans_changed();
      if (changed || channel.dram_.pages().next() <= channel.clock_.edge()) {
        channel.use_free_slot();
      }
      if (may_change_side(channel)) {
        channel.choose_side();
      }
      if (changed || channel.dram_.plans_changed() || channel.nvdimm_.may_give_credit()) {
        renew(channel);
      }
    }
    if (features != Features::none && channel.ordering_.keys_changed()) {
      channel.fast_.uncontended_until = channel.clock_.soonest();
    }
  }

  // Returns the first edge with a command of the banks or a row to close.
  template <Features features, class Banks>
  HMSIM_INLINE static Cycle next_command(const Channel& channel, const Banks& banks) {
    return features == Features::any
               ? earlier(channel.dram_.next_command(), channel.dram_.pages().next())
               : banks.next();
  }

  // Sets the next edge. If a refresh becomes urgent on it, asks for the first edge with anything to
  // do, as edges outside windows do: that edge blocks the refresh's banks.
  template <Features features>
  HMSIM_INLINE static void wake(Channel& channel, Cycle next) {
    EdgeClock& clock = channel.clock_;
    const bool blocks = features == Features::any && next == clock.soonest() &&
                        channel.dram_.refresh().urgent(next);
    clock.wake_at(blocks ? earlier(wake_of(clock), later(next, channel.next_edge(features)))
                         : next);
  }

  // Issues the DRAM command that is best on this edge, if any is legal. Precondition: the NVDIMM is
  // inactive.
  template <Features features, class Banks>
  HMSIM_INLINE static void issue(Channel& channel, Banks& banks) {
    const Cycle edge = channel.clock_.edge();
    if (features == Features::any &&
        (channel.bus_.command_taken() || channel.dram_.slots() != nullptr)) {
      channel.issue_one(features);
    } else if (const Best* const burst = banks.select_burst(edge, features != Features::none)) {
      if (features == Features::any) {
        channel.bus_.take_command(edge);
      }
      Transaction& transaction = *burst->transaction;
      if (burst->command == Command::read) {  // the command is a constant from here on
        channel.issue_column(banks, transaction, Command::read, features);
      } else {
        channel.issue_column(banks, transaction, Command::write, features);
      }
      channel.leave_line(transaction, features);
    } else if (const Best* const row = banks.select_row(edge)) {
      if (features == Features::any) {
        channel.bus_.take_command(edge);
      }
      if (row->command == Command::activate) {
        channel.issue_row(banks, *row->transaction, Command::activate, features);
      } else {
        channel.issue_row(banks, *row->transaction, Command::precharge, features);
      }
    }
    settle<features>(channel);
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
    for (bool issues = next_command<features>(channel, banks) <= clock.edge();;) {
      if (issues) {
        issue<features>(channel, banks);
        if (features != Features::none) {
          last = earlier(limit_edge, end<features>(channel));
        }
      }
      next = earlier(later(clock.soonest(), next_command<features>(channel, banks)), bus.next());
      if (next >= last) {
        break;
      }
      clock.move_to(next);
      if (features == Features::any) {
        begin_edge<features>(channel);
      }
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
        issues = next_command<features>(channel, banks) <= clock.edge();
      }
    }
    clock.arrive();
    wake<features>(channel, earlier(next, end<features>(channel)));
    wakeup.advanced_to(clock.now());
    if (features == Features::none) {
      try_defer(channel, wakeup.horizon());
    }
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
    settle<features>(channel);
    const Cycle soonest = clock.soonest();
    Cycle next = earlier(earlier(next_command<features>(channel, banks), channel.bus_.next()),
                         end<features>(channel));
    if (next > soonest) {
      next = earlier(next, channel.nvdimm_.endpoint().next(soonest));
    }
    wake<features>(channel, later(soonest, next));
  }
};

}  // namespace hmsim
