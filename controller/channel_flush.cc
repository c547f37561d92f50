// SPDX-License-Identifier: BSD-3-Clause
// Flushes on their way through a channel.
#include "controller/channel.h"
#include "controller/channel_edge.h"

namespace hmsim {

// The barrier holds the transaction.
void Channel::bar(TransactionId id) {
  pool_[id].state = TransactionState::barred;
  send_flush();
}

// The flush whose turn it is competes for the command bus; no other NVDIMM transaction does then.
void Channel::send_flush() {
  const TransactionId id = barrier_.due(pool_);
  if (id == kNoTransaction) {
    return;
  }
  Transaction& transaction = pool_[id];
  transaction.bank = 0;
  transaction.row = endpoint_.last_page(0);  // of no page: what is a row hit stays one
  endpoint_.insert(id);
}

void Channel::issue_flush(TransactionId id) {
  const Transaction& transaction = pool_[id];
  endpoint_.command_sent(id);
  record(ChannelCommand::nvdimm_flush_command, transaction);
  nvdimm_->flush(transaction.slot, time_of(edge_ + Cycle(1)));
}

// It is done with its ack. Those behind it begin, up to the next flush.
void Channel::end_flush(TransactionId id) {
  const Request request = pool_[id].request;
  nvdimm_->finish(pool_[id].slot, now_);
  pool_.release(id);
  ++queue_of(MemoryClass::nvdimm).free_slots;
  count(MemoryClass::nvdimm, -1);
  barrier_.lift();
  for (TransactionId next = barrier_.next(pool_); next != kNoTransaction;
       next = barrier_.next(pool_)) {
    enter(next);
  }
  send_flush();
  (*requesters_)[request.agent]->on_complete(request, now_);
  wakeup_.answered();
}

}  // namespace hmsim
