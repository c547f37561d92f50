// SPDX-License-Identifier: BSD-3-Clause
// What comes on an edge before selection: completions, acks, refresh, admission. For the loops over
// edges to take in.
#pragma once

#include <utility>

#include "controller/channel/channel.h"

namespace hmsim {

template <class RowHit>
inline void Channel::tell(TransactionPolicy::Hook hook,
                          void (TransactionPolicy::*call)(const RequestView&, Tick),
                          Transaction& transaction, RowHit row_hit) {
  if ((told_ & hook) == 0) {
    return;
  }
  const RequestView& view = seen(transaction, row_hit());
  TransactionScheduler& scheduler = scheduler_of(transaction.request.memory);
  if (scheduler.wants(hook)) {
    (scheduler.*call)(view, time_of(edge_));
  }
  if (arbiter_->wants(hook)) {
    ((*arbiter_).*call)(view, time_of(edge_));
  }
}

// The last beat of a transaction has passed.
HMSIM_INLINE void Channel::finish(Transaction& done, Phases phases) {
  const Request& request = done.request;
  const Tick latency = now_ - request.arrival;
  const bool nvdimm = is_nvdimm(done);
  const bool ends_here = nvdimm && !(phases == Phases::all && posted(done));
  const Tick gc_blocked = ends_here ? nvdimm_->finish(done.slot, now_) : Tick(0);
  if (request_observer_ != nullptr) {
    show(done, gc_blocked);
  }
  if (nvdimm) {
    latency_.finished(done, edge_, gc_blocked);
    barrier_.done();
    if (barrier_.active()) {
      send_flush();
    }
    ++(request.write ? statistics_.nvdimm_writes : statistics_.nvdimm_reads);
    statistics_.nvdimm_line_latency.add(latency, cycles_);
  } else {
    latency_.finished(done);
    ++(request.write ? statistics_.dram_writes : statistics_.dram_reads);
    (request.write ? statistics_.dram_write_latency : statistics_.dram_read_latency)
        .add(latency, cycles_);
  }
  tell(TransactionPolicy::kComplete, &TransactionPolicy::on_complete, done,
       [&done] { return done.viewed && done.view.row_hit; });
  if (phases == Phases::all && two_level_) {
    command_queue_free_[static_cast<std::size_t>(done.rank)] += kEntriesPerTransaction;
    return;
  }
  if (nvdimm) {
    ++queue_of(MemoryClass::nvdimm).free_slots;
    count(MemoryClass::nvdimm, -1);
    return;
  }
  ++queue_of(MemoryClass::dram).free_slots;
  count(MemoryClass::dram, -1);
  if (command_queues_fill_ && command_queue_free_[static_cast<std::size_t>(done.rank)]++ == 0) {
    banks_.hold(done.rank, false);
    --held_ranks_;
  }
}

HMSIM_INLINE void Channel::complete(Phases phases) {
  Transaction& done = finishes_.pop();
  Requester& requester = *(*requesters_)[done.request.agent];
  if (phases == Phases::all && posted(done)) {
    post(done, requester);
  } else if (dram_bytes_ != nullptr) {
    exchange(done, requester);
  }
  finish(done, phases);
  requester.on_complete(done.request, now_);
  wakeup_.answered();
  pool_.release(done);  // not before: what the requester sends in answer only joins the line
}

// One ack an edge: it needs the address lines. In `auto` mode the data follow by themselves, so the
// NVDIMM holds the ack back until their place on the data bus is free.
HMSIM_INLINE void Channel::deliver_ack() {
  Transaction& transaction = endpoint_.first_ack();
  const bool flush = transaction.request.flush;
  if (!grants_ && !flush && endpoint_.earliest_burst(transaction) > edge_) {
    return;
  }
  endpoint_.take_ack();
  command_bus_taken_ = ack_takes_slot_;
  statistics_.ack_cycles += command_bus_taken_ ? 1 : 0;
  record(ChannelCommand::nvdimm_ack, transaction);
  if (flush) {
    end_flush(transaction);
    return;
  }
  tell(TransactionPolicy::kAck, &TransactionPolicy::on_ack, transaction,
       [&] { return would_hit(transaction); });
  if (!grants_) {
    issue_grant(transaction, NvdimmEndpoint::burst_of(transaction));
  } else {
    transaction.state = TransactionState::ready;
    endpoint_.insert_ready(transaction, edge_ + ack_to_burst_);
  }
}

template <class Banks>
HMSIM_INLINE void Channel::precharge(Banks& banks, std::int32_t bank, int rank,
                                     std::int64_t request, Phases phases) {
  const Cycle edge = edge_;
  banks.precharge(bank, edge);
  if (phases == Phases::all) {
    pages_.closed(bank);
  }
  ++statistics_.precharges;
  energy_.precharged(rank, 1, edge);
  if (observer_ != nullptr) {
    record(ChannelCommand::precharge, rank, bank % banks_per_rank_, -1, request);
  }
}

// Within an edge no time passes: only what is held at its end counts, and at its first command.
HMSIM_INLINE void Channel::settle() {
  if (pending_[0] != settled_[0]) {
    statistics_.dram_occupancy.set(pending_[0], now_);
  }
  if (pending_[1] != settled_[1]) {
    statistics_.nvdimm_occupancy.set(pending_[1], now_);
  }
  settled_ = pending_;
  bus_.holding(pending_[0], pending_[1], edge_);
}

HMSIM_INLINE void Channel::find_calm(Phases phases) {
  calm_until_ = Cycle(0);
  const Cycle soonest = edge_ + Cycle(1);
  if (phases == Phases::all || endpoint_.has_ack() || refresh_.pressing(soonest)) {
    return;
  }
  if (phases == Phases::plain) {
    calm_until_ = refresh_.next(soonest);
  } else if (!keys_changed() && !guard_.any_overdue()) {
    calm_until_ = earlier(refresh_.next(soonest), next_policy_change_);
  }
}

// The phases of an edge before selection. False: there is nothing more to do on it. `phases`:
// phases_, as a constant, so that the edges of a plain channel do not ask for any more.
HMSIM_INLINE bool Channel::begin_edge(Phases phases) {
  if (phases == Phases::plain && refresh_.pressing(edge_) && rest()) {
    return false;
  }
  wake_ = kNeverCycle;
  wake_time_ = kNever;
  command_bus_taken_ = false;
  advancing_ = true;
  while (finishes_.next() <= edge_) {
    complete(phases);
  }
  if (phases == Phases::all && posts_writes_) {
    credits_.arrive(edge_);
  }
  if (endpoint_.has_ack()) {
    deliver_ack();
  } else if (phases == Phases::all && posts_writes_) {
    return_credit();
  }
  if (refresh_.pressing(edge_)) {
    refresh();
  }
  if (queues_[0].may_admit() || queues_[1].may_admit()) {
    if (phases == Phases::plain && pool_.all_free()) {
      admit_first();
      return !at_rest();
    }
    admit();
  }
  advancing_ = false;
  if (phases == Phases::all) {
    prepare();
  } else if (phases == Phases::keyed) {
    renew_keys();
  }
  if (pending_[0] != settled_[0] || pending_[1] != settled_[1]) {
    settle();
  }
  find_calm(phases);
  return true;
}

// Where the channel was empty: a first transaction, of the DRAM, is alone for the time being,
// unknown to its line and its bank. A second one has both know of it.
HMSIM_INLINE bool Channel::stays_alone(Transaction& transaction) {
  if (lone_ == nullptr && !is_nvdimm(transaction)) {
    lone_ = &transaction;
    return true;
  }
  found_empty_ = false;
  if (lone_ != nullptr) {
    end_solitude();
  }
  return false;
}

HMSIM_INLINE void Channel::compete(Transaction& transaction, Phases phases) {
  if (phases != Phases::plain) {
    compete_by_key(transaction);
    return;
  }
  transaction.state = TransactionState::queued;
  set_fixed_keys(transaction);
  if (is_nvdimm(transaction)) {
    endpoint_.insert(transaction);
  } else {
    banks_.insert(transaction, 0, edge_);
  }
}

// Lets the transaction compete, or holds it behind an older one to the same line.
HMSIM_INLINE void Channel::order_line(Transaction& transaction, Phases phases) {
  if (found_empty_ && stays_alone(transaction)) {
    return;
  }
  Transaction* const before = line_order_.exchange(transaction);
  if (before == nullptr) {
    compete(transaction, phases);
    return;
  }
  transaction.state = TransactionState::held;
  transaction.predecessor = before;
  before->successor = &transaction;
  if (!transaction.request.write && side_of(*before) == 1) {
    expedite(*before);
  }
}

// Its scheduler gets to know of it.
HMSIM_INLINE void Channel::enter(Transaction& transaction, Phases phases) {
  tell(TransactionPolicy::kEnqueue, &TransactionPolicy::on_enqueue, transaction,
       [&] { return would_hit(transaction); });
  if (phases != Phases::plain) {
    guard_.admit(seen(transaction, false), owner_of(transaction.request.memory), edge_);
  }
  if (phases == Phases::all && two_level_) {
    transaction.state = TransactionState::staged;
    staged_.push_back(transaction.slot);
  } else {
    order_line(transaction, phases);
  }
}

HMSIM_INLINE bool Channel::admit_from(Queue& queue, Phases phases) {
  if (!queue.may_admit()) {
    return false;
  }
  --queue.free_slots;
  const Request& request = admit(queue.line.front(), phases).request;
  queue.line.pop();
  (*requesters_)[request.agent]->on_admit(request, now_);
  wakeup_.answered();
  return true;
}

HMSIM_INLINE const Transaction& Channel::admit(const Request& request, Phases phases) {
  Transaction& transaction = pool_.take();
  transaction.begin(request, edge_);
  if (request.memory == MemoryClass::nvdimm) {
    const NvdimmPlace place = map_.nvdimm(request.address);
    transaction.local = place.address;
    transaction.row = place.page;
    transaction.rank = nvdimm_rank_;
    transaction.bank = endpoint_.pseudo_bank(transaction.row);
    count(MemoryClass::nvdimm, 1);
    if (barrier_.bars(transaction)) {
      bar(transaction);
      return transaction;
    }
  } else {
    const DramPlace place = map_.dram(request.address);
    transaction.row = place.row;
    transaction.rank = place.rank;
    transaction.bank = place.rank * banks_per_rank_ + place.bank;
    latency_.admitted(transaction, edge_);
    count(MemoryClass::dram, 1);
  }
  enter(transaction, phases);
  return transaction;
}

// Whoever waits outside, as far as there are slots. A requester may send more from within on_admit,
// in split mode to the other queue too.
HMSIM_INLINE void Channel::admit_all(Phases phases) {
  while (admit_from(queues_[0], phases) || (split_ && admit_from(queues_[1], phases))) {
  }
}

// From this refresh on they have the edges for themselves. False: somebody looks at their commands.
HMSIM_INLINE bool Channel::put_off(Cycle from) {
  if (observer_ != nullptr || !wakeup_.puts_off()) {
    return false;
  }
  put_off_ = from;
  wake_ = kNeverCycle;
  wake_time_ = kNever;
  return true;
}

// What an edge within the calm may begin with: completions, and who gets their slots.
HMSIM_INLINE void Channel::answer(Phases phases) {
  wake_ = kNeverCycle;
  wake_time_ = kNever;
  command_bus_taken_ = false;
  advancing_ = true;
  complete(phases);
  if (queues_[0].may_admit() || queues_[1].may_admit()) {
    admit();
  }
  advancing_ = false;
  if (phases == Phases::keyed) {
    renew_keys();
  }
  if (pending_[0] != settled_[0] || pending_[1] != settled_[1]) {
    settle();
  }
}

HMSIM_INLINE bool Channel::begin_edge() {
  return phases_ == Phases::plain ? begin_edge(Phases::plain) : begin_special_edge();
}

}  // namespace hmsim
