// SPDX-License-Identifier: BSD-3-Clause
// Checkpoint of a channel. Lists and counts of transactions are rebuilt from the state of each
// transaction, so they are consistent for any file content.
#include "controller/channel/channel.h"
#include "controller/channel/channel_commands.h"

namespace hmsim {

void Channel::serialize(Archive& archive) {
  archive.section("channel");
  archive(clock_);
  admission_.serialize(archive, layout_.map);
  archive(bus_, dram_, nvdimm_);
  ordering_.serialize(archive, admission_.pool().size());
  const std::vector<Transaction*> held = admission_.pool().held();
  if (archive.loading()) {
    for (Transaction* each : held) {
      place(archive, *each);
    }
  }
  ordering_.serialize_views(archive, held, features_ != Features::none);
  nvdimm_.serialize_barrier(archive, admission_.pool());
  if (archive.loading()) {
    restore(archive, held);
  }
  archive(accounts_);
  nvdimm_.serialize_module(archive);
  if (dram_bytes_ != nullptr) {
    dram_bytes_->serialize(archive);
  }
}

// Rebuilds all lists and counts from the transactions in the file.
void Channel::restore(Archive& archive, const std::vector<Transaction*>& held) {
  fast_ = FastState();
  admission_.restore(archive, layout_);
  for (int rank = 0; rank < layout_.nvdimm_rank + layout_.nvdimms; ++rank) {
    if (layout_.command_queues_fill && !admission_.has_room(rank)) {
      dram_.banks().hold(rank, true);
    }
  }
  for (Transaction* each : held) {
    if (!is_nvdimm(*each) && each->state == TransactionState::queued) {
      dram_.restore(*each);
    }
  }
  nvdimm_.restore(held, admission_.pool());
  bus_.restore(held);
  ordering_.restore(archive, held);
  dram_.restored(clock_.edge());
}

// Locates a transaction as admission does. A flush has no location.
void Channel::place(Archive& archive, Transaction& transaction) const {
  const TransactionState state = transaction.state;
  if (transaction.request.flush) {
    archive.check(state == TransactionState::barred, "flush that is not a barrier");
    transaction.rank = layout_.nvdimm_rank;
    transaction.bank = 0;
  } else {
    locate(transaction);
  }
  const bool of_nvdimm = state == TransactionState::barred || state == TransactionState::waiting ||
                         state == TransactionState::ready;
  archive.check(is_nvdimm(transaction) || !of_nvdimm, "DRAM request in wait for an ack");
  archive.check(layout_.grants || state != TransactionState::ready,
                "transaction in wait for a grant in a system without grants");
}

// Lists all unfinished requests, except a flush that is done on this channel but still holds its
// slot.
void Channel::list_outstanding(std::vector<Requester::Outstanding>& requests) const {
  const Transaction* const ended = nvdimm_.barrier().ended(admission_.pool());
  admission_.each_request([&](const Request& request, const Cycle* admitted) {
    if (ended != nullptr && &request == &ended->request) {
      return;
    }
    std::optional<Tick> since;
    if (admitted != nullptr) {
      since = admitted->value() * layout_.period;
    }
    requests.push_back({request, admitted != nullptr, since});
  });
}

}  // namespace hmsim
