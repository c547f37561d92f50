// SPDX-License-Identifier: BSD-3-Clause
// What could be issued on an edge.
#pragma once

#include <array>

#include "controller/channel/bank_queue.h"
#include "controller/channel/transaction.h"
#include "core/types.h"
#include "dram/timing_rules.h"

namespace hmsim {

// The next command of the transaction that its policy puts first in a bank, with the key that
// ranks it among those of other banks.
struct Best {
  Transaction* transaction = nullptr;
  Command command = Command::read;
  std::uint64_t key = 0;
  std::uint64_t request = 0;
};

// The best commands of an edge, nullptr where there is none. They stand in their banks, and so are
// valid until a command is issued.
struct Candidates {
  std::array<const Best*, kMemoryClasses> legal{};  // best legal data-bus command of each class
  std::array<const Best*, kMemoryClasses> near{};   // best one that waits for a turnaround only
  const Best* other = nullptr;  // oldest of the other commands (their keys are not used)

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
