// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/garbage_collector.h"

namespace hmsim {

namespace {

// Returns how long the copy of a page blocks its channel.
Tick blocked_by_copy(bool hold_channel, const NandParameters& nand, const NandTiming& timing) {
  const Tick on_bus = 2 * (timing.data_out() + timing.read_command());
  return hold_channel ? on_bus + nand.read_time + nand.program_time : on_bus;
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
      jobs_(ftl.shape().luns),
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
  if (job.copies.fill_page(ftl_)) {  // a second stream
    program(lun, true, now);
    return;
  }
  for (; job.next_page < ftl_.shape().pages; job.next_page += parts) {
    const PhysicalPage source = ftl_.shape().page_at(lun, job.block, job.next_page);
    const PartMask valid = GatheredCopies::valid_parts(ftl_, source);
    if (valid == 0) {
      continue;
    }
    if (job.idle ? !pending_.all().none() : !decisions_.may_copy(lun, job.block)) {
      yield_to_waiting(lun, Phase::resting, now);
      return;
    }
    job.source = source;
    job.next_page += parts;
    read(lun, valid, now);
    return;
  }
  if (job.copies.empty()) {
    proceed_to_erase(lun, now);
  } else {
    program(lun, true, now);
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

// Holds the channel only if a program, which releases it, follows at once.
void GarbageCollector::read(std::uint32_t lun, PartMask parts, Tick now) {
  Job& job = jobs_[lun];
  const bool whole = parts == first_parts(ftl_.shape().parts());
  const bool copyback = decisions_.scheduler().copyback();
  const bool transfer = !(whole && copyback);
  const bool holds = parameters_.hold_channel && job.copies.would_fill(ftl_, job.source, copyback);
  job.copies.gather(ftl_, job.source, copyback);
  submit(FlashOperation::read, lun, transfer, parts, holds, now);
}

void GarbageCollector::program(std::uint32_t lun, bool transfer, Tick now) {
  Job& job = jobs_[lun];
  job.batch = job.copies.take(ftl_);
  submit(FlashOperation::program, lun, transfer, first_parts(job.batch.count),
         parameters_.hold_channel, now);
}

void GarbageCollector::erase(std::uint32_t lun, Tick now) {
  submit(FlashOperation::erase, lun, !decisions_.scheduler().copyback(), 0, false, now);
}

void GarbageCollector::submit(FlashOperation operation, std::uint32_t lun, bool transfer,
                              PartMask parts, bool holds, Tick now) {
  enter(lun, Phase::working);
  lock(lun, now);
  flash_.submit({this, operation, FlashPriority::collection, lun, 0, transfer, parts, holds}, now);
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
    Job& job = jobs_[command.lun];
    job.target = job.batch.allocate(ftl_, command.lun, job.levelling);
  }
  return true;
}

void GarbageCollector::on_flash_done(const FlashCommand& command, Tick now) {
  const std::uint32_t lun = command.lun;
  const bool folded = folds(lun);
  Job& job = jobs_[lun];
  switch (command.operation) {
    case FlashOperation::read:
      serve_waiting(command, now);
      if (job.copies.fill_page(ftl_)) {
        program(lun, command.transfer, now);
      } else {
        proceed(lun, now);
      }
      return;
    case FlashOperation::program:
      if (command.failed) {
        ftl_.fail(job.target, 0);
        submit(command.operation, lun, command.transfer, command.parts, command.hold_bus, now);
        return;
      }
      for (std::uint32_t i = 0; i < job.batch.count; ++i) {
        ftl_.count_copy(job.batch.copies[i].page, folded);
      }
      statistics_.padded_pages += ftl_.shape().parts() - job.batch.count;
      job.batch.commit(ftl_, job.target);
      proceed(lun, now);
      return;
    case FlashOperation::erase:
      finish(lun, command.failed, now);
      return;
  }
}

// Serves waiting requests from the pages just read, if these crossed the channel and are still
// current.
void GarbageCollector::serve_waiting(const FlashCommand& command, Tick now) {
  if (!command.transfer || !decisions_.scheduler().caches_copied_pages()) {
    return;
  }
  jobs_[command.lun].copies.each_new([&](const PageCopy& copy) {
    if (ftl_.pages().place(copy.page) == copy.source) {
      if (listener_.on_page_copied(copy.page, command.lun, now)) {
        ++statistics_.gc_cached;
        reconsider(command.lun, now);
      }
    }
  });
}

PhysicalPage GarbageCollector::flash_place(const FlashCommand& command) const {
  const Job& job = jobs_[command.lun];
  return command.operation == FlashOperation::read ? job.source
         : command.operation == FlashOperation::program
             ? job.target
             : ftl_.shape().page_at(command.lun, job.block, 0);
}

void GarbageCollector::Job::serialize(Archive& archive, const Ftl& ftl) {
  archive(phase, levelling, locked, idle, block, next_page, reads, source, target, started);
  archive.check_index(block, ftl.shape().blocks, "invalid block under collection");
  archive.check(next_page % ftl.shape().parts() == 0, "flash page collected in part");
  ftl.shape().check_flash_page(archive, source);
  ftl.shape().check_flash_page(archive, target);
  copies.serialize(archive, ftl);
  batch.serialize(archive, ftl);
}

void GarbageCollector::serialize(Archive& archive) {
  archive.section("gc");
  for (Job& job : jobs_) {
    job.serialize(archive, ftl_);
  }
  archive.fixed(resting_);
  archive(decisions_);
}

}  // namespace hmsim
