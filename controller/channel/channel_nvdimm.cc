// SPDX-License-Identifier: BSD-3-Clause
// The NVDIMM's own protocols on a channel: flushes, writes on credit, and data.
#include "controller/channel/channel_edge.h"

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

// It is done with its ack. Those behind it begin, up to the next flush.
void Channel::end_flush(Transaction& flush) {
  const Request request = flush.request;
  nvdimm_.finish(flush, clock_.now());
  admission_.pool().release(flush);
  admission_.give_back_slot(MemoryClass::nvdimm);
  nvdimm_.barrier().lift();
  while (Transaction* const next = nvdimm_.barrier().next(admission_.pool())) {
    enter(*next, extras_);
  }
  send_flush();
  admission_.requester_of(request).on_complete(request, clock_.now());
  clock_.wakeup().answered();
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
