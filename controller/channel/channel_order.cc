// SPDX-License-Identifier: BSD-3-Clause
// Order of a channel's transactions: their keys, when keys change, what overdue transactions block,
// and which side of the drained DRAM is served.
#include "controller/channel/channel_edge.h"

namespace hmsim {

// Version of compete() for transactions whose keys the scheduler sets, and for overdue ones.
void Channel::compete_by_key(Transaction& transaction) {
  if (ordering_.withholds(transaction)) {
    transaction.state = TransactionState::withheld;
    return;
  }
  transaction.state = TransactionState::queued;
  ordering_.set_keys(transaction);
  if (is_nvdimm(transaction)) {
    nvdimm_.endpoint().insert(transaction);
  } else {
    dram_.insert(transaction, Features::any, clock_.edge());
  }
}

// Moves a drained write that a read waits for to the reads' side, together with the writes it waits
// for itself.
void Channel::expedite(Transaction& awaited) {
  for (Transaction* each = &awaited; each != nullptr; each = each->predecessor) {
    if (dram_.side_of(*each) == 1 && each->state == TransactionState::queued) {
      dram_.expedite(*each, clock_.edge());
      accounts_.competes(*each, clock_.edge());
    }
    each->urgent = true;
  }
}

// Two-level structure, as in DRAMSim2: moves one transaction per cycle to its rank's command queue.
void Channel::stage() {
  if (Transaction* const staged = admission_.unstage()) {
    if (!is_nvdimm(*staged)) {
      accounts_.competes(*staged, clock_.edge());
    }
    order_line(*staged, Features::any);
    clock_.wake_by(clock_.soonest());
  }
}

// Updates the keys of transactions that have become overdue and of those that schedulers changed.
void Channel::update_order() {
  if (ordering_.guard().next() <= clock_.edge()) {
    promote_overdue();
  }
  if (clock_.edge() >= ordering_.next_change() || ordering_.keys_changed()) {
    update_keys();
  }
}

// Gives overdue transactions the first key. This ends an uncontended window, because reserve() must
// run on each edge.
void Channel::promote_overdue() {
  fast_.end_window();
  StarvationGuard& guard = ordering_.guard();
  while (guard.next() <= clock_.edge()) {
    Transaction& transaction = admission_.pool()[guard.take()];
    transaction.overdue = true;
    rekey(transaction);
  }
}

void Channel::update_keys() {
  if (clock_.edge() >= ordering_.next_change()) {
    ordering_.change_with_time(clock_);
  }
  for (std::size_t queue = 0; queue < layout_.queues(); ++queue) {
    std::vector<std::uint32_t>& changed = ordering_.changed_slots(queue);
    if (ordering_.all_keys_changed(queue)) {
      rebuild_keys(queue);
    } else {
      for (const std::uint32_t slot : changed) {
        rekey(admission_.pool()[slot]);
      }
    }
    changed.clear();
  }
}

void Channel::rebuild_keys(std::size_t queue) {
  TransactionPool& pool = admission_.pool();
  for (std::size_t i = 0; i < pool.size(); ++i) {
    Transaction& transaction = pool[static_cast<std::uint32_t>(i)];
    if (layout_.queue_of(transaction.request.memory) != queue) {
      continue;
    }
    if (transaction.state == TransactionState::queued ||
        transaction.state == TransactionState::waiting ||
        transaction.state == TransactionState::ready) {
      ordering_.set_keys(transaction);
    } else if (transaction.state == TransactionState::withheld) {
      compete_by_key(transaction);
    }
  }
  dram_.banks().rebuild(clock_.edge());
  nvdimm_.endpoint().rebuild();
}

void Channel::rekey(Transaction& transaction) {
  switch (transaction.state) {
    case TransactionState::withheld:
      compete_by_key(transaction);
      return;
    case TransactionState::waiting:
      ordering_.set_keys(transaction);
      return;
    case TransactionState::queued:
    case TransactionState::ready:
      ordering_.set_keys(transaction);
      if (is_nvdimm(transaction)) {
        nvdimm_.endpoint().rekeyed(transaction);
      } else {
        dram_.rekeyed(transaction, clock_.edge());
      }
      return;
    default:
      return;
  }
}

// Chooses the side that competes. It does not change while a rank's command queue is full, because
// the transactions that fill it must progress.
void Channel::choose_side() {
  if (!admission_.any_rank_full() &&
      dram_.choose_side(ordering_.direction(admission_.pool(), dram_), clock_.edge())) {
    accounts_.side_changed(clock_.edge());
  }
}

// While an overdue transaction waits only for its data-bus command, blocks the other data-bus
// commands of its class. Otherwise commands that need no turnaround could keep it from becoming
// legal forever.
void Channel::reserve(Candidates& candidates) const {
  const TransactionPool& pool = admission_.pool();
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    const std::uint32_t slot = ordering_.guard().oldest_overdue(memory);
    if (slot != StarvationGuard::kNone && lacks_data_only(pool[slot])) {
      const auto other = [overdue = &pool[slot]](const Best* best) {
        return best != nullptr && best->transaction != overdue;
      };
      const auto i = static_cast<std::size_t>(memory);
      candidates.legal[i] = other(candidates.legal[i]) ? nullptr : candidates.legal[i];
      candidates.near[i] = other(candidates.near[i]) ? nullptr : candidates.near[i];
    }
  }
  if (!layout_.grants && overdue_burst_waits()) {
    candidates.legal[0] = nullptr;
    candidates.near[0] = nullptr;
  }
}

// In `auto` mode, returns whether an overdue NVDIMM burst waits for the data bus and no older DRAM
// request is overdue.
bool Channel::overdue_burst_waits() const {
  const NvdimmEndpoint& endpoint = nvdimm_.endpoint();
  if (!endpoint.has_ack() || !endpoint.first_ack().overdue) {
    return false;
  }
  const std::uint32_t dram = ordering_.guard().oldest_overdue(MemoryClass::dram);
  return dram == StarvationGuard::kNone ||
         endpoint.first_ack().request.id < admission_.pool()[dram].request.id;
}

bool Channel::lacks_data_only(const Transaction& transaction) const {
  if (is_nvdimm(transaction)) {
    return transaction.state == TransactionState::ready;
  }
  const bool may_start =
      transaction.started || layout_.two_level || admission_.has_room(transaction.rank);
  return transaction.state == TransactionState::queued &&
         dram_.side_of(transaction) == dram_.side() && may_start &&
         dram_.banks().open_row(transaction.bank) == transaction.row;
}

}  // namespace hmsim
