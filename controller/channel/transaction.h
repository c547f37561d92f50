// SPDX-License-Identifier: BSD-3-Clause
// A request that holds a slot of a transaction queue, and the pool of such slots.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/request.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

enum class TransactionState : std::uint8_t {
  barred,    // NVDIMM: behind a flush, or a flush itself; unknown to its scheduler
  held,      // behind an older transaction to the same line
  withheld,  // by its scheduler
  staged,    // two_level: in the transaction queue, not yet in a command queue
  queued,    // competes for its next command
  waiting,   // NVDIMM: command sent, no ack yet
  ready,     // NVDIMM: acknowledged, competes for the data bus
  transfer,  // its data-bus command is issued
  last = transfer
};

// What accounts know of a transaction. DRAM: dates by its banks' clock, and the parts of its
// latency once its column command is issued.
struct LatencyMarks {
  Cycle first_command{0};
  Cycle entered{0};   // got its slot
  Cycle competes{0};  // NVDIMM: for the data bus
  Cycle queueing{0};
  Cycle bank{0};
  Cycle bus{0};
  Cycle refresh{0};
  Cycle activated_at{0};   // the activate issued for it, ...
  Cycle activate_held{0};  // ... and how long its bank had been ready for that
  void serialize(Archive& archive);
};

struct alignas(64) Transaction {
  Request request;
  std::int64_t row = 0;  // DRAM row, or LPN in the channel's NVDIMM
  Address local{0};      // NVDIMM: address within the channel's NVDIMM
  std::uint64_t key_miss = 0;
  std::uint64_t key_hit = 0;
  Cycle admitted{0};                 // when it got its slot
  Cycle grant_from{0};               // NVDIMM, ready: the first edge on which it may be granted
  Cycle finishes{0};                 // once its data-bus command is issued: its last beat
  Transaction* previous = nullptr;   // in its bank's list
  Transaction* next = nullptr;       // in that, then among those that finish, then among free slots
  Transaction* chained = nullptr;    // the next one in LineOrder's chain
  Transaction* successor = nullptr;  // the next younger one to the same line
  Transaction* predecessor = nullptr;  // the next older one, while held
  std::uint32_t chain = 0;             // LineOrder's, by its line
  std::uint32_t slot = 0;              // its own name
  std::int32_t rank = 0;
  std::int32_t bank = 0;  // DRAM: numbered over all ranks; NVDIMM: pseudo-bank
  TransactionState state = TransactionState::transfer;  // of a free slot: as its last one
  bool viewed = false;                                  // `view` is made
  bool started = false;    // a command was issued for it (NVDIMM: if it is a flush)
  bool activated = false;  // its row had to be opened for it
  bool urgent = false;     // a write that goes with the reads: a read waits for it
  bool overdue = false;    // goes before all others: it has waited for too long
  LatencyMarks marks{};
  RequestView view{};  // where policies look; row_hit is set for each call

  // A slot's next transaction; its place in the memory and its keys are still to be set.
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
  }

  // All but its slot, its links, its view, and what its address tells.
  void serialize(Archive& archive);
};

inline bool is_nvdimm(const Transaction& transaction) {
  return transaction.request.memory == MemoryClass::nvdimm;
}

// The slots. The channel knows a transaction by its address, others, and checkpoints, by its slot.
class TransactionPool {
 public:
  explicit TransactionPool(std::size_t slots) : slots_(slots) {
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

  // The one that was released last.
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

  // see(transaction) for all that are taken.
  template <class See>
  void each_taken(See see) const {
    const std::vector<bool> free = free_slots();
    for (const Transaction& each : slots_) {
      if (!free[each.slot]) {
        see(each);
      }
    }
  }

  std::size_t size() const { return slots_.size(); }
  std::size_t taken() const { return taken_; }
  bool all_free() const { return taken_ == 0; }

  // Those that hold a slot, in order of their requests.
  std::vector<Transaction*> held();

  void serialize(Archive& archive);

 private:
  std::vector<bool> free_slots() const;

  std::vector<Transaction> slots_;
  Transaction* first_free_ = nullptr;  // linked by `next`
  std::size_t taken_ = 0;
};

}  // namespace hmsim
