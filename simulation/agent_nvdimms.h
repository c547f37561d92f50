// SPDX-License-Identifier: BSD-3-Clause
// The NVDIMM as a storage device, one for each agent that does block I/O there and each node that
// the agent is on, because an agent's keys state how it does I/O.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "agents/agent.h"
#include "core/kernel.h"
#include "simulation/nodes.h"
#include "storage/nvdimm_host.h"

namespace hmsim {

class AgentNvdimms {
 public:
  AgentNvdimms() = default;  // of no agents
  // `path`: the configuration's, of which block agents take the file system.
  AgentNvdimms(const Agents& agents, const PathParameters& path);

  void attach(Kernel& kernel);
  // The devices are requesters from this index on, in the order of each(). The nodes are connected.
  void connect(const Agents& agents, const Nodes& nodes, std::size_t first_requester);
  // Gives the environment of that agent its hosts, node by node.
  void provide(AgentEnvironment& environment, std::size_t agent) const;

  using See = std::function<void(NvdimmHost& host, std::size_t agent, std::size_t which)>;
  void each(const See& see) const;

 private:
  std::vector<std::vector<std::unique_ptr<NvdimmHost>>> hosts_;  // by agent and node
};

}  // namespace hmsim
