// SPDX-License-Identifier: BSD-3-Clause
// One clock edge: its order, its steps up to selection (completions and acks, refresh, admission),
// and the next edge. These functions are in a header so that the loop over edges (channel_edge.cc)
// can inline them.
#pragma once

#include "controller/channel/channel.h"
#include "controller/channel/channel_commands.h"
#include "controller/channel/fast/deferred_refresh.h"
#include "controller/channel/fast/single_request.h"
#include "controller/channel/fast/uncontended.h"
#include "core/errors.h"

namespace hmsim {

// Processes one edge. `first`: first edge of a call of advance(), before which requests may have
// arrived. Each `try` call is a shortcut: without it, and with its else branch kept, results are
// the same.
template <Features features, class Banks>
HMSIM_INLINE void Channel::edge(Banks& banks, bool first) {
  const bool changed = first && Uncontended::changed_outside<features>(*this);
  if (changed || !Uncontended::try_begin_edge<features>(*this)) {
    if (features == Features::none && DeferredRefresh::try_defer(*this)) {
      return;
    }
    clock_.wake_never();
    bus_.begin_edge(features, clock_.edge(), dram_.slots());
    admission_.open();
    while (bus_.next() <= clock_.edge()) {
      complete(features);
    }
    take_answers(features);
    refresh(features);
    if (features != Features::none || !SingleRequest::try_admit(*this)) {
      admit(features);
      prepare(features);
      accounts_.slots_held(admission_.held(), clock_.edge(), clock_.now());
      Uncontended::find<features>(*this);
    } else if (fast_.defers()) {
      return;
    }
  }
  if (!Uncontended::try_issue<features>(*this, banks)) {
    issue_one(features);
    if (features == Features::any) {
      use_free_slot();
      if (layout_.drained) {
        choose_side();
      }
    }
    clock_.wake_by(later(clock_.soonest(), next_edge(features)));
  }
}

// Returns the next edge on which anything may happen, as far as is known now. No other function
// decides this.
HMSIM_INLINE Cycle Channel::next_edge(Features features) {
  const Cycle soonest = clock_.soonest();
  Cycle next = earlier(dram_.next(features, clock_.edge(), soonest), bus_.next());
  next = earlier(next, nvdimm_.next_answer(features, soonest));
  if (features != Features::none) {
    next = ordering_.keys_changed()
               ? soonest
               : earlier(next, earlier(ordering_.next_change(), ordering_.guard().next()));
  }
  return next > soonest ? earlier(next, nvdimm_.next_command(soonest)) : next;
}

// Handles the last data beat of a transaction.
HMSIM_INLINE void Channel::finish(Transaction& done, Features features) {
  const bool ends_here = is_nvdimm(done) && !(features == Features::any && layout_.is_posted(done));
  const Tick gc_blocked = ends_here ? nvdimm_.finish(done, clock_.now()) : Tick(0);
  accounts_.finished(done, gc_blocked, clock_.edge(), clock_.now());
  if (is_nvdimm(done)) {
    nvdimm_.barrier().done();
    if (nvdimm_.barrier().active()) {
      send_flush();
    }
  }
  ordering_.notify(TransactionPolicy::kComplete, &TransactionPolicy::on_complete, done,
                   clock_.edge(), [&done] { return done.viewed && done.view.row_hit; });
  if (features == Features::any && layout_.two_level) {
    admission_.leave_command_queue(done.rank);
  } else if (is_nvdimm(done)) {
    admission_.give_back_slot(MemoryClass::nvdimm);
  } else {
    admission_.give_back_slot(MemoryClass::dram);
    if (admission_.end(done.rank)) {
      dram_.banks().hold(done.rank, false);
    }
  }
}

HMSIM_INLINE void Channel::complete(Features features) {
  Transaction& done = bus_.end_burst();
  Requester& requester = admission_.requester_of(done.request);
  if (features == Features::any && layout_.is_posted(done)) {
    post_write(done, requester);
  } else if (dram_bytes_ != nullptr) {
    exchange_data(done, requester);
  }
  finish(done, features);
  requester.on_complete(done.request, clock_.now());
  clock_.wakeup().called_back();
  // Released last: requests sent from on_complete() only join the line.
  admission_.pool().release(done);
}

// Takes at most one answer of the NVDIMM per edge, because it needs the address lines: an ack,
// otherwise a credit. The bursts of a block that follow its ack keep other answers back.
HMSIM_INLINE void Channel::take_answers(Features features) {
  if (Transaction* const block = nvdimm_.block(); features == Features::any && block != nullptr) {
    if (nvdimm_.endpoint().earliest_burst(*block) <= clock_.edge()) {
      issue_grant(*block, features);
    }
    return;
  }
  const bool credits = features == Features::any && layout_.posts_writes;
  if (credits) {
    nvdimm_.credits().arrive(clock_.edge());
  }
  if (nvdimm_.endpoint().has_ack()) {
    const bool bus_taken = features == Features::any && bus_.command_taken();
    if (nvdimm_.may_acknowledge(clock_.edge()) &&
        !(bus_taken && layout_.controller.ack_takes_slot())) {
      deliver_ack(features);
    }
  } else if (credits && nvdimm_.credits().owed()) {
    nvdimm_.credits().respond(clock_.edge());
    accounts_.credit_returned(clock_.edge());
  }
  if (nvdimm_.barrier().stage() == FlushBarrier::Stage::passed) {
    lift_flush();
  }
}

HMSIM_INLINE void Channel::deliver_ack(Features features) {
  Transaction& transaction = nvdimm_.endpoint().first_ack();
  const Cycle edge = clock_.edge();
  ensure(NvdimmEndpoint::awaits_ack(transaction), "channel", clock_.now(),
         static_cast<std::int64_t>(transaction.request.id), "second ack of a transaction");
  nvdimm_.endpoint().take_ack();
  const bool takes_slot = layout_.controller.ack_takes_slot();
  if (takes_slot) {
    bus_.take_command(edge);
  }
  accounts_.ack_delivered(transaction, takes_slot, edge);
  if (transaction.request.flush) {
    end_flush(transaction);
    return;
  }
  ordering_.notify(TransactionPolicy::kAck, &TransactionPolicy::on_ack, transaction, edge,
                   [&] { return would_hit(transaction); });
  if (!layout_.grants) {
    issue_grant(transaction, features);
  } else {
    transaction.state = TransactionState::ready;
    nvdimm_.endpoint().insert_ready(transaction, edge + layout_.ack_to_burst);
  }
}

// Issues urgent refreshes and their precharges, before all requests.
HMSIM_INLINE void Channel::refresh(Features features) {
  if (dram_.refresh().urgent(clock_.edge()) && !bus_.command_taken()) {
    const RefreshStep step = dram_.refresh().step(clock_.edge());
    if (step.present()) {
      take_step(step, features);
    }
  }
}

// Lets the transaction compete for its first command. Transactions held back by policies or drained
// writes compete later.
HMSIM_INLINE void Channel::compete(Transaction& transaction, Features features) {
  if (features != Features::none && !ordering_.has_fixed_keys(transaction)) {
    compete_by_key(transaction);
    return;
  }
  transaction.state = TransactionState::queued;
  ordering_.set_fixed_keys(transaction);
  if (is_nvdimm(transaction)) {
    nvdimm_.endpoint().insert(transaction);
  } else {
    dram_.insert(transaction, features, clock_.edge());
  }
}

// Lets the transaction compete for its bank. If an older transaction to the same line has not yet
// had the data bus, holds the new one until then.
HMSIM_INLINE void Channel::order_line(Transaction& transaction, Features features) {
  if (features == Features::none && fast_.found_empty &&
      SingleRequest::try_stay_alone(*this, transaction)) {
    return;
  }
  if (features == Features::any && layout_.blocks && is_nvdimm(transaction)) {
    if (admission_.block_order().add(transaction)) {
      transaction.state = TransactionState::held;
    } else {
      compete_by_key(transaction);
    }
    return;
  }
  Transaction* const before = admission_.line_order().exchange(transaction);
  if (before == nullptr) {
    compete(transaction, features);
    return;
  }
  transaction.state = TransactionState::held;
  transaction.predecessor = before;
  before->successor = &transaction;
  if (features == Features::any && !transaction.request.write && dram_.side_of(*before) == 1) {
    expedite(*before);
  }
}

// Reports an admitted transaction to its scheduler. Then stages it, if queues have two levels, or
// adds it to the order of its queue.
HMSIM_INLINE void Channel::enter(Transaction& transaction, Features features) {
  ordering_.notify(TransactionPolicy::kEnqueue, &TransactionPolicy::on_enqueue, transaction,
                   clock_.edge(), [&] { return would_hit(transaction); });
  if (features != Features::none && ordering_.guard().active()) {
    ordering_.guard().admit(ordering_.view(transaction, false),
                            layout_.queue_of(transaction.request.memory), clock_.edge());
  }
  if (features == Features::any && layout_.two_level) {
    transaction.state = TransactionState::staged;
    admission_.stage(transaction);
  } else {
    order_line(transaction, features);
  }
}

HMSIM_INLINE bool Channel::admit_from(std::size_t queue, Features features) {
  if (!admission_.may_admit(queue)) {
    return false;
  }
  const Request& request = admit(admission_.first(queue), features).request;
  admission_.pop(queue);
  admission_.requester_of(request).on_admit(request, clock_.now());
  clock_.wakeup().called_back();
  return true;
}

HMSIM_INLINE const Transaction& Channel::admit(const Request& request, Features features) {
  Transaction& transaction = admission_.pool().take();
  transaction.begin(request, clock_.edge());
  locate(transaction);
  if (request.memory == MemoryClass::nvdimm) {
    admission_.hold_slot(MemoryClass::nvdimm);
    if (nvdimm_.barrier().bars(transaction)) {
      transaction.state = TransactionState::barred;
      send_flush();
      return transaction;
    }
  } else {
    admission_.hold_slot(MemoryClass::dram);
    accounts_.admitted(transaction, clock_.edge());
  }
  enter(transaction, features);
  return transaction;
}

// Admits waiting requests while slots are free. A requester may send more requests from on_admit(),
// in split mode also to the other queue.
HMSIM_INLINE void Channel::admit(Features features) {
  while (admit_from(0, features) || (layout_.split && admit_from(1, features))) {
  }
  admission_.close();
}

// Applies changes of the order of transactions: by time, and by policies since the last edge.
HMSIM_INLINE void Channel::prepare(Features features) {
  if (features == Features::any && layout_.two_level) {
    stage();
  }
  if (features != Features::none && ordering_.changes()) {
    update_order();
  }
  if (features == Features::any) {
    if (layout_.drained) {
      choose_side();
    }
    if (layout_.posts_writes) {
      give_credits();
    }
    if (dram_.power().active() && !bus_.command_taken()) {
      take_step(dram_.power().wake_step(clock_.edge()));
    }
  }
}

}  // namespace hmsim
