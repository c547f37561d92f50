// SPDX-License-Identifier: BSD-3-Clause
// Admission to a channel: the requests that wait outside, the slots of the transaction queues, the
// order of requests to one line, and the room in the command queues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/accounts/accounts.h"
#include "controller/channel/block_order.h"
#include "controller/channel/line_order.h"
#include "controller/layout/channel_layout.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/request.h"
#include "core/ring.h"
#include "core/types.h"

namespace hmsim {

// A transaction holds a slot of its queue from admission until its last data beat; in a two-level
// controller, until it moves to its rank's command queue.
class Admission {
 public:
  Admission(const ChannelLayout& layout, std::size_t slots);

  TransactionPool& pool() { return pool_; }
  const TransactionPool& pool() const { return pool_; }
  LineOrder& line_order() { return line_order_; }
  BlockOrder& block_order() { return block_order_; }  // of NVDIMM transactions, with layout.blocks
  // Sets the requesters, which Request::agent indexes.
  void set_requesters(const std::vector<Requester*>& requesters) { requesters_ = &requesters; }
  Requester& requester_of(const Request& request) const { return *(*requesters_)[request.agent]; }

  // Adds a request to those that wait outside, in order of arrival. A request that arrives while an
  // edge is processed and admission is still open takes part in that admission; the clock need not
  // be notified. Returns false and does nothing if the ring is full; then call make_room().
  bool try_enqueue(const Request& request) {
    Ring<Request>& waiting = queue_of(request.memory).waiting;
    if (waiting.full()) {
      return false;
    }
    waiting.place() = request;
    return true;
  }
  void make_room(MemoryClass memory) { queue_of(memory).waiting.make_room(); }
  void open() { open_ = true; }
  void close() { open_ = false; }
  bool is_open() const { return open_; }

  bool would_wait(MemoryClass memory) const {
    const Queue& queue = queues_[queue_number(memory)];
    return static_cast<std::int64_t>(queue.waiting.size()) >= queue.free_slots;
  }
  bool none_waiting() const { return queues_[0].waiting.empty() && queues_[1].waiting.empty(); }
  // Returns whether a waiting request could take a free slot.
  bool may_admit() const { return may_admit(0) || may_admit(1); }
  bool may_admit(std::size_t queue) const {
    return !queues_[queue].waiting.empty() && queues_[queue].free_slots > 0;
  }
  // first() takes a slot for the first waiting request; pop() then removes it. Precondition:
  // may_admit().
  const Request& first(std::size_t queue) {
    --queues_[queue].free_slots;
    return queues_[queue].waiting.front();
  }
  void pop(std::size_t queue) { queues_[queue].waiting.pop(); }
  void give_back_slot(MemoryClass memory) {
    ++queue_of(memory).free_slots;
    --held_[static_cast<std::size_t>(memory)];
  }

  // Slots held, by class.
  void hold_slot(MemoryClass memory) { ++held_[static_cast<std::size_t>(memory)]; }
  const Accounts::Slots& held() const { return held_; }

  // Flat structure: the command queue of a rank holds a limited number of issued, unfinished
  // transactions. When it is full, no other transaction of the rank starts. Each call returns
  // whether "full" has just changed. Two-level transactions and NVDIMM commands have other limits.
  bool start(int rank) {
    if (command_queues_fill_ && --room_[static_cast<std::size_t>(rank)] == 0) {
      ++full_ranks_;
      return true;
    }
    return false;
  }
  bool end(int rank) {
    if (command_queues_fill_ && room_[static_cast<std::size_t>(rank)]++ == 0) {
      --full_ranks_;
      return true;
    }
    return false;
  }
  bool any_rank_full() const { return full_ranks_ > 0; }
  bool has_room(int rank) const { return room_[static_cast<std::size_t>(rank)] > 0; }

  // Two-level structure, as in DRAMSim2: transactions wait in order of arrival for their rank's
  // command queue. unstage() moves the first one that finds room there and frees its slot; returns
  // nullptr if none can move.
  void stage(const Transaction& transaction) { staged_.push_back(transaction.slot); }
  Transaction* unstage();
  void leave_command_queue(int rank) {
    room_[static_cast<std::size_t>(rank)] += kEntriesPerTransaction;
  }

  // Calls see(request, admitted) for all unfinished requests. `admitted` is the admission edge, or
  // nullptr for requests outside.
  template <class See>
  void each_request(See see) const {
    for (const Queue& queue : queues_) {
      queue.waiting.each([&](const Request& request) { see(request, nullptr); });
    }
    pool_.each_taken([&](const Transaction& each) { see(each.request, &each.admitted); });
  }

  // Saves or loads the requests. restore() rebuilds counts and links once the transactions are
  // located.
  void serialize(Archive& archive, const ChannelLayout& layout);
  void restore(const Archive& archive, const ChannelLayout& layout);

 private:
  struct Queue {
    std::int64_t free_slots = 0;
    Ring<Request> waiting;  // outside, in order of arrival
  };

  std::size_t queue_number(MemoryClass memory) const {
    return split_ && memory == MemoryClass::nvdimm ? 1 : 0;
  }
  void restore_order(const Archive& archive, const ChannelLayout& layout,
                     std::vector<Transaction*> held);
  Queue& queue_of(MemoryClass memory) { return queues_[queue_number(memory)]; }

  const bool split_;
  const bool command_queues_fill_;
  TransactionPool pool_;
  LineOrder line_order_;
  BlockOrder block_order_;
  const std::vector<Requester*>* requesters_ = nullptr;
  std::array<Queue, kMemoryClasses> queues_;
  Accounts::Slots held_{};
  bool open_ = false;
  std::vector<std::uint32_t> staged_;  // slots, in order of arrival
  std::vector<std::int64_t> room_;     // free command-queue entries per rank, NVDIMMs last
  int full_ranks_ = 0;
};

}  // namespace hmsim
