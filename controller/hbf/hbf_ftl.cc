// SPDX-License-Identifier: BSD-3-Clause
#include "controller/hbf/hbf_ftl.h"

#include "core/errors.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/hbf/hbf_device.h"
#include "nvdimm/hbf/hbf_status.h"
#include "nvdimm/precondition.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kOfNoJob = kNoIndex;  // tag of a map write that nothing waits for

}  // namespace

HbfFtl::HbfFtl(const SystemConfig& config, std::int64_t channel, HostPath& path, std::uint64_t seed)
    : map_in_memory_(config.nvdimm.hbf.map_in == HbfMap::hbm),
      path_(path),
      pending_(config.nvdimm.nand.channels, config.nvdimm.nand.luns()),
      ftl_(ftl_shape(config.nvdimm), victim_selector(config.nvdimm.ftl.victim, config.assignments),
           seed),
      addresses_(config, ftl_.shape(), channel),
      collector_(config, addresses_, path, ftl_, pending_, *this),
      refresher_(config, ftl_, collector_),
      reads_(static_cast<std::size_t>(ftl_.shape().luns) * ftl_.shape().blocks) {
  precondition(ftl_, config.nvdimm.precondition, seed);
}

void HbfFtl::attach(Kernel& kernel, HbfDevice& device) {
  refresher_.attach(kernel);
  for (std::uint32_t lun = 0; lun < ftl_.shape().luns; ++lun) {
    for (std::uint32_t block = 0; block < ftl_.shape().blocks; ++block) {
      if (const std::uint32_t pages = ftl_.frontiers().written_pages(lun, block); pages > 0) {
        device.start_block(lun, block, pages, ftl_.blocks(lun)[block].erases);
        refresher_.on_begun(lun, block, Tick(0));
      }
    }
  }
}

void HbfFtl::set_requesters(const std::vector<Requester*>& requesters, std::size_t own) {
  requesters_ = &requesters;
  own_ = static_cast<std::uint16_t>(own);
  copier().set_agent(static_cast<std::uint16_t>(own + 1));
}

void HbfFtl::send(const Request& request, Tick now) {
  if (request.write && request.lines != kLinesPerPage) {
    throw InputError("hbf.ftl: host takes writes of whole pages of 4096 bytes, got " +
                     std::to_string(request.size().value()) +
                     " bytes; gather pages, or set hbf.ftl: raw");
  }
  if (line_.empty()) {
    take(request, now);
  } else {
    line_.push(request);
  }
}

void HbfFtl::send_flush(const Request& flush, Tick now) {
  line_.push(flush);
  release_line(now);
}

void HbfFtl::release_line(Tick now) {
  while (!line_.empty() && (jobs_.used() == 0 || !line_.front().flush)) {
    Request next = line_.front();
    line_.pop();
    if (next.flush) {
      next.memory = MemoryClass::nvdimm;
      next.address = addresses_.flash(PhysicalPage(0));  // selects the channel
      path_.forward(next, now);
    } else {
      take(next, now);
    }
  }
}

void HbfFtl::take(const Request& request, Tick now) {
  const std::uint32_t index = jobs_.take();
  jobs_[index].request = request;
  jobs_[index].page = addresses_.logical_page(request.address);
  if (request.write) {
    pending_.add_unplaced();
    waiting_.push(index);
    place_waiting(now);
  } else {
    start_read(index, now);
  }
}

bool HbfFtl::trim(std::int64_t page) {
  const bool mapped = ftl_.trim(LogicalPage(page));
  ftl_.statistics().trimmed_pages += mapped ? 1 : 0;
  return mapped;
}

// Writes wait for a bank in order of arrival.
void HbfFtl::place_waiting(Tick now) {
  while (!waiting_.empty()) {
    const std::uint32_t index = waiting_.front();
    if (!place(jobs_[index], now)) {
      return;
    }
    waiting_.pop();
    Job& job = jobs_[index];
    if (latest_.find(job.page.value()) != kNoIndex) {
      latest_.erase(job.page.value());
    }
    latest_.insert(job.page.value(), index);
    pending_.remove_unplaced();
    send_flash(index, now);
  }
}

