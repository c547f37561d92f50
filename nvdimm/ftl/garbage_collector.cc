// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/garbage_collector.h"

#include <algorithm>

namespace hmsim {

namespace {

// Returns how long the copy of a page blocks its channel.
Tick blocked_by_copy(bool hold_channel, const NandParameters& nand, const NandTiming& timing) {
  const Tick on_bus = 2 * (timing.data_out() + timing.read_command());
  return hold_channel ? on_bus + nand.read_time + nand.program_time : on_bus;
}

// Returns whether copies to different planes may be programmed together. Each stream has a block of
// its own, and a translation page stays together, so these are programmed one by one.
bool joins_planes(const GcParameters& parameters, const NandParameters& nand, bool copyback,
                  const Ftl& ftl) {
  return nand.multi_plane && !parameters.hold_channel && !copyback && !ftl.placement().active() &&
         ftl.shape().cached_entries == 0;
}

}  // namespace

GarbageCollector::GarbageCollector(const GcParameters& parameters, const NandParameters& nand,
                                   Tick line_burst, const Assignments& assignments, Ftl& ftl,
                                   FlashArray& flash, const PendingWork& pending,
                                   CollectionListener& listener)
    : parameters_(parameters),
      ftl_(ftl),
      flash_(flash),
      pending_(pending),
      listener_(listener),
      statistics_(ftl.statistics()),
      decisions_(parameters.scheduler, assignments,
                 {nand.read_time, nand.program_time, nand.erase_time, flash.timing().data_out(),
                  blocked_by_copy(parameters.hold_channel, nand, flash.timing()), line_burst},
                 ftl, pending),
      planes_(joins_planes(parameters, nand, decisions_.scheduler().copyback(), ftl)
                  ? flash.planes()
                  : 1),
      width_(std::min(planes_, GatheredCopies::kMostFlashPages)),
      jobs_(ftl.shape().luns),
      rows_(std::size_t{ftl.shape().luns} * width_),
      resting_(pending.channels()) {
  flash.attach(*this);
}

void GarbageCollector::on_host_served(const FlashCommand& command, Tick now) {
  Job& own = jobs_[command.lun];
  const bool into_buffer =
      command.operation == FlashOperation::read &&
      (command.priority == FlashPriority::demand || command.priority == FlashPriority::prefetch);
  if (own.phase == Phase::yielding && into_buffer) {
    ++statistics_.gc_prefetches;
    if (--own.reads == 0) {
      erase(command.lun, now);
    }
  }
  reconsider(command.lun, now);
  if (command.operation == FlashOperation::program) {
    consider(command.lun, now);
  }
  if (ftl_.shape().cache_blocks != 0) {
    fold_when_idle(now);
  }
}

void GarbageCollector::reconsider(std::uint32_t neighbour, Tick now) {
  const std::uint32_t channel = neighbour / pending_.luns_per_channel();
  for (std::uint32_t i = 0; resting_[channel] > 0 && i < pending_.luns_per_channel(); ++i) {
    const std::uint32_t lun = channel * pending_.luns_per_channel() + i;
    if (jobs_[lun].phase == Phase::resting) {
      proceed(lun, now);
    }
  }
}

void GarbageCollector::consider(std::uint32_t lun, Tick now) {
  if (jobs_[lun].phase == Phase::yielding && decisions_.overruled(lun)) {
    erase(lun, now);
  } else if (jobs_[lun].phase == Phase::none) {
    if (const auto victim = decisions_.due(lun)) {
      start(lun, *victim, now);
    }
  } else if (jobs_[lun].idle && ftl_.victims().due(lun)) {
    jobs_[lun].idle = false;
    if (jobs_[lun].phase == Phase::resting) {
      proceed(lun, now);
    }
  }
}

void GarbageCollector::on_flash_idle(std::uint32_t lun, Tick now) {
  if (jobs_[lun].phase == Phase::none) {
    if (const auto victim = decisions_.due_when_idle(lun)) {
      start(lun, *victim, now);
    }
  }
  if (ftl_.shape().cache_blocks != 0) {
    fold_when_idle(now);
  }
}

// Folds blocks of the SLC cache on all LUNs while the host wants nothing of the flash.
void GarbageCollector::fold_when_idle(Tick now) {
  for (std::uint32_t lun = 0; lun < jobs_.size() && pending_.all().none(); ++lun) {
    if (jobs_[lun].idle && jobs_[lun].phase == Phase::resting) {
      proceed(lun, now);
    } else if (jobs_[lun].phase == Phase::none && flash_.idle(lun)) {
      if (const auto victim = decisions_.foldable(lun)) {
        start(lun, *victim, now, true);
      }
    }
  }
}

void GarbageCollector::start(std::uint32_t lun, const CollectionJobs::Victim& victim, Tick now,
                             bool idle) {
  Job& job = jobs_[lun];
  const bool locked = job.locked;
  job = Job();
  job.locked = locked;
  job.phase = Phase::working;
  job.block = victim.block;
  job.started = now;
  job.levelling = victim.levelling;
  job.idle = idle;
  report(lun, true, now);
  decisions_.begin(lun, victim.block, !victim.levelling && !folds(lun));
  proceed(lun, now);
}

void GarbageCollector::finish(std::uint32_t lun, bool failed, Tick now) {
  Job& job = jobs_[lun];
  const bool folded = folds(lun);
  if (failed) {
    ftl_.retire(lun, job.block);
  } else {
    ftl_.erase(lun, job.block);
  }
  job.phase = Phase::none;
  decisions_.end();
  report(lun, false, now);
  if (job.levelling) {
    ++statistics_.levelled_blocks;
    unlock(lun, now);
    return;
  }
  statistics_.folds += folded ? 1 : 0;
  if (const auto next =
          folded ? decisions_.next(lun) : decisions_.cleaned(lun, now - job.started)) {
    start(lun, *next, now);
  } else {
    unlock(lun, now);
  }
}

// Skips pages that were overwritten since the collection began.
void GarbageCollector::proceed(std::uint32_t lun, Tick now) {
  Job& job = jobs_[lun];
  const std::uint32_t parts = ftl_.shape().parts();
  if (job.copies.fill_page(ftl_, row_left(lun))) {  // a second stream, or the next row
    program(lun, row_left(lun), true, now);
    return;
  }
  for (; job.next_page < ftl_.shape().pages; job.next_page += parts) {
    const PhysicalPage source = ftl_.shape().page_at(lun, job.block, job.next_page);
    if (GatheredCopies::valid_parts(ftl_, source) == 0) {
      continue;
    }
    if (job.idle ? !pending_.all().none() : !decisions_.may_copy(lun, job.block)) {
      yield_to_waiting(lun, Phase::resting, now);
      return;
    }
    read_row(lun, now);
    return;
  }
  if (job.copies.empty()) {
    proceed_to_erase(lun, now);
  } else {
    program(lun, std::min(row_left(lun), job.copies.flash_pages(ftl_)), true, now);
  }
}

void GarbageCollector::proceed_to_erase(std::uint32_t lun, Tick now) {
  const GcErase decision = jobs_[lun].idle ? GcErase{pending_.all().none(), 0}
                                           : decisions_.may_erase(lun, jobs_[lun].block);
  if (decision.now) {
    erase(lun, now);
  } else if (decision.reads == 0) {
    yield_to_waiting(lun, Phase::resting, now);
  } else {
    yield_to_waiting(lun, Phase::yielding, now);
    jobs_[lun].reads = decision.reads;
  }
}

void GarbageCollector::yield_to_waiting(std::uint32_t lun, Phase phase, Tick now) {
  if (jobs_[lun].phase == Phase::working) {
    ++statistics_.gc_deferred;
    unlock(lun, now);
  }
  enter(lun, phase);
}

void GarbageCollector::enter(std::uint32_t lun, Phase phase) {
  std::uint32_t& resting = resting_[lun / pending_.luns_per_channel()];
  resting -= jobs_[lun].phase == Phase::resting ? 1 : 0;
  resting += phase == Phase::resting ? 1 : 0;
  jobs_[lun].phase = phase;
}

void GarbageCollector::lock(std::uint32_t lun, Tick now) {
  if (!jobs_[lun].locked) {
    jobs_[lun].locked = true;
    flash_.locks().lock(lun, now);
  }
}

void GarbageCollector::unlock(std::uint32_t lun, Tick now) {
  if (jobs_[lun].locked) {
    jobs_[lun].locked = false;
    flash_.locks().unlock(lun, now);
  }
}

// Reads the next flash page and those in its row that hold pages to copy. Holds the channel only if
// a program, which releases it, follows at once.
void GarbageCollector::read_row(std::uint32_t lun, Tick now) {
  Job& job = jobs_[lun];
  const std::uint32_t parts = ftl_.shape().parts();
  const bool copyback = decisions_.scheduler().copyback();
  const std::uint32_t row = parts * planes_;
  const auto submit_row = [&] {
    do {
      const PhysicalPage source = ftl_.shape().page_at(lun, job.block, job.next_page);
      const bool holds = parameters_.hold_channel && job.copies.would_fill(ftl_, source, copyback);
      if (const PartMask found = job.copies.gather(ftl_, source, copyback)) {
        const bool transfer = !copyback || found != first_parts(parts);
        rows_[row_of(lun) + job.under_way].source = source;
        submit(FlashOperation::read, lun, transfer, found, holds, now, job.under_way++);
      }
      job.next_page += parts;
    } while (job.next_page % row != 0 && job.under_way < width_ && job.copies.has_room(ftl_));
  };
  planes_ == 1 ? submit_row() : flash_.together(lun, now, submit_row);
}

// Returns the flash page that the LUN's next copies go to, or kNowhere: they open a block.
PhysicalPage GarbageCollector::next_copy(std::uint32_t lun) const {
  return ftl_.frontiers().next_place(
      lun, jobs_[lun].levelling ? WriteStream::levelling : WriteStream::collection);
}

// Returns the flash pages that are left of the row of planes that the LUN's copies fill.
std::uint32_t GarbageCollector::row_left(std::uint32_t lun) const {
  if (planes_ == 1) {
    return 1;
  }
  const PhysicalPage next = next_copy(lun);
  const std::uint32_t plane =
      next == kNowhere ? 0 : (ftl_.shape().page_of(next) >> ftl_.shape().part_bits) % planes_;
  return std::min(planes_ - plane, width_);
}

void GarbageCollector::program(std::uint32_t lun, std::uint32_t pages, bool transfer, Tick now) {
  jobs_[lun].under_way = pages;
  const auto submit_row = [&] {
    for (std::uint32_t i = 0; i < pages; ++i) {
      CopyBatch& batch = rows_[row_of(lun) + i].batch;
      batch = jobs_[lun].copies.take(ftl_);
      submit(FlashOperation::program, lun, transfer, first_parts(batch.count),
             parameters_.hold_channel, now, i);
    }
  };
  planes_ == 1 ? submit_row() : flash_.together(lun, now, submit_row);
}

void GarbageCollector::erase(std::uint32_t lun, Tick now) {
  submit(FlashOperation::erase, lun, !decisions_.scheduler().copyback(), 0, false, now);
}

void GarbageCollector::submit(FlashOperation operation, std::uint32_t lun, bool transfer,
                              PartMask parts, bool holds, Tick now, std::uint32_t subject) {
  enter(lun, Phase::working);
  lock(lun, now);
  flash_.submit({this, operation, FlashPriority::collection, lun, subject, transfer, parts, holds},
                now);
}

void GarbageCollector::report(std::uint32_t lun, bool begins, Tick now) const {
  if (flash_.observers().any()) {
    const Job& job = jobs_[lun];
    const std::uint64_t superblock = std::uint64_t{lun} * ftl_.shape().blocks + job.block;
    const CollectionRecord record{now, begins, job.levelling, lun, superblock * flash_.planes()};
    flash_.observers().notify(&FlashObserver::on_collection, record);
  }
}

bool GarbageCollector::on_flash_start(const FlashCommand& command, Tick /*now*/) {
  if (command.operation == FlashOperation::program) {
    const bool levelling = jobs_[command.lun].levelling;
    FlashPage& own = rows_[of(command)];
    own.target = own.batch.allocate(ftl_, command.lun, levelling);
  }
  return true;
}

[[gnu::flatten]] void GarbageCollector::on_flash_done(const FlashCommand& command, Tick now) {
  const bool copies = command.operation != FlashOperation::erase;
  ensure(!copies || jobs_[command.lun].under_way > 0, "gc", now, command.lun,
         "command that no job waits for");
  switch (command.operation) {
    case FlashOperation::read:
      on_read(command, now);
      return;
    case FlashOperation::program:
      on_programmed(command, now);
      return;
    case FlashOperation::erase:
      finish(command.lun, command.failed, now);
      return;
  }
}

void GarbageCollector::on_read(const FlashCommand& command, Tick now) {
  const std::uint32_t lun = command.lun;
  Job& job = jobs_[lun];
  serve_waiting(command, rows_[of(command)].source, now);
  if (--job.under_way > 0) {
    return;
  }
  if (job.copies.fill_page(ftl_, row_left(lun))) {
    program(lun, row_left(lun), command.transfer, now);
  } else {
    proceed(lun, now);
  }
}

void GarbageCollector::on_programmed(const FlashCommand& command, Tick now) {
  const std::uint32_t lun = command.lun;
  Job& job = jobs_[lun];
  const FlashPage& done = rows_[of(command)];
  const CopyBatch& batch = done.batch;
  if (command.failed) {
    ftl_.fail(done.target, 0);
    submit(command.operation, lun, command.transfer, command.parts, command.hold_bus, now,
           command.subject);
    return;
  }
  const bool folded = folds(lun);
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    ftl_.count_copy(batch.copies[i].page, folded);
  }
  statistics_.padded_pages += ftl_.shape().parts() - batch.count;
  batch.commit(ftl_, done.target);
  if (--job.under_way == 0) {
    proceed(lun, now);
  }
}

