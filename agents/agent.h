// SPDX-License-Identifier: BSD-3-Clause
// Agent: a core, an I/O driver or a stream of requests that drives the memory. An agent does its
// work (a trace, or a given number of instructions or requests), records when it first finished,
// and starts over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent_link.h"
#include "agents/agent_placement.h"
#include "agents/frontend_parameters.h"
#include "core/descriptor_table.h"
#include "core/parameters.h"
#include "core/statistics.h"
#include "traces/record_rules.h"

namespace hmsim {

class IoMeter;

// Receives the number of an NVDIMM page and returns false to end the visit. Pages of an agent's
// first node are numbered before those of its further nodes.
using PageVisitor = std::function<bool(std::int64_t page)>;

// Properties of an agent's kind.
struct AgentTraits {
  const char* progress_unit;   // "instructions", "blocks", "requests" or "tokens"
  std::int64_t frequency = 0;  // of its clock, in hertz; 0: no clock
  bool is_core = false;        // it is a core; a warm-up waits for all cores
  bool sends_lines = false;    // its completed() counts lines that are not part of its block I/O
};

// Source that records which NVDIMM pages were written before it began.
class PriorWrites {
 public:
  virtual ~PriorWrites() = default;
  // Visits each page once, the most recently written one first. Call only on a connected agent that
  // is used for nothing else.
  virtual void each_page_written_before(const PageVisitor& visit) const = 0;
};

// Agent that ends when its rate is steady.
class SteadyEnd {
 public:
  virtual ~SteadyEnd() = default;
  // Ends the agent. Requests under way continue.
  virtual void stop(Tick now) = 0;
};

// Parts that only some kinds of agents have. nullptr: this kind lacks the part.
struct AgentParts {
  IoMeter* io_meter = nullptr;  // latencies of its block requests
  const PriorWrites* prior_writes = nullptr;
  SteadyEnd* steady_end = nullptr;
};

class Agent : public Component, public Requester, protected AgentLink {
 public:
  using AgentLink::core;
  using AgentLink::index;

  // declare() binds the agent's keys to its fields. check() returns the errors that involve more
  // than one key.
  virtual void declare(ParameterSet& parameters);
  virtual std::vector<ParameterError> check() const { return {}; }

  // Makes the agent ready to act from time 0. Its keys are set. Reads the start of its trace.
  // Throws InputError.
  void connect(std::size_t index, const AgentEnvironment& environment, Wakeup wakeup);

  // Sets the stream of pseudo-random numbers that the agent draws from, under the run's seed. The
  // key `random_stream` overrides it.
  void set_default_random_stream(std::int64_t stream) {
    random_stream_ = random_stream_ == kOwnStream ? stream : random_stream_;
  }
  virtual AgentTraits traits() const = 0;
  virtual AgentPlacement placement() const { return {{node_}}; }
  virtual AgentParts parts() { return {}; }
  // Returns how the agent does block I/O on the NVDIMM of node placement().nodes[which] when the
  // configuration has no storage. nullopt: the agent does no block I/O.
  virtual std::optional<NvdimmIo> nvdimm_io(std::size_t /*which*/) const { return std::nullopt; }
  // False: a background agent; the run does not wait for it.
  bool measured() const { return measured_; }

  // Calls `visit` for each NVDIMM page read in a pass: in order, once per read, until visit()
  // returns false. With `to_limit`, stops at the agent's limit; otherwise only at the end of its
  // source. Call only on a connected agent that is used for nothing else. The default visits no
  // page.
  virtual void each_page_read(bool /*to_limit*/, const PageVisitor& /*visit*/) {}

  // Returns the units of work done until `now`, over all passes.
  virtual std::int64_t work(Tick now) const = 0;

  // Brings time counters up to date.
  virtual void account(Tick /*now*/) {}

  // Restarts limits and progress at `now`.
  void begin_measuring(Tick now);
  bool finished_once() const { return finished_; }  // since measuring began
  std::int64_t progress(Tick now) const;  // this and measured_time() freeze at the first finish
  Tick measured_time(Tick now) const;
  // Returns an estimate of the work done up to the first finish.
  double fraction_done(Tick now) const { return finished_ ? 1 : pass_fraction(now); }

