// SPDX-License-Identifier: BSD-3-Clause
// Agent kind job: threads that compute, transfer data, wait for each other, and share the cores of
// a node.
//
// A thread runs its program step by step (agents/node/job_steps.h). Misses, and lines that a core
// copies, go through the core that runs the thread. Every other step ends the slice and takes
// effect as a whole when the slice retires:
//   read        engine core: the core loads the lines; dma: the thread sleeps until all arrive
//   read_ahead  engine core: as read; dma: the thread continues
//   use         waits for the read-ahead of that page, if an engine is still carrying it out
//   write       with flushers: queues the lines for one of them and continues, unless too many
//               wait; without flushers: as read, with non-temporal stores
//   sync        waits until the flushers have nothing to write, then for a flush of the NVDIMM
//   wait, wake, sleep  as named; wakes are counted; with skip_idle, sleeps end early while nothing
//               else happens in the job
//   send        as wake, in another task; the network carries it to tasks of other nodes
// agents/node/job_transfers.h implements transfers, write-back and flushes;
// agents/node/job_messages.h implements wakes and messages.
//
// The job has finished when all threads of its program have ended and its messages have arrived.
// Then it starts over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "agents/node/job_control.h"
#include "agents/node/job_keys.h"
#include "agents/node/job_messages.h"
#include "agents/node/job_nodes.h"
#include "agents/node/job_steps.h"
#include "agents/node/job_threads.h"
#include "agents/node/job_timers.h"
#include "agents/node/job_transfers.h"
#include "agents/node/node.h"

namespace hmsim {

class JobAgent final : public Agent, private NodeJob, private JobControl {
 public:
  explicit JobAgent(const FrontendParameters& defaults)
      : keys_(defaults),
        frequency_(defaults.core.frequency),
        steps_(keys_, job_nodes_, threads_),
        messages_(job_nodes_, *this),
        transfers_(keys_, job_nodes_, threads_, *this) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override { return keys_.check(); }
  AgentTraits traits() const override { return {"instructions", frequency_, false}; }
  AgentPlacement placement() const override { return keys_.placement(); }
  AgentParts parts() override { return {&transfers_.meter(), &steps_}; }
  // Always stops at the instruction limit, because the threads' places after a warm-up are unknown.
  void each_page_read(bool /*to_limit*/, const PageVisitor& visit) override {
    steps_.each_page_read(visit);
  }
  std::int64_t work(Tick now) const override;
  void account(Tick now) override { threads_.account(now, !finished_once()); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  std::optional<NvdimmIo> nvdimm_io(std::size_t which) const override {
    return keys_.nvdimm_io(which);
  }

  Tick next_event() const override { return timers_.next_time(); }
  Tick advance(Tick now) override;

 private:
  void prepare() override;
  std::unique_ptr<JobProgram> open_program();
  void open_sites();
  // The instruction limit applies to a pass, so instructions of a warm-up count.
  void restart_limit(Tick now) override { account(now); }
  double pass_fraction(Tick /*now*/) const override { return steps_.fraction(); }
  void serialize_state(Archive& archive) override;

  void copy_began(std::uint32_t thread, bool write, Tick now) override {
    transfers_.copy_began(thread, write, now);
  }
  void copy_ended(std::uint32_t thread, bool write, Tick ended) override {
    transfers_.copy_ended(thread, write, ended);
  }
  void slice_begins(std::uint32_t thread, Tick now) override {
    threads_.enter(thread, ThreadState::running, now);
  }
  SliceEnd slice_ended(std::uint32_t thread, const TimeSlice& slice, Tick now) override;
  MissCore::AddressSpace space(std::uint32_t thread) const override {
    return job_nodes_.space(thread);
  }
  std::uint32_t thread_count() const override { return threads_.size(); }
  bool runs_on(std::uint32_t thread, const Node& node) const override {
    return job_nodes_.of(thread).node == &node;
  }
  ThreadState state_of(std::uint32_t thread) const override { return threads_[thread].state; }
  ThreadName name_of(std::uint32_t thread) const override;
  std::size_t agent() const override { return index(); }
  void core_granted(std::uint32_t io, Tick now) override { transfers_.granted(io, now); }

  void enter(std::uint32_t thread, ThreadState state, Tick now) override;
  void make_ready(std::uint32_t thread, bool woken, Tick now) override;
  void message_arrived(std::optional<std::uint32_t> woken, Tick now) override;
  void request_ended() override { count_completion(); }
  void less_to_do(Tick now) override;
  bool measures_io() const override { return !finished_once(); }

  void start(Tick now);
  SliceEnd act(std::uint32_t thread, Tick now);
  SliceEnd sleep(std::uint32_t thread, Tick now);
  SliceEnd wait(std::uint32_t thread, std::uint32_t event, Tick now);
  SliceEnd wake(std::optional<std::uint32_t> woken, Tick now);
  SliceEnd end_thread(std::uint32_t thread, Tick now);
  bool has_ended() const;
  void end_pass_or_idle(Tick now);

  JobKeys keys_;
  std::int64_t frequency_;
  JobNodes job_nodes_;
  JobThreads threads_;
  JobSteps steps_;
  JobMessages messages_;
  JobTransfers transfers_;
  JobTimers timers_;
  std::int64_t done_ = 0;  // work of completed slices
};

}  // namespace hmsim
