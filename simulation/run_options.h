// SPDX-License-Identifier: BSD-3-Clause
// Options of a run besides its configuration and its agents.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "controller/memory_system.h"
#include "core/types.h"

namespace hmsim {

struct RunOptions {
  std::uint64_t seed = 1;
  Tick warmup{0};                        // measuring starts after this time ...
  std::int64_t warmup_instructions = 0;  // ... once every core has run this many instructions
  // Decompressed length of each agent's trace, 0 if unknown. May be shorter than the list of
  // agents. Only progress() uses it.
  std::vector<std::uint64_t> trace_bytes = {};
  // Checks every command against the rules of devices, buses and the ack protocol. run() and
  // advance() raise a fault if a rule is violated. Does not change results.
  bool check = false;
  // Logs each request completed while measuring. Does not change results.
  bool log_requests = false;
  // Maximum number of rows to log from the start of measuring: for channels and NVDIMMs together,
  // and again for threads of jobs. 0: no log. Does not change results. The log of channels and
  // NVDIMMs ends with the first power failure.
  std::int64_t log_commands = 0;
  // Replace the policies that the configuration names.
  PolicyMakers policies = {};
  // Called now and then with the completed share of preconditioning. An exception from it aborts
  // the construction of the simulation.
  std::function<void(double share)> preconditioning = {};
};

}  // namespace hmsim
