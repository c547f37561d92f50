// SPDX-License-Identifier: BSD-3-Clause
// Garbage collection of one HBF channel by the host. HbfCopier copies the pages of a victim, which
// needs no erase: the device erases a block when its page 0 is written.
//
// A job cleans one block of a bank. It begins after a page was written if the bank has fewer free
// blocks than the threshold, and takes its steps as the GC scheduler (nvdimm.gc.scheduler) allows.
// A refresh rewrites a block in the same way, with origin `refresh`, and a replay a block with a
// failed program. A job copies up to hbf.copies pages at once. Below the urgent limit the scheduler
// is overruled.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/config/system_config.h"
#include "controller/host_ftl/hbf_copier.h"
#include "controller/host_ftl/host_path.h"
#include "core/archive.h"
#include "nvdimm/ftl/collection_jobs.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/pending_work.h"

namespace hmsim {

class HbfFtl;

class HbfCollector {
 public:
  HbfCollector(const SystemConfig& config, const HbfAddresses& addresses, HostPath& path, Ftl& ftl,
               const PendingWork& pending, HbfFtl& host);

  HbfCopier& copier() { return copier_; }
  const HbfCopier& copier() const { return copier_; }

  // Begins to rewrite a block for a refresh, unless the bank has a job or the block is not full.
  // Returns whether it did.
  bool refresh(std::uint32_t lun, std::uint32_t block, Tick now);
  // Begins a job on the bank if one is due.
  void consider(std::uint32_t lun, Tick now);
  // Reports that a user's request of the bank is done.
  void on_served(std::uint32_t lun, bool read, Tick now);
  // Returns whether users' pages may be written to the bank, as far as collection is concerned.
  bool takes_pages(std::uint32_t lun) const {
    return jobs_[lun].phase == Phase::none || jobs_[lun].phase == Phase::resting;
  }
  bool idle() const { return copier_.idle(); }

  // Called when the copier has programmed the page at `copy.target`. `current`: it is mapped there
  // now.
  void on_copied(const HbfCopy& copy, bool current, Tick now);
  // Called when its program at `target` failed. The copy is written again.
  void on_copy_failed(PhysicalPage target, Tick now);

  std::uint64_t begun() const { return decisions_.begun(); }
  std::uint64_t ended() const { return decisions_.ended(); }

  struct Counts {
    Counter refreshed_pages = 0;
    Counter refreshed_blocks = 0;
    Counter replayed_pages = 0;
    Counter replayed_blocks = 0;
    void serialize(Archive& archive) {
      archive(refreshed_pages, refreshed_blocks, replayed_pages, replayed_blocks);
    }
  };
  Counts& counts() { return counts_; }

  void serialize(Archive& archive);

 private:
  // resting: yields to users. yielding: yields to a given number of reads. draining: waits for
  // users' reads of the victim.
  enum class Phase : std::uint8_t { none, working, resting, yielding, draining, last = draining };
  struct Job {
    Phase phase = Phase::none;
    bool levelling = false;
    bool refresh = false;
    bool replay = false;  // of a block with a failed program
    std::uint32_t block = 0;
    std::uint32_t next_page = 0;  // next page of the victim to examine
    std::uint32_t reads = 0;      // yielding: reads still to be served
    std::uint32_t copies = 0;     // under way
    Tick started{0};
    void serialize(Archive& archive) {
      archive(phase, levelling, refresh, replay, block, next_page, reads, copies, started);
    }
  };

  void begin(std::uint32_t lun, const Job& job, Tick now);
  void start(std::uint32_t lun, const CollectionJobs::Victim& victim, Tick now);
  void proceed(std::uint32_t lun, Tick now);
  void proceed_to_end(std::uint32_t lun, Tick now);
  void rest(std::uint32_t lun, Phase phase);
  void finish(std::uint32_t lun, Tick now);

  const std::int64_t most_copies_;
  Ftl& ftl_;
  FtlStatistics& statistics_;
  const PendingWork& pending_;
  CollectionJobs decisions_;
  HbfFtl& host_;  // of which the collector is a part
  HbfCopier copier_;
  std::vector<Job> jobs_;  // by bank
  Counts counts_;
};

}  // namespace hmsim
