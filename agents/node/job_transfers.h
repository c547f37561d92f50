// SPDX-License-Identifier: BSD-3-Clause
// Block I/O of a job's threads and flushers: transfers by a copy engine, write-back, flushes, and
// the latencies of these and of copies that cores make.
//
// Transfers of a copy engine, and flushes, go to a Host (agents/node/job_io.h). The host of the
// configuration's storage moves its data itself, and its software runs on the node's cores. The
// host of the node's NVDIMM has no software. With engine `core`, the core that runs a thread loads
// and stores the lines (agents/node/job_steps.h), and only flushes come here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/agent_link.h"
#include "agents/io_meter.h"
#include "agents/node/job_control.h"
#include "agents/node/job_keys.h"
#include "agents/node/job_nodes.h"
#include "agents/node/job_threads.h"
#include "agents/node/node.h"
#include "agents/node/transfer_table.h"
#include "core/archive.h"

namespace hmsim {

class JobTransfers final : private IoListener {
 public:
  // All of these outlive this object.
  JobTransfers(JobKeys& keys, JobNodes& sites, JobThreads& threads, JobControl& job)
      : keys_(keys), job_nodes_(sites), threads_(threads), job_(job) {}
  JobTransfers(const JobTransfers&) = delete;
  JobTransfers& operator=(const JobTransfers&) = delete;

  // Finds the devices, and sets the key `engine` to `dma` if they are not memory. Call once, before
  // open(). `agent` is the job's number in the workload. Throws InputError.
  void find_devices(std::size_t agent, const AgentEnvironment& environment);
  // Connects to the devices; called once. The sites and threads exist; the flushers have nothing to
  // write.
  void open(const AgentEnvironment& environment);

  bool has_nvdimm() const { return has_nvdimm_; }
  bool has_blocks() const { return block_lines_ > 0; }

  // transfer() to sync() perform the step that ended a thread's slice. transfer() reads or writes
  // the record's lines, for which the thread sleeps.
  SliceEnd transfer(std::uint32_t thread, Tick now);
  // Starts a read that the thread does not wait for. At the limit of reads ahead, acts as
  // transfer().
  SliceEnd read_ahead(std::uint32_t thread, Tick now);
  // Waits for a page that is being read ahead.
  SliceEnd use(std::uint32_t thread, Tick now);
  // Queues a program thread's lines for the flushers; the thread sleeps while too many wait.
  // Without flushers, the thread writes them itself. For a flusher, writes its transfer, or, if a
  // core has copied it, takes the next one.
  SliceEnd write(std::uint32_t thread, Tick now);
  // Blocks the thread until the flushers have written everything and a subsequent flush of the
  // device has completed.
  SliceEnd sync(std::uint32_t thread, Tick now);

  // Implement copy_began(), copy_ended() and core_granted() of NodeJob.
  void copy_began(std::uint32_t thread, bool write, Tick now);
  void copy_ended(std::uint32_t thread, bool write, Tick ended);
  void granted(std::uint32_t io, Tick now);

  bool idle() const;  // no transfer is under way, and no flusher has work
  IoMeter& meter() { return meter_; }

  void serialize(Archive& archive);
  // Checks that threads and blocks named in the state exist. The threads are loaded.
  void check(const Archive& archive) const;

 private:
  void on_io_done(std::uint32_t tag, Tick now) override;

  Transfer transfer_of(std::uint32_t thread) const;
  void begin(std::uint32_t thread, bool write, bool ahead, Tick now);
  void part_done(std::uint32_t transfer, Tick now);
  bool next_transfer(std::uint32_t flusher);
  bool flushed(std::uint32_t flusher, Tick now);
  void flush_ended(std::uint32_t thread, Tick now);
  void check_blocks(const Archive& archive) const;

  JobKeys& keys_;
  JobNodes& job_nodes_;
  JobThreads& threads_;
  JobControl& job_;
  std::size_t agent_ = 0;
  bool has_nvdimm_ = false;
  std::uint64_t block_lines_ = 0;  // lines of a node's NVDIMM, or of the storage
  TransferTable transfers_;
  IoMeter meter_;
};

}  // namespace hmsim
