// SPDX-License-Identifier: BSD-3-Clause
// One simulation: a memory system, the agents that drive it, and the rules of when it ends.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "agents/frontend_parameters.h"
#include "agents/manual_requester.h"
#include "controller/memory_system.h"
#include "core/errors.h"
#include "core/kernel.h"
#include "core/parameters.h"
#include "core/statistics.h"
#include "simulation/memory_needs.h"
#include "simulation/nodes.h"
#include "simulation/progress_watch.h"
#include "simulation/run_options.h"
#include "simulation/series.h"
#include "simulation/storage_system.h"
#include "simulation/watchers.h"

namespace hmsim {

class Simulation : private SourceProgress {
 public:
  // `config` and each agent's keys are as the user gave them. Throws InputError with one line
  // ("name: message"; "agent.N.name: message" for agents) per error.
  Simulation(const Assignments& config, const std::vector<Assignments>& agents,
             const RunOptions& options, const TraceSource& source);
  ~Simulation() override;

  // All that is wrong with a configuration, or with one agent's keys ("kind" among them).
  static std::vector<ParameterError> check(const Assignments& config);
  static std::vector<ParameterError> check_agent(const Assignments& config,
                                                 const Assignments& agent);
  // Every parameter with its value, presets filled in. Throws InputError.
  static Assignments resolve(const Assignments& config);
  static std::vector<ParameterInfo> parameters();
  static std::vector<std::string> agent_kinds();
  static std::vector<ParameterInfo> agent_parameters(const std::string& kind);

  // Runs until the end of the run, at most `steps` kernel steps; true when the run has ended: when
  // every measured agent has finished once, or frontend.time_limit is over. Without agents it has
  // ended at once. Throws InputError when a request is stuck (frontend.stall_limit).
  bool run(std::uint64_t steps);
  // Runs to a time, whether or not agents have finished, at most `steps` kernel steps; true when
  // the time has come.
  bool advance(Tick until, std::uint64_t steps = std::numeric_limits<std::uint64_t>::max());
  // Lines that the user should see while the run continues, since the last call: of a class of
  // memory that starves (ProgressWatch), as found at the end of a call of run(). No part of a
  // checkpoint.
  std::vector<std::string> take_warnings() { return progress_watch_.take_found(); }
  double progress() const;  // 0 .. 1: of the measured agent that is least far
  Tick now() const { return epoch_ + kernel_.now(); }

  std::vector<Statistic> statistics() const;

  // series_columns() names what a row of the series holds. The series is nullptr unless
  // frontend.series_interval is set.
  std::vector<Statistic> series_columns() const { return registry_.columns(); }
  const Series* series() const { return series_.get(); }

  // RunOptions::log_requests: what was done since the last call, at most one row for each channel
  // in each kernel step. Without it always empty. No part of a checkpoint.
  std::size_t logged_requests() const {
    return watchers_->requests() ? watchers_->requests()->rows() : 0;
  }
  RequestLog::Columns take_requests();
  // Likewise block requests that agents asked for, which have ended.
  std::size_t logged_io() const { return watchers_->io() ? watchers_->io()->rows() : 0; }
  IoLog::Columns take_io();

  // RunOptions::log_commands: the logs; nullptr without it. No part of a checkpoint.
  CommandLog* command_log() { return watchers_->commands(); }
  ThreadLog* thread_log() { return watchers_->threads(); }

  // Sends a request by hand and returns its id, which counts such requests from 0. The address is a
  // system address: DRAM from 0, the NVDIMM behind it; the request is for the line that holds it.
  // nullopt: the queue is full. Throws InputError when the address lies outside.
  std::optional<std::uint64_t> enqueue(Address address, bool write, std::uint16_t source);
  // Sends a request for the `size` bytes from `address` on, which one line holds. Data mode: a
  // write carries `data`, so many bytes; a completed read has what it returned.
  std::optional<std::uint64_t> enqueue(Address address, std::int64_t size, bool write,
                                       std::uint16_t source, std::optional<std::string> data);
  // Sends a flush of all NVDIMMs, a barrier over their channels, as a request by hand. nullopt: a
  // queue is full. Throws InputError when there is no NVDIMM, or power is off.
  std::optional<std::uint64_t> flush(std::uint16_t source);
  std::vector<Completion> take_completions();

  // Data mode: what a read of these bytes of one line would return.
  std::string peek(Address address, std::int64_t size) const;

