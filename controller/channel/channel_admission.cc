// SPDX-License-Identifier: BSD-3-Clause
// A request's way into its queue: it waits outside, is admitted, and competes in its turn.
#include "controller/channel/channel.h"
#include "controller/channel/channel_edge.h"

namespace hmsim {

void Channel::send(const Request& request, Tick now) {
  Queue& queue = queue_of(request.memory);
  if (advancing_ && !queue.line.full()) {  // this edge's admission is still to come
    queue.line.place() = request;
  } else {
    send_anew(request, queue, now);
  }
}

void Channel::send_anew(const Request& request, Queue& queue, Tick now) {
  queue.line.push(request);
  if (!advancing_) {
    const Cycle edge = edge_from(now);
    if (edge > put_off_) {
      rouse(edge);
    }
    put_off_ = kNeverCycle;  // what has not been due yet is asked for on that edge
    wake_by(edge);
    wakeup_.notify(next_event());
  }
}

bool Channel::would_wait(MemoryClass memory) const {
  const Queue& queue = queues_[owner_of(memory)];
  return static_cast<std::int64_t>(queue.line.size()) >= queue.free_slots;
}

bool Channel::withholds(Transaction& transaction) {
  return orders_[owner_of(transaction.request.memory)] == FixedOrder::none &&
         scheduler_of(transaction.request.memory).withholds(seen(transaction, false));
}

// Where keys may change, or more than the transactions' own banks is to know of them.
void Channel::compete_by_key(Transaction& transaction) {
  if (withholds(transaction)) {
    transaction.state = TransactionState::withheld;
    return;
  }
  transaction.state = TransactionState::queued;
  set_keys(transaction);
  if (is_nvdimm(transaction)) {
    endpoint_.insert(transaction);
    return;
  }
  const std::size_t side = side_of(transaction);
  banks_.insert(transaction, side, edge_);
  if (phases_ == Phases::all) {
    waits(transaction, side, 1);
  }
}

// One more, or one less, waits for its data-bus command.
void Channel::waits(const Transaction& transaction, std::size_t side, int change) {
  if (counts_waiting_) {
    refresh_.waits(transaction.rank, change);
    pages_.waits(transaction.bank, side, change);
  }
  if (power_.active()) {
    power_.waits(transaction.rank, change, edge_);
  }
  if (drained_) {
    drain_.waits(transaction.rank, transaction.bank, side, change);
  }
}

[[gnu::noinline, gnu::flatten]] void Channel::admit() {
  switch (phases_) {  // constants from here on
    case Phases::plain:
      return admit_all(Phases::plain);
    case Phases::keyed:
      return admit_all(Phases::keyed);
    case Phases::all:
      return admit_all(Phases::all);
  }
}

RequestView Channel::view_of(const Transaction& transaction) const {
  const Request& request = transaction.request;
  const std::int64_t line = is_nvdimm(transaction) ? transaction.local / Address(kLineBytes.value())
                                                   : map_.dram_line(request.address);
  return {transaction.slot,
          request.id,
          request.arrival,
          request.memory,
          request.write,
          request.source,
          transaction.rank,
          bank_in_rank(transaction),
          transaction.row,
          line,
          false,
          request.epoch};
}

bool Channel::would_hit(const Transaction& transaction) const {
  return transaction.row == (is_nvdimm(transaction) ? endpoint_.last_page(transaction.bank)
                                                    : banks_.open_row(transaction.bank));
}

// A drained write that a read waits for goes with the reads, and so do those it waits for itself.
void Channel::expedite(Transaction& awaited) {
  for (Transaction* each = &awaited; each != nullptr; each = each->predecessor) {
    if (side_of(*each) == 1 && each->state == TransactionState::queued) {
      banks_.remove(*each, 1, edge_);
      banks_.insert(*each, 0, edge_);
      waits(*each, 1, -1);
      waits(*each, 0, 1);
      latency_.competes(*each, edge_);
    }
    each->urgent = true;
  }
}

// DRAMSim2's way: once a cycle the first transaction whose command queue has room moves there.
void Channel::stage() {
  for (auto slot = staged_.begin(); slot != staged_.end(); ++slot) {
    Transaction& transaction = pool_[*slot];
    std::int64_t& room = command_queue_free_[static_cast<std::size_t>(transaction.rank)];
    if (room >= kEntriesPerTransaction) {
      room -= kEntriesPerTransaction;
      ++queue_of(transaction.request.memory).free_slots;
      count(transaction.request.memory, -1);
      staged_.erase(slot);
      competes_only_now(transaction);
      order_line(transaction, Phases::all);
      wake_by(edge_ + Cycle(1));
      return;
    }
  }
}

}  // namespace hmsim
