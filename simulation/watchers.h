// SPDX-License-Identifier: BSD-3-Clause
// What watches a run without changing it: the protocol checker and the logs, as far as they were
// asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

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
  // Throws InputError where the system's DRAM model does not show what is to be watched.
  Watchers(const RunOptions& options, const SystemConfig& system);

  // Judges what a memory system does from its beginning on, in place of the one before.
  void check(const SystemConfig& system, MemorySystem& memory);
  // Logs what is done from now on. `epoch`: the kernel's time 0, as the host counts time. Again,
  // after a checkpoint was loaded or power came back: the logs of requests and threads go on; that
  // of commands knows the memory system it began with alone.
  void begin_logs(MemorySystem& memory, const Nodes& nodes, const Agents& agents, Tick epoch,
                  Tick now);

  void raise_if_violated() const;
  // Ends the check: what should have come by now, and did not, is a violation, too.
  void finish_check(Tick now, bool idle);
  // Of the checker alone: logs are no part of a checkpoint. Throws InputError where a run with a
  // checker is to go on without one, or the other way round.
  void serialize(Archive& archive);

  std::int64_t checked_commands() const { return checker_ ? checker_->commands() : 0; }
  RequestLog* requests() { return requests_.get(); }  // these: nullptr where not asked for
  const RequestLog* requests() const { return requests_.get(); }
  IoLog* io() { return io_.get(); }
  CommandLog* commands() { return commands_.get(); }
  ThreadLog* threads() { return threads_.get(); }

 private:
  bool checked_;
  std::unique_ptr<ProtocolChecker> checker_;  // or none
  std::unique_ptr<RequestLog> requests_;      // or none
  std::unique_ptr<IoLog> io_;                 // or none
  std::unique_ptr<CommandLog> commands_;      // or none
  std::unique_ptr<ThreadLog> threads_;        // or none
  bool commands_begun_ = false;
};

}  // namespace hmsim
