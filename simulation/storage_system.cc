// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/storage_system.h"

#include <string>
#include <utility>

#include "storage/device_mover.h"

namespace hmsim {

StorageSystem::StorageSystem(const StorageParameters& parameters, const Agents& agents,
                             Kernel& kernel)
    : nvdimms_(parameters.present() ? AgentNvdimms() : AgentNvdimms(agents, parameters.path())) {
  nvdimms_.attach(kernel);
}

void StorageSystem::connect(const StorageParameters& parameters, const Agents& agents,
                            const Nodes& nodes, MemorySystem& memory, Kernel& kernel,
                            std::uint64_t seed, const Assignments& assignments,
                            std::size_t first_requester) {
  nvdimms_.connect(agents, nodes, first_requester);
  if (!parameters.present()) {
    return;
  }
  std::unique_ptr<PageCopier> mover;
  const PageCacheParameters& cache = parameters.cache();
  if (cache.mover == Mover::lines) {
    NvdimmDeviceParameters lines;
    lines.window = cache.window;
    second_level_ = std::make_unique<NvdimmDevice>(lines);
    second_level_->connect(memory, static_cast<std::uint16_t>(first_requester));
    mover = std::make_unique<DeviceMover>(*second_level_);
  }
  device_ = parameters.make(seed, assignments, std::move(mover));
  host_ = std::make_unique<Host>(parameters.path(), *device_);
  host_->attach(Wakeup(kernel, kernel.attach(*host_)));
  if (second_level_ != nullptr) {
    second_level_->attach(*host_);
  }
  if (parameters.paging().present()) {
    pager_ = std::make_unique<Pager>(parameters.paging(), *host_, assignments);
    pager_->attach(Wakeup(kernel, kernel.attach(*pager_)));
  }
}

void StorageSystem::provide(AgentEnvironment& environment, std::size_t agent) const {
  environment.storage = host_.get();
  for (NodeEnvironment& node : environment.nodes) {
    node.storage = host_.get();
  }
  environment.pager = pager_.get();
  nvdimms_.provide(environment, agent);
}

std::vector<Requester*> StorageSystem::requesters() const {
  std::vector<Requester*> requesters;
  for (const AgentNvdimms::AgentHost& each : nvdimms_.all()) {
    requesters.push_back(&each.io->device);
  }
  if (second_level_ != nullptr) {
    requesters.push_back(second_level_.get());
  }
  return requesters;
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
  if (host_ != nullptr) {
    host_->register_statistics(registry, "storage");
  }
  if (pager_ != nullptr) {
    pager_->register_statistics(registry);
  }
}

void StorageSystem::serialize(Archive& archive) {
  for (const AgentNvdimms::AgentHost& each : nvdimms_.all()) {
    each.io->host.serialize(archive);
  }
  if (host_ != nullptr) {
    host_->serialize(archive);
  }
  if (pager_ != nullptr) {
    pager_->serialize(archive);
  }
}

}  // namespace hmsim
