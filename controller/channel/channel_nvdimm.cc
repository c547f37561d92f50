// SPDX-License-Identifier: BSD-3-Clause
// NVDIMM protocols on a channel: flushes, writes on credit, and data.
#include "controller/channel/channel_edge.h"
#include "controller/channel/fast/deferred_commands.h"
#include "core/errors.h"

namespace hmsim {

// Lets the next due flush compete for the command bus. No other NVDIMM transaction competes at that
// time.
void Channel::send_flush() {
  Transaction* const flush = nvdimm_.barrier().due(admission_.pool());
  if (flush == nullptr) {
    return;
  }
  flush->bank = 0;
  flush->row = nvdimm_.endpoint().last_page(0);  // a flush has no page and must not change row hits
  nvdimm_.endpoint().insert(*flush);
}

// Completes this channel's part of the flush at its ack. The flush holds its slot until it has
// passed on all channels.
void Channel::end_flush(Transaction& flush) {
  nvdimm_.finish(flush, clock_.now());
  flush.started = false;
  nvdimm_.barrier().acknowledged();
  admission_.requester_of(flush.request).on_complete(flush.request, clock_.now());
  clock_.wakeup().called_back();
}

// If the NVDIMM's last ack arrives on an edge, lift_flush() runs on that edge; otherwise on the
// next one.
void Channel::pass_flush(Tick now) {
  ensure(nvdimm_.barrier().stage() == FlushBarrier::Stage::acknowledged, "channel", now, -1,
         "end of a flush that the NVDIMM has not acknowledged");
  nvdimm_.barrier().pass();
  if (admission_.is_open()) {
    return;
  }
  const Cycle edge = clock_.edge_from(now);
  if (fast_.defers()) {
    DeferredCommands::make_any_before(*this, edge);
  }
  fast_.end_window();
  clock_.wake_by(edge);
  clock_.wakeup().notify(next_event());
}

// Admits the requests after the flush, up to the next flush.
void Channel::lift_flush() {
  admission_.pool().release(nvdimm_.barrier().lift(admission_.pool()));
  admission_.give_back_slot(MemoryClass::nvdimm);
  while (Transaction* const next = nvdimm_.barrier().next(admission_.pool())) {
    enter(*next, features_);
  }
  send_flush();
}

// Gives free credits to the first writes in scheduler order. For a policy, a credit acts as command
// and ack: the write may get the data bus.
void Channel::give_credits() {
  while (nvdimm_.may_give_credit()) {
    NvdimmEndpoint& endpoint = nvdimm_.endpoint();
    Transaction& transaction = endpoint.next_posted();
    const bool row_hit = would_hit(transaction);
    nvdimm_.credits().take();
    endpoint.posted(transaction);
    accounts_.credited(transaction, clock_.edge());
    transaction.state = TransactionState::waiting;
    ordering_.notify(TransactionPolicy::kCommand, &TransactionPolicy::on_command, transaction,
                     clock_.edge(), [row_hit] { return row_hit; });
    ordering_.notify(TransactionPolicy::kAck, &TransactionPolicy::on_ack, transaction,
                     clock_.edge(), [&] { return would_hit(transaction); });
    transaction.state = TransactionState::ready;
    endpoint.insert_ready(transaction, clock_.edge());
  }
}

// Passes the line of a write on credit to the NVDIMM. Called at the end of the write's burst.
void Channel::post_write(const Transaction& done, const Requester& requester) {
  const LineData data = dram_bytes_ == nullptr ? LineData() : requester.write_data(done.request);
  nvdimm_.post(done, data, clock_.now());
}

// Data mode: moves the bytes of a transaction. All lines of an NVDIMM transaction move at its last
// data beat, so that a power failure finds all or none of them.
void Channel::exchange_data(const Transaction& done, Requester& requester) {
  if (!is_nvdimm(done)) {
    exchange_dram(done.request, requester);
    return;
  }
  Request line = done.request;
  for (std::uint8_t i = 0; i < done.request.lines; ++i) {
    if (line.write) {
      nvdimm_.write_line(done, requester.write_data(line), i);
    } else {
      requester.on_read_data(line, nvdimm_.read_line(done, i));
    }
    line.address += Address(kLineBytes.value());
  }
}

}  // namespace hmsim
