// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/storage_system.h"

#include <string>

namespace hmsim {

StorageSystem::StorageSystem(const StorageParameters& parameters, const Agents& agents,
                             Kernel& kernel, const BlockParameters& block, bool has_nvdimm)
    : nvdimms_(parameters.present() ? AgentNvdimms() : AgentNvdimms(agents, parameters.path())) {
  nvdimms_.attach(kernel);
  if (!parameters.present() && agents.empty() && has_nvdimm) {
    session_ = std::make_unique<NvdimmHost>(block.nvdimm_io(parameters.path()));
    session_->host.attach(Wakeup(kernel, kernel.attach(session_->host)));
  }
}

void StorageSystem::connect(const StorageParameters& parameters, const Agents& agents,
                            const Nodes& nodes, MemorySystem& memory, Kernel& kernel,
                            std::uint64_t seed, const Assignments& assignments,
                            std::size_t first_requester) {
  nvdimms_.connect(agents, nodes, first_requester);
  if (session_ != nullptr) {
    session_->device.connect(memory, static_cast<std::uint16_t>(first_requester));
  }
  if (!parameters.present()) {
    return;
  }
  shared_ = std::make_unique<SharedStorage>(parameters, memory, kernel, seed, assignments,
                                            first_requester);
  if (parameters.paging().present()) {
    pager_ = std::make_unique<Pager>(parameters.paging(), shared_->host(), assignments);
    pager_->attach(Wakeup(kernel, kernel.attach(*pager_)));
  }
}

void StorageSystem::provide(AgentEnvironment& environment, std::size_t agent) const {
  environment.storage = shared_ == nullptr ? nullptr : &shared_->host();
  for (NodeEnvironment& node : environment.nodes) {
    node.storage = environment.storage;
  }
  environment.pager = pager_.get();
  nvdimms_.provide(environment, agent);
}

std::vector<Requester*> StorageSystem::requesters() const {
  std::vector<Requester*> requesters;
  for (const AgentNvdimms::AgentHost& each : nvdimms_.all()) {
    requesters.push_back(&each.io->device);
  }
  if (session_ != nullptr) {
    requesters.push_back(&session_->device);
  }
  if (shared_ != nullptr && shared_->second_level() != nullptr) {
    requesters.push_back(shared_->second_level());
  }
  return requesters;
}

Host* StorageSystem::of_session() const {
  if (shared_ != nullptr) {
    return &shared_->host();
  }
  return session_ == nullptr ? nullptr : &session_->host;
}

std::vector<Counter*> StorageSystem::completed(std::size_t agent) const {
  std::vector<Counter*> counters;
  for (const AgentNvdimms::AgentHost& each : nvdimms_.all()) {
    if (each.agent == agent) {
      counters.push_back(&each.io->device.completed());
    }
  }
  return counters;
}

void StorageSystem::register_response_times(StatisticRegistry& registry) {
  std::vector<Histogram*> response_times;
  std::vector<Histogram*> in_collections;
  for (const AgentNvdimms::AgentHost& each : nvdimms_.all()) {
    if (each.io->of_block_agent) {
      response_times.push_back(&each.io->device.response_times());
      in_collections.push_back(&each.io->device.response_times_in_collections());
    }
  }
  if (!response_times.empty()) {
    registry.histogram("nvdimm.response_time_us", "us",
                       "from a 4 KB block's first line sent to its last line done",
                       kMicrosecond.value(), std::move(response_times));
    registry.histogram("nvdimm.gc.response_time_us", "us",
                       "response times of blocks during a garbage collection", kMicrosecond.value(),
                       std::move(in_collections));
  }
}

void StorageSystem::register_statistics(StatisticRegistry& registry) {
  for (const AgentNvdimms::AgentHost& each : nvdimms_.all()) {
    each.io->host.register_statistics(each.io->of_block_agent ? registry : unreported_,
                                      "agent." + std::to_string(each.agent) + ".storage");
  }
  registry.on_account([this](Tick now) { unreported_.account(now); });
  if (shared_ != nullptr) {
    shared_->host().register_statistics(registry, "storage");
  }
  if (pager_ != nullptr) {
    pager_->register_statistics(registry);
  }
}

void StorageSystem::serialize(Archive& archive) {
  for (const AgentNvdimms::AgentHost& each : nvdimms_.all()) {
    each.io->host.serialize(archive);
  }
  if (session_ != nullptr) {
    session_->host.serialize(archive);
  }
  if (shared_ != nullptr) {
    shared_->host().serialize(archive);
  }
  if (pager_ != nullptr) {
    pager_->serialize(archive);
  }
}

}  // namespace hmsim
