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

using TransactionId = std::int32_t;
inline constexpr TransactionId kNoTransaction = -1;

enum class TransactionState : std::uint8_t {
  barred,    // NVDIMM: behind a flush, or a flush itself; unknown to its scheduler
  held,      // behind an older transaction to the same line
  withheld,  // by its scheduler
  staged,    // two_level: in the transaction queue, not yet in a command queue
  queued,    // competes for its next command
  waiting,   // NVDIMM: command sent, no ack yet
  ready,     // NVDIMM: acknowledged, competes for the data bus
  transfer,  // its data-bus command is issued
};

// What LatencySplit knows of a transaction. DRAM: dates by its banks' clock, and the parts of its
// latency once its column command is issued.
struct LatencyMarks {
  Cycle first_command{0};
  Cycle entered{0};   // got its slot
  Cycle competes{0};  // NVDIMM: for the data bus
  Cycle queueing{0};
  Cycle bank{0};
  Cycle bus{0};
  Cycle refresh{0};
  void serialize(Archive& archive) {
    archive(first_command, entered, competes, queueing, bank, bus, refresh);
  }
};

struct alignas(64) Transaction {
  Request request;
  std::int64_t row = 0;  // DRAM row, or LPN in the channel's NVDIMM
  Address local{0};      // NVDIMM: address within the channel's NVDIMM
  std::uint64_t key_miss = 0;
  std::uint64_t key_hit = 0;
  Cycle admitted{0};       // when it got its slot
  Cycle activated_at{0};   // the activate issued for it, ...
  Cycle activate_held{0};  // ... and how long its bank had been ready for that
  Cycle grant_from{0};     // NVDIMM, ready: the first edge on which it may be granted
  TransactionId previous = kNoTransaction;  // in its bank's list
  TransactionId next = kNoTransaction;
  std::uint32_t chain = 0;                     // LineOrder's, by its line
  TransactionId chained = kNoTransaction;      // the next one in that chain
  TransactionId successor = kNoTransaction;    // the next younger one to the same line
  TransactionId predecessor = kNoTransaction;  // the next older one, while held
  std::uint32_t slot = 0;                      // its own name
  std::int32_t rank = 0;
  std::int32_t bank = 0;  // DRAM: numbered over all ranks; NVDIMM: pseudo-bank
  TransactionState state = TransactionState::queued;
  bool viewed = false;     // `view` is made
  bool started = false;    // a command was issued for it
  bool activated = false;  // its row had to be opened for it
  bool urgent = false;     // a write that goes with the reads: a read waits for it
  bool overdue = false;    // goes before all others: it has waited for too long
  LatencyMarks marks{};
  RequestView view{};  // where policies look; row_hit is set for each call

  // A slot's next transaction; its place in the memory and its keys are still to be set.
  void begin(const Request& taken, Cycle now) {
    request = taken;
    admitted = now;
    activated_at = Cycle(0);
    activate_held = Cycle(0);
    grant_from = Cycle(0);
    successor = kNoTransaction;
    predecessor = kNoTransaction;
    state = TransactionState::queued;
    viewed = false;
    started = false;
    activated = false;
    urgent = false;
    overdue = false;
  }

  void serialize(Archive& archive) {
    archive(request, view, row, local, key_miss, key_hit, grant_from, previous, next, chain,
            chained, successor, predecessor, slot, rank, bank, state, viewed, started, activated,
            urgent, overdue, admitted, activated_at, activate_held, marks);
  }
};

// Slots, named by index.
class TransactionPool {
 public:
  explicit TransactionPool(std::size_t slots) : slots_(slots) {
    for (std::size_t i = slots; i > 0; --i) {
      slots_[i - 1].slot = static_cast<std::uint32_t>(i - 1);
      release(static_cast<TransactionId>(i - 1));
    }
    taken_ = 0;
  }

  Transaction& operator[](TransactionId id) { return slots_[static_cast<std::size_t>(id)]; }
  const Transaction& operator[](TransactionId id) const {
    return slots_[static_cast<std::size_t>(id)];
  }

  // The one that was released last.
  TransactionId take() {
    const TransactionId id = first_free_;
    first_free_ = (*this)[id].next;
    ++taken_;
    return id;
  }
  void release(TransactionId id) {
    (*this)[id].next = first_free_;
    first_free_ = id;
    --taken_;
  }

  std::size_t size() const { return slots_.size(); }
  std::size_t taken() const { return taken_; }
  bool all_free() const { return taken_ == 0; }

  void serialize(Archive& archive) { archive(slots_, first_free_, taken_); }

 private:
  std::vector<Transaction> slots_;
  TransactionId first_free_ = kNoTransaction;  // linked by `next`
  std::size_t taken_ = 0;
};

}  // namespace hmsim
