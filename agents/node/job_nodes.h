// SPDX-License-Identifier: BSD-3-Clause
// Placement of a job's threads: the nodes on which its tasks run, and their shares of the memories.
//
// Threads are numbered task by task. The threads of the program are first; the flushers follow,
// node by node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/agent_link.h"
#include "agents/core/miss_core.h"
#include "agents/node/job_keys.h"
#include "agents/node/job_node.h"
#include "core/types.h"
#include "traces/job_program.h"

namespace hmsim {

class JobNodes {
 public:
  // Opens the sites; called once, after the keys are set. `agent` is the job's number in the
  // workload. The program outlives this object.
  void open(const JobKeys& keys, const JobProgram& program, std::size_t agent,
            const std::vector<NodeEnvironment>& nodes);

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
  MissCore::AddressSpace space(std::uint32_t thread) const;
  // Returns the page of a line of the thread's task, numbered over the NVDIMMs of all nodes.
  std::int64_t page_of(std::uint32_t thread, std::uint64_t line) const;

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
