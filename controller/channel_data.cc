// SPDX-License-Identifier: BSD-3-Clause
// What comes back: data, and acks of the NVDIMM.
#include "controller/channel.h"

namespace hmsim {

// Data mode: its bytes.
void Channel::exchange(const Transaction& done, Requester& requester) {
  if (!is_nvdimm(done)) {
    exchange_dram(done.request, requester);
  } else if (done.request.write) {
    nvdimm_->write_line(done.slot, requester.write_data(done.request));
  } else {
    requester.on_read_data(done.request, nvdimm_->read_line(done.slot));
  }
}

void Channel::show(const Transaction& done, Tick gc_blocked) {
  const bool nvdimm = is_nvdimm(done);
  const Tick issued = time_of(edge_ - latency_.transfer(done.request.write));
  const bool row_hit = !nvdimm && !done.activated;
  request_observer_->on_request({done.request, index_, done.rank, bank_in_rank(done), row_hit,
                                 time_of(done.admitted),
                                 row_hit ? issued : time_of(latency_.first_command(done)), issued,
                                 time_of(edge_), latency_.parts(done, edge_, gc_blocked)});
}

void Channel::on_ack(std::uint32_t tag, Tick now) {
  const Cycle edge = edge_from(now);
  latency_.acknowledged(tag, edge + ack_to_burst_);
  endpoint_.raise_ack(static_cast<TransactionId>(tag));
  calm_until_ = Cycle(0);
  wake_by(edge);
}

// One ack an edge: it needs the address lines. In `auto` mode the data follow by themselves, so the
// NVDIMM holds the ack back until their place on the data bus is free.
void Channel::deliver_ack() {
  const TransactionId id = endpoint_.first_ack();
  Transaction& transaction = pool_[id];
  const bool flush = transaction.request.flush;
  if (!grants_ && !flush && endpoint_.earliest_burst(transaction) > edge_) {
    return;
  }
  endpoint_.take_ack();
  command_bus_taken_ = controller_.ack_takes_slot();
  statistics_.ack_cycles += command_bus_taken_ ? 1 : 0;
  record(ChannelCommand::nvdimm_ack, transaction);
  if (flush) {
    end_flush(id);
    return;
  }
  tell(TransactionPolicy::kAck, &TransactionPolicy::on_ack, transaction,
       [&] { return would_hit(transaction); });
  if (!grants_) {
    issue_grant(id, NvdimmEndpoint::burst_of(transaction));
  } else {
    transaction.state = TransactionState::ready;
    endpoint_.insert_ready(id, edge_ + ack_to_burst_);
  }
}

}  // namespace hmsim
