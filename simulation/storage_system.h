// SPDX-License-Identifier: BSD-3-Clause
// The devices of a simulation's block I/O: the storage of its configuration, which agents share, or
// else the NVDIMM as a device of each agent (simulation/agent_nvdimms.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "agents/agent.h"
#include "controller/memory_system.h"
#include "core/kernel.h"
#include "core/statistics.h"
#include "simulation/agent_nvdimms.h"
#include "simulation/nodes.h"
#include "storage/host.h"
#include "storage/nvdimm_device.h"
#include "storage/pager.h"
#include "storage/parameters.h"

namespace hmsim {

// The storage of a configuration. Each part outlives those declared after it.
struct SharedStorage {
  std::unique_ptr<NvdimmDevice> second_level;  // lines of the page cache's second level; or none
  std::unique_ptr<StorageDevice> device;       // these: none where there is no storage
  std::unique_ptr<Host> host;
  std::unique_ptr<Pager> pager;  // or none
};

class StorageSystem {
 public:
  // To be made after agents are attached to the kernel and before the memory is: hosts of the
  // NVDIMM act between these at equal times.
  StorageSystem(const StorageParameters& parameters, const Agents& agents, Kernel& kernel);
  // Makes the shared storage, and connects devices to memory and nodes. The first of requesters()
  // has the given index.
  void connect(const StorageParameters& parameters, const Agents& agents, const Nodes& nodes,
               MemorySystem& memory, Kernel& kernel, std::uint64_t seed,
               const Assignments& assignments, std::size_t first_requester);

  void provide(AgentEnvironment& environment, std::size_t agent) const;
  std::vector<Requester*> requesters() const;

  // Counters of the memory requests that are that agent's block I/O; none: its own counter counts.
  std::vector<Counter*> completed(std::size_t agent) const;
  void register_response_times(StatisticRegistry& registry);
  void register_statistics(StatisticRegistry& registry);
  void account(Tick now);
  void serialize(Archive& archive);

 private:
  AgentNvdimms nvdimms_;
  SharedStorage shared_;
};

}  // namespace hmsim
