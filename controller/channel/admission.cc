// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/admission.h"

#include <algorithm>

#include "core/slot_claims.h"

namespace hmsim {

namespace {

// Returns the free entries of all command queues when empty: DRAM ranks first, then NVDIMMs.
std::vector<std::int64_t> empty_command_queues(const ChannelLayout& layout) {
  const auto ranks = static_cast<std::size_t>(layout.nvdimm_rank);
  std::vector<std::int64_t> entries(ranks, layout.controller.command_entries(MemoryClass::dram));
  entries.resize(ranks + static_cast<std::size_t>(layout.nvdimms),
                 layout.controller.command_entries(MemoryClass::nvdimm));
  return entries;
}

// Returns whether a request of several lines is for the NVDIMM and within a page.
bool fits_page(const Request& request) {
  const Bytes end = Bytes(request.address.value()) % kPageBytes + request.size();
  return request.lines == 1 || (request.memory == MemoryClass::nvdimm && end <= kPageBytes);
}

}  // namespace

Admission::Admission(const ChannelLayout& layout, std::size_t slots)
    : split_(layout.split),
      command_queues_fill_(layout.command_queues_fill),
      pool_(slots),
      line_order_(slots),
      block_order_(layout.blocks ? slots : 0),
      room_(empty_command_queues(layout)) {
  queues_[0].free_slots = layout.controller.queue_depth;
  queues_[1].free_slots = layout.split ? layout.controller.nvdimm_queue_depth : 0;
  staged_.reserve(slots);
}

Transaction* Admission::unstage() {
  for (auto slot = staged_.begin(); slot != staged_.end(); ++slot) {
    Transaction& transaction = pool_[*slot];
    std::int64_t& room = room_[static_cast<std::size_t>(transaction.rank)];
    if (room >= kEntriesPerTransaction) {
      room -= kEntriesPerTransaction;
      give_back_slot(transaction.request.memory);
      staged_.erase(slot);
      return &transaction;
    }
  }
  return nullptr;
}

void Admission::serialize(Archive& archive, const ChannelLayout& layout) {
  archive(pool_, queues_[0].waiting, queues_[1].waiting, staged_);
  if (!archive.loading()) {
    return;
  }
  for (const Queue& queue : queues_) {
    queue.waiting.each([&](const Request& request) {
      archive.check(&queue_of(request.memory) == &queue,
                    "request outside that is listed for another line");
    });
  }
  each_request([&](const Request& request, const Cycle* /*admitted*/) {
    archive.check_index(request.agent, requesters_->size(), "request without a requester");
    archive.check(layout.map.holds(request.memory, request.address), "request without a memory");
    archive.check(layout.blocks ? fits_page(request) : request.lines == 1, "request of many lines");
    archive.check(request.memory == MemoryClass::nvdimm || !request.flush,
                  "flush without an NVDIMM");
  });
}

void Admission::restore(const Archive& archive, const ChannelLayout& layout) {
  const std::vector<Transaction*> held = pool_.held();
  SlotClaims staged(archive, pool_.size(), "transactions missing from command queues");
  for (const std::uint32_t slot : staged_) {
    staged.claim(slot);
    staged.check(pool_[slot].state == TransactionState::staged);
  }
  held_ = {};
  room_ = empty_command_queues(layout);
  for (const Transaction* each : held) {
    const bool is_staged = each->state == TransactionState::staged;
    const bool moved = layout.two_level && !is_staged && each->state != TransactionState::barred;
    held_[static_cast<std::size_t>(each->request.memory)] += moved ? 0 : 1;
    room_[static_cast<std::size_t>(each->rank)] -=
        moved                                                        ? kEntriesPerTransaction
        : command_queues_fill_ && each->started && !is_nvdimm(*each) ? 1
                                                                     : 0;
  }
  queues_[0].free_slots = layout.controller.queue_depth - held_[0] - (split_ ? 0 : held_[1]);
  queues_[1].free_slots = split_ ? layout.controller.nvdimm_queue_depth - held_[1] : 0;
  // This ensures a pool slot for each free queue slot.
  archive.check(queues_[0].free_slots >= 0 && queues_[1].free_slots >= 0,
                "more entries in a queue than its depth");
  full_ranks_ = 0;
  for (const std::int64_t room : room_) {
    archive.check(room >= 0, "more entries in a command queue than its depth");
    full_ranks_ += command_queues_fill_ && room == 0 ? 1 : 0;
  }
  restore_order(archive, layout, held);
}

// Rebuilds the order of transactions to one line.
void Admission::restore_order(const Archive& archive, const ChannelLayout& layout,
                              std::vector<Transaction*> held) {
  block_order_.clear();
  const auto blocks = std::stable_partition(held.begin(), held.end(), [&](const Transaction* each) {
    return !layout.blocks || !is_nvdimm(*each);
  });
  for (auto each = blocks; each != held.end(); ++each) {
    const TransactionState state = (*each)->state;
    if (LineOrder::has_place(state)) {
      archive.check(block_order_.add(**each) == (state == TransactionState::held),
                    "transactions to one page out of order");
    }
  }
  held.erase(blocks, held.end());
  line_order_.restore(archive, held);
}

}  // namespace hmsim