// Gives a write its bank and page. A bank without a page for it may need a collection to begin.
bool HbfFtl::place(Job& job, Tick now) {
  const auto takes = [this](std::uint32_t lun) { return takes_page(lun); };
  const FtlShape& shape = ftl_.shape();
  std::uint32_t lun = kNoIndex;
  if (shape.dynamic || takes(shape.home(job.page))) {
    lun = ftl_.claims().claim(job.page, takes);
  }
  if (lun == kNoIndex) {
    for (std::uint32_t each = 0; each < shape.luns; ++each) {
      collector_.consider(each, now);
    }
    return false;
  }
  job.place = ftl_.allocate(lun, WriteStream::host);
  return true;
}

// Returns whether the bank has a page for a user and, if that opens a block, keeps one for copies.
bool HbfFtl::takes_page(std::uint32_t lun) const {
  return collector_.takes_pages(lun) &&
         (ftl_.frontiers().next_place(lun, WriteStream::host) != kNowhere ||
          ftl_.blocks(lun).free() > 1);
}

void HbfFtl::start_read(std::uint32_t index, Tick now) {
  if (map_in_memory_) {
    jobs_[index].step = Step::map_read;
    send_map_line(jobs_[index].page, false, index, now);
  } else {
    send_flash(index, now);
  }
}

void HbfFtl::send_map_line(LogicalPage page, bool write, std::uint32_t tag, Tick now) {
  Request request;
  request.address = addresses_.map_line(page);
  request.write = write;
  request.tag = tag;
  request.agent = own_;
  request.origin = RequestOrigin::map;
  ++(write ? map_writes_ : map_reads_);
  path_.originate(request, now);
}

// Sends a request to its place in flash. A read goes to the latest write of its page, if any.
void HbfFtl::send_flash(std::uint32_t index, Tick now) {
  Job& job = jobs_[index];
  job.step = Step::flash;
  if (!job.request.write) {
    const std::uint32_t write = latest_.find(job.page.value());
    job.place = write == kNoIndex ? ftl_.pages().read_place(job.page) : jobs_[write].place;
    ++reads_[block_of(job.place)];
  }
  pending_.add(ftl_.shape().lun_of(job.place), work_of(job));
  Request request = job.request;
  request.address = addresses_.flash(job.place, job.request.address.value() % kPageBytes.value());
  request.tag = index;
  request.agent = own_;
  path_.forward(request, now);
}

void HbfFtl::on_admit(const Request& request, Tick now) {
  if (request.memory == MemoryClass::nvdimm) {
    Job& job = jobs_.held(request.tag);
    job.admitted = true;
    const Request original = job.request;
    (*requesters_)[original.agent]->on_admit(original, now);
  }
}

void HbfFtl::on_complete(const Request& request, Tick now) {
  if (request.memory == MemoryClass::nvdimm) {
    end_flash(request.tag, request, now);
  } else if (request.tag != kOfNoJob) {
    if (jobs_.held(request.tag).step == Step::map_read) {
      send_flash(request.tag, now);
    } else {
      finish(request.tag, now);
    }
  }
}

void HbfFtl::end_flash(std::uint32_t index, const Request& request, Tick now) {
  Job& job = jobs_.held(index);
  job.request.status = request.status;
  const std::uint32_t lun = ftl_.shape().lun_of(job.place);
  const bool write = job.request.write;
  pending_.remove(lun, work_of(job));
  if (write) {
    ensure(static_cast<HbfStatus>(request.status) == HbfStatus::done, "hbf ftl", now,
           static_cast<std::int64_t>(request.id), "write that was not programmed");
    commit(index, now);
  } else {
    --reads_[block_of(job.place)];
    if (static_cast<HbfStatus>(request.status) == HbfStatus::refresh_due) {
      collector_.refresh(lun, ftl_.shape().block_of(job.place), now);
    }
  }
  if (write && map_in_memory_) {
    job.step = Step::map_write;
    send_map_line(job.page, true, index, now);
  } else {
    finish(index, now);
  }
  collector_.on_served(lun, !write, now);
  place_waiting(now);
}

