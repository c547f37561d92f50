// SPDX-License-Identifier: BSD-3-Clause
#include "agents/agent.h"

#include "agents/random_streams.h"
#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

void Agent::declare_core(ParameterSet& parameters) {
  parameters.integer(
      "core", core_number(), {0, 255}, "",
      {"core (hardware context) that issues the agent's requests", "a modelling choice of hmsim"});
}

void Agent::declare(ParameterSet& parameters) {
  parameters.integer(
      "node", node_, {0, kMostNodes - 1}, "",
      {"node that the agent runs on, below frontend.nodes.count", "a modelling choice of hmsim"});
  declare_measured(parameters);
}

void Agent::declare_measured(ParameterSet& parameters) {
  parameters.boolean("measured", measured_,
                     {"whether the run waits for the agent; false makes a background agent",
                      "a modelling choice of hmsim"});
}

void Agent::declare_random_stream(ParameterSet& parameters) {
  parameters.integer_or(
      "random_stream", random_stream_, {0, kLastRandomStream}, "own", kOwnStream, "",
      {"stream of pseudo-random numbers to draw from, under the run's seed; own: a stream derived "
       "from the agent's kind, node and core, and from its rank among agents with the same three",
       "a modelling choice of hmsim"});
}

void Agent::connect(std::size_t index, const AgentEnvironment& environment, Wakeup wakeup) {
  attach(index, environment, wakeup);
  prepare();
}

void Agent::begin_measuring(Tick now) {
  measuring_ = true;
  finished_ = false;
  measured_from_ = now;
  account(now);
  work_before_ = work(now);
  restart_limit(now);
}

void Agent::finish(Tick now) {
  ++passes_;
  if (measuring_ && !finished_) {
    frozen_progress_ = progress(now);
    finish_time_ = now;
    finished_ = true;
    pause();
  }
}

std::int64_t Agent::progress(Tick now) const {
  return finished_ ? frozen_progress_ : work(now) - work_before_;
}

Tick Agent::measured_time(Tick now) const {
  return (finished_ ? finish_time_ : now) - measured_from_;
}

void Agent::on_complete(const Request& request, Tick now) {
  ++completed_;
  handle_completion(request, now);
}

void Agent::handle_completion(const Request& request, Tick now) {
  raise_fault("agent", now, request.tag, "completion of a request that the agent did not send");
}

void Agent::serialize(Archive& archive) {
  archive.section("agent");
  archive(measuring_, finished_, measured_from_, finish_time_, work_before_);
  archive(frozen_progress_, passes_, completed_, address_wraps_, backward_arrivals_);
  archive(left_out_.zero_length, left_out_.bad);
  serialize_state(archive);
}

std::vector<std::string> agent_kinds() {
  std::vector<std::string> kinds;
  for (const AgentDescriptor* agent : kAgentTable) {
    kinds.emplace_back(agent->kind);
  }
  return kinds;
}

const AgentDescriptor* find_agent(std::string_view kind) {
  for (const AgentDescriptor* agent : kAgentTable) {
    if (kind == agent->kind) {
      return agent;
    }
  }
  return nullptr;
}

}  // namespace hmsim
