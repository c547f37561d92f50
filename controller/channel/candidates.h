// SPDX-License-Identifier: BSD-3-Clause
// Candidate commands of an edge.
#pragma once

#include <array>

#include "controller/channel/bank_queue.h"
#include "controller/layout/transaction.h"
#include "core/types.h"
#include "dram/timing_rules.h"

namespace hmsim {

// The next command of a bank's best transaction, and the key that ranks it against those of other
// banks.
struct Best {
  Transaction* transaction = nullptr;
  Command command = Command::read;
  std::uint64_t key = 0;
  std::uint64_t request = 0;
};

// The best commands of an edge, or nullptr. They point into the banks and stay valid until a
// command is issued.
struct Candidates {
  std::array<const Best*, kMemoryClasses> legal{};  // best legal data-bus command of each class
  std::array<const Best*, kMemoryClasses> near{};   // best one that waits only for a turnaround
  const Best* other = nullptr;                      // oldest other command; keys do not matter

  static void consider(const Best*& best, const Best& command) {
    if (best == nullptr || goes_before(command.key, command.request, best->key, best->request)) {
      best = &command;
    }
  }
  static void consider_older(const Best*& oldest, const Best& command) {
    if (oldest == nullptr || command.request < oldest->request) {
      oldest = &command;
    }
  }
};

}  // namespace hmsim
