// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/fast/deferred_commands.h"

#include <utility>

#include "controller/channel/channel_edge.h"
#include "core/errors.h"

namespace hmsim {

// Processes the deferred edges before `end`, and ends the deferral. The first edge may have no
// command: a request that found no free slot asked for it. The channel's time is updated only after
// the last edge, because no component reads it before.
[[gnu::flatten]] void Uncontended::Deferred::make_before(Channel& channel, Cycle end) {
  EdgeClock& clock = channel.clock_;
  DataBus& bus = channel.bus_;
  ensure(end <= clock.next(), "channel", clock.now(), -1, "deferred commands are late");
  channel.fast_.defers_commands = false;
  Cycle next = std::exchange(channel.fast_.deferred_from, kNeverCycle);
  if (next < end) {
    NativeBanks& banks = *channel.dram_.native();
    do {
      clock.move_to(next);
      if (banks.next() <= next) {
        issue<Features::none>(channel, banks);
      }
      next = later(clock.soonest(), banks.next());
    } while (next < end);
    next = earlier(next, bus.next());
    ensure(next >= end, "channel", clock.now(), -1, "a completion was deferred");
    bus.begin_edge(Features::none, clock.edge(), nullptr);
    clock.arrive();
  }
  clock.wake_at(earlier(next, channel.fast_.uncontended_until));
}

// Called when a request arrives, for which the channel processes `edge`. Defers that edge too if no
// slot is free.
void Uncontended::Deferred::wake(Channel& channel, Cycle edge) {
  make_before(channel, edge);
  channel.clock_.wake_by(edge);
  try_defer(channel, Tick(0));
  channel.clock_.wakeup().notify(channel.next_event());
}

}  // namespace hmsim
