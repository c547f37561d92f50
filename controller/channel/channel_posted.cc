// SPDX-License-Identifier: BSD-3-Clause
// Writes that go to the NVDIMM on credit, and its responses (ack mode nvdimm_p).
#include "controller/channel/channel.h"
#include "controller/channel/channel_edge.h"

namespace hmsim {

void Channel::on_credit(Tick now) {
  credits_.owe();
  wake_by(edge_from(now));
}

// One response an edge: read ready, else a credit.
void Channel::return_credit() {
  if (credits_.owed()) {
    credits_.respond(edge_);
    record(ChannelCommand::nvdimm_credit, nvdimm_rank_, -1, -1, -1);
  }
}

// The scheduler's first writes get what credits there are. For a policy a credit is command and ack
// in one: the write may have the data bus.
void Channel::give_credits() {
  while (credits_.any() && endpoint_.wants_credit()) {
    Transaction& transaction = endpoint_.next_posted();
    const bool row_hit = would_hit(transaction);
    credits_.take();
    endpoint_.posted(transaction);
    latency_.started(transaction, edge_);
    latency_.acknowledged(transaction, edge_);
    transaction.state = TransactionState::waiting;
    tell(TransactionPolicy::kCommand, &TransactionPolicy::on_command, transaction,
         [row_hit] { return row_hit; });
    tell(TransactionPolicy::kAck, &TransactionPolicy::on_ack, transaction,
         [&] { return would_hit(transaction); });
    transaction.state = TransactionState::ready;
    endpoint_.insert_ready(transaction, edge_);
  }
}

// The burst of a write on credit is over: the line is the NVDIMM's now.
void Channel::post(const Transaction& done, const Requester& requester) {
  const LineData data = dram_bytes_ == nullptr ? LineData() : requester.write_data(done.request);
  nvdimm_->post(done.local, data, now_);
}

Cycle Channel::next_response(Cycle soonest) const {
  if (credits_.owed() || (credits_.any() && endpoint_.wants_credit())) {
    return soonest;
  }
  return credits_.next_arrival();
}

}  // namespace hmsim
