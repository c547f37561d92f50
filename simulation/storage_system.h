// SPDX-License-Identifier: BSD-3-Clause
// Block I/O devices of a simulation: the storage of its configuration, which agents share, or
// otherwise the NVDIMM as a device of each agent (simulation/agent_nvdimms.h).
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

class StorageSystem {
 public:
  // Construct after agents are attached to the kernel and before the memory is, because hosts of
  // NVDIMMs act between these at equal times.
  StorageSystem(const StorageParameters& parameters, const Agents& agents, Kernel& kernel);
  // Makes the shared storage, and connects devices to memory and nodes. `first_requester` is the
  // index of the first of requesters().
  void connect(const StorageParameters& parameters, const Agents& agents, const Nodes& nodes,
               MemorySystem& memory, Kernel& kernel, std::uint64_t seed,
               const Assignments& assignments, std::size_t first_requester);

  void provide(AgentEnvironment& environment, std::size_t agent) const;
  std::vector<Requester*> requesters() const;

  // Returns the counters of the memory requests that are the agent's block I/O. Empty: use the
  // agent's own counter.
  std::vector<Counter*> completed(std::size_t agent) const;
  void register_response_times(StatisticRegistry& registry);
  void register_statistics(StatisticRegistry& registry);
  // Returns the pages in buffers of the shared storage's flash.
  BufferedPages buffered_pages() const {
    return device_ == nullptr ? BufferedPages() : device_->buffered_pages();
  }
  void serialize(Archive& archive);

 private:
  AgentNvdimms nvdimms_;
  // Storage of the configuration. Each part outlives those declared after it.
  std::unique_ptr<NvdimmDevice> second_level_;  // for a page cache moved by lines; or nullptr
  std::unique_ptr<StorageDevice> device_;       // device and host: nullptr without storage
  std::unique_ptr<Host> host_;
  std::unique_ptr<Pager> pager_;  // or nullptr
  StatisticRegistry unreported_;  // of hosts of jobs, whose averages are in checkpoints
};

}  // namespace hmsim
