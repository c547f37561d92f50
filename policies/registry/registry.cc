// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "core/errors.h"
#include "policies/policy.h"
#include "policies/registry/policy_catalog.h"

namespace hmsim {

namespace {

const std::vector<const PolicyDescriptor*>& all() { return PolicyCatalog::instance().policies(); }

}  // namespace

const char* name_of(PolicyKind kind) {
  constexpr std::array<const char*, 12> kNames{
      "transaction_scheduler", "bus_arbiter",    "page_policy",        "victim_selector",
      "gc_scheduler",          "buffer_manager", "buffer_replacement", "host_limiter",
      "refresh_pacer",         "page_placement", "wear_leveler",       "map_replacement"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string> policy_names(PolicyKind kind) {
  std::vector<std::string> names;
  for (const PolicyDescriptor* policy : all()) {
    if (policy->kind == kind) {
      names.emplace_back(policy->name);
    }
  }
  return names;
}

void declare_all_policies(ParameterSet& parameters,
                          std::vector<std::unique_ptr<Policy>>& instances) {
  const ParameterSet::Scope policies(parameters, "policies");
  for (const PolicyDescriptor* policy : all()) {
    instances.push_back(policy->make());
    const ParameterSet::Scope own(parameters, policy->name);
    instances.back()->declare(parameters);
  }
}

std::vector<ParameterError> check_policies(const std::vector<std::unique_ptr<Policy>>& instances) {
  std::vector<ParameterError> errors;
  for (std::size_t i = 0; i < all().size(); ++i) {
    for (const ParameterError& error : instances[i]->check()) {
      errors.push_back(
          {std::string("policies.") + all()[i]->name + "." + error.name, error.message});
    }
  }
  return errors;
}

std::unique_ptr<Policy> create_policy(PolicyKind kind, const std::string& name,
                                      const Assignments& assignments) {
  const auto found = std::find_if(all().begin(), all().end(), [&](const PolicyDescriptor* policy) {
    return policy->kind == kind && policy->name == name;
  });
  if (found == all().end()) {
    throw InputError("unknown policy: '" + name + "'; did you mean '" +
                     nearest_name(name, policy_names(kind)) + "'?");
  }
  std::unique_ptr<Policy> policy = (*found)->make();
  const std::string prefix = "policies." + name + ".";
  ParameterSet parameters;
  {
    const ParameterSet::Scope policies(parameters, "policies");
    const ParameterSet::Scope own(parameters, name);
    policy->declare(parameters);
  }
  Assignments own;
  std::copy_if(assignments.begin(), assignments.end(), std::back_inserter(own),
               [&](const Assignment& a) { return a.first.compare(0, prefix.size(), prefix) == 0; });
  const std::vector<ParameterError> errors = parameters.apply(own);
  if (!errors.empty()) {
    throw InputError(join_errors(errors));
  }
  return policy;
}

}  // namespace hmsim
