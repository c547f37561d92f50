// SPDX-License-Identifier: BSD-3-Clause
// Decisions and counts that collectors share: the device's firmware (GarbageCollector) and the host
// (HbfCollector), which move pages differently. The GC scheduler decides, and is overruled below
// the urgent limit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/pending_work.h"
#include "policies/gc_scheduler.h"

namespace hmsim {

class CollectionJobs {
 public:
  // A block of a LUN to be cleaned. `levelling`: because its LUN's wear is uneven.
  struct Victim {
    std::uint32_t block = 0;
    bool levelling = false;
  };

  // `scheduler`: its name. `assignments`: the configuration's, for its parameters.
  CollectionJobs(const std::string& scheduler, const Assignments& assignments, const GcTimes& times,
                 Ftl& ftl, const PendingWork& pending)
      : scheduler_(create_policy<GcScheduler>(PolicyKind::gc_scheduler, scheduler, assignments)),
        times_(times),
        ftl_(ftl),
        pending_(pending) {}

  GcScheduler& scheduler() { return *scheduler_; }

  // Returns the victim of a job that may begin: for want of free blocks, or in an idle LUN.
  std::optional<Victim> due(std::uint32_t lun) {
    const bool begins =
        ftl_.victims().due(lun) && (scheduler_->start(view(lun, 0)) || overruled(lun));
    return begins ? std::optional(take(lun)) : std::nullopt;
  }
  std::optional<Victim> due_when_idle(std::uint32_t lun) {
    const bool begins = ftl_.victims().collectable(lun) && scheduler_->start_idle(view(lun, 0));
    return begins ? std::optional(take(lun)) : std::nullopt;
  }
  // Whether a page of the block may be copied, and when it may be erased.
  bool may_copy(std::uint32_t lun, std::uint32_t block) {
    return scheduler_->copy(view_of(lun, block)) || overruled(lun);
  }
  GcErase may_erase(std::uint32_t lun, std::uint32_t block) {
    GcErase decision = scheduler_->erase(view_of(lun, block));
    decision.now = decision.now || overruled(lun);
    return decision;
  }
  // Returns whether the scheduler's refusal is overruled.
  bool overruled(std::uint32_t lun) {
    const bool urgent = ftl_.victims().urgent(lun);
    statistics().gc_urgent += urgent ? 1 : 0;
    return urgent;
  }

  // Count a job that begins, and one that ends. `cleans`: to get a free block.
  void begin(std::uint32_t lun, std::uint32_t block, bool cleans) {
    ++begun_;
    if (cleans) {
      statistics().gc_valid_pages.add(ftl_.blocks(lun)[block].valid);
      statistics().gc_early += ftl_.victims().due(lun) ? 0 : 1;
    }
  }
  void end() { ++ended_; }
  // Returns a block of the SLC cache to be folded.
  std::optional<Victim> foldable(std::uint32_t lun) {
    const auto block = ftl_.victims().take_cached(lun);
    return block ? std::optional(Victim{*block, false}) : std::nullopt;
  }
  // Counts a block that was cleaned. Both return the victim of the job that follows at once.
  std::optional<Victim> cleaned(std::uint32_t lun, Tick duration) {
    ++statistics().gc_count;
    statistics().gc_duration.add(duration.value());
    return next(lun);
  }
  std::optional<Victim> next(std::uint32_t lun) {
    if (ftl_.victims().pressing(lun)) {
      return take(lun);
    }
    const auto unworn = ftl_.victims().take_to_level(lun);
    return unworn ? std::optional(Victim{*unworn, true}) : std::nullopt;
  }

  // Return the number of jobs that have begun and that have ended.
  std::uint64_t begun() const { return begun_; }
  std::uint64_t ended() const { return ended_; }

  void serialize(Archive& archive) { archive(begun_, ended_, *scheduler_); }

 private:
  FtlStatistics& statistics() { return ftl_.statistics(); }
  Victim take(std::uint32_t lun) { return {ftl_.victims().take(lun), false}; }
  // Returns what the scheduler sees of a LUN. `victim_pages`: valid pages of the block under
  // collection, or 0.
  GcView view(std::uint32_t lun, std::uint32_t victim_pages) const {
    GcView view;
    view.free_blocks = ftl_.blocks(lun).free();
    view.due_below = ftl_.shape().gc_threshold;
    view.victim_pages = victim_pages;
    view.buffered = pending_.buffered();
    view.lun = pending_.lun(lun);
    view.channel = pending_.channel(lun);
    view.all = pending_.all();
    view.unplaced = pending_.unplaced();
    view.channels = pending_.channels();
    view.luns = ftl_.shape().luns;
    view.times = &times_;
    return view;
  }
  GcView view_of(std::uint32_t lun, std::uint32_t block) const {
    return view(lun, ftl_.blocks(lun)[block].valid);
  }

  const std::unique_ptr<GcScheduler> scheduler_;
  const GcTimes times_;
  Ftl& ftl_;
  const PendingWork& pending_;
  std::uint64_t begun_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace hmsim
