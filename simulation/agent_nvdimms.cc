// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/agent_nvdimms.h"

#include <optional>

namespace hmsim {

AgentNvdimms::AgentNvdimms(const Agents& agents, const PathParameters& path) {
  for (std::size_t agent = 0; agent < agents.size(); ++agent) {
    for (std::size_t which = 0; which < agents[agent]->placement().nodes.size(); ++which) {
      if (std::optional<NvdimmIo> io = agents[agent]->nvdimm_io(which)) {
        if (io->of_block_agent) {
          io->path.take_file_system(path);
        }
        hosts_.push_back({agent, which, std::make_unique<NvdimmHost>(*io)});
      }
    }
  }
}

void AgentNvdimms::attach(Kernel& kernel) {
  for (const AgentHost& each : hosts_) {
    each.io->host.attach(Wakeup(kernel, kernel.attach(each.io->host)));
  }
}

void AgentNvdimms::connect(const Agents& agents, const Nodes& nodes, std::size_t first_requester) {
  std::size_t requester = first_requester;
  for (const AgentHost& each : hosts_) {
    const AgentEnvironment environment = nodes.environment(agents[each.agent]->placement().nodes);
    each.io->device.connect(*environment.nodes[each.which].port,
                            static_cast<std::uint16_t>(requester++));
  }
}

void AgentNvdimms::provide(AgentEnvironment& environment, std::size_t agent) const {
  for (const AgentHost& each : hosts_) {
    if (each.agent == agent) {
      environment.nodes[each.which].storage = &each.io->host;
      environment.storage = environment.nodes.front().storage;
    }
  }
}

}  // namespace hmsim