// Serves waiting requests from the pages just read, if these crossed the channel and are still
// current.
void GarbageCollector::serve_waiting(const FlashCommand& command, PhysicalPage source, Tick now) {
  if (!command.transfer || !decisions_.scheduler().caches_copied_pages()) {
    return;
  }
  jobs_[command.lun].copies.each_of(ftl_, source, [&](const PageCopy& copy) {
    if (ftl_.pages().place(copy.page) == copy.source) {
      if (listener_.on_page_copied(copy.page, command.lun, now)) {
        ++statistics_.gc_cached;
        reconsider(command.lun, now);
      }
    }
  });
}

PhysicalPage GarbageCollector::flash_place(const FlashCommand& command) const {
  return command.operation == FlashOperation::read ? rows_[of(command)].source
         : command.operation == FlashOperation::program
             ? rows_[of(command)].target
             : ftl_.shape().page_at(command.lun, jobs_[command.lun].block, 0);
}

PhysicalPage GarbageCollector::next_flash_place(const FlashCommand& command) const {
  if (planes_ == 1 || command.operation == FlashOperation::erase) {
    return kNowhere;
  }
  return command.operation == FlashOperation::read ? rows_[of(command)].source
                                                   : next_copy(command.lun);
}

void GarbageCollector::Job::serialize(Archive& archive, const Ftl& ftl) {
  archive(phase, levelling, locked, idle, block, next_page, reads, under_way, started);
  archive.check_index(block, ftl.shape().blocks, "invalid block under collection");
  archive.check(next_page % ftl.shape().parts() == 0, "flash page collected in part");
  copies.serialize(archive, ftl);
}

void GarbageCollector::FlashPage::serialize(Archive& archive, const Ftl& ftl) {
  archive(source, target);
  ftl.shape().check_flash_page(archive, source);
  ftl.shape().check_flash_page(archive, target);
  batch.serialize(archive, ftl);
}

void GarbageCollector::serialize(Archive& archive) {
  archive.section("gc");
  for (Job& job : jobs_) {
    job.serialize(archive, ftl_);
    archive.check(job.under_way <= (job.phase == Phase::working ? width_ : 0),
                  "too many commands of a copy");
  }
  for (FlashPage& page : rows_) {
    page.serialize(archive, ftl_);
  }
  archive.fixed(resting_);
  archive(decisions_);
}

}  // namespace hmsim
