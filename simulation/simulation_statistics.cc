// SPDX-License-Identifier: BSD-3-Clause
// Statistics of a simulation and of its agents.
#include <array>

#include "core/statistic_sums.h"
#include "core/statistic_table.h"
#include "simulation/simulation.h"

namespace hmsim {

namespace {

using Table = StatisticTable<Agent>;

Counter& zero_length(Agent& agent) { return agent.left_out().zero_length; }
Counter& bad_records(Agent& agent) { return agent.left_out().bad; }

constexpr std::array kTraceRows{
    Table::sum<&Agent::backward_arrivals>("backward_arrivals", "requests",
                                          "requests of timed block traces that arrive before a "
                                          "preceding one; they are issued in the trace's order"),
    Table::sum<zero_length>(
        "zero_length_requests", "requests",
        "requests of length 0 in block traces that were left out (zero_length)"),
    Table::sum<bad_records>("bad_records", "",
                            "records of traces that were left out (on_bad_record)"),
};

}  // namespace

// Returns the instructions per clock cycle of a core; 0 before any time is measured.
double Simulation::per_cycle(const Agent& core) const {
  if (const double weighted = core.weighted_rate(); weighted != 0) {
    return weighted;
  }
  const double cycles =
      seconds(core.measured_time(now())) * static_cast<double>(core.traits().frequency);
  return cycles == 0 ? 0 : static_cast<double>(core.progress(now())) / cycles;
}

void Simulation::register_statistics() {
  progress_.resize(all_agents().size());
  std::vector<Counter*> completed{&by_hand_->completed(), &session_->completed()};
  const std::vector<Agent*> all = all_agents();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<Counter*> lines = storage_->completed(i);
    completed.insert(completed.end(), lines.begin(), lines.end());
    if (lines.empty() || all[i]->traits().sends_lines) {
      completed.push_back(&all[i]->completed());
    }
  }
  registry_.counter("sim.ticks", "ps", "simulated time measured", {&ticks_});
  registry_.counter("sim.requests", "requests",
                    "requests completed while measuring, including background agents and agents "
                    "that started over",
                    std::move(completed));
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    register_agent(i);
  }
  for (std::size_t i = 0; i < nodes_->cores().size(); ++i) {
    register_node_core(*nodes_->cores()[i].core, progress_[agents_.size() + i]);
  }
  steady_.watch->register_absorbed(registry_);
  register_totals();
  if (Network* const network = nodes_->network()) {
    network->register_statistics(registry_);
  }
  memory_->register_statistics(registry_);
  storage_->register_statistics(registry_);
}

// Registers statistics that several agents contribute to, and sums over agents.
void Simulation::register_totals() {
  std::vector<const Agent*> cores;
  for (const auto& agent : agents_) {
    if (agent->traits().frequency != 0 && agent->measured()) {
      cores.push_back(agent.get());
    }
  }
  if (!cores.empty()) {
    registry_.gauge("system.ipc", "instructions/cycle", "sum of the measured cores' and jobs' ipc",
                    sum_over(cores, [this](const Agent& core) { return per_cycle(core); }));
  }
  storage_->register_response_times(registry_);
  std::vector<Counter*> wraps = nodes_->wraps();
  for (Agent* agent : all_agents()) {
    wraps.push_back(&agent->address_wraps());
  }
  registry_.counter("frontend.address_wraps", "",
                    "pages, lines or I/O requests beyond a memory's capacity that wrapped around",
                    std::move(wraps));
  Table::report(kTraceRows, registry_, all_agents(), "frontend.");
}

void Simulation::register_agent(std::size_t index) {
  Agent& agent = *agents_[index];
  const AgentTraits traits = agent.traits();
  const std::string path = "agent." + std::to_string(index);
  const StatisticGroup group(registry_, path);
  group.counter("progress", traits.progress_unit, "work done up to the first finish",
                progress_[index]);
  const std::string per_second = std::string(traits.progress_unit) + "/s";
  const auto rate = [&agent, traits, this] {
    if (const double weighted = agent.weighted_rate(); weighted != 0) {
      return traits.frequency == 0 ? weighted : weighted * static_cast<double>(traits.frequency);
    }
    const double time = seconds(agent.measured_time(now()));
    return time == 0 ? 0 : static_cast<double>(agent.progress(now())) / time;
  };
  group.gauge("rate", per_second, "progress per second of simulated time", rate);
  steady_.watch->register_agent(group, index, per_second, rate);
  group.counter("passes", "",
                "times that its work was done until the run ended; the agent starts over each time",
                agent.passes());
  group.gauge("finished", "", "1: its work was done when the run ended; 0: it was not",
              [&agent] { return agent.finished_once() ? 1.0 : 0.0; });
  if (traits.is_core) {
    register_core(agent, progress_[index]);
    return;
  }
  if (traits.frequency != 0) {
    group.gauge("ipc", "instructions/cycle",
                "of all its threads together, including waiting; up to the first finish",
                [&agent, this] { return per_cycle(agent); });
    group.gauge("makespan_us", "us", "time to the first finish, or to the run's end",
                [&agent, this] { return seconds(agent.measured_time(now())) * 1e6; });
  }
  agent.register_statistics(registry_, path);
}

void Simulation::register_core(Agent& agent, Counter& progress) {
  const std::string path = "core." + std::to_string(agent.core());
  const StatisticGroup core(registry_, path);
  core.gauge("ipc", "instructions/cycle", "up to the first finish",
             [&agent, this] { return per_cycle(agent); });
  core.counter("instructions", "instructions", "done up to the first finish", progress);
  agent.register_statistics(registry_, path);
}

void Simulation::register_node_core(NodeCore& core, Counter& progress) {
  register_core(core, progress);
  registry_.gauge("core." + std::to_string(core.core()) + ".busy_ipc", "instructions/cycle",
                  "while a thread has the core; 0 for a core that no thread ever had",
                  [&core, &progress] {
                    const double cycles =
                        seconds(Tick(core.busy())) * static_cast<double>(core.traits().frequency);
                    return cycles == 0 ? 0 : static_cast<double>(progress) / cycles;
                  });
}

// Updates the counters that depend on the present time.
void Simulation::update_progress() {
  ticks_ = measuring_ ? static_cast<Counter>((now() - measured_from_).value()) : 0;
  const std::vector<Agent*> all = all_agents();
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->account(kernel_.now());
    progress_[i] = measuring_ ? static_cast<Counter>(all[i]->progress(kernel_.now())) : 0;
  }
  registry_.account(kernel_.now());
}

}  // namespace hmsim
