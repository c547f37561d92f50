// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host_ftl/hbf_collector.h"

#include "controller/host_ftl/hbf_ftl.h"

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
                           HostPath& path, Ftl& ftl, const PendingWork& pending, HbfFtl& host)
    : most_copies_(config.nvdimm.hbf.copies),
      ftl_(ftl),
      statistics_(ftl.statistics()),
      pending_(pending),
      decisions_(config.nvdimm.gc.scheduler, config.assignments, times_of(config.nvdimm), ftl,
                 pending),
      host_(host),
      copier_(config.store_data, addresses, path, ftl, *this),
      jobs_(ftl.shape().luns) {}

void HbfCollector::consider(std::uint32_t lun, Tick now) {
  const Phase phase = jobs_[lun].phase;
  if (phase == Phase::yielding && decisions_.overruled(lun)) {
    finish(lun, now);
  } else if (phase == Phase::none) {
    auto victim = decisions_.due(lun);
    if (!victim && pending_.lun(lun).none()) {
      victim = decisions_.due_when_idle(lun);
    }
    if (victim) {
      start(lun, *victim, now);
    }
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

void HbfCollector::start(std::uint32_t lun, const CollectionJobs::Victim& victim, Tick now) {
  Job job;
  job.block = victim.block;
  job.levelling = victim.levelling;
  job.replay = ftl_.blocks(lun)[victim.block].failing;
  begin(lun, job, now);
}

void HbfCollector::begin(std::uint32_t lun, const Job& job, Tick now) {
  jobs_[lun] = job;
  jobs_[lun].phase = Phase::working;
  jobs_[lun].started = now;
  decisions_.begin(lun, job.block, !job.levelling && !job.replay && !job.refresh);
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
    if (!decisions_.may_copy(lun, job.block)) {
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
  const GcErase decision = decisions_.may_erase(lun, job.block);
  if (decision.now) {
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
  decisions_.end();
  if (job.refresh) {
    ++counts_.refreshed_blocks;
    consider(lun, now);
  } else if (job.replay) {
    ++counts_.replayed_blocks;
    consider(lun, now);
  } else if (job.levelling) {
    ++statistics_.levelled_blocks;
  } else if (const auto next = decisions_.cleaned(lun, now - job.started)) {
    start(lun, *next, now);
  }
  if (ftl_.blocks(lun).failing() > 0) {
    consider(lun, now);
  }
  host_.on_collected(lun, now);
}

void HbfCollector::on_copied(const HbfCopy& copy, bool current, Tick now) {
  Job& job = jobs_[copy.lun];
  if (job.refresh || job.replay) {
    ++(job.refresh ? counts_.refreshed_pages : counts_.replayed_pages);
  } else {
    ftl_.count_copy(copy.page);
  }
  host_.on_copied(copy.page, copy.target, current, now);
  --job.copies;
  if (job.phase == Phase::working || (job.phase == Phase::resting && job.copies == 0)) {
    proceed(copy.lun, now);
  }
}

void HbfCollector::on_copy_failed(PhysicalPage target, Tick now) { host_.programmed(target, now); }

void HbfCollector::serialize(Archive& archive) {
  archive.section("hbf collector");
  for (Job& job : jobs_) {
    archive(job);
    archive.check_index(job.block, ftl_.shape().blocks, "invalid block under collection");
  }
  archive(copier_, decisions_, counts_);
}

}  // namespace hmsim
