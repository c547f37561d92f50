// SPDX-License-Identifier: BSD-3-Clause
// Simulation: a memory system, the agents that drive it, and the rules for its end.
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
#include "agents/stages.h"
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
#include "simulation/session_by_hand.h"
#include "simulation/steady_watch.h"
#include "simulation/storage_system.h"
#include "simulation/watchers.h"

namespace hmsim {

class Simulation : private SourceProgress {
 public:
  // `config` and each agent's keys are as the user gave them. Throws InputError with one line
  // ("name: message"; "agent.N.name: message" for agents) per error.
  Simulation(const Assignments& config, const std::vector<Assignments>& agents,
             const RunOptions& options, const TraceSource& source);

  // Returns all errors of a configuration; check_agent(): of one agent's keys, including "kind".
  static std::vector<ParameterError> check(const Assignments& config);
  static std::vector<ParameterError> check_agent(const Assignments& config,
                                                 const Assignments& agent);
  // Returns every parameter with its value, presets resolved. Throws InputError.
  static Assignments resolve(const Assignments& config);
  static std::vector<ParameterInfo> parameters();
  static std::vector<std::string> agent_kinds() { return hmsim::agent_kinds(); }
  static std::vector<ParameterInfo> agent_parameters(const std::string& kind);

  // Runs to the end of the run, for at most `steps` kernel steps. Returns true once the run has
  // ended: every measured agent has finished once, frontend.time_limit has passed, or rates are
  // steady (frontend.until). A run without agents ends at once. Throws InputError if a request is
  // stuck (frontend.stall_limit).
  bool run(std::uint64_t steps);
  // Runs to time `until`, whether or not agents have finished, for at most `steps` kernel steps.
  // Returns true once the time is reached; kNever: once no event is left. `to_receipt`: stops
  // before while the session has a receipt.
  bool advance(Tick until, std::uint64_t steps = std::numeric_limits<std::uint64_t>::max(),
               bool to_receipt = false);
  // Returns warnings for the user since the last call, one line each: a memory class starves
  // (ProgressWatch). run() updates them when it returns. Not part of a checkpoint.
  std::vector<std::string> take_warnings() { return progress_watch_.take_found(); }
  double progress() const;  // 0 to 1, of the measured agent with the least progress
  Tick now() const { return epoch_ + kernel_.now(); }

  std::vector<Statistic> statistics() const { return registry_.read(); }

  // series_columns() names the columns of the series. The series is nullptr unless
  // frontend.series_interval is set.
  std::vector<Statistic> series_columns() const { return registry_.columns(); }
  const Series* series() const { return series_.get(); }

  // Logs of RunOptions::log_requests: requests completed, and block requests of agents; each kernel
  // step adds at most one row per channel. Logs of RunOptions::log_commands. nullptr without the
  // option. Not part of a checkpoint.
  RequestLog* request_log() { return watchers_->requests(); }
  IoLog* io_log() { return watchers_->io(); }
  CommandLog* command_log() { return watchers_->commands(); }
  ThreadLog* thread_log() { return watchers_->threads(); }

  // Sends a request by hand and returns its id, which numbers such requests from 0. `address` is a
  // system address: DRAM from 0, followed by the NVDIMM. The `size` bytes from there on must be
  // within one line or, on HBF, whole lines of one page. In data mode, a write carries `data`, of
  // `size` bytes, and a completed read holds the bytes read. Returns nullopt if the queue is full.
  // Throws InputError if the address is out of range.
  std::optional<std::uint64_t> enqueue(Address address, std::int64_t size, bool write,
                                       std::uint16_t source, std::optional<std::string> data);
  // Without agents: submits a request of the session, whose ids are not those of enqueue(). It
  // enters at time `at`, ahead of the events of this time; nullopt: now, after the events so far.
  // Throws InputError for invalid requests, if `at` has passed, and after a power failure for
  // requests to storage.
  std::uint64_t submit(const SessionRequest& request, const std::vector<std::uint64_t>& after,
                       std::optional<Tick> at = std::nullopt);
  SessionByHand& session() { return *session_; }

  // Sends a flush of all NVDIMMs by hand; it is a barrier over their channels. Returns nullopt if
  // enqueue() to one of these channels would. Throws InputError if there is no NVDIMM or power is
  // off.
  std::optional<std::uint64_t> flush(std::uint16_t source);
  std::vector<Completion> take_completions() { return by_hand_->take_completions(); }

  // Returns the bytes that a read would return now. Requires data mode, and a range within one
  // line.
  std::string peek(Address address, std::int64_t size) const;

