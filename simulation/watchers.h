// SPDX-License-Identifier: BSD-3-Clause
// Observers of a run that do not change it: the protocol checker and the requested logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "check/protocol_checker.h"
#include "controller/memory_system.h"
#include "core/archive.h"
#include "simulation/command_log.h"
#include "simulation/io_log.h"
#include "simulation/nodes.h"
#include "simulation/request_log.h"
#include "simulation/run_options.h"
#include "simulation/thread_log.h"

namespace hmsim {

class Watchers {
 public:
  // Throws InputError if the system's DRAM model does not expose what is to be observed.
  Watchers(const RunOptions& options, const SystemConfig& system);

  // Checks a memory system from its beginning on, in place of the previous one.
  void check(const SystemConfig& system, MemorySystem& memory);
  // Logs everything from now on. `epoch` is the host time that is time 0 of the kernel. Call again
  // after a checkpoint is loaded or power returns: the logs of requests and threads then continue.
  // The log of commands only observes the first memory system.
  void begin_logs(MemorySystem& memory, const Nodes& nodes, const Agents& agents, Tick epoch,
                  Tick now);

  void raise_if_violated() const;
  // Ends the check: events that are overdue also count as violations.
  void finish_check(Tick now, bool idle);
  // Serializes the checker only; logs are not part of a checkpoint. Throws InputError if only one
  // of the two runs has a checker.
  void serialize(Archive& archive);

  std::int64_t checked_commands() const { return checker_ ? checker_->commands() : 0; }
  RequestLog* requests() { return requests_.get(); }  // logs: nullptr unless requested
  IoLog* io() { return io_.get(); }
  CommandLog* commands() { return commands_.get(); }
  ThreadLog* threads() { return threads_.get(); }

 private:
  bool checked_;
  std::unique_ptr<ProtocolChecker> checker_;  // nullptr unless requested
  std::unique_ptr<RequestLog> requests_;      // nullptr unless requested
  std::unique_ptr<IoLog> io_;                 // nullptr unless requested
  std::unique_ptr<CommandLog> commands_;      // nullptr unless requested
  std::unique_ptr<ThreadLog> threads_;        // nullptr unless requested
  bool commands_begun_ = false;
};

}  // namespace hmsim
