// SPDX-License-Identifier: BSD-3-Clause
// The block I/O of a job's threads and flushers: transfers by a copy engine, write-back, flushes,
// and the latencies of all of these and of the copies that cores make themselves.
//
// Transfers of a copy engine, and flushes, go to a Host (agents/node/job_io.h): that of the
// configuration's storage, which moves its data itself, under software that runs on the node's
// cores; or that of the node's NVDIMM, without software. With engine `core`, the core that runs a
// thread loads and stores the lines (agents/node/job_steps.h), and only flushes come here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/agent_link.h"
#include "agents/io_meter.h"
#include "agents/node/job_control.h"
#include "agents/node/job_keys.h"
#include "agents/node/job_sites.h"
#include "agents/node/job_threads.h"
#include "agents/node/node.h"
#include "agents/node/transfer_table.h"
#include "core/archive.h"

namespace hmsim {

class JobTransfers final : private IoListener {
 public:
  // All of these outlive this.
  JobTransfers(JobKeys& keys, JobSites& sites, JobThreads& threads, JobControl& job)
      : keys_(keys), sites_(sites), threads_(threads), job_(job) {}
  JobTransfers(const JobTransfers&) = delete;
  JobTransfers& operator=(const JobTransfers&) = delete;

  // Called once each, in this order, `agent` being the job's number in the workload. Finds the
  // devices; sets the key `engine` to `dma` if they are not memory. Throws InputError.
  void find_devices(std::size_t agent, const AgentEnvironment& environment);
  // Opens the way to them. The sites and threads exist; the flushers have nothing to write.
  void open(const AgentEnvironment& environment);

  bool has_nvdimm() const { return has_nvdimm_; }
  bool has_blocks() const { return block_lines_ > 0; }

  // Each carries out the step of a thread whose stint ended for it.
  StintEnd read(std::uint32_t thread, Tick now);
  // Continues, unless too much is being read ahead: then it is a read.
  StintEnd read_ahead(std::uint32_t thread, Tick now);
  // Waits for a page that is being read ahead.
  StintEnd use(std::uint32_t thread, Tick now);
  // A program's thread passes its lines to the flushers, and sleeps while too many wait for them.
  // Without flushers, and for a flusher, it writes them.
  StintEnd write(std::uint32_t thread, Tick now);
  // Waits until the flushers have nothing to write, and then for a flush of the device.
  StintEnd sync(std::uint32_t thread, Tick now);

  // As NodeJob's.
  void copy_began(std::uint32_t thread, bool write, Tick now);
  void copy_ended(std::uint32_t thread, bool write, Tick ended);
  void granted(std::uint32_t io, Tick now);

  bool idle() const;  // no transfer is under way, and the flushers have nothing to write
  IoMeter& meter() { return meter_; }

  void serialize(Archive& archive);
  // Checks that threads and blocks which the state names exist. The threads are loaded.
  void check(const Archive& archive) const;

 private:
  void on_io_done(std::uint32_t tag, Tick now) override;

  Transfer transfer_of(std::uint32_t thread) const;
  void begin(std::uint32_t thread, bool write, bool ahead, Tick now);
  StintEnd transfer(std::uint32_t thread, Tick now);
  void part_done(std::uint32_t transfer, Tick now);
  bool next_transfer(std::uint32_t flusher);
  bool flushed(std::uint32_t flusher, Tick now);
  void flush_ended(std::uint32_t thread, Tick now);
  void check_blocks(const Archive& archive) const;

  JobKeys& keys_;
  JobSites& sites_;
  JobThreads& threads_;
  JobControl& job_;
  std::size_t agent_ = 0;
  bool has_nvdimm_ = false;
  std::uint64_t block_lines_ = 0;  // of a node's NVDIMM, or of the storage
  TransferTable transfers_;
  IoMeter meter_;
};

}  // namespace hmsim
