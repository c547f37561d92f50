// SPDX-License-Identifier: BSD-3-Clause
#include "controller/hbf/hbf_collector.h"

#include "core/errors.h"
#include "nvdimm/hbf/hbf_status.h"

namespace hmsim {

namespace {

std::unique_ptr<GcScheduler> gc_scheduler(const SystemConfig& config) {
  auto policy =
      create_policy(PolicyKind::gc_scheduler, config.nvdimm.gc.scheduler, config.assignments);
  return std::unique_ptr<GcScheduler>(static_cast<GcScheduler*>(policy.release()));
}

// A copy blocks no channel: its transfers are requests among others.
GcTimes times_of(const NvdimmParameters& parameters) {
  const NandParameters& nand = parameters.nand;
  const std::int64_t bytes = kPageBytes.value() + (nand.transfer_spare ? nand.spare : 0);
  const Tick transfer(bytes * kSecond.value() / nand.bus_rate);
  return {nand.read_time, nand.program_time, nand.erase_time,
          transfer,       transfer,          parameters.line_burst};
}

}  // namespace

HbfCollector::HbfCollector(const SystemConfig& config, const HbfAddresses& addresses,
                           HostPath& path, Ftl& ftl, const PendingWork& pending,
                           HbfCollectorHost& host)
    : most_copies_(config.nvdimm.hbf.copies),
      addresses_(addresses),
      path_(path),
      scheduler_(gc_scheduler(config)),
      times_(times_of(config.nvdimm)),
      ftl_(ftl),
      statistics_(ftl.statistics()),
      pending_(pending),
      host_(host),
      jobs_(ftl.shape().luns) {}

GcView HbfCollector::view(std::uint32_t lun) const {
  GcView view;
  view.free_blocks = ftl_.blocks(lun).free();
  view.due_below = ftl_.shape().gc_threshold;
  view.victim_pages =
      jobs_[lun].phase == Phase::none ? 0 : ftl_.blocks(lun)[jobs_[lun].block].valid;
  view.lun = pending_.lun(lun);
  view.channel = pending_.channel(lun);
  view.all = pending_.all();
  view.unplaced = pending_.unplaced();
  view.channels = pending_.channels();
  view.luns = ftl_.shape().luns;
  view.times = &times_;
  return view;
}

bool HbfCollector::overruled(std::uint32_t lun) {
  const bool urgent = ftl_.victims().urgent(lun);
  statistics_.gc_urgent += urgent ? 1 : 0;
  return urgent;
}

void HbfCollector::consider(std::uint32_t lun, Tick now) {
  const Phase phase = jobs_[lun].phase;
  if (phase == Phase::yielding && overruled(lun)) {
    finish(lun, now);
  } else if (phase == Phase::none &&
             ((ftl_.victims().due(lun) && (scheduler_->start(view(lun)) || overruled(lun))) ||
              (pending_.lun(lun).none() && ftl_.victims().collectable(lun) &&
               scheduler_->start_idle(view(lun))))) {
    start(lun, ftl_.victims().take(lun), false, now);
  }
}

void HbfCollector::on_served(std::uint32_t lun, bool read, Tick now) {
  Job& job = jobs_[lun];
  if (job.phase == Phase::draining) {
    proceed_to_end(lun, now);
  } else if (job.phase == Phase::yielding && read) {
    ++statistics_.gc_prefetches;
    if (--job.reads == 0) {
      finish(lun, now);
    }
  } else if (job.phase == Phase::resting) {
    proceed(lun, now);
  }
  consider(lun, now);
}

void HbfCollector::start(std::uint32_t lun, std::uint32_t block, bool levelling, Tick now) {
  Job job;
  job.block = block;
  job.levelling = levelling;
  if (!levelling) {
    statistics_.gc_valid_pages.add(ftl_.blocks(lun)[block].valid);
    statistics_.gc_early += ftl_.victims().due(lun) ? 0 : 1;
  }
  begin(lun, job, now);
}

void HbfCollector::begin(std::uint32_t lun, const Job& job, Tick now) {
  jobs_[lun] = job;
  jobs_[lun].phase = Phase::working;
  jobs_[lun].started = now;
  ++begun_;
  proceed(lun, now);
}

// Leaves a block for the pages of the victim: there must be one beside the collector's open one.
bool HbfCollector::refresh(std::uint32_t lun, std::uint32_t block, Tick now) {
  if (jobs_[lun].phase != Phase::none || ftl_.blocks(lun)[block].state != BlockState::full ||
      ftl_.blocks(lun).free() == 0) {
    return false;
  }
  ftl_.victims().take_block(lun, block);
  Job job;
  job.block = block;
  job.refresh = true;
  begin(lun, job, now);
  return true;
}

// Begins copies, as many as may be under way, of pages that are still valid.
void HbfCollector::proceed(std::uint32_t lun, Tick now) {
  Job& job = jobs_[lun];
  while (job.next_page < ftl_.shape().pages) {
    const PhysicalPage source = ftl_.shape().page_at(lun, job.block, job.next_page);
    const auto page = ftl_.pages().owner(source);
    if (!page) {
      ++job.next_page;
      continue;
    }
    if (job.copies == most_copies_) {
      return;
    }
    if (!scheduler_->copy(view(lun)) && !overruled(lun)) {
      rest(lun, Phase::resting);
      return;
    }
    ++job.next_page;
    job.phase = Phase::working;
    copy(lun, *page, source, now);
  }
  if (job.copies == 0) {
    proceed_to_end(lun, now);
  }
}

// Without valid pages, the block is free as soon as no user reads it: the device would erase it
// under a read that was sent before.
void HbfCollector::proceed_to_end(std::uint32_t lun, Tick now) {
  Job& job = jobs_[lun];
  if (host_.reads_under_way(lun, job.block)) {
    job.phase = Phase::draining;
    return;
  }
  const GcErase decision = scheduler_->erase(view(lun));
  if (decision.now || overruled(lun)) {
    finish(lun, now);
  } else {
    job.reads = decision.reads;
    rest(lun, decision.reads == 0 ? Phase::resting : Phase::yielding);
  }
}

void HbfCollector::rest(std::uint32_t lun, Phase phase) {
  statistics_.gc_deferred += jobs_[lun].phase == Phase::working ? 1 : 0;
  jobs_[lun].phase = phase;
}

void HbfCollector::finish(std::uint32_t lun, Tick now) {
  Job& job = jobs_[lun];
  ftl_.erase(lun, job.block);
  job.phase = Phase::none;
  ++ended_;
  if (job.refresh) {
    ++counts_.refreshed_blocks;
    consider(lun, now);
  } else if (job.levelling) {
    ++statistics_.levelled_blocks;
  } else {
    ++statistics_.gc_count;
    statistics_.gc_duration.add((now - job.started).value());
    if (ftl_.victims().pressing(lun)) {
      start(lun, ftl_.victims().take(lun), false, now);
    } else if (const auto coldest = ftl_.victims().take_coldest(lun)) {
      start(lun, *coldest, true, now);
    }
  }
  host_.on_collected(lun, now);
}

void HbfCollector::copy(std::uint32_t lun, LogicalPage page, PhysicalPage source, Tick now) {
  const std::uint32_t index = copies_.take();
  copies_[index].lun = lun;
  copies_[index].page = page;
  copies_[index].source = source;
  ++jobs_[lun].copies;
  ++counts_.flash_reads;
  send_page(index, source, false, now);
}

void HbfCollector::send_page(std::uint32_t copy, PhysicalPage place, bool write, Tick now) {
  Request request;
  request.memory = MemoryClass::nvdimm;
  request.address = addresses_.flash(place);
  request.lines = kLinesPerPage;
  request.write = write;
  request.tag = copy;
  request.agent = own_;
  request.origin = origin_of(copy);
  path_.originate(request, now);
}

void HbfCollector::move_lines(std::uint32_t copy, bool write, Tick now) {
  copies_[copy].lines = kLinesPerPage;
  for (std::int64_t line = 0; line < kLinesPerPage; ++line) {
    Request request;
    request.address = addresses_.staging_line(copy, line);
    request.write = write;
    request.tag = copy;
    request.agent = own_;
    request.origin = origin_of(copy);
    ++(write ? counts_.line_writes : counts_.line_reads);
    path_.originate(request, now);
  }
}

void HbfCollector::write(std::uint32_t index, Tick now) {
  Copy& own = copies_[index];
  own.target =
      ftl_.allocate(own.lun, copy_stream(ftl_.shape(), own.page, jobs_[own.lun].levelling));
  ++counts_.flash_writes;
  send_page(index, own.target, true, now);
}

void HbfCollector::on_complete(const Request& request, Tick now) {
  Copy& own = copies_.held(request.tag);
  switch (own.step) {
    case Step::read:
      own.step = Step::stage;
      move_lines(request.tag, true, now);
      return;
    case Step::stage:
      if (--own.lines == 0) {
        own.step = Step::fetch;
        move_lines(request.tag, false, now);
      }
      return;
    case Step::fetch:
      if (--own.lines == 0) {
        own.step = Step::write;
        write(request.tag, now);
      }
      return;
    case Step::write:
      ensure(static_cast<HbfStatus>(request.status) == HbfStatus::done, "hbf collector", now,
             static_cast<std::int64_t>(request.id), "copy that was not programmed");
      end_copy(request.tag, now);
      return;
  }
}

void HbfCollector::end_copy(std::uint32_t index, Tick now) {
  const Copy done = copies_[index];
  copies_.give_back(index);
  ++(jobs_[done.lun].refresh ? counts_.refreshed_pages : statistics_.gc_pages);
  const bool current = ftl_.commit_copy(done.page, done.source, done.target);
  host_.on_copied(done.page, done.target, current, now);
  --jobs_[done.lun].copies;
  const Job& job = jobs_[done.lun];
  if (job.phase == Phase::working || (job.phase == Phase::resting && job.copies == 0)) {
    proceed(done.lun, now);
  }
}

void HbfCollector::serialize(Archive& archive) {
  archive.section("hbf collector");
  for (Job& job : jobs_) {
    archive(job);
    archive.check_index(job.block, ftl_.shape().blocks, "invalid block under collection");
  }
  archive(copies_, begun_, ended_, counts_, *scheduler_);
  for (const std::uint32_t index : copies_.taken()) {
    const Copy& own = copies_[index];
    archive.check_index(own.lun, jobs_.size(), "copy of an invalid bank");
    archive.check_index(own.page.value(), ftl_.pages().size(), "copy of an invalid page");
    ftl_.shape().check_place(archive, own.source);
    archive.check(own.target == kNowhere ||
                      static_cast<std::uint64_t>(own.target.value()) < ftl_.shape().places(),
                  "copy to an invalid page");
  }
}

}  // namespace hmsim
