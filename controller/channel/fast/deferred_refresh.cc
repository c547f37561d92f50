// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/fast/deferred_refresh.h"

#include "controller/channel/channel_edge.h"

namespace hmsim {

bool DeferredRefresh::may_defer(const Channel& channel) {
  const NvdimmEndpoint& endpoint = channel.nvdimm_.endpoint();
  return channel.admission_.held()[0] == 0 && channel.dram_.banks().next() == kNeverCycle &&
         channel.bus_.quiet() && !endpoint.has_ack() && !endpoint.active() &&
         !channel.admission_.may_admit();
}

// Makes the commands of the rank's refresh, one per edge, as far as each is legal at its edge and
// the edge is before `end`. Makes at least the step of the current edge.
HMSIM_INLINE void DeferredRefresh::make_of_rank(Channel& channel, LoneBanks& banks, int rank,
                                                Cycle end) {
  RefreshControl& refresh = channel.dram_.refresh();
  const Cycle begin = channel.clock_.edge();
  Cycle edge = begin;
  std::uint64_t open = refresh.open_banks(rank);
  for (; open != 0; open &= open - 1) {
    const std::int32_t bank = rank * channel.layout_.banks_per_rank + __builtin_ctzll(open);
    if (edge == end || !banks.may_precharge(bank, edge)) {
      break;
    }
    banks.precharge(bank, edge);
    channel.accounts_.record_precharge(bank, rank, -1, edge);
    ++edge;
  }
  if (edge != begin) {
    const Cycle last = edge - Cycle(1);
    channel.clock_.move_to(last);
    channel.bus_.take_command(channel.clock_.edge());
    channel.accounts_.precharged_for_refresh(rank, begin, last);
  }
  if (open == 0 && (edge = later(edge, refresh.gate(rank))) < end) {
    channel.clock_.move_to(edge);
    const int turn = channel.dram_.issue_refresh(banks, rank, edge);
    channel.accounts_.refreshed(rank, turn, edge);
  } else if (channel.bus_.command_taken()) {
    refresh.prepare(rank, channel.clock_.edge());
  } else {
    channel.refresh(Features::none);
  }
}

// Advances counters, energy and latency clocks at once for all rounds but the last. Makes the last
// round one command at a time, because the timing rules store the times of the latest commands.
bool DeferredRefresh::make_periodic(Channel& channel, LoneBanks& banks, Cycle end) {
  RefreshControl& refresh = channel.dram_.refresh();
  if (channel.accounts_.observed() || !refresh.periodic()) {
    return false;
  }
  if (const std::int64_t rounds = refresh.skippable_rounds(end); rounds > 0) {
    const std::int64_t count = rounds * refresh.turns();
    refresh.skip_rounds(rounds);
    channel.accounts_.refreshed_rounds(
        count, [&](int rank) { return refresh.urgent_from(rank) - refresh.interval() * count; });
  }
  for (Cycle next = refresh.next_urgent(); next < end; next = refresh.next_urgent()) {
    const int rank = refresh.first_urgent();
    channel.clock_.move_to(next);
    const int turn = channel.dram_.issue_refresh(banks, rank, next);
    channel.accounts_.refreshed(rank, turn, next);
  }
  channel.bus_.begin_edge(Features::none, end, nullptr);
  return true;
}

[[gnu::flatten]] void DeferredRefresh::make_before(Channel& channel, Cycle end) {
  EdgeClock& clock = channel.clock_;
  Cycle next = std::exchange(channel.fast_.deferred_from, kNeverCycle);
  if (next >= end) {
    clock.wake_at(next);
    return;
  }
  RefreshControl& refresh = channel.dram_.refresh();
  LoneBanks banks(*channel.dram_.native());
  while (next < end) {
    if (end - next > refresh.interval() && next == refresh.next_urgent() &&
        make_periodic(channel, banks, end)) {
      const Cycle soonest = clock.soonest();
      next = later(soonest, refresh.next(soonest));
      channel.fast_.uncontended_until = next;
      break;
    }
    clock.move_to(next);
    channel.bus_.begin_edge(Features::none, next, nullptr);
    const Cycle limit = earlier(end, refresh.second_urgent());
    if (refresh.urgent(next) && next < limit) {
      make_of_rank(channel, banks, refresh.first_urgent(), limit);
    } else {
      channel.refresh(Features::none);
    }
    const Cycle soonest = clock.soonest();
    next = later(soonest, refresh.next(soonest));
    channel.fast_.uncontended_until = refresh.urgent(soonest) ? Cycle(0) : next;
  }
  clock.arrive();
  clock.wake_at(next);
}

}  // namespace hmsim
