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
  Job& job = jobs_[lun];
  job = Job();
  job.block = ftl_.take_victim(lun);
  job.started = now;
  statistics_.gc_valid_pages.add(ftl_.valid_pages(lun, job.block));
  flash_.lock(lun, now);
  copy_next(lun, now);
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
    jobs_[command.lun].target = ftl_.allocate(command.lun, Ftl::Stream::collection);
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
      ftl_.erase(lun, job.block);
      ++statistics_.gc_count;
      statistics_.gc_duration.add((now - job.started).value());
      flash_.unlock(lun, now);
      return;
  }
}

void GarbageCollector::serialize(Archive& archive) {
  archive.section("gc");
  archive(jobs_);
}

}  // namespace hmsim
