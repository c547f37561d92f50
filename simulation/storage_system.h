// SPDX-License-Identifier: BSD-3-Clause
// Block I/O devices of a simulation: the storage of its configuration, which agents share, or
// otherwise the NVDIMM as a device of each agent (simulation/agent_nvdimms.h) or of the session.
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
#include "storage/block_parameters.h"
#include "storage/nvdimm_host.h"
#include "storage/pager.h"
#include "storage/parameters.h"
#include "storage/shared_storage.h"

namespace hmsim {

class StorageSystem {
 public:
  // Construct after agents are attached to the kernel and before the memory is, because hosts of
  // NVDIMMs act between these at equal times.
  // Without agents, the NVDIMM is a device of the session, with the settings of `block`.
  StorageSystem(const StorageParameters& parameters, const Agents& agents, Kernel& kernel,
                const BlockParameters& block, bool has_nvdimm);
  // Makes the shared storage, and connects devices to memory and nodes. `first_requester` is the
  // index of the first of requesters().
  void connect(const StorageParameters& parameters, const Agents& agents, const Nodes& nodes,
               MemorySystem& memory, Kernel& kernel, std::uint64_t seed,
               const Assignments& assignments, std::size_t first_requester);

  void provide(AgentEnvironment& environment, std::size_t agent) const;
  std::vector<Requester*> requesters() const;
  Host* of_session() const;  // nullptr: neither storage nor NVDIMM

  // Returns the counters of the memory requests that are the agent's block I/O. Empty: use the
  // agent's own counter.
  std::vector<Counter*> completed(std::size_t agent) const;
  void register_response_times(StatisticRegistry& registry);
  void register_statistics(StatisticRegistry& registry);
  // Returns the pages in buffers of the shared storage's flash.
  BufferedPages buffered_pages() const {
    return shared_ == nullptr ? BufferedPages() : shared_->device().buffered_pages();
  }
  void serialize(Archive& archive);

 private:
  AgentNvdimms nvdimms_;
  std::unique_ptr<NvdimmHost> session_;    // the NVDIMM; or nullptr
  std::unique_ptr<SharedStorage> shared_;  // of the configuration; or nullptr
  std::unique_ptr<Pager> pager_;           // over it; or nullptr
  StatisticRegistry unreported_;           // of hosts of jobs, whose averages are in checkpoints
};

}  // namespace hmsim
