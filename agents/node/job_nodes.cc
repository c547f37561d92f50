// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_nodes.h"

#include <utility>

#include "agents/copies.h"
#include "storage/host.h"

namespace hmsim {

void JobNodes::open(const JobKeys& keys, const JobProgram& program, std::size_t agent,
                    const std::vector<NodeEnvironment>& nodes) {
  program_ = &program;
  agent_ = agent;
  tasks_ = keys.tasks;
  task_threads_ = program.threads();
  program_threads_ = task_threads_ * static_cast<std::uint32_t>(keys.tasks);
  flushers_ = static_cast<std::uint32_t>(keys.flushers);
  const std::vector<std::int64_t> numbers = keys.node_list();
  const auto count = static_cast<std::int64_t>(numbers.size());
  const bool shared = keys.cluster.memory == NodeMemories::shared;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    JobNode site;
    site.number = numbers[i];
    site.node = nodes[i].node;
    site.port = nodes[i].port;
    site.blocks = nodes[i].storage->capacity();
    site.core = keys.node_cores(i).front().number;
    site.tasks =
        shared ? keys.tasks : (keys.tasks - static_cast<std::int64_t>(i) + count - 1) / count;
    const auto lines = static_cast<double>(site.port->capacity(MemoryClass::dram) / kLineBytes) /
                       static_cast<double>(shared ? count : 1);
    site.write_back.set_limit(static_cast<std::uint64_t>(keys.dirty_ratio * lines));
    job_nodes_.push_back(std::move(site));
  }
}

MissCore::AddressSpace JobNodes::space(std::uint32_t thread) const {
  constexpr std::size_t kFirstJob = 256;  // address spaces below this belong to cores
  MissCore::AddressSpace space;
  space.space = static_cast<std::uint16_t>(kFirstJob + agent_);
  if (!is_flusher(thread)) {
    const JobNode& site = of(thread);
    const auto task = static_cast<std::int64_t>(task_of(thread));
    const bool all = site.tasks == tasks_;
    const Copies part{site.tasks, all ? task : task / static_cast<std::int64_t>(job_nodes_.size())};
    for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
      space.offset[static_cast<std::size_t>(memory)] =
          part.offset(memory == MemoryClass::dram ? site.port->capacity(memory) : site.blocks);
    }
  }
  return space;
}

std::int64_t JobNodes::page_of(std::uint32_t thread, std::uint64_t line) const {
  constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());
  const std::uint64_t offset = space(thread).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
  const auto lines =
      static_cast<std::uint64_t>(job_nodes_.front().blocks / kLineBytes);  // per node
  const std::uint64_t before = index_of(thread) * lines;  // lines of the nodes before
  return static_cast<std::int64_t>((before + (line + offset / kLine) % lines) / kLinesPerPage);
}

}  // namespace hmsim
