// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/agent_nvdimms.h"

#include <optional>

namespace hmsim {

AgentNvdimms::AgentNvdimms(const Agents& agents, const PathParameters& path) {
  for (const auto& agent : agents) {
    std::vector<std::unique_ptr<NvdimmHost>>& own = hosts_.emplace_back();
    for (std::size_t which = 0; which < agent->placement().nodes.size(); ++which) {
      if (std::optional<NvdimmIo> io = agent->nvdimm_io(which)) {
        if (io->of_block_agent) {
          io->path.file_system_time = path.file_system_time;
          io->path.file_system_read_hold = path.file_system_read_hold;
          io->path.file_system_write_hold = path.file_system_write_hold;
        }
        own.push_back(std::make_unique<NvdimmHost>(*io));
      }
    }
  }
}

void AgentNvdimms::each(const See& see) const {
  for (std::size_t agent = 0; agent < hosts_.size(); ++agent) {
    for (std::size_t which = 0; which < hosts_[agent].size(); ++which) {
      see(*hosts_[agent][which], agent, which);
    }
  }
}

void AgentNvdimms::attach(Kernel& kernel) {
  each([&](NvdimmHost& each, std::size_t, std::size_t) {
    each.host.attach(Wakeup(kernel, kernel.attach(each.host)));
  });
}

void AgentNvdimms::connect(const Agents& agents, const Nodes& nodes, std::size_t first_requester) {
  std::size_t requester = first_requester;
  each([&](NvdimmHost& each, std::size_t agent, std::size_t which) {
    const AgentEnvironment environment = nodes.environment(agents[agent]->placement().nodes);
    each.device.connect(*environment.nodes[which].port, static_cast<std::uint16_t>(requester++));
  });
}

void AgentNvdimms::provide(AgentEnvironment& environment, std::size_t agent) const {
  if (agent >= hosts_.size() || hosts_[agent].empty()) {
    return;
  }
  for (std::size_t which = 0; which < hosts_[agent].size(); ++which) {
    environment.nodes[which].storage = &hosts_[agent][which]->host;
  }
  environment.storage = environment.nodes.front().storage;
}

}  // namespace hmsim
