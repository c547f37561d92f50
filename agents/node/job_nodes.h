// SPDX-License-Identifier: BSD-3-Clause
// Placement of a job's threads: the nodes on which its tasks run, and their shares of the memories.
//
// Threads are numbered task by task. The threads of the program are first; the flushers follow,
// node by node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "agents/agent_link.h"
#include "agents/copies.h"
#include "agents/core/miss_core.h"
#include "agents/node/job_io.h"
#include "agents/node/job_keys.h"
#include "agents/node/node.h"
#include "agents/node/write_back.h"
#include "core/request.h"
#include "core/types.h"
#include "storage/host.h"
#include "traces/job_program.h"

namespace hmsim {

// Resources of a job on one of its nodes: cores, access to memory, and the data that wait for its
// flushers there.
struct JobNode {
  std::int64_t number = 0;  // number of the node
  Node* node = nullptr;
  MemoryPort* port = nullptr;
  Bytes blocks{0};         // capacity of the node's NVDIMM or storage
  std::uint16_t job = 0;   // the job's number on the node
  std::int64_t tasks = 0;  // tasks that divide the memory
  WriteBack write_back;
  std::unique_ptr<JobIo> io;
};

class JobNodes {
 public:
  // Opens the sites; called once, after the keys are set. `agent` is the job's number in the
  // workload. The program outlives this object.
  void open(const JobKeys& keys, const JobProgram& program, std::size_t agent,
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
      site.tasks =
          shared ? keys.tasks : (keys.tasks - static_cast<std::int64_t>(i) + count - 1) / count;
      const auto lines = static_cast<double>(site.port->capacity(MemoryClass::dram) / kLineBytes) /
                         static_cast<double>(shared ? count : 1);
      site.write_back.set_limit(static_cast<std::uint64_t>(keys.dirty_ratio * lines));
      job_nodes_.push_back(std::move(site));
    }
  }

  std::vector<JobNode>& all() { return job_nodes_; }
  const std::vector<JobNode>& all() const { return job_nodes_; }

  std::uint32_t threads() const { return program_threads_ + flushers_ * count(); }
  std::uint32_t program_threads() const { return program_threads_; }  // of all tasks
  bool is_flusher(std::uint32_t thread) const { return thread >= program_threads_; }
  // For a thread of the program: its task, its number within the task, and whether the task runs
  // it.
  std::uint32_t task_of(std::uint32_t thread) const { return thread / task_threads_; }
  std::uint32_t in_task(std::uint32_t thread) const { return thread % task_threads_; }
  bool takes_part(std::uint32_t thread) const {
    return program_->runs_in(in_task(thread), task_of(thread));
  }

  std::size_t of_task(std::uint32_t task) const { return task % job_nodes_.size(); }
  std::size_t index_of(std::uint32_t thread) const {
    return is_flusher(thread) ? (thread - program_threads_) / flushers_ : of_task(task_of(thread));
  }
  JobNode& of(std::uint32_t thread) { return job_nodes_[index_of(thread)]; }
  const JobNode& of(std::uint32_t thread) const { return job_nodes_[index_of(thread)]; }

  // Returns the thread's address space. Each task has an equal share of both memories of its node.
  // A flusher has no offset, because the lines that it writes already include that of their task.
  MissCore::AddressSpace space(std::uint32_t thread) const {
    constexpr std::size_t kFirstJob = 256;  // address spaces below this belong to cores
    MissCore::AddressSpace space;
    space.space = static_cast<std::uint16_t>(kFirstJob + agent_);
    if (!is_flusher(thread)) {
      const JobNode& site = of(thread);
      const auto task = static_cast<std::int64_t>(task_of(thread));
      const bool all = site.tasks == tasks_;
      const Copies part{site.tasks,
                        all ? task : task / static_cast<std::int64_t>(job_nodes_.size())};
      for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
        space.offset[static_cast<std::size_t>(memory)] =
            part.offset(memory == MemoryClass::dram ? site.port->capacity(memory) : site.blocks);
      }
    }
    return space;
  }

  // Returns the page of a line of the thread's task, numbered over the NVDIMMs of all nodes.
  std::int64_t page_of(std::uint32_t thread, std::uint64_t line) const {
    const std::uint64_t offset =
        space(thread).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
    const auto lines =
        static_cast<std::uint64_t>(job_nodes_.front().blocks / kLineBytes);  // per node
    const std::uint64_t before = index_of(thread) * lines;  // lines of the nodes before
    return static_cast<std::int64_t>((before + (line + offset / kLineSize) % lines) /
                                     kLinesPerPage);
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(job_nodes_.size()); }

  const JobProgram* program_ = nullptr;
  std::size_t agent_ = 0;
  std::int64_t tasks_ = 0;
  std::uint32_t task_threads_ = 1;  // per task
  std::uint32_t program_threads_ = 0;
  std::uint32_t flushers_ = 0;      // per node
  std::vector<JobNode> job_nodes_;  // by node
};

}  // namespace hmsim
