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
// Where the configuration has storage, transfers and flushes go there (agents/node/job_storage.h):
// it moves its data by itself, as a copy engine does, under software that runs on the node's cores.
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
#include "agents/copies.h"
#include "agents/io_meter.h"
#include "agents/node/copy_engine.h"
#include "agents/node/job_events.h"
#include "agents/node/job_keys.h"
#include "agents/node/job_site.h"
#include "agents/node/job_storage.h"
#include "agents/node/job_threads.h"
#include "agents/node/job_timers.h"
#include "agents/node/network.h"
#include "agents/node/node.h"

namespace hmsim {

class JobAgent final : public Agent, private NodeJob, private NetworkUser, private IoListener {
 public:
  explicit JobAgent(const FrontendParameters& defaults)
      : keys_(defaults),
        frequency_(defaults.core.frequency),
        engine_(static_cast<std::uint64_t>(defaults.node.dma_lines)) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override { return keys_.check(); }
  const char* progress_unit() const override { return "instructions"; }
  std::int64_t frequency() const override { return frequency_; }
  bool is_core() const override { return false; }
  std::vector<std::int64_t> nodes() const override { return keys_.node_list(); }
  const char* nodes_key() const override { return "nodes"; }
  std::vector<JobCore> node_cores(std::size_t which) const override {
    return keys_.node_cores(which);
  }
  void each_page_read(bool to_limit, const PageVisitor& visit) override;
  void each_page_written_before(const PageVisitor& visit) const override;
  std::int64_t work(Tick now) const override;
  void account(Tick now) override { threads_.account(now, !finished_once()); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  IoMeter* io_meter() override { return &io_meter_; }

  Tick next_event() const override { return timers_.next_time(); }
  Tick advance(Tick now) override;

 private:
  void prepare() override;
  void open_blocks();
  void open_sites();
  Bytes block_capacity(const MemoryPort& port) const;
  // The limit of instructions is a pass's: what a warm-up has done of it counts.
  void restart_limit(Tick now) override { account(now); }
  double pass_fraction(Tick now) const override;
  void handle_completion(const Request& request, Tick now) override;
  void on_io_done(std::uint32_t tag, Tick now) override;
  void serialize_state(Archive& archive) override;
  void check_threads(const Archive& archive) const;
  void check_blocks(const Archive& archive) const;

  ThreadStep next(std::uint32_t thread, std::int64_t most) override;
  void copy_began(std::uint32_t thread, bool write, Tick now) override;
  void copy_ended(std::uint32_t thread, bool write, Tick ended) override;
  bool may_take_back(std::uint32_t thread) const override;
  void take_back(std::uint32_t thread, std::int64_t instructions) override;
  void stint_begins(std::uint32_t thread, Tick now) override {
    threads_.enter(thread, ThreadState::running, now);
  }
  StintEnd stint_ended(std::uint32_t thread, const Stint& stint, Tick now) override;
  MissCore::AddressSpace space(std::uint32_t thread) const override;
  std::uint32_t thread_count() const override { return threads_.size(); }
  bool runs_on(std::uint32_t thread, const Node& node) const override {
    return site_of(thread).node == &node;
  }
  ThreadState state_of(std::uint32_t thread) const override { return threads_[thread].state; }
  ThreadName name_of(std::uint32_t thread) const override;
  std::size_t agent() const override { return index(); }
  void core_granted(std::uint32_t io, Tick now) override { storage_->granted(io, now); }

  void message_arrived(std::uint32_t event, Tick now) override;

  bool is_flusher(std::uint32_t thread) const { return thread >= program_threads(); }
  std::uint32_t program_threads() const {
    return program_->threads() * static_cast<std::uint32_t>(keys_.tasks);
  }
  std::uint32_t task_of(std::uint32_t thread) const { return thread / program_->threads(); }
  bool takes_part(std::uint32_t thread) const {
    return program_->runs_in(thread % program_->threads(), task_of(thread));
  }
  std::size_t site_of_task(std::uint32_t task) const { return task % sites_.size(); }
  std::size_t site_index(std::uint32_t thread) const;
  JobSite& site_of(std::uint32_t thread) { return sites_[site_index(thread)]; }
  const JobSite& site_of(std::uint32_t thread) const { return sites_[site_index(thread)]; }
  bool copies_by_itself(std::uint32_t thread, JobAction action) const;

  void start(Tick now);
  // A thread enters a state other than running.
  void enter(std::uint32_t thread, ThreadState state, Tick now);
  void make_ready(std::uint32_t thread, bool woken, Tick now);
  void fetch(JobThread& thread);
  bool visit_reads(std::uint32_t thread, const PageVisitor& visit) const;
  std::int64_t page_of(std::uint32_t thread, std::uint64_t line) const;
  ThreadStep next_of_flusher(std::uint32_t thread);
  static ThreadStep part_of_step(JobThread& thread, std::int64_t most, CopiesEnded ended);
  static ThreadStep miss_of(JobThread& thread, CopiesEnded ended);
  ThreadStep copy_line(JobThread& thread, CopiesEnded ended) const;
  StintEnd yield(std::uint32_t thread, Tick now);
  StintEnd act(std::uint32_t thread, Tick now);
  StintEnd wait(std::uint32_t thread, std::uint32_t event, Tick now);
  void wake(std::uint32_t event, Tick now);
  void send_message(std::uint32_t thread, Tick now);
  StintEnd write(std::uint32_t thread, Tick now);
  StintEnd end_thread(std::uint32_t thread, Tick now);
  bool has_ended() const;
  void complete_pass(Tick now);
  void sync(std::uint32_t thread, Tick now);
  void sleep(std::uint32_t thread, Tick now);
  void transfer(std::uint32_t thread, Tick now);
  StintEnd read_ahead(std::uint32_t thread, Tick now);
  StintEnd use(std::uint32_t thread, Tick now);
  bool next_transfer(std::uint32_t flusher);
  bool flushed(std::uint32_t flusher, Tick now);
  void send_line(std::uint64_t line, bool write, std::uint32_t transfer, Tick now);
  void flush(std::uint32_t thread, Tick now);
  void flush_ended(std::uint32_t thread, Tick now);
  void part_done(std::uint32_t transfer, Tick now);
  Transfer transfer_of(std::uint32_t thread) const;
  bool messages_under_way() const;
  void less_to_do(Tick now);
  void fail_to_wake() const;

  JobKeys keys_;
  std::int64_t frequency_;
  std::unique_ptr<JobProgram> program_;
  bool has_nvdimm_ = false;
  std::uint64_t block_lines_ = 0;   // of the NVDIMM, or of the storage
  std::vector<JobSite> sites_;      // by node
  std::uint16_t network_user_ = 0;  // its number
  JobThreads threads_;              // of the program, task by task, and then the flushers, by node
  JobEvents events_;                // those of each task together
  TransferEngine engine_;
  std::optional<JobStorage> storage_;  // of blocks; none: they are lines of the NVDIMM
  IoMeter io_meter_;
  JobTimers timers_;
  std::int64_t done_ = 0;  // work of stints that ended
};

}  // namespace hmsim
