// SPDX-License-Identifier: BSD-3-Clause
// A channel's checkpoint. Lists of transactions, and what counts them, are found again from the
// state of each, so that they fit together whatever stands in the file.
#include <algorithm>

#include "controller/channel/channel.h"
#include "core/places.h"

namespace hmsim {

namespace {

void check_request(const Archive& archive, const Request& request, const AddressMap& map,
                   std::size_t agents) {
  archive.check_index(request.agent, agents, "nobody sent a request");
  archive.check(map.holds(request.memory, request.address), "a request is for no memory");
  archive.check(request.memory == MemoryClass::nvdimm || !request.flush,
                "a flush is for no NVDIMM");
  archive.check(request.arrival != kNever, "a request has not arrived");
}

}  // namespace

void Channel::serialize(Archive& archive) {
  archive.section("channel");
  engine_.serialize(archive);
  archive(pool_, queues_[0].line, queues_[1].line);
  archive(endpoint_, credits_, guard_, epochs_, next_policy_change_, staged_, refresh_, power_,
          pages_, drain_, side_, promised_, command_bus_taken_, edge_, now_, settled_, wake_,
          calm_until_, last_driver_, measured_from_);
  banks_.serialize(archive);
  if (archive.loading()) {
    archive.check(edge_ >= Cycle(-1) && edge_ != kNeverCycle && wake_ > edge_ && now_ >= Tick(0) &&
                      now_ != kNever && measured_from_ != kNever,
                  "a channel's time is none");
    archive.check(
        side_ < (drained_ ? 2u : 1u) && promised_ >= kNobody && promised_ < kMemoryClasses,
        "nobody has the data bus next");
    for (const Queue& queue : queues_) {
      queue.line.each([&](const Request& request) {
        check_request(archive, request, map_, requesters_->size());
        archive.check(&queue_of(request.memory) == &queue, "a request waits in another's line");
      });
    }
    wake_at(wake_);
  }
  serialize_held(archive);
  statistics_.fold(period_);
  archive(statistics_, bus_, latency_, energy_);
  serialize_policies(archive);
  if (nvdimm_ != nullptr) {
    nvdimm_->serialize(archive);
    if (archive.loading() && !nvdimm_->off()) {
      endpoint_.check_module(archive, *nvdimm_);
    }
  }
  if (dram_bytes_ != nullptr) {
    dram_bytes_->serialize(archive);
  }
}

void Channel::serialize_policies(Archive& archive) {
  for (const auto& scheduler : schedulers_) {
    if (scheduler != nullptr) {
      scheduler->serialize(archive);
      scheduler->serialize_changes(archive);
      archive.check_indices(scheduler->changed_slots(), pool_.size(), "there is no such slot");
    }
  }
  arbiter_->serialize(archive);
  if (!archive.loading()) {
    return;
  }
  HeldRequests all;
  std::array<HeldRequests, kMemoryClasses> of_queue;
  for (const Transaction* each : pool_.held()) {
    if (each->state != TransactionState::barred) {
      const bool issued = each->state == TransactionState::transfer;
      const bool nvdimm = is_nvdimm(*each);
      const bool ready = nvdimm && (issued || each->state == TransactionState::ready);
      const bool sent = ready || each->state == TransactionState::waiting;
      all.push_back({view_of(*each), sent, ready, issued});
      of_queue[owner_of(each->request.memory)].push_back(all.back());
    }
  }
  for (std::size_t i = 0; i < (split_ ? 2 : 1); ++i) {
    schedulers_[i]->check_held(archive, of_queue[i]);
  }
  arbiter_->check_held(archive, all);
}

void Channel::list_outstanding(std::vector<Requester::Outstanding>& requests) const {
  for (const Queue& queue : queues_) {
    queue.line.each([&](const Request& request) { requests.push_back({request, false}); });
  }
  pool_.each_taken([&](const Transaction& each) { requests.push_back({each.request, true}); });
}

// Where it lies: as admission finds it. A flush lies nowhere.
void Channel::place(Archive& archive, Transaction& transaction) const {
  check_request(archive, transaction.request, map_, requesters_->size());
  const bool nvdimm = is_nvdimm(transaction);
  if (transaction.request.flush) {
    archive.check(transaction.state == TransactionState::barred, "a flush is no barrier");
    transaction.rank = nvdimm_rank_;
    transaction.bank = 0;
  } else if (nvdimm) {
    const NvdimmPlace found = map_.nvdimm(transaction.request.address);
    transaction.local = found.address;
    transaction.row = found.page;
    transaction.rank = nvdimm_rank_;
    transaction.bank = endpoint_.pseudo_bank(found.page);
  } else {
    const DramPlace found = map_.dram(transaction.request.address);
    transaction.row = found.row;
    transaction.rank = found.rank;
    transaction.bank = found.rank * banks_per_rank_ + found.bank;
  }
  if (transaction.viewed ||
      (phases_ != Phases::plain && transaction.state != TransactionState::barred)) {
    transaction.viewed = true;
    const bool row_hit = transaction.view.row_hit;
    transaction.view = view_of(transaction);
    transaction.view.row_hit = row_hit;
  }
  const bool of_nvdimm = transaction.state == TransactionState::barred ||
                         transaction.state == TransactionState::waiting ||
                         transaction.state == TransactionState::ready;
  archive.check(nvdimm || !of_nvdimm, "a DRAM request waits for an ack");
  archive.check(two_level_ || transaction.state != TransactionState::staged,
                "a request waits for no command queue");
}

void Channel::serialize_held(Archive& archive) {
  const std::vector<Transaction*> held = pool_.held();
  std::int64_t barred = 0;
  std::int64_t in_front = 0;
  for (Transaction* each : held) {
    if (archive.loading()) {
      place(archive, *each);
    }
    const bool waits = each->state == TransactionState::barred;
    barred += waits ? 1 : 0;
    in_front += !waits && is_nvdimm(*each) ? 1 : 0;
  }
  barrier_.serialize(archive, pool_, in_front, barred);
  if (!archive.loading()) {
    return;
  }
  restore_counts(archive, held);
  line_order_.restore(archive, held);
  for (Transaction* each : held) {
    restore(*each);
  }
  if (Transaction* const flush = barrier_.sent(pool_)) {
    flush->started ? endpoint_.restore_sent() : endpoint_.restore(*flush);
  }
  finishes_.restore(archive, held, edge_);
  if (phases_ != Phases::plain) {
    guard_.restore(held, [this](MemoryClass memory) { return owner_of(memory); });
  }
  banks_.restored(edge_);
}

// Slots, and places of command queues.
void Channel::restore_counts(const Archive& archive, const std::vector<Transaction*>& held) {
  Places staged(archive, pool_.size(), "transactions not in command queues");
  for (const std::uint32_t slot : staged_) {
    staged.take(slot);
  }
  pending_ = {};
  std::fill(command_queue_free_.begin(), command_queue_free_.end(),
            controller_.command_queue_depth);
  for (const Transaction* each : held) {
    const bool is_staged = each->state == TransactionState::staged;
    staged.check(staged.has(each->slot) == is_staged);
    const bool moved = two_level_ && !is_staged && each->state != TransactionState::barred;
    pending_[static_cast<std::size_t>(each->request.memory)] += moved ? 0 : 1;
    command_queue_free_[static_cast<std::size_t>(each->rank)] -=
        moved                                                        ? kEntriesPerTransaction
        : command_queues_fill_ && each->started && !is_nvdimm(*each) ? 1
                                                                     : 0;
  }
  staged.check(staged.count() == 0 || two_level_);
  queues_[0].free_slots = controller_.queue_depth - pending_[0] - (split_ ? 0 : pending_[1]);
  queues_[1].free_slots = split_ ? controller_.nvdimm_queue_depth - pending_[1] : 0;
  archive.check(queues_[0].free_slots >= 0 && queues_[1].free_slots >= 0,
                "a queue holds more than it can");
  held_ranks_ = 0;
  for (std::size_t rank = 0; rank < command_queue_free_.size(); ++rank) {
    archive.check(command_queue_free_[rank] >= 0, "a command queue holds more than it can");
    if (command_queues_fill_ && command_queue_free_[rank] == 0) {
      banks_.hold(static_cast<int>(rank), true);
      ++held_ranks_;
    }
  }
}

void Channel::restore(Transaction& transaction) {
  const bool nvdimm = is_nvdimm(transaction);
  if (transaction.state == TransactionState::waiting) {
    endpoint_.restore_sent();
  } else if (nvdimm && (transaction.state == TransactionState::queued ||
                        transaction.state == TransactionState::ready)) {
    endpoint_.restore(transaction);
  } else if (transaction.state == TransactionState::queued) {
    const std::size_t side = side_of(transaction);
    banks_.restore(transaction, side);
    if (counts_waiting_) {
      refresh_.waits(transaction.rank, 1);
      pages_.waits(transaction.bank, side, 1);
    }
    if (power_.active()) {
      power_.restore(transaction.rank);
    }
    if (drained_) {
      drain_.waits(transaction.rank, transaction.bank, side, 1);
    }
  }
}

}  // namespace hmsim
