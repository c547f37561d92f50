// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/configuration.h"

#include <utility>

#include "agents/random_streams.h"
#include "core/errors.h"
#include "policies/page_placement.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMostChannels = 64;
constexpr std::size_t kMostAgents = 1'024;

}  // namespace

Configuration::Configuration() {
  system_.declare(parameters_);
  frontend_.declare(parameters_);
  storage_.declare(parameters_);
  declare_all_policies(parameters_, policies_);
}

Configuration::Configuration(const Assignments& assignments, const PolicyMakers& makers)
    : Configuration() {
  errors_ = parameters_.apply(assignments);
  if (!errors_.empty()) {
    return;
  }
  system_.assignments = assignments;
  system_.persistence = frontend_.node.persistence;
  system_.resolve_presets();
  system_.makers = makers;
  system_.nvdimm.ftl.set_makers(makers, "nvdimm");
  storage_.set_makers(makers);
  const ClusterParameters& cluster = frontend_.cluster;
  system_.nodes = cluster.memories();
  errors_ = system_.check();
  const auto add = [this](const std::vector<ParameterError>& errors) {
    errors_.insert(errors_.end(), errors.begin(), errors.end());
  };
  add(frontend_.check());
  add(storage_.check());
  if (storage_.present() && system_.nvdimm.present &&
      system_.nvdimm.precondition.starts_resident()) {
    errors_.push_back({"nvdimm.precondition.buffer",
                       "'resident' needs blocks in the NVDIMM, and storage.kind keeps them "
                       "elsewhere: must be 'none' or 'dirty'"});
  }
  if (system_.all_channels() > kMostChannels) {
    errors_.push_back(
        {"frontend.nodes.count", std::to_string(cluster.nodes) + " nodes with " +
                                     std::to_string(system_.controller.channels) +
                                     " channels each exceed 64 channels: must be at most " +
                                     std::to_string(kMostChannels / system_.controller.channels)});
  }
  if (errors_.empty()) {
    add(storage_.check_second_level(system_.nvdimm_capacity()));
  }
  add(check_policies(policies_));
}

void Configuration::throw_if_wrong() const {
  if (!errors_.empty()) {
    throw InputError(join_errors(errors_));
  }
}

std::unique_ptr<Agent> create_agent(const FrontendParameters& defaults, const Assignments& keys,
                                    std::vector<ParameterError>& errors) {
  std::string kind;
  Assignments others;
  for (const Assignment& key : keys) {
    if (key.first == "kind") {
      kind = key.second;
    } else {
      others.push_back(key);
    }
  }
  const AgentDescriptor* descriptor = find_agent(kind);
  if (descriptor == nullptr) {
    std::string message = kind.empty() ? "is required:" : "'" + kind + "' is not one of";
    for (const std::string& known : agent_kinds()) {
      message += " " + known;
    }
    const std::string nearest = nearest_name(kind, agent_kinds());
    errors.push_back(
        {"kind", message + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?")});
    return nullptr;
  }
  std::unique_ptr<Agent> agent = descriptor->make(defaults);
  ParameterSet parameters;
  agent->declare(parameters);
  std::vector<ParameterError> wrong = parameters.apply(others);
  if (wrong.empty()) {
    wrong = agent->check();
  }
  for (ParameterError& error : wrong) {
    errors.push_back(std::move(error));
  }
  return wrong.empty() ? std::move(agent) : nullptr;
}

Agents create_agents(const FrontendParameters& defaults, const std::vector<Assignments>& agents) {
  if (agents.size() > kMostAgents) {
    throw InputError("more than " + std::to_string(kMostAgents) + " agents");
  }
  Agents created;
  std::vector<ParameterError> errors;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    std::vector<ParameterError> wrong;
    created.push_back(create_agent(defaults, agents[i], wrong));
    for (const ParameterError& error : wrong) {
      errors.push_back({"agent." + std::to_string(i) + "." + error.name, error.message});
    }
  }
  if (!errors.empty()) {
    throw InputError(join_errors(errors));
  }
  const std::vector<std::int64_t> streams = random_streams(agents);
  for (std::size_t i = 0; i < created.size(); ++i) {
    created[i]->set_default_random_stream(streams[i]);
  }
  return created;
}

}  // namespace hmsim
