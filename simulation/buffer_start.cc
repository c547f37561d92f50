// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/buffer_start.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "agents/agent.h"
#include "controller/config/address_map.h"
#include "core/errors.h"
#include "core/key_map.h"
#include "core/random.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "simulation/agent_nvdimms.h"
#include "simulation/configuration.h"
#include "simulation/nodes.h"

namespace hmsim {

namespace {

using Pages = std::vector<std::int64_t>;

const std::string kKey = "nvdimm.precondition.buffer: ";

// Pages that one agent reports, in order of first report, as far as they fit. The limit is the read
// part or the write part of the buffers of `memories` memories.
class PagesThatFit {
 public:
  PagesThatFit(const SystemConfig& config, bool write_part, std::int64_t memories)
      : map_(config), devices_(config.nvdimms().size()) {
    for (std::int64_t channel = 0; channel < config.all_channels(); ++channel) {
      for (const NvdimmParameters& nvdimm : config.nvdimms()) {
        const Bytes part = write_part ? nvdimm.buffer.write_size : nvdimm.buffer.read_size;
        const bool has_buffer = nvdimm.kind == NvdimmKind::flash;
        room_.push_back(has_buffer ? (part + kPageBytes - Bytes(1)) / kPageBytes : 0);
        open_ += has_buffer && channel < memories * config.controller.channels ? 1 : 0;
      }
    }
  }

  // Adds a page if its buffer has room. Returns false once all buffers are full.
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
    std::int64_t& room = room_[static_cast<std::size_t>(place.channel) * devices_ +
                               static_cast<std::size_t>(place.device)];
    if (room > 0) {
      known_.insert(page, 0);
      pages_.push_back(page);
      --room;
      open_ -= room == 0 ? 1 : 0;
    }
  }

  AddressMap map_;
  std::size_t devices_;    // per channel
  Pages room_;             // in pages, by channel and device
  std::int64_t open_ = 0;  // devices with room
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

bool starts_resident(std::int64_t page, double share, std::uint64_t seed) {
  constexpr double kUnit = 0x1p-53;
  const std::uint64_t hash = mix64(mix64(seed) + static_cast<std::uint64_t>(page));
  return static_cast<double>(hash >> 11) * kUnit < share;
}

void fill_buffers(MemorySystem& memory, const BufferStart& start) {
  const bool captured = start.wanted.buffer == PreconditionBuffer::captured;
  const double share = captured ? 1 : start.wanted.resident;
  if (start.agents.empty()) {
    throw InputError(
        kKey + (captured ? "'captured' needs captured jobs" : "'resident' needs agents that read") +
        ", and there are no agents: must be 'none' or 'dirty'");
  }
  // The nodes have no cores, so that jobs do not start.
  Nodes nodes(start.frontend, CoresByNode(static_cast<std::size_t>(start.frontend.cluster.nodes)));
  nodes.connect(memory, start.frontend.translation, start.seed);
  std::vector<Pages> lists;
  // All agents are created at once, because a shared cache must know its users.
  const Agents readers = create_agents(start.frontend, start.agents);
  AgentNvdimms nvdimms(readers, PathParameters());
  nvdimms.connect(readers, nodes, 0);
  for (std::size_t i = 0; i < readers.size(); ++i) {
    Agent& reader = *readers[i];
    const std::vector<std::int64_t> on = reader.placement().nodes;
    AgentEnvironment environment = nodes.environment(on);
    nvdimms.provide(environment, i);
    environment.trace = start.source;
    environment.seed = start.seed;
    reader.connect(i, environment, Wakeup());
    PagesThatFit pages(memory.config(), captured,
                       std::min<std::int64_t>(on.size(), memory.config().nodes));
    const PageVisitor add = [&](std::int64_t own) {
      const std::int64_t page = nodes.system_page(on, own);
      return !starts_resident(page, share, start.seed) || pages.add(page);
    };
    if (captured) {
      if (const PriorWrites* const writes = reader.parts().prior_writes) {
        writes->each_page_written_before(add);
      }
    } else {
      reader.each_page_read(start.to_limits, add);
    }
    lists.push_back(pages.pages());
  }
  const Pages all = in_turns(lists);
  if (captured && all.empty()) {
    throw InputError(kKey +
                     "'captured' needs pages written before captured jobs began, and no agent's "
                     "trace records them: must be 'none', 'dirty' or 'resident'");
  }
  if (captured) {
    memory.hold_written(all);
  } else {
    memory.hold_read(all);
  }
}

}  // namespace hmsim
