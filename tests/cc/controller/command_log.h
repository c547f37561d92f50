// SPDX-License-Identifier: BSD-3-Clause
// What tests ask of a command log.
#pragma once

#include <vector>

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

// Between the first two such commands.
inline Cycle first_gap(const std::vector<CommandRecord>& log, ChannelCommand command) {
  const std::vector<CommandRecord> records = only(log, command);
  return records.at(1).cycle - records.at(0).cycle;
}

}  // namespace hmsim::testing
