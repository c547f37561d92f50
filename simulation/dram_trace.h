// SPDX-License-Identifier: BSD-3-Clause
// A list of DRAM requests straight into a memory system, and all that came of it: for comparing
// models of DRAM with one another.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/accounts/command_observer.h"
#include "core/parameters.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

struct DramTrace {
  std::vector<std::int64_t> addresses;  // bytes, of lines inside the DRAM
  std::vector<std::uint8_t> writes;     // 0 or 1, as many
  // Clock cycles at which they arrive, ascending; empty: one always waits outside the controller,
  // the next comes when it is admitted.
  std::vector<std::int64_t> cycles;
};

struct DramTraceResult {
  Cycle cycles{0};                      // until the last completion
  std::vector<CommandRecord> commands;  // if asked for; up to the last completion
  std::vector<Statistic> statistics;    // of the memory system
};

// Throws InputError when the configuration is wrong, or lists differ in length or leave the DRAM.
DramTraceResult run_dram_trace(const Assignments& config, const DramTrace& trace, bool log);

}  // namespace hmsim
