// SPDX-License-Identifier: BSD-3-Clause
// Configuration and agents from flat lists of (name, text).
#pragma once

#include <memory>
#include <vector>

#include "agents/agent.h"
#include "agents/frontend_parameters.h"
#include "controller/config/system_config.h"
#include "core/parameters.h"
#include "policies/policy.h"
#include "storage/parameters.h"

namespace hmsim {

// All parameters that a configuration may set. Not movable, because `parameters` is bound to the
// other members.
class Configuration {
 public:
  Configuration();
  // `makers`: replace policies that the assignments name. See errors().
  explicit Configuration(const Assignments& assignments, const PolicyMakers& makers = {});
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

// Makes an agent from its keys, including "kind". Returns nullptr and adds to `errors` if they are
// invalid.
std::unique_ptr<Agent> create_agent(const FrontendParameters& defaults, const Assignments& keys,
                                    std::vector<ParameterError>& errors);

// Makes all agents of a workload. Throws InputError with one line ("agent.N.name: message") per
// error.
Agents create_agents(const FrontendParameters& defaults, const std::vector<Assignments>& agents);

}  // namespace hmsim
