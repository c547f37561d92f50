// SPDX-License-Identifier: BSD-3-Clause
// A configuration and an agent's keys, from flat lists of (name, text).
#pragma once

#include <memory>
#include <vector>

#include "agents/agent.h"
#include "agents/frontend_parameters.h"
#include "controller/system_config.h"
#include "core/parameters.h"
#include "policies/policy.h"
#include "storage/parameters.h"

namespace hmsim {

// Every parameter that a configuration may set. Not movable: `parameters` is bound to the rest.
class Configuration {
 public:
  Configuration();
  explicit Configuration(const Assignments& assignments);  // errors() tells what is wrong
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  const std::vector<ParameterError>& errors() const { return errors_; }
  // Throws InputError, one line per error.
  void throw_if_wrong() const;

  const SystemConfig& system() const { return system_; }
  const FrontendParameters& frontend() const { return frontend_; }
  const StorageParameters& storage() const { return storage_; }
  const ParameterSet& parameters() const { return parameters_; }

 private:
  SystemConfig system_;
  FrontendParameters frontend_;
  StorageParameters storage_;
  std::vector<std::unique_ptr<Policy>> policies_;
  ParameterSet parameters_;
  std::vector<ParameterError> errors_;
};

// An agent as its keys ("kind" among them) describe it, or nullptr and what is wrong.
std::unique_ptr<Agent> create_agent(const FrontendParameters& defaults, const Assignments& keys,
                                    std::vector<ParameterError>& errors);

// All of a workload's agents. Throws InputError with one line ("agent.N.name: message") per error.
Agents create_agents(const FrontendParameters& defaults, const std::vector<Assignments>& agents);

}  // namespace hmsim