  Counter& passes() { return passes_; }        // completed passes
  Counter& completed() { return completed_; }  // requests completed
  // Requests whose trace time precedes the one before.
  Counter& backward_arrivals() { return backward_arrivals_; }
  LeftOutRecords& left_out() { return left_out_; }     // records of a trace that were left out
  Counter& address_wraps() { return address_wraps_; }  // addresses taken modulo the capacity
  // Returns the agent's work per cycle of its clock (per second without a clock) over weighted
  // windows, up to now or the first finish. 0: it has no windows, or some have not ended.
  virtual double weighted_rate() const { return 0; }
  // Registers, under `path`, the statistics that only this kind of agent has. The agent is
  // connected.
  virtual void register_statistics(StatisticRegistry& /*registry*/, const std::string& /*path*/) {}

  void on_complete(const Request& request, Tick now) final;
  void serialize(Archive& archive) final;

 protected:
  virtual void prepare() = 0;
  virtual void restart_limit(Tick now) = 0;
  virtual double pass_fraction(Tick now) const = 0;
  // Handles the completion of a request that the agent sent to a port.
  virtual void handle_completion(const Request& request, Tick now);
  virtual void serialize_state(Archive& archive) = 0;

  // Declares the keys `core` (for agents that act for one core) and `measured`.
  void declare_core(ParameterSet& parameters);
  void declare_measured(ParameterSet& parameters);
  // Declares the key `random_stream`, for agents that draw random numbers.
  void declare_random_stream(ParameterSet& parameters);
  std::uint64_t random_stream() const { return static_cast<std::uint64_t>(random_stream_); }
  void set_core(std::int64_t core) { core_number() = core; }

  // Restarts the measured time, for an agent that begins its work later than the run.
  void begin_measured_time(Tick now) { measured_from_ = now; }
  // Records that all work is done. The caller starts over kRestartGap later.
  void finish(Tick now);

  void count_backward_arrival() { ++backward_arrivals_; }
  void count_wraps(std::uint64_t wraps) { address_wraps_ += wraps; }
  void count_completion() { ++completed_; }  // of a request that bypasses every port

  // Description of agent.N.held_back_us, of agents whose requests have times.
  static constexpr const char* kHeldBack =
      "from the time of a request (trace, interval) to its issue: how long its agent's limits of "
      "requests in flight held it back; latencies do not contain it";

  static constexpr Tick kRestartGap{1};  // from a finish to the next start

 private:
  static constexpr std::int64_t kOwnStream = -1;  // random_streams() assigns the number

  std::int64_t node_ = 0;
  std::int64_t random_stream_ = kOwnStream;
  bool measured_ = true;
  bool measuring_ = false;
  bool finished_ = false;
  Tick measured_from_{0};
  Tick finish_time_{0};
  std::int64_t work_before_ = 0;      // when measuring began
  std::int64_t frozen_progress_ = 0;  // at the first finish
  Counter passes_ = 0;
  Counter completed_ = 0;
  Counter address_wraps_ = 0;
  Counter backward_arrivals_ = 0;
  LeftOutRecords left_out_;
};

using Agents = std::vector<std::unique_ptr<Agent>>;

// Kind of agent. The file agents/*/agent_KIND.cc defines kAgent_KIND. Only the generated table
// refers to it.
struct AgentDescriptor {
  const char* kind;
  const char* doc;  // one line
  std::unique_ptr<Agent> (*make)(const FrontendParameters& defaults);
};

template <class A>
std::unique_ptr<Agent> make_agent(const FrontendParameters& defaults) {
  return std::make_unique<A>(defaults);
}

extern const DescriptorTable<AgentDescriptor> kAgentTable;

std::vector<std::string> agent_kinds();
const AgentDescriptor* find_agent(std::string_view kind);  // nullptr: unknown kind

}  // namespace hmsim