// Maps a page that was programmed, unless a later write of it has a place.
void HbfFtl::commit(std::uint32_t index, Tick now) {
  const Job& job = jobs_[index];
  ++ftl_.statistics().host_pages;
  if (latest_.find(job.page.value()) == index) {
    latest_.erase(job.page.value());
    ftl_.commit(job.page, job.place);
  } else {
    ftl_.commit_discarded(job.page, job.place);
  }
  programmed(job.place, now);
}

// Tells the refresher of a block that begins, and of one that may now be full.
void HbfFtl::programmed(PhysicalPage place, Tick now) {
  const std::uint32_t lun = ftl_.shape().lun_of(place);
  if (ftl_.shape().page_of(place) == 0) {
    refresher_.on_begun(lun, ftl_.shape().block_of(place), now);
  }
  refresher_.reconsider(lun, now);
}

void HbfFtl::finish(std::uint32_t index, Tick now) {
  const Request original = jobs_[index].request;
  jobs_.give_back(index);
  (*requesters_)[original.agent]->on_complete(original, now);
  if (!line_.empty()) {
    release_line(now);
  }
}

void HbfFtl::on_copied(LogicalPage page, PhysicalPage target, bool current, Tick now) {
  programmed(target, now);
  if (current && map_in_memory_) {
    send_map_line(page, true, kOfNoJob, now);
  }
}

void HbfFtl::on_collected(std::uint32_t lun, Tick now) {
  refresher_.on_freed();
  refresher_.reconsider(lun, now);
  place_waiting(now);
}

void HbfFtl::list_outstanding(std::vector<Outstanding>& requests) const {
  for (const std::uint32_t index : jobs_.taken()) {
    requests.push_back({jobs_[index].request, jobs_[index].admitted});
  }
  line_.each([&](const Request& each) {
    if (!each.flush) {  // of a flush, its sender's one is listed
      requests.push_back({each, false});
    }
  });
}

void HbfFtl::reset_statistics() {
  ftl_.statistics() = FtlStatistics();
  collector_.counts() = HbfCollector::Counts();
  copier().counts() = HbfCopier::Counts();
  map_reads_ = 0;
  map_writes_ = 0;
}

void HbfFtl::serialize(Archive& archive) {
  archive.section("hbf ftl");
  archive(ftl_, ftl_.statistics(), pending_, jobs_, line_, waiting_, map_reads_, map_writes_);
  archive.fixed(reads_);
  std::vector<std::uint32_t> latest;
  for (const std::uint32_t index : jobs_.taken()) {
    if (!archive.loading() && latest_.find(jobs_[index].page.value()) == index) {
      latest.push_back(index);
    }
  }
  archive(latest);
  if (archive.loading()) {
    latest_.clear();
    for (const std::uint32_t index : jobs_.taken()) {
      const Job& job = jobs_[index];
      archive.check_index(job.page.value(), ftl_.shape().logical_pages, "invalid page");
      archive.check_index(job.request.agent, requesters_->size(), "request without a requester");
      archive.check(job.place == kNowhere ||
                        static_cast<std::uint64_t>(job.place.value()) < ftl_.shape().places(),
                    "request for an invalid page");
    }
    for (const std::uint32_t index : latest) {
      archive.check(jobs_.holds(index) && latest_.find(jobs_[index].page.value()) == kNoIndex,
                    "page that is written twice");
      latest_.insert(jobs_[index].page.value(), index);
    }
    waiting_.each(
        [&](std::uint32_t index) { archive.check(jobs_.holds(index), "write without a request"); });
  }
  archive(collector_, refresher_);
}

}  // namespace hmsim