  // power_fail() cuts the power now; requires data mode and no agents. Every completed write is
  // saved to flash. Requests under way and the contents of DRAM are lost. Until power_on(), time
  // passes without events. Afterwards the memory system continues with only its flash, and with new
  // statistics except nvdimm.power. Both throw InputError outside data mode, with agents or a time
  // series, or if power is off (or on) already.
  //
  // A save that takes longer than `save_for` is interrupted, because power returns; its rest is
  // saved at the next failure. A recovery that takes longer than `recover_for` is interrupted:
  // power_on() returns false, and only power_fail() may follow. `interrupted` selects the only
  // NVDIMM whose save is interrupted, counted over all channels.
  void power_fail(Tick save_for = kNever, std::optional<std::size_t> interrupted = std::nullopt);
  bool power_on(Tick recover_for = kNever);

  // Discards the whole NVDIMM pages in a range of system addresses, now, and returns their number.
  // Throws InputError if the range is not within the NVDIMM, or power is off.
  std::int64_t trim(Address address, Bytes size);

  MemorySystem& memory() { return *memory_; }
  std::int64_t checked_commands() const { return watchers_->checked_commands(); }

  // save() returns the whole state; load() restores it. load() throws InputError for a checkpoint
  // that is damaged, or from another configuration, workload, seed or setting of RunOptions::check.
  std::string save();

  // Returns the state of the preconditioned flash, as the content of a file for
  // nvdimm.precondition.load. Throws InputError if the simulation has begun, or if nothing maps
  // flash pages.
  std::string preconditioned();
  // `file`: origin of the checkpoint, for messages.
  void load(const std::string& checkpoint, const std::string& file = "the checkpoint");

 private:
  enum class Power : std::uint8_t {
    on,
    off,
    recovering,  // the recovery was interrupted
    last = recovering
  };

  struct Blame {       // what error messages name as the cause
    std::string file;  // checkpoint or precondition file; "": none
    std::vector<MemoryNeed> needs;
  };

  struct Limits {  // frontend.time_limit and frontend.stall_limit, 0: none; frontend.until
    Tick time{0};
    Tick stall{0};
    bool steady = false;
  };

  std::int64_t instructions(std::uint16_t source) const override;
  // Makes a new memory system in place of the present one, with this simulation's requesters.
  void make_memory(const SystemConfig& system);
  void connect_agents(const TraceSource& source, const std::vector<Wakeup>& wakeups);
  std::vector<Agent*> all_agents() const;
  void check_cores(const CoresByNode& of_jobs) const;
  void register_statistics();
  void register_agent(std::size_t index);
  void register_core(Agent& agent, Counter& progress);
  void register_node_core(NodeCore& core, Counter& progress);
  void register_totals();
  // Runs `deed`. Turns a Fault of a simulation that continues from a file into an InputError that
  // names the file. Throws OutOfMemory if the host has no more memory.
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
  [[noreturn]] void blame_file(const Fault& fault) const;  // call in its handler
  Tick deadline() const;
  bool ended() const;
  bool go(Tick limit, std::uint64_t& steps);
  bool warm_up(Tick limit);
  bool every_core_warm() const;
  void begin_measuring();
  std::uint8_t check_range(Address address, std::int64_t size, Bytes most) const;
  void check_power() const;
  std::vector<Requester*> requesters() const;
  void update_progress();
  void check_protocol();
  void check_stall();
  double per_cycle(const Agent& core) const;
  void serialize(Archive& archive);

  Kernel kernel_;
  Tick epoch_{0};  // when power came on; time 0 of the kernel
  Power power_ = Power::on;
  Blame blame_;
  RunOptions options_;
  Limits limits_;
  Tick no_stall_until_{0};      // of the kernel: until then, no request exceeds limits_.stall
  std::uint64_t identity_ = 0;  // hash of everything that determines the run
  Agents agents_;
  Stages stages_;
  std::unique_ptr<Nodes> nodes_;  // without cores if there are no jobs
  std::unique_ptr<ManualRequester> by_hand_;
  std::unique_ptr<SessionByHand> session_;
  std::unique_ptr<Watchers> watchers_;
  std::unique_ptr<MemorySystem> memory_;  // watchers outlive it
  std::unique_ptr<StorageSystem> storage_;
  bool warmup_time_over_ = false;
  bool measuring_ = false;
  Tick measured_from_{0};
  Counter ticks_ = 0;              // measured time, as of the last update_progress()
  std::vector<Counter> progress_;  // by agent, as of the last update_progress()
  StatisticRegistry registry_;
  ProgressWatch progress_watch_;
  std::unique_ptr<Series> series_;
  struct {
    std::unique_ptr<SteadyWatch> watch;
    Wakeup wakeup;
  } steady_;
};

}  // namespace hmsim
