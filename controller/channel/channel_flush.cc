// SPDX-License-Identifier: BSD-3-Clause
// Flushes on their way through a channel.
#include "controller/channel/channel.h"
#include "controller/channel/channel_edge.h"

namespace hmsim {

// The barrier holds the transaction.
void Channel::bar(Transaction& transaction) {
  transaction.state = TransactionState::barred;
  send_flush();
}

// The flush whose turn it is competes for the command bus; no other NVDIMM transaction does then.
void Channel::send_flush() {
  Transaction* const flush = barrier_.due(pool_);
  if (flush == nullptr) {
    return;
  }
  flush->bank = 0;
  flush->row = endpoint_.last_page(0);  // of no page: what is a row hit stays one
  endpoint_.insert(*flush);
}

void Channel::issue_flush(Transaction& transaction) {
  transaction.started = true;
  endpoint_.command_sent(transaction);
  record(ChannelCommand::nvdimm_flush_command, transaction);
  nvdimm_->flush(transaction.slot, time_of(edge_ + Cycle(1)));
}

// It is done with its ack. Those behind it begin, up to the next flush.
void Channel::end_flush(Transaction& transaction) {
  const Request request = transaction.request;
  nvdimm_->finish(transaction.slot, now_);
  pool_.release(transaction);
  ++queue_of(MemoryClass::nvdimm).free_slots;
  count(MemoryClass::nvdimm, -1);
  barrier_.lift();
  while (Transaction* const next = barrier_.next(pool_)) {
    enter(*next, phases_);
  }
  send_flush();
  (*requesters_)[request.agent]->on_complete(request, now_);
  wakeup_.answered();
}

}  // namespace hmsim