  // Data mode, without agents: power goes now. Every write that is done is saved to flash; requests
  // that are not done, and what DRAM holds, are lost. Until power_on() time passes without events.
  // Then the memory system goes on with its flash alone, and with new statistics but for
  // nvdimm.power. Throw InputError outside data mode, with agents or a time series, and when power
  // is off, or on, already.
  // A save that lasts longer than `save_for` is interrupted then, by power that returns; what is
  // left of it is saved next time. A recovery that lasts longer than `recover_for` is interrupted
  // then: power_on() returns false, and only power_fail() can follow.
  // `interrupted`: of all NVDIMMs, channel by channel, the only one whose save is interrupted.
  void power_fail(Tick save_for = kNever, std::optional<std::size_t> interrupted = std::nullopt);
  bool power_on(Tick recover_for = kNever);

  // Discards the whole pages of the NVDIMM in a range of system addresses, now; returns their
  // number.
  // Throws InputError when the range is not within the NVDIMM, or power is off.
  std::int64_t trim(Address address, Bytes size);

  MemorySystem& memory() { return *memory_; }
  std::int64_t checked_commands() const { return watchers_->checked_commands(); }

  // The whole state; load() throws InputError for a damaged checkpoint and for one of another
  // configuration, workload or seed, or without what RunOptions::check needs.
  std::string save();

  // Returns the content of a file for nvdimm.precondition.load. To be called before anything
  // happens: throws InputError later, and where there is no flash.
  std::string preconditioned();
  // `file`: where the checkpoint was read from, for messages.
  void load(const std::string& checkpoint, const std::string& file = "the checkpoint");

 private:
  enum class Power : std::uint8_t {
    on,
    off,
    recovering,  // interrupted there
    last = recovering
  };

  struct Blame {       // what errors of the run are put down to
    std::string file;  // that it continues from; "": none
    std::vector<MemoryNeed> needs;
  };

  struct Limits {  // frontend.time_limit and frontend.stall_limit; 0: none
    Tick time{0};
    Tick stall{0};
  };

  std::int64_t instructions(std::uint16_t source) const override;
  // A memory system in place of the one before, whose requesters are this simulation's.
  void make_memory(const SystemConfig& system);
  void connect_agents(const TraceSource& source, const std::vector<Wakeup>& wakeups);
  std::vector<Agent*> all_agents() const;
  void check_cores(const CoresByNode& of_jobs) const;
  void register_statistics();
  void register_agent(std::size_t index);
  void register_core(Agent& agent, Counter& progress);
  void register_node_core(NodeCore& core, Counter& progress);
  void register_totals();
  // Does a deed. A fault of a simulation that continues from a file is the file's: an InputError.
  // Throws OutOfMemory when the host has no more memory.
  template <class Deed>
  auto blaming_file(Deed deed) {
    try {
      return deed();
    } catch (const Fault& fault) {
      blame_file(fault);
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(describe_shortage(blame_.needs));
    }
  }
  void build(const Configuration& configuration, const std::vector<Assignments>& agents,
             const TraceSource& source);
  [[noreturn]] void blame_file(const Fault& fault) const;  // while it is handled
  Tick deadline() const;
  bool ended() const;
  bool go(Tick limit, std::uint64_t& steps);
  bool warm_up(Tick limit);
  bool every_core_warm() const;
  void begin_measuring();
  void check_range(Address address, std::int64_t size) const;
  void check_power() const;
  std::vector<Requester*> requesters() const;
  void update_progress();
  void check_protocol();
  void check_stall() const;
  double per_cycle(const Agent& core) const;
  void serialize(Archive& archive);

  Kernel kernel_;
  Tick epoch_{0};  // when power came on: the kernel's time 0
  Power power_ = Power::on;
  Blame blame_;
  RunOptions options_;
  Limits limits_;
  std::uint64_t identity_ = 0;  // hash of all that shapes the run
  Agents agents_;
  std::unique_ptr<Nodes> nodes_;  // of no cores where no jobs run
  std::unique_ptr<ManualRequester> by_hand_;
  std::unique_ptr<Watchers> watchers_;
  std::unique_ptr<MemorySystem> memory_;  // which watchers outlive
  std::unique_ptr<StorageSystem> storage_;
  bool warmup_time_over_ = false;
  bool measuring_ = false;
  Tick measured_from_{0};
  Counter ticks_ = 0;              // measured, as of the last update_progress()
  std::vector<Counter> progress_;  // of each agent, likewise
  StatisticRegistry registry_;
  ProgressWatch progress_watch_;
  std::unique_ptr<Series> series_;
  Wakeup series_wakeup_;
};

}  // namespace hmsim
