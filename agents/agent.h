// SPDX-License-Identifier: BSD-3-Clause
// An agent drives the memory: a core, an I/O driver, a stream of requests. It does its work (a
// trace, so many instructions or requests), notes when it first finished, and starts over.
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

namespace hmsim {

class IoMeter;

// Called with the number of a page of the NVDIMM; the pages of an agent's first node come before
// those of its further ones. Returns false if no more are wanted.
using PageVisitor = std::function<bool(std::int64_t page)>;

// Properties of an agent's kind.
struct AgentTraits {
  const char* progress_unit;   // instructions, blocks or requests
  std::int64_t frequency = 0;  // of its clock, in hertz; 0: it has none
  bool is_core = false;        // it is one of the cores, which a warm-up waits for
};

// A source that records which pages of the NVDIMM were written before it began.
class PriorWrites {
 public:
  virtual ~PriorWrites() = default;
  // Visits them, each once, the page written last first. The agent is connected, and does nothing
  // else, before or afterwards.
  virtual void each_page_written_before(const PageVisitor& visit) const = 0;
};

// Parts that only some kinds of agents have; nullptr: this kind does not.
struct AgentParts {
  IoMeter* io_meter = nullptr;  // latencies of its block requests
  const PriorWrites* prior_writes = nullptr;
};

class Agent : public Component, public Requester, protected AgentLink {
 public:
  using AgentLink::core;
  using AgentLink::index;

  // declare() binds the agent's keys to its fields; check() returns what is wrong with their values
  // that no single key can tell.
  virtual void declare(ParameterSet& parameters);
  virtual std::vector<ParameterError> check() const { return {}; }

  // Makes the agent, whose keys are set, ready to act from time 0. Reads the start of its trace.
  // Throws InputError.
  void connect(std::size_t index, const AgentEnvironment& environment, Wakeup wakeup);

  // The stream of pseudo-random numbers that it draws from, under the run's seed. The default holds
  // unless the key `random_stream` names another.
  void set_default_random_stream(std::int64_t stream) {
    random_stream_ = random_stream_ == kOwnStream ? stream : random_stream_;
  }
  virtual AgentTraits traits() const = 0;
  virtual AgentPlacement placement() const { return {{node_}}; }
  virtual AgentParts parts() { return {}; }
  // How it does block I/O on the NVDIMM of a node, by its index in placement().nodes, where the
  // configuration has no storage; nullopt: it does none.
  virtual std::optional<NvdimmIo> nvdimm_io(std::size_t /*which*/) const { return std::nullopt; }
  bool measured() const { return measured_; }  // false: a background agent, never waited for

  // Tells the NVDIMM's pages that a pass reads, in the order of its reads, page by page, each as
  // often as it comes; to the agent's own limit, or, where its source ends, to there. The agent is
  // connected, and does nothing else, before or afterwards. By default it reads none.
  virtual void each_page_read(bool /*to_limit*/, const PageVisitor& /*visit*/) {}

  // The units of work done until `now`, in all passes together.
  virtual std::int64_t work(Tick now) const = 0;

  // Brings the counters of time up to now.
  virtual void account(Tick /*now*/) {}

  // Limits and progress count from `now` on.
  void begin_measuring(Tick now);
  bool finished_once() const { return finished_; }  // since measuring began
  std::int64_t progress(Tick now) const;            // both frozen at the first finish
  Tick measured_time(Tick now) const;
  double fraction_done(Tick now) const;  // of the work up to its first finish; an estimate

  Counter& passes() { return passes_; }                        // times that its work was done
  Counter& completed() { return completed_; }                  // requests completed
  Counter& backward_arrivals() { return backward_arrivals_; }  // requests that a trace dates back
  Counter& address_wraps() { return address_wraps_; }  // addresses taken modulo the capacity
  // Returns, for an agent with weighted windows, its work per cycle of its clock, or per second if
  // it has no clock, up to now or its first finish. 0: it has no windows, or some has not ended.
  virtual double weighted_rate() const { return 0; }
  // Registers, under `path`, the statistics that only agents of this kind have. The agent is
  // connected.
  virtual void register_statistics(StatisticRegistry& /*registry*/, const std::string& /*path*/) {}

  void on_complete(const Request& request, Tick now) final;
  void serialize(Archive& archive) final;

 protected:
  virtual void prepare() = 0;
  virtual void restart_limit(Tick now) = 0;
  virtual double pass_fraction(Tick now) const = 0;
  // Handles the end of a request that the agent sent to a port.
  virtual void handle_completion(const Request& request, Tick now);
  virtual void serialize_state(Archive& archive) = 0;

  // Declares the key `core`, of agents that act for one, and `measured`.
  void declare_core(ParameterSet& parameters);
  void declare_measured(ParameterSet& parameters);
  // Declares the key `random_stream`, of agents that draw random numbers.
  void declare_random_stream(ParameterSet& parameters);
  std::uint64_t random_stream() const { return static_cast<std::uint64_t>(random_stream_); }
  void set_core(std::int64_t core) { core_number() = core; }

  // Notes that all work is done; the caller starts over kRestartGap later.
  void finish(Tick now);

  void count_backward_arrival() { ++backward_arrivals_; }
  void count_wraps(std::uint64_t wraps) { address_wraps_ += wraps; }
  void count_completion() { ++completed_; }  // of a request that no port completes

  static constexpr Tick kRestartGap{1};  // from a finish to the start over

 private:
  static constexpr std::int64_t kOwnStream = -1;  // random_streams() gives the number

  std::int64_t node_ = 0;
  std::int64_t random_stream_ = kOwnStream;
  bool measured_ = true;
  bool measuring_ = false;
  bool finished_ = false;
  Tick measured_from_{0};
  Tick finish_time_{0};
  std::int64_t work_before_ = 0;      // done when measuring began
  std::int64_t frozen_progress_ = 0;  // at the first finish
  Counter passes_ = 0;
  Counter completed_ = 0;
  Counter address_wraps_ = 0;
  Counter backward_arrivals_ = 0;
};

using Agents = std::vector<std::unique_ptr<Agent>>;

// A kind of agent. The file agents/*/agent_KIND.cc defines kAgent_KIND; nothing else names it.
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
const AgentDescriptor* find_agent(std::string_view kind);  // nullptr: there is none

}  // namespace hmsim
