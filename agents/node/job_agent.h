// SPDX-License-Identifier: BSD-3-Clause
// Kind job: threads that compute, transfer, wait for each other, and share the cores of a node.
//
// A thread runs its program step by step. Misses and copied lines go through the core that runs it.
// Every other step ends the stint: what it does, it does once all before it is retired.
//   read   engine core: the core loads the lines; dma: the thread sleeps until all have come
//   read_ahead   likewise, but under dma the thread goes on
//   use    of a page that an engine reads ahead: until all that it reads with it has come
//   write  with flushers: the lines wait for one of them, and the thread goes on, unless too many
//          do; without: as a read, with non-temporal stores
//   sync   until nothing waits for the flushers, and a flush of the NVDIMM has ended
//   wait, wake, sleep   as their names say; wakes are counted; with skip_idle, nobody sleeps while
//          nothing else is going on
//   send   as wake, in another task; what other nodes have of it goes over the network
// A flusher takes what waits on its node, a transfer at a time.
//
// Transfers of a copy engine, and flushes, go to a Host (agents/node/job_io.h): of the
// configuration's storage, which moves its data by itself, under software that runs on the node's
// cores; or of the node's NVDIMM, without software.
//
// The job has finished when all threads of its program have ended, and its messages have arrived;
// then it starts over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "agents/io_meter.h"
#include "agents/node/job_keys.h"
#include "agents/node/job_messages.h"
#include "agents/node/job_sites.h"
#include "agents/node/job_steps.h"
#include "agents/node/job_threads.h"
#include "agents/node/job_timers.h"
#include "agents/node/node.h"
#include "agents/node/transfers.h"

namespace hmsim {

class JobAgent final : public Agent,
                       private NodeJob,
                       private JobMessages::Owner,
                       private IoListener {
 public:
  explicit JobAgent(const FrontendParameters& defaults)
      : keys_(defaults),
        frequency_(defaults.core.frequency),
        steps_(keys_, sites_, threads_),
        messages_(sites_, *this) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override { return keys_.check(); }
  AgentTraits traits() const override { return {"instructions", frequency_, false}; }
  AgentPlacement placement() const override { return keys_.placement(); }
  AgentParts parts() override { return {&io_meter_, &steps_}; }
  // The limit of instructions holds with a warm-up, too: where threads are after it is not known.
  void each_page_read(bool /*to_limit*/, const PageVisitor& visit) override {
    steps_.each_page_read(visit);
  }
  std::int64_t work(Tick now) const override;
  void account(Tick now) override { threads_.account(now, !finished_once()); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  std::optional<NvdimmIo> nvdimm_io(std::size_t which) const override;

  Tick next_event() const override { return timers_.next_time(); }
  Tick advance(Tick now) override;

 private:
  void prepare() override;
  void open_blocks();
  std::unique_ptr<JobProgram> open_program();
  void open_sites();
  // A pass has the limit of instructions: those of a warm-up count.
  void restart_limit(Tick now) override { account(now); }
  double pass_fraction(Tick /*now*/) const override { return steps_.fraction(); }
  void on_io_done(std::uint32_t tag, Tick now) override;
  void serialize_state(Archive& archive) override;
  void check_threads(const Archive& archive) const;
  void check_blocks(const Archive& archive) const;

  void copy_began(std::uint32_t thread, bool write, Tick now) override;
  void copy_ended(std::uint32_t thread, bool write, Tick ended) override;
  void stint_begins(std::uint32_t thread, Tick now) override {
    threads_.enter(thread, ThreadState::running, now);
  }
  StintEnd stint_ended(std::uint32_t thread, const Stint& stint, Tick now) override;
  MissCore::AddressSpace space(std::uint32_t thread) const override { return sites_.space(thread); }
  std::uint32_t thread_count() const override { return threads_.size(); }
  bool runs_on(std::uint32_t thread, const Node& node) const override {
    return site_of(thread).node == &node;
  }
  ThreadState state_of(std::uint32_t thread) const override { return threads_[thread].state; }
  ThreadName name_of(std::uint32_t thread) const override;
  std::size_t agent() const override { return index(); }
  void core_granted(std::uint32_t io, Tick now) override {
    sites_.all().front().io->granted(io, now);  // a job whose software takes cores is on one node
  }

  void message_arrived(std::optional<std::uint32_t> woken, Tick now) override;

  bool is_flusher(std::uint32_t thread) const { return sites_.is_flusher(thread); }
  JobSite& site_of(std::uint32_t thread) { return sites_.of(thread); }
  const JobSite& site_of(std::uint32_t thread) const { return sites_.of(thread); }

  void start(Tick now);
  // A thread enters a state other than running.
  void enter(std::uint32_t thread, ThreadState state, Tick now);
  void make_ready(std::uint32_t thread, bool woken, Tick now);
  StintEnd yield(std::uint32_t thread, Tick now);
  StintEnd act(std::uint32_t thread, Tick now);
  StintEnd wait(std::uint32_t thread, std::uint32_t event, Tick now);
  StintEnd wake(std::optional<std::uint32_t> woken, Tick now);
  StintEnd write(std::uint32_t thread, Tick now);
  StintEnd end_thread(std::uint32_t thread, Tick now);
  bool has_ended() const;
  void complete_pass(Tick now);
  void sync(std::uint32_t thread, Tick now);
  void sleep(std::uint32_t thread, Tick now);
  void transfer(std::uint32_t thread, Tick now);
  void begin_transfer(std::uint32_t thread, bool write, bool ahead, Tick now);
  StintEnd read_ahead(std::uint32_t thread, Tick now);
  StintEnd use(std::uint32_t thread, Tick now);
  bool next_transfer(std::uint32_t flusher);
  bool flushed(std::uint32_t flusher, Tick now);
  void flush(std::uint32_t thread, Tick now);
  void flush_ended(std::uint32_t thread, Tick now);
  void part_done(std::uint32_t transfer, Tick now);
  Transfer transfer_of(std::uint32_t thread) const;
  void less_to_do(Tick now);

  JobKeys keys_;
  std::int64_t frequency_;
  bool has_nvdimm_ = false;
  std::uint64_t block_lines_ = 0;  // of a node's NVDIMM, or of the storage
  JobSites sites_;
  JobThreads threads_;
  JobSteps steps_;
  JobMessages messages_;
  Transfers transfers_;
  IoMeter io_meter_;
  JobTimers timers_;
  std::int64_t done_ = 0;  // work of stints that ended
};

}  // namespace hmsim
