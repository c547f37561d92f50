// SPDX-License-Identifier: BSD-3-Clause
// Helpers for tests that inspect a command log.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "check/violations.h"
#include "controller/accounts/command_observer.h"

namespace hmsim::testing {

inline std::vector<CommandRecord> only(const std::vector<CommandRecord>& log,
                                       ChannelCommand command, int rank = -1) {
  std::vector<CommandRecord> records;
  for (const CommandRecord& record : log) {
    if (record.command == command && (rank < 0 || record.rank == rank)) {
      records.push_back(record);
    }
  }
  return records;
}

// Returns the distance between the first two commands of this kind.
inline Cycle first_gap(const std::vector<CommandRecord>& log, ChannelCommand command) {
  const std::vector<CommandRecord> records = only(log, command);
  return records.at(1).cycle - records.at(0).cycle;
}

// A command and its expected cycle.
struct Expected {
  ChannelCommand command;
  std::int64_t cycle;
};

// Asserts that the log holds exactly these commands, on these cycles after `from`. A failure shows
// both lists.
inline void assert_commands(const std::vector<CommandRecord>& log,
                            const std::vector<Expected>& expected, Cycle from = Cycle(0)) {
  std::string found;
  for (const CommandRecord& record : log) {
    found += std::string(name_of(record.command)) + " " +
             std::to_string((record.cycle - from).value()) + "\n";
  }
  std::string wanted;
  for (const Expected& command : expected) {
    wanted += std::string(name_of(command.command)) + " " + std::to_string(command.cycle) + "\n";
  }
  ASSERT_EQ(found, wanted);
}

// Asserts that commands i and j of a log, counted from 0, are `cycles` apart.
inline void assert_gap(const std::vector<CommandRecord>& log, std::size_t i, std::size_t j,
                       std::int64_t cycles) {
  ASSERT_LT(std::max(i, j), log.size());
  ASSERT_EQ((log[j].cycle - log[i].cycle).value(), cycles)
      << "between command " << i << " (" << name_of(log[i].command) << ") and command " << j << " ("
      << name_of(log[j].command) << ")";
}

}  // namespace hmsim::testing
