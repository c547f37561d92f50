// SPDX-License-Identifier: BSD-3-Clause
// The NVDIMM's own protocols on a channel: flushes, writes on credit, and data.
#include "controller/channel/channel_edge.h"
#include "core/errors.h"

namespace hmsim {

// The flush whose turn it is competes for the command bus; no other NVDIMM transaction does then.
void Channel::send_flush() {
  Transaction* const flush = nvdimm_.barrier().due(admission_.pool());
  if (flush == nullptr) {
    return;
  }
  flush->bank = 0;
  flush->row = nvdimm_.endpoint().last_page(0);  // of no page: what is a row hit stays one
  nvdimm_.endpoint().insert(*flush);
}

// This channel's part of it is done with its ack; it holds its slot until it has passed everywhere.
void Channel::end_flush(Transaction& flush) {
  nvdimm_.finish(flush, clock_.now());
  flush.started = false;
  nvdimm_.barrier().acknowledged();
  admission_.requester_of(flush.request).on_complete(flush.request, clock_.now());
  clock_.wakeup().answered();
}

// On an edge that takes the last ack of all, it is lifted on that edge, else on the next one.
void Channel::pass_flush(Tick now) {
  ensure(nvdimm_.barrier().stage() == FlushBarrier::Stage::acknowledged, "channel", now, -1,
         "a flush passes that the NVDIMM has not acknowledged");
  nvdimm_.barrier().pass();
  if (admission_.is_open()) {
    return;
  }
  const Cycle edge = clock_.edge_from(now);
  if (fast_.defers_refreshes()) {
    DeferredRefresh::make_before(*this, edge);
  }
  fast_.end_window();
  clock_.wake_by(edge);
  clock_.wakeup().notify(next_event());
}

// The requests after it begin, up to the next flush.
void Channel::lift_flush() {
  admission_.pool().release(nvdimm_.barrier().lift(admission_.pool()));
  admission_.give_back_slot(MemoryClass::nvdimm);
  while (Transaction* const next = nvdimm_.barrier().next(admission_.pool())) {
    enter(*next, extras_);
  }
  send_flush();
}

// The scheduler's first writes get what credits there are. For a policy a credit is command and ack
// in one: the write may have the data bus.
void Channel::give_credits() {
  while (nvdimm_.may_give_credit()) {
    NvdimmEndpoint& endpoint = nvdimm_.endpoint();
    Transaction& transaction = endpoint.next_posted();
    const bool row_hit = would_hit(transaction);
    nvdimm_.credits().take();
    endpoint.posted(transaction);
    accounts_.credited(transaction, clock_.edge());
    transaction.state = TransactionState::waiting;
    ordering_.tell(TransactionPolicy::kCommand, &TransactionPolicy::on_command, transaction,
                   clock_.edge(), [row_hit] { return row_hit; });
    ordering_.tell(TransactionPolicy::kAck, &TransactionPolicy::on_ack, transaction, clock_.edge(),
                   [&] { return would_hit(transaction); });
    transaction.state = TransactionState::ready;
    endpoint.insert_ready(transaction, clock_.edge());
  }
}

// The burst of a write on credit is over: the line is the NVDIMM's now.
void Channel::post_write(const Transaction& done, const Requester& requester) {
  const LineData data = dram_bytes_ == nullptr ? LineData() : requester.write_data(done.request);
  nvdimm_.post(done, data, clock_.now());
}

// Data mode: the bytes of a transaction.
void Channel::exchange_data(const Transaction& done, Requester& requester) {
  if (!is_nvdimm(done)) {
    exchange_dram(done.request, requester);
  } else if (done.request.write) {
    nvdimm_.write_line(done, requester.write_data(done.request));
  } else {
    requester.on_read_data(done.request, nvdimm_.read_line(done));
  }
}

}  // namespace hmsim
