// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host_ftl/hbf_collector.h"

#include "nvdimm/ftl/gc_view.h"

namespace hmsim {

namespace {

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
      scheduler_(gc_scheduler(config.nvdimm.gc.scheduler, config.assignments)),
      times_(times_of(config.nvdimm)),
      ftl_(ftl),
      statistics_(ftl.statistics()),
      pending_(pending),
      host_(host),
      copier_(config.store_data, addresses, path, ftl, *this),
      jobs_(ftl.shape().luns) {}

GcView HbfCollector::view(std::uint32_t lun) const {
  const Job& job = jobs_[lun];
  const std::uint32_t victim_pages =
      job.phase == Phase::none ? 0 : ftl_.blocks(lun)[job.block].valid;
  return gc_view(ftl_, pending_, lun, victim_pages, times_);
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
  job.replay = ftl_.blocks(lun)[block].failing;
  if (!levelling && !job.replay) {
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
    ++job.copies;
    job.phase = Phase::working;
    const RequestOrigin origin = job.refresh ? RequestOrigin::refresh : RequestOrigin::collection;
    copier_.begin({origin, job.levelling, lun, *page, source, kNowhere}, now);
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
  } else if (job.replay) {
    ++counts_.replayed_blocks;
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
  if (ftl_.blocks(lun).failing() > 0) {
    consider(lun, now);
  }
  host_.on_collected(lun, now);
}

void HbfCollector::on_copied(const HbfCopy& copy, bool current, Tick now) {
  Job& job = jobs_[copy.lun];
  ++(job.refresh  ? counts_.refreshed_pages
     : job.replay ? counts_.replayed_pages
                  : statistics_.gc_pages);
  host_.on_copied(copy.page, copy.target, current, now);
  --job.copies;
  if (job.phase == Phase::working || (job.phase == Phase::resting && job.copies == 0)) {
    proceed(copy.lun, now);
  }
}

void HbfCollector::serialize(Archive& archive) {
  archive.section("hbf collector");
  for (Job& job : jobs_) {
    archive(job);
    archive.check_index(job.block, ftl_.shape().blocks, "invalid block under collection");
  }
  archive(copier_, begun_, ended_, counts_, *scheduler_);
}

}  // namespace hmsim
