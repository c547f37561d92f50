// SPDX-License-Identifier: BSD-3-Clause
// Run of a list of DRAM requests directly on a memory system, and its results. Used to compare DRAM
// models.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/accounts/command_observer.h"
#include "core/parameters.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

struct DramTrace {
  std::vector<std::int64_t> addresses;  // byte addresses of lines in the DRAM
  std::vector<std::uint8_t> writes;     // 0 or 1, one per address
  // Clock cycles of arrival, ascending. Empty: one request always waits outside the controller, and
  // the next one arrives when it is admitted.
  std::vector<std::int64_t> cycles;
};

struct DramTraceResult {
  Cycle cycles{0};                      // to the last completion
  std::vector<CommandRecord> commands;  // if requested; to the last completion
  std::vector<Statistic> statistics;    // of the memory system
};

// Runs the trace. Throws InputError if the configuration is invalid, the lists differ in length, or
// an address is outside the DRAM. `log`: records commands.
DramTraceResult run_dram_trace(const Assignments& config, const DramTrace& trace, bool log);

}  // namespace hmsim
