// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/garbage_collector.h"

namespace hmsim {

GarbageCollector::GarbageCollector(const GcParameters& parameters, Ftl& ftl, FlashArray& flash,
                                   NvdimmStatistics& statistics)
    : parameters_(parameters),
      ftl_(ftl),
      flash_(flash),
      statistics_(statistics),
      jobs_(ftl.shape().luns) {}

void GarbageCollector::consider(std::uint32_t lun, Tick now) {
  if (!ftl_.collection_due(lun)) {
    return;
  }
  flash_.lock(lun, now);
  start(lun, ftl_.take_victim(lun), false, now);
}

void GarbageCollector::start(std::uint32_t lun, std::uint32_t block, bool levelling, Tick now) {
  Job& job = jobs_[lun];
  job = Job();
  job.block = block;
  job.started = now;
  job.levelling = levelling;
  if (!levelling) {
    statistics_.gc_valid_pages.add(ftl_.valid_pages(lun, block));
  }
  copy_next(lun, now);
}

void GarbageCollector::finish(std::uint32_t lun, Tick now) {
  const Job& job = jobs_[lun];
  ftl_.erase(lun, job.block);
  if (job.levelling) {
    ++statistics_.levelled_blocks;
    flash_.unlock(lun, now);
    return;
  }
  ++statistics_.gc_count;
  statistics_.gc_duration.add((now - job.started).value());
  if (ftl_.collection_pressing(lun)) {
    start(lun, ftl_.take_victim(lun), false, now);
  } else if (const auto coldest = ftl_.take_coldest(lun)) {
    start(lun, *coldest, true, now);
  } else {
    flash_.unlock(lun, now);
  }
}

// A page that was overwritten since the collection began is skipped.
void GarbageCollector::copy_next(std::uint32_t lun, Tick now) {
  Job& job = jobs_[lun];
  while (job.next_page < ftl_.shape().pages) {
    job.source = ftl_.page_at(lun, job.block, job.next_page++);
    if (const auto owner = ftl_.owner(job.source)) {
      job.page = *owner;
      submit(FlashOperation::read, lun, now);
      return;
    }
  }
  submit(FlashOperation::erase, lun, now);
}

void GarbageCollector::submit(FlashOperation operation, std::uint32_t lun, Tick now) {
  FlashCommand command;
  command.operation = operation;
  command.priority = FlashPriority::collection;
  command.transfer = !parameters_.copyback;
  command.hold_bus = parameters_.hold_channel && operation != FlashOperation::erase;
  command.lun = lun;
  flash_.submit(command, now);
}

void GarbageCollector::on_flash_start(const FlashCommand& command) {
  if (command.operation == FlashOperation::program) {
    Job& job = jobs_[command.lun];
    job.target = ftl_.allocate(command.lun,
                               job.levelling ? Ftl::Stream::levelling : Ftl::Stream::collection);
  }
}

void GarbageCollector::on_flash_done(const FlashCommand& command, Tick now) {
  const std::uint32_t lun = command.lun;
  Job& job = jobs_[lun];
  switch (command.operation) {
    case FlashOperation::read:
      submit(FlashOperation::program, lun, now);
      return;
    case FlashOperation::program:
      ++statistics_.gc_pages;
      ftl_.commit_copy(job.page, job.source, job.target);
      copy_next(lun, now);
      return;
    case FlashOperation::erase:
      finish(lun, now);
      return;
  }
}

void GarbageCollector::tear(const FlashCommand& command, FlashMedia& media) const {
  const Job& job = jobs_[command.lun];
  if (command.operation == FlashOperation::program) {
    media.tear(job.target);
  } else {
    media.tear_block(std::uint64_t{command.lun} * ftl_.shape().blocks + job.block);
  }
}

void GarbageCollector::serialize(Archive& archive) {
  archive.section("gc");
  archive(jobs_);
}

}  // namespace hmsim
