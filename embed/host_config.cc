// SPDX-License-Identifier: BSD-3-Clause
#include "embed/host_config.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/protocol_checker.h"
#include "controller/memory_system.h"
#include "core/archive.h"
#include "core/errors.h"
#include "policies/policy.h"

namespace hmsim {

namespace {

// Returns whether the parameter belongs to a part that the host replaces: its cores, or its disks.
bool belongs_to_host(const std::string& name) {
  constexpr std::string_view kFrontend = "frontend.";
  constexpr std::string_view kStorage = "storage.";
  return name.compare(0, kFrontend.size(), kFrontend) == 0 ||
         name.compare(0, kStorage.size(), kStorage) == 0;
}

}  // namespace

SystemConfig host_config(const Assignments& given, Assignments& values) {
  SystemConfig config;
  std::vector<std::unique_ptr<Policy>> policies;
  ParameterSet parameters;
  config.declare(parameters);
  declare_all_policies(parameters, policies);
  for (const Assignment& assignment : given) {
    if (assignment.first == "storage.kind" && assignment.second != "none") {
      throw InputError("storage.kind: must be 'none': the host has its own disks");
    }
    if (!belongs_to_host(assignment.first)) {
      config.assignments.push_back(assignment);
    }
  }
  std::vector<ParameterError> errors = parameters.apply(config.assignments);
  if (errors.empty()) {
    config.resolve_presets();
    errors = config.check();
    for (ParameterError& error : check_policies(policies)) {
      errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) {
    throw InputError(join_errors(errors));
  }
  if (config.store_data) {
    throw InputError("system.store_data: must be off: the host keeps the data");
  }
  if (config.nvdimm.present && config.nvdimm.precondition.starts_resident()) {
    throw InputError(
        "nvdimm.precondition.buffer: 'resident' needs agents' traces, which the host does not "
        "have: must be 'none', 'dirty' or 'captured'");
  }
  values = parameters.values();
  return config;
}

std::uint64_t identity_of(Assignments values, std::uint64_t seed) {
  Archive archive;
  archive(values, seed);
  return hash_bytes(archive.bytes());
}

void serialize_idle(Archive& archive, MemorySystem& memory, ProtocolChecker* checker,
                    Kernel& kernel) {
  memory.serialize(archive);
  if (archive.loading()) {
    memory.check_loaded(archive, false);
    archive.check(memory.outstanding().empty(), "cannot load a checkpoint: requests are in flight");
  }
  bool checked = checker != nullptr;
  archive(checked);
  if (checked != (checker != nullptr)) {
    throw InputError("the checkpoint was made with `check` being " +
                     std::string(checked ? "on" : "off"));
  }
  if (checked) {
    checker->serialize(archive);
  }
  kernel.serialize(archive);
}

}  // namespace hmsim
