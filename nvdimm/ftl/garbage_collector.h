// SPDX-License-Identifier: BSD-3-Clause
// Garbage collection: cleans a block of a LUN, page by page, when the GC scheduler says so. After a
// page of the host was programmed and its LUN has fewer free blocks than the threshold, or while
// the LUN is idle, a job may begin: the valid pages of a victim are copied, a flash page after the
// other, then it is erased. Copies stay inside their LUN and never touch the synchronisation
// buffer.
//
// A flash page is read once, whatever is still valid in it. What several of them hold is gathered
// in the controller until it fills one; only the last one of a victim may be padded. Copyback, from
// cells to cells, is for flash pages that are valid as a whole.
//
// During a copy, from one to the next if the scheduler does not give way, and during the erase the
// LUN is locked: other commands of it wait. While it gives way they do not.
//
// While collection is pressing, another victim follows. Then, if the LUN's wear is uneven, its
// coldest block is moved in the same way. Below the urgent limit the scheduler is overruled.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/gathered_copies.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/nand/flash_array.h"
#include "policies/gc_scheduler.h"

namespace hmsim {

class CollectionListener {
 public:
  virtual ~CollectionListener() = default;
  // Collection has brought the page over the channel. True: requests that waited for it have it.
  virtual bool on_page_copied(LogicalPage page, std::uint32_t lun, Tick now) = 0;
};

class GarbageCollector final : private FlashRequester {
 public:
  // `line_burst`: of a line on the host's data bus. `assignments`: the configuration's; the
  // scheduler's own parameters are taken from them.
  GarbageCollector(const GcParameters& parameters, const NandParameters& nand, Tick line_burst,
                   const Assignments& assignments, Ftl& ftl, FlashArray& flash,
                   const PendingWork& pending, CollectionListener& listener);

  // A command of the host was served by its LUN, or has left it for another.
  void on_host_served(const FlashCommand& command, Tick now);
  // Less is wanted of the LUN's channel than before.
  void reconsider(std::uint32_t lun, Tick now);
  // The LUN has nothing to do.
  void on_flash_idle(std::uint32_t lun, Tick now);

  // Jobs.
  std::uint64_t begun() const { return begun_; }
  std::uint64_t ended() const { return ended_; }

  void serialize(Archive& archive);

 private:
  // resting: gives way to the host; yielding: to so many reads, before the erase.
  enum class Phase : std::uint8_t { none, working, resting, yielding, last = yielding };

  struct Job {
    Phase phase = Phase::none;
    bool levelling = false;
    bool locked = false;
    std::uint32_t block = 0;
    std::uint32_t next_page = 0;  // of the victim, to look at
    std::uint32_t reads = 0;      // yielding: those still to be served
    GatheredCopies copies;        // read, or being read
    CopyBatch batch;              // being programmed
    PhysicalPage source;          // the flash page that is read
    PhysicalPage target;          // the one that is programmed
    Tick started;

    void serialize(Archive& archive, const Ftl& ftl);
  };

  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  // Collection works on one page at a time.
  PhysicalPage next_flash_place(const FlashCommand& /*command*/) const override { return kNowhere; }
  void on_flash_done(const FlashCommand& command, Tick now) override;
  void give_away(const FlashCommand& command, Tick now);

  GcView view(std::uint32_t lun) const;
  void consider(std::uint32_t lun, Tick now);
  void start(std::uint32_t lun, std::uint32_t block, bool levelling, Tick now);
  void finish(std::uint32_t lun, bool failed, Tick now);
  // The next step, if the scheduler allows it.
  void proceed(std::uint32_t lun, Tick now);
  void proceed_to_erase(std::uint32_t lun, Tick now);
  bool overruled(std::uint32_t lun);
  void give_way(std::uint32_t lun, Phase phase, Tick now);
  void enter(std::uint32_t lun, Phase phase);
  void lock(std::uint32_t lun, Tick now);
  void unlock(std::uint32_t lun, Tick now);
  void read(std::uint32_t lun, PartMask parts, Tick now);
  void program(std::uint32_t lun, bool transfer, Tick now);
  void erase(std::uint32_t lun, Tick now);
  void submit(FlashCommand command, Tick now);
  void tell(std::uint32_t lun, bool begins, Tick now) const;

  const GcParameters parameters_;
  const std::unique_ptr<GcScheduler> scheduler_;
  GcTimes times_;
  Ftl& ftl_;
  FlashArray& flash_;
  const PendingWork& pending_;
  CollectionListener& listener_;
  FtlStatistics& statistics_;
  std::vector<Job> jobs_;               // by LUN
  std::vector<std::uint32_t> resting_;  // jobs, by channel
  std::uint64_t begun_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace hmsim
