// SPDX-License-Identifier: BSD-3-Clause
// Source of the steps of a job's threads. A thread's next step is the next action of its program,
// up to the thread's instruction limit. A flusher copies the transfers that the job assigns to it.
#pragma once

#include <cstdint>
#include <memory>

#include "agents/agent.h"
#include "agents/node/job_keys.h"
#include "agents/node/job_nodes.h"
#include "agents/node/job_threads.h"
#include "agents/node/thread_step.h"
#include "core/archive.h"
#include "traces/job_program.h"

namespace hmsim {

class JobSteps final : public ThreadSteps, public PriorWrites {
 public:
  // The arguments must outlive this object.
  JobSteps(const JobKeys& keys, const JobNodes& sites, JobThreads& threads)
      : keys_(keys), job_nodes_(sites), threads_(threads) {}

  // Opens the program; called once, after the keys are set. `nvdimm`: the system has an NVDIMM.
  void open(std::unique_ptr<JobProgram> program, bool nvdimm);
  const JobProgram& program() const { return *program_; }
  // Moves all threads of the program to its start.
  void start();
  // Returns the share of the program that all threads together have done.
  double fraction() const;

  ThreadStep next(std::uint32_t thread, std::int64_t most) override;
  bool may_take_back(std::uint32_t thread) const override;
  void take_back(std::uint32_t thread, std::int64_t instructions) override;
  // Ends the slice of a thread of the program. Returns the record that the slice ended for.
  const JobRecord& take(std::uint32_t thread);

  // Same as Agent::each_page_read(). Visits the pages of the threads in turn, one step of each at a
  // time.
  void each_page_read(const PageVisitor& visit);
  // Visits the pages of the tasks in turn, one page of each at a time.
  void each_page_written_before(const PageVisitor& visit) const override;

  // Checks loaded places.
  void check(const Archive& archive);

 private:
  // Returns whether the thread's core copies the lines of a record of this kind.
  bool copied_by_core(std::uint32_t thread, JobAction action) const;
  void fetch(JobThread& thread);
  ThreadStep next_of_flusher(std::uint32_t thread);
  static ThreadStep part_of_step(JobThread& thread, std::int64_t most, CopiesEnded ended);
  static ThreadStep miss_of(JobThread& thread, CopiesEnded ended);
  ThreadStep copy_line(JobThread& thread, CopiesEnded ended) const;
  bool visit_reads(std::uint32_t thread, const PageVisitor& visit) const;

  const JobKeys& keys_;
  const JobNodes& job_nodes_;
  JobThreads& threads_;
  std::unique_ptr<JobProgram> program_;
  bool has_nvdimm_ = false;
};

}  // namespace hmsim
