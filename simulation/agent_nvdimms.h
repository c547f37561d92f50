// SPDX-License-Identifier: BSD-3-Clause
// NVDIMM as a storage device: one device per agent that does block I/O on it and per node of that
// agent, because each agent's keys determine how it does I/O.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "agents/agent.h"
#include "core/kernel.h"
#include "simulation/nodes.h"
#include "storage/nvdimm_host.h"

namespace hmsim {

class AgentNvdimms {
 public:
  AgentNvdimms() = default;  // no agents
  // `path`: that of the configuration, from which block agents take the file system.
  AgentNvdimms(const Agents& agents, const PathParameters& path);

  void attach(Kernel& kernel);
  // Connects the devices, which are requesters from index `first_requester` on, in the order of
  // all(). The nodes are connected.
  void connect(const Agents& agents, const Nodes& nodes, std::size_t first_requester);
  // Adds the agent's hosts to its environment, node by node.
  void provide(AgentEnvironment& environment, std::size_t agent) const;

  struct AgentHost {
    std::size_t agent;
    std::size_t which;  // of the agent's nodes
    std::unique_ptr<NvdimmHost> io;
  };
  const std::vector<AgentHost>& all() const { return hosts_; }

 private:
  std::vector<AgentHost> hosts_;  // by agent and node
};

}  // namespace hmsim
