// SPDX-License-Identifier: BSD-3-Clause
// What a run is asked for beside its configuration and its agents.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "controller/memory_system.h"
#include "core/types.h"

namespace hmsim {

struct RunOptions {
  std::uint64_t seed = 1;
  Tick warmup{0};                        // measuring starts then ...
  std::int64_t warmup_instructions = 0;  // ... and when every core has done so many instructions
  // Decompressed length of each agent's trace, 0 where unknown; may be shorter than the list of
  // agents. Only progress() uses it.
  std::vector<std::uint64_t> trace_bytes = {};
  // Judge every command by the rules of devices, buses and the ack protocol: run() and advance()
  // raise a fault when one is broken. Changes no result.
  bool check = false;
  // Keep what became of each request that is done while measuring. Changes no result.
  bool log_requests = false;
  // Keep so many rows, from the start of measuring on, of what happens on the channels and inside
  // NVDIMMs, and so many of what threads of jobs do; 0: none. Changes no result. Ends with the
  // first power failure.
  std::int64_t log_commands = 0;
  // In place of the policies that the configuration names.
  PolicyMakers policies = {};
  // Told now and then which share of NVDIMMs' preconditioning is done; what it throws ends the
  // making of the simulation.
  std::function<void(double share)> preconditioning = {};
};

}  // namespace hmsim
