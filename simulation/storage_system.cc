// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/storage_system.h"

#include <string>
#include <utility>

#include "storage/device_mover.h"

namespace hmsim {

namespace {

// `requester`: index of the second level.
SharedStorage make_shared(const StorageParameters& parameters, MemorySystem& memory, Kernel& kernel,
                          std::uint64_t seed, const Assignments& assignments,
                          std::size_t requester) {
  SharedStorage made;
  std::unique_ptr<PageCopier> mover;
  const PageCacheParameters& cache = parameters.cache();
  if (cache.mover == Mover::lines) {
    NvdimmDeviceParameters lines;
    lines.window = cache.window;
    made.second_level = std::make_unique<NvdimmDevice>(lines);
    made.second_level->connect(memory, static_cast<std::uint16_t>(requester));
    mover = std::make_unique<DeviceMover>(*made.second_level);
  }
  made.device = parameters.make(seed, assignments, std::move(mover));
  made.host = std::make_unique<Host>(parameters.path(), *made.device);
  made.host->attach(Wakeup(kernel, kernel.attach(*made.host)));
  if (made.second_level != nullptr) {
    made.second_level->attach(*made.host);
  }
  if (parameters.paging().present()) {
    made.pager = std::make_unique<Pager>(parameters.paging(), *made.host, assignments);
    made.pager->attach(Wakeup(kernel, kernel.attach(*made.pager)));
  }
  return made;
}

}  // namespace

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
  if (parameters.present()) {
    shared_ = make_shared(parameters, memory, kernel, seed, assignments, first_requester);
  }
}

void StorageSystem::provide(AgentEnvironment& environment, std::size_t agent) const {
  environment.storage = shared_.host.get();
  for (NodeEnvironment& node : environment.nodes) {
    node.storage = shared_.host.get();
  }
  environment.pager = shared_.pager.get();
  nvdimms_.provide(environment, agent);
}

std::vector<Requester*> StorageSystem::requesters() const {
  std::vector<Requester*> requesters;
  nvdimms_.each(
      [&](NvdimmHost& each, std::size_t, std::size_t) { requesters.push_back(&each.device); });
  if (shared_.second_level != nullptr) {
    requesters.push_back(shared_.second_level.get());
  }
  return requesters;
}

std::vector<Counter*> StorageSystem::completed(std::size_t agent) const {
  std::vector<Counter*> counters;
  nvdimms_.each([&](NvdimmHost& each, std::size_t of, std::size_t) {
    if (of == agent) {
      counters.push_back(&each.device.completed());
    }
  });
  return counters;
}

void StorageSystem::register_response_times(StatisticRegistry& registry) {
  std::vector<Histogram*> response_times;
  std::vector<Histogram*> in_collections;
  nvdimms_.each([&](NvdimmHost& each, std::size_t, std::size_t) {
    if (each.of_block_agent) {
      response_times.push_back(&each.device.response_times());
      in_collections.push_back(&each.device.response_times_in_collections());
    }
  });
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
  nvdimms_.each([&](NvdimmHost& each, std::size_t agent, std::size_t) {
    each.host.register_statistics(each.of_block_agent ? registry : unreported_,
                                  "agent." + std::to_string(agent) + ".storage");
  });
  registry.on_account([this](Tick now) { unreported_.account(now); });
  if (shared_.host != nullptr) {
    shared_.host->register_statistics(registry, "storage");
  }
  if (shared_.pager != nullptr) {
    shared_.pager->register_statistics(registry);
  }
}

void StorageSystem::serialize(Archive& archive) {
  nvdimms_.each([&](NvdimmHost& each, std::size_t, std::size_t) { each.host.serialize(archive); });
  if (shared_.host != nullptr) {
    shared_.host->serialize(archive);
  }
  if (shared_.pager != nullptr) {
    shared_.pager->serialize(archive);
  }
}

}  // namespace hmsim
