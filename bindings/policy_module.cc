// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/stl.h>

#include <string>

#include "bindings/convert.h"
#include "bindings/modules.h"
#include "policies/policy.h"
#include "policies/policy_library.h"
#include "policies/registry/policy_catalog.h"

namespace py = pybind11;

namespace hmsim {

namespace {

py::list policies() {
  py::list list;
  for (const PolicyDescriptor* descriptor : PolicyCatalog::instance().policies()) {
    const std::unique_ptr<Policy> policy = descriptor->make();
    ParameterSet parameters;
    {
      const ParameterSet::Scope scope(parameters, std::string("policies.") + descriptor->name);
      policy->declare(parameters);
    }
    py::dict entry;
    entry["kind"] = name_of(descriptor->kind);
    entry["name"] = descriptor->name;
    entry["doc"] = descriptor->doc;
    entry["source"] = descriptor->source;
    entry["parameters"] = to_python(parameters.describe());
    if (descriptor->kind == PolicyKind::transaction_scheduler) {
      entry["sets_direction"] = static_cast<TransactionScheduler&>(*policy).sets_direction();
    }
    list.append(std::move(entry));
  }
  return list;
}

}  // namespace

void bind_policies(py::module_& module) {
  module.def("policies", &policies);
  module.def("policy_libraries", [] { return PolicyCatalog::instance().libraries(); });
  module.attr("policy_interface") = kPolicyInterface;
}

}  // namespace hmsim
