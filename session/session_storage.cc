// SPDX-License-Identifier: BSD-3-Clause
#include "session/session_storage.h"

namespace hmsim {

void SessionStorage::declare(ParameterSet& parameters) {
  parameters_.declare(parameters);
  const ParameterSet::Scope frontend(parameters, "frontend");
  const ParameterSet::Scope block(parameters, "block");
  block_.declare(parameters);
}

std::vector<ParameterError> SessionStorage::check(const SystemConfig& memory) const {
  std::vector<ParameterError> errors = parameters_.check();
  return errors.empty() ? parameters_.check_second_level(memory.nvdimm_capacity()) : errors;
}

void SessionStorage::attach(Kernel& kernel, const SystemConfig& memory) {
  if (!parameters_.present() && memory.nvdimm.present) {
    nvdimm_ = std::make_unique<NvdimmHost>(block_.nvdimm_io(parameters_.path()));
    nvdimm_->host.attach(Wakeup(kernel, kernel.attach(nvdimm_->host)));
  }
}

void SessionStorage::connect(MemorySystem& memory, Kernel& kernel, std::uint64_t seed,
                             std::vector<Requester*>& requesters) {
  if (nvdimm_ != nullptr) {
    nvdimm_->device.connect(memory, static_cast<std::uint16_t>(requesters.size()));
    requesters.push_back(&nvdimm_->device);
  }
  if (parameters_.present()) {
    shared_ = std::make_unique<SharedStorage>(parameters_, memory, kernel, seed,
                                              memory.config().assignments, requesters.size());
    if (shared_->second_level() != nullptr) {
      requesters.push_back(shared_->second_level());
    }
  }
}

Host* SessionStorage::host() {
  if (shared_ != nullptr) {
    return &shared_->host();
  }
  return nvdimm_ == nullptr ? nullptr : &nvdimm_->host;
}

void SessionStorage::register_statistics(StatisticRegistry& registry) {
  if (shared_ != nullptr) {
    shared_->host().register_statistics(registry, "storage");
  }
}

}  // namespace hmsim
