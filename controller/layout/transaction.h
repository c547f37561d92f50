// SPDX-License-Identifier: BSD-3-Clause
// A request that holds a slot of a transaction queue, and the pool of these slots.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/request.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

enum class TransactionState : std::uint8_t {
  barred,    // NVDIMM: waits for an earlier flush, or is a flush; unknown to its scheduler
  held,      // waits for an older transaction to the same line
  withheld,  // by its scheduler
  staged,    // two_level: in the transaction queue, not yet in a command queue
  queued,    // competes for its next command
  waiting,   // NVDIMM: command sent, no ack yet
  ready,     // NVDIMM: acknowledged, competes for the data bus
  follows,   // NVDIMM without grants: acknowledged, some but not all of its bursts are issued
  transfer,  // its data-bus command is issued
  last = transfer
};

// Times recorded for accounting. DRAM: dates by the clock of the bank's place (LatencySplit), and
// the latency parts once the column command is issued.
struct LatencyMarks {
  Cycle first_command{0};
  Cycle entered{0};   // admission
  Cycle competes{0};  // NVDIMM: for the data bus
  Cycle queueing{0};
  Cycle bank{0};
  Cycle bus{0};
  Cycle refresh{0};
  Cycle activated_at{0};   // edge of its activate
  Cycle activate_held{0};  // how long its bank had been ready for that
  void serialize(Archive& archive);
};

struct alignas(64) Transaction {
  Request request;
  std::int64_t row = 0;  // DRAM row, or LPN in the channel's NVDIMM
  Address local{0};      // NVDIMM: address within the channel's NVDIMM
  std::uint64_t key_miss = 0;
  std::uint64_t key_hit = 0;
  Cycle admitted{0};                // edge of admission
  Cycle grant_from{0};              // NVDIMM, ready: the first edge on which it may be granted
  Cycle finishes{0};                // edge of the last beat, once its data-bus command is issued
  Transaction* previous = nullptr;  // in its bank's list
  // In its bank's list, then among finishing ones, then among free slots.
  Transaction* next = nullptr;
  Transaction* chained = nullptr;      // next one in LineOrder's chain
  Transaction* successor = nullptr;    // next younger transaction to the same line
  Transaction* predecessor = nullptr;  // next older one, while held
  std::uint32_t chain = 0;             // index of LineOrder's chain of its line
  std::uint32_t slot = 0;              // its index in the pool
  std::int32_t rank = 0;
  std::int32_t bank = 0;  // DRAM: numbered over all ranks; NVDIMM: pseudo-bank
  TransactionState state = TransactionState::transfer;  // a free slot keeps its last state
  bool viewed = false;                                  // `view` is valid
  bool started = false;    // a command was issued for it (NVDIMM: only for flushes)
  bool activated = false;  // an activate or precharge was issued for its row
  bool urgent = false;     // a write on the reads' side, because a read waits for it
  bool overdue = false;    // has exceeded its limit; goes before all others
  // With layout.blocks, NVDIMM: lines whose data-bus command is issued.
  std::uint8_t bursts = 0;
  LatencyMarks marks{};
  RequestView view{};  // given to policies; row_hit is set for each call

  // Prepares the slot for a request. The caller sets location and keys.
  void begin(const Request& taken, Cycle now) {
    request = taken;
    admitted = now;
    marks.activated_at = Cycle(0);
    marks.activate_held = Cycle(0);
    grant_from = Cycle(0);
    successor = nullptr;
    predecessor = nullptr;
    state = TransactionState::queued;
    viewed = false;
    started = false;
    activated = false;
    urgent = false;
    overdue = false;
    bursts = 0;
  }

  // Saves all fields except slot, links, view, and the location derived from the address.
  void serialize(Archive& archive);
};

inline bool is_nvdimm(const Transaction& transaction) {
  return transaction.request.memory == MemoryClass::nvdimm;
}

// The pool of slots. The channel refers to a transaction by address; other components and
// checkpoints by slot.
class TransactionPool {
 public:
  explicit TransactionPool(std::size_t slots) : size_(slots), slots_(slots) {
    for (std::size_t i = slots; i > 0; --i) {
      slots_[i - 1].slot = static_cast<std::uint32_t>(i - 1);
      release(slots_[i - 1]);
    }
    taken_ = 0;
  }
  TransactionPool(const TransactionPool&) = delete;
  TransactionPool& operator=(const TransactionPool&) = delete;

  Transaction& operator[](std::uint32_t slot) { return slots_[slot]; }
  const Transaction& operator[](std::uint32_t slot) const { return slots_[slot]; }

  // Returns the slot released last.
  Transaction& take() {
    Transaction& taken = *first_free_;
    first_free_ = taken.next;
    ++taken_;
    return taken;
  }
  void release(Transaction& transaction) {
    transaction.next = first_free_;
    first_free_ = &transaction;
    --taken_;
  }

  // Calls see(transaction) for all taken slots.
  template <class See>
  void each_taken(See see) const {
    const std::vector<bool> free = free_slots();
    for (const Transaction& each : slots_) {
      if (!free[each.slot]) {
        see(each);
      }
    }
  }

  std::size_t size() const { return size_; }
  std::size_t taken() const { return taken_; }
  bool all_free() const { return taken_ == 0; }

  // Returns the transactions that hold a slot, in order of their request ids.
  std::vector<Transaction*> held();

  void serialize(Archive& archive);

 private:
  std::vector<bool> free_slots() const;

  const std::size_t size_;
  std::vector<Transaction> slots_;
  Transaction* first_free_ = nullptr;  // linked by `next`
  std::size_t taken_ = 0;
};

}  // namespace hmsim
