// SPDX-License-Identifier: BSD-3-Clause
// What could be issued on an edge.
#pragma once

#include <array>

#include "controller/bank_queue.h"
#include "controller/transaction.h"
#include "core/types.h"
#include "dram/timing_rules.h"

namespace hmsim {

// The best data-bus command so far, by its policy's key.
struct Best {
  TransactionId id = kNoTransaction;
  std::uint64_t key = 0;
  std::uint64_t request = 0;
  Command command = Command::read;

  bool present() const { return id != kNoTransaction; }
  void consider(const Best& other) {
    if (!present() || goes_before(other.key, other.request, key, request)) {
      *this = other;
    }
  }
};

struct Candidates {
  std::array<Best, kMemoryClasses> legal;  // best legal data-bus command of each class
  std::array<Best, kMemoryClasses> near;   // best one that waits for the bus's turnaround only
  Best other;                              // oldest of the other commands (its key is not used)

  void consider_other(const Best& command) {
    if (!other.present() || command.request < other.request) {
      other = command;
    }
  }
};

}  // namespace hmsim
