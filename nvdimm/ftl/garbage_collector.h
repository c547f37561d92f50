// SPDX-License-Identifier: BSD-3-Clause
// Garbage collection: cleans one block of a LUN at a time, as the GC scheduler allows. A job may
// begin after a page of the host was programmed and the LUN has fewer free blocks than the
// threshold, or while the LUN is idle. It copies the valid pages of a victim, one flash page after
// another, and then erases the victim. Copies stay within their LUN and bypass the synchronisation
// buffer.
//
// A flash page is read once, for all pages that are still valid in it. The pages of several flash
// pages are gathered in the controller until they fill one. Only the last flash page of a victim
// may be padded. Copyback, from cells to cells, requires a flash page whose parts are all valid.
// With multi-plane operations, one read takes a row of the planes, and one program fills the rest
// of a row.
//
// The LUN is locked during a copy, between copies unless the scheduler yields, and during the
// erase. Other commands of the LUN wait meanwhile. While the job yields, they run.
//
// While collection is pressing, another victim follows. If the LUN's wear is then uneven, its
// coldest block is moved in the same way. Below the urgent limit the scheduler is overruled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/collection_jobs.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/gathered_copies.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

class CollectionListener {
 public:
  virtual ~CollectionListener() = default;
  // Called when collection has transferred the page over the flash channel. Returns whether
  // requests were waiting for the page; they are then served from the copy.
  virtual bool on_page_copied(LogicalPage page, std::uint32_t lun, Tick now) = 0;
};

class GarbageCollector final : private FlashRequester {
 public:
  // `line_burst`: time of one line on the host's data bus. `assignments`: the configuration's
  // assignments, which contain the parameters of the GC scheduler.
  GarbageCollector(const GcParameters& parameters, const NandParameters& nand, Tick line_burst,
                   const Assignments& assignments, Ftl& ftl, FlashArray& flash,
                   const PendingWork& pending, CollectionListener& listener);

  // Reports a host command that was served by its LUN, or that moved to another LUN.
  void on_host_served(const FlashCommand& command, Tick now);
  // Reconsiders resting jobs after the demand on the LUN's channel decreased.
  void reconsider(std::uint32_t lun, Tick now);
  // Called when the LUN becomes idle.
  void on_flash_idle(std::uint32_t lun, Tick now);

  // Return the number of jobs that have begun and that have ended.
  std::uint64_t begun() const { return decisions_.begun(); }
  std::uint64_t ended() const { return decisions_.ended(); }

  void serialize(Archive& archive);

 private:
  // resting: yields to the host. yielding: yields to a given number of reads before the erase.
  enum class Phase : std::uint8_t { none, working, resting, yielding, last = yielding };

  struct Job {
    Phase phase = Phase::none;
    bool levelling = false;
    bool locked = false;
    bool idle = false;  // works only while the host wants nothing of the flash
    std::uint32_t block = 0;
    std::uint32_t next_page = 0;  // next page of the victim to examine
    std::uint32_t reads = 0;      // yielding: reads still to be served
    GatheredCopies copies;        // read, or being read
    std::uint32_t under_way = 0;  // reads or programs of a row that are not done
    Tick started;

    void serialize(Archive& archive, const Ftl& ftl);
  };
  // One of the row that a job reads or programs at once.
  struct FlashPage {
    PhysicalPage source;  // being read
    CopyBatch batch;
    PhysicalPage target;  // being programmed

    void serialize(Archive& archive, const Ftl& ftl);
  };

  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  PhysicalPage next_flash_place(const FlashCommand& command) const override;
  void on_flash_done(const FlashCommand& command, Tick now) override;
  void serve_waiting(const FlashCommand& command, PhysicalPage source, Tick now);

  void consider(std::uint32_t lun, Tick now);
  void fold_when_idle(Tick now);
  void start(std::uint32_t lun, const CollectionJobs::Victim& victim, Tick now, bool idle = false);
  void finish(std::uint32_t lun, bool failed, Tick now);
  // Takes the next step, if the scheduler allows it.
  void proceed(std::uint32_t lun, Tick now);
  void proceed_to_erase(std::uint32_t lun, Tick now);
  void yield_to_waiting(std::uint32_t lun, Phase phase, Tick now);
  void enter(std::uint32_t lun, Phase phase);
  void lock(std::uint32_t lun, Tick now);
  void unlock(std::uint32_t lun, Tick now);
  void read_row(std::uint32_t lun, Tick now);
  // Return the index in rows_ of a LUN's first flash page, and of what a command reads or programs.
  std::size_t row_of(std::uint32_t lun) const { return std::size_t{lun} * width_; }
  std::size_t of(const FlashCommand& command) const {
    ensure(command.subject < width_, "gc", Tick(0), command.subject, "command without copies");
    return row_of(command.lun) + command.subject;
  }
  PhysicalPage next_copy(std::uint32_t lun) const;
  std::uint32_t row_left(std::uint32_t lun) const;
  void program(std::uint32_t lun, std::uint32_t pages, bool transfer, Tick now);
  void on_read(const FlashCommand& command, Tick now);
  void on_programmed(const FlashCommand& command, Tick now);
  void erase(std::uint32_t lun, Tick now);
  void submit(FlashOperation operation, std::uint32_t lun, bool transfer, PartMask parts,
              bool holds, Tick now, std::uint32_t subject = 0);
  void report(std::uint32_t lun, bool begins, Tick now) const;
  // Returns whether the job empties a block of the SLC cache.
  bool folds(std::uint32_t lun) const {
    return ftl_.one_bit(ftl_.shape().page_at(lun, jobs_[lun].block, 0));
  }

  const GcParameters parameters_;
  Ftl& ftl_;
  FlashArray& flash_;
  const PendingWork& pending_;
  CollectionListener& listener_;
  FtlStatistics& statistics_;
  CollectionJobs decisions_;
  const std::uint32_t planes_;          // of a row that copies fill; 1: they go page by page
  const std::uint32_t width_;           // most flash pages that a copy reads or programs at once
  std::vector<Job> jobs_;               // by LUN
  std::vector<FlashPage> rows_;         // by LUN, and by the command's subject
  std::vector<std::uint32_t> resting_;  // jobs, by channel
};

}  // namespace hmsim
