// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/resident.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "agents/agent.h"
#include "controller/address_map.h"
#include "core/key_map.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "simulation/configuration.h"
#include "simulation/nodes.h"

namespace hmsim {

namespace {

using Pages = std::vector<std::int64_t>;

// The pages that one agent reads, each when it is first read, as many as the buffers of so many
// memories have room for.
class FirstReads {
 public:
  FirstReads(const SystemConfig& config, std::int64_t memories)
      : map_(config),
        room_(static_cast<std::size_t>(config.all_channels()),
              (config.nvdimm.buffer.read_size + kPageBytes - Bytes(1)) / kPageBytes),
        open_(memories * config.controller.channels) {}

  // False: no more fit.
  bool add(std::int64_t page) {
    if (page != last_ && known_.find(page) == kNoIndex) {
      last_ = page;
      enter(page);
    }
    return open_ > 0;
  }
  const Pages& pages() const { return pages_; }

 private:
  void enter(std::int64_t page) {
    const NvdimmPlace place = map_.nvdimm(Address(page * kPageBytes.value()));
    std::int64_t& room = room_[static_cast<std::size_t>(place.channel)];
    if (room > 0) {
      known_.insert(page, 0);
      pages_.push_back(page);
      --room;
      open_ -= room == 0 ? 1 : 0;
    }
  }

  AddressMap map_;
  Pages room_;         // for pages, by channel
  std::int64_t open_;  // channels that have room
  std::int64_t last_ = -1;
  KeyMap known_;
  Pages pages_;
};

Pages in_turns(const std::vector<Pages>& lists) {
  std::size_t longest = 0;
  for (const Pages& list : lists) {
    longest = std::max(longest, list.size());
  }
  KeyMap known;
  Pages all;
  for (std::size_t i = 0; i < longest; ++i) {
    for (const Pages& list : lists) {
      if (i < list.size() && known.find(list[i]) == kNoIndex) {
        known.insert(list[i], 0);
        all.push_back(list[i]);
      }
    }
  }
  return all;
}

}  // namespace

void hold_what_is_read(MemorySystem& memory, const ResidentRun& run) {
  // Without a core: jobs do not run.
  Nodes nodes(run.frontend, CoresByNode(static_cast<std::size_t>(run.frontend.cluster.nodes)));
  nodes.connect(memory, run.frontend.translation, run.seed);
  std::vector<Pages> lists;
  std::vector<std::unique_ptr<Agent>> readers;  // a cache knows those that share it
  for (std::size_t i = 0; i < run.agents.size(); ++i) {
    std::vector<ParameterError> errors;
    readers.push_back(create_agent(run.frontend, run.agents[i], errors));
    Agent& reader = *readers.back();
    const std::vector<std::int64_t> on = reader.nodes();
    AgentEnvironment environment = nodes.environment(on);
    environment.trace = run.source;
    environment.seed = run.seed;
    reader.connect(i, environment, Wakeup());
    FirstReads reads(memory.config(), std::min<std::int64_t>(on.size(), memory.config().nodes));
    reader.each_page_read(
        run.to_limits, [&](std::int64_t page) { return reads.add(nodes.system_page(on, page)); });
    lists.push_back(reads.pages());
  }
  memory.hold_resident(in_turns(lists));
}

}  // namespace hmsim
