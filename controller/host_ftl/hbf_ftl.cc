// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host_ftl/hbf_ftl.h"

#include <array>
#include <utility>

#include "controller/hbf/hbf_channel.h"
#include "controller/hbf/page_lines.h"
#include "core/errors.h"
#include "core/statistic_sums.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/hbf/hbf_device.h"
#include "nvdimm/precondition.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kOfNoJob = kNoIndex;  // tag of a map write that nothing waits for

// Returns the free blocks of a bank that are kept for copies: one more if programs fail.
std::uint32_t reserve(const SystemConfig& config) {
  return config.nvdimm.nand.program_failure == 0 ? 1 : 2;
}

}  // namespace

HbfFtl::HbfFtl(const SystemConfig& config, std::int64_t channel, std::unique_ptr<HbfChannel> device,
               HostPath& path, std::uint64_t seed)
    : ChannelFront(std::move(device)),
      map_in_memory_(config.nvdimm.hbf.map_in == HbfMap::hbm),
      flash_(static_cast<HbfChannel&>(*device_).device()),
      path_(path),
      pending_(config.nvdimm.nand.channels, config.nvdimm.nand.luns()),
      ftl_(ftl_shape(config.nvdimm), ftl_policies(config.nvdimm, config.assignments), seed),
      addresses_(config, ftl_.shape(), channel),
      collector_(config, addresses_, path, ftl_, pending_, *this),
      refresher_(config, ftl_, collector_),
      placer_(ftl_, collector_, pending_, reserve(config)),
      gatherer_(config, ftl_.pages().size(), *this),
      latency_(statistics().nvdimm_line_latency.histogram()),
      reads_(static_cast<std::size_t>(ftl_.shape().luns) * ftl_.shape().blocks) {
  statistics().device.front = Front::link;
  if (config.nvdimm.precondition.load.empty()) {
    precondition(ftl_, config.nvdimm.precondition, seed);
  }
}

void HbfFtl::attach(Kernel& kernel, const std::vector<Requester*>& requesters,
                    const SourceProgress& progress) {
  refresher_.attach(kernel);
  gatherer_.attach(kernel);
  start_from_ftl();
  ChannelFront::attach(kernel, requesters, progress);
}

void HbfFtl::start_from_ftl() {
  for (std::uint32_t lun = 0; lun < ftl_.shape().luns; ++lun) {
    for (std::uint32_t block = 0; block < ftl_.shape().blocks; ++block) {
      if (const std::uint32_t pages = ftl_.frontiers().written_pages(lun, block); pages > 0) {
        flash_.start_block(lun, block, pages, ftl_.blocks(lun)[block].erases);
        refresher_.on_begun(lun, block, Tick(0));
      }
    }
  }
}

void HbfFtl::add_requesters(std::vector<Requester*>& requesters) {
  requesters_ = &requesters;
  own_ = static_cast<std::uint16_t>(requesters.size());
  requesters.push_back(this);
  collector_.copier().set_agent(own_);
  gatherer_.set_requesters(requesters, own_);
}

void HbfFtl::send(const Request& request, Tick now) {
  if (request.agent == own_) {
    device_->send(request, now);
  } else if (request.flush) {
    line_.push({request, LogicalPage(0), false});  // the page of a flush has no meaning
    gatherer_.drain(now);
  } else if (!line_.empty()) {
    line_.push(entry_of(request));
  } else if (gatherer_.may_take(request)) {
    enter(entry_of(request), now);
  } else {
    take(request, now);
  }
}

void HbfFtl::enter(const RequestLine::Entry& entry, Tick now) {
  if (entry.discarded || gatherer_.takes(entry)) {
    gatherer_.send(entry, now);
  } else {
    take(entry.request, now);
  }
}

void HbfFtl::on_gathered(Tick now) {
  if (!line_.empty()) {
    release_line(now);
  }
}

// The requests after the flush are released from the kernel, after the flush was answered to its
// sender. Otherwise a second flush could end before it.
void HbfFtl::pass_flush(Tick now) {
  ensure(flush_answered_, "hbf ftl", now, -1, "end of a flush that was not answered");
  flush_answered_ = false;
  line_.pop();
  gatherer_.drain(now);
}

// Parts of pages that stand before a further flush must not wait for others.
void HbfFtl::release_line(Tick now) {
  bool entered = false;
  while (!line_.empty() && !flush_answered_ && (is_done() || !line_.front().request.flush)) {
    if (line_.front().request.flush) {
      flush_answered_ = true;
      const Request flush = line_.front().request;
      sender_of(flush).on_complete(flush, now);  // may pass the flush
    } else {
      enter(line_.pop(), now);
      entered = true;
    }
  }
  if (entered && !line_.empty()) {
    gatherer_.drain(now);
  }
}

void HbfFtl::take(const Request& request, Tick now) {
  const std::uint32_t index = jobs_.take();
  const LogicalPage page = addresses_.logical_page(request.address);
  jobs_[index].request = request;
  jobs_[index].page = page;
  if (!request.write) {
    start_read(index, now);
    return;
  }
  if (latest_.find(page.value()) != kNoIndex) {
    latest_.erase(page.value());
  }
  latest_.insert(page.value(), index);
  placer_.add(index, page, request.stream, false);
  place_waiting(now);
}

std::int64_t HbfFtl::trim(LogicalPage page, Tick now) {
  const bool waiting = line_.discard(page);
  const bool gathered = gatherer_.trim(page, now) || waiting;
  const bool pending = latest_.find(page.value()) != kNoIndex;
  if (pending) {
    latest_.erase(page.value());
  }
  const bool mapped = ftl_.trim(page);
  ftl_.statistics().trimmed_pages += mapped ? 1 : 0;
  return mapped || pending || gathered ? 1 : 0;
}

void HbfFtl::place_waiting(Tick now) {
  while (const auto placed = placer_.place_next(now)) {
    jobs_[placed->write].place = placed->place;
    send_flash(placed->write, now);
    for (SlotChain& readers = jobs_[placed->write].readers; !readers.empty();) {
      send_read(readers.pop_front(links_of(jobs_.data(), &Job::next_reader)), now);
    }
  }
}

void HbfFtl::start_read(std::uint32_t index, Tick now) {
  if (map_in_memory_) {
    jobs_[index].step = Step::map_read;
    send_map_line(jobs_[index].page, false, index, now);
  } else {
    send_read(index, now);
  }
}

// Sends a read to the latest write of its page, or to the page that is mapped. It waits for a write
// that has no place.
void HbfFtl::send_read(std::uint32_t index, Tick now) {
  Job& job = jobs_[index];
  const std::uint32_t write = latest_.find(job.page.value());
  if (write != kNoIndex && jobs_[write].place == kNowhere) {
    job.step = Step::waits;
    jobs_[write].readers.push_back(links_of(jobs_.data(), &Job::next_reader), index);
    return;
  }
  job.mapped = write != kNoIndex || ftl_.pages().place(job.page) != kNowhere;
  job.place = write != kNoIndex ? jobs_[write].place : ftl_.pages().read_place(job.page);
  ++reads_[block_of(job.place)];
  send_flash(index, now);
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

// Sends a request to its place in flash.
void HbfFtl::send_flash(std::uint32_t index, Tick now) {
  Job& job = jobs_[index];
  job.step = Step::flash;
  pending_.add(ftl_.shape().lun_of(job.place), job.work());
  Request request = job.request;
  request.address = addresses_.flash(job.place, offset_of(job.request.address));
  request.tag = index;
  request.agent = own_;
  path_.forward(request, now);
}

void HbfFtl::on_admit(const Request& request, Tick now) {
  if (request.memory == MemoryClass::nvdimm && !is_of_copier(request) &&
      !jobs_.held(request.tag).admitted) {
    Job& job = jobs_[request.tag];
    job.admitted = true;
    const Request original = job.request;
    sender_of(original).on_admit(original, now);
  }
}

void HbfFtl::on_complete(const Request& request, Tick now) {
  if (is_of_copier(request)) {
    collector_.copier().on_complete(request, now);
  } else if (request.memory == MemoryClass::nvdimm) {
    end_flash(request.tag, request, now);
  } else if (request.tag != kOfNoJob) {
    if (jobs_.held(request.tag).step == Step::map_read) {
      send_read(request.tag, now);
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
  pending_.remove(lun, job.work());
  if (write) {
    end_write(index, now);
  } else {
    end_read(index, now);
  }
  collector_.on_served(lun, !write, now);
  place_waiting(now);
}

// A read of a write whose program failed begins again.
void HbfFtl::end_read(std::uint32_t index, Tick now) {
  Job& job = jobs_[index];
  const auto status = static_cast<HbfStatus>(job.request.status);
  --reads_[block_of(job.place)];
  if (failed(job, status)) {
    start_read(index, now);
    return;
  }
  if (!job.mapped) {
    job.request.status = static_cast<std::uint8_t>(HbfStatus::erased_page);
  } else if (status == HbfStatus::refresh_due) {
    collector_.refresh(ftl_.shape().lun_of(job.place), ftl_.shape().block_of(job.place), now);
  }
  finish(index, now);
}

// A page that was not programmed is written elsewhere. Its block takes no more pages.
void HbfFtl::end_write(std::uint32_t index, Tick now) {
  Job& job = jobs_[index];
  if (static_cast<HbfStatus>(job.request.status) != HbfStatus::done) {
    ftl_.fail(job.place, 1);
    programmed(job.place, now);
    ++rewrites_;
    job.place = kNowhere;
    job.step = Step::waits;
    placer_.add(index, job.page, job.request.stream, true);
    return;
  }
  commit(index, now);
  if (map_in_memory_) {
    job.step = Step::map_write;
    send_map_line(job.page, true, index, now);
  } else {
    finish(index, now);
  }
}

// Maps a page that was programmed, unless a later write of it or a trim was sent.
void HbfFtl::commit(std::uint32_t index, Tick now) {
  const Job& job = jobs_[index];
  ++ftl_.statistics().host_pages;
  ftl_.count_program(job.place, 1, 0);
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
  if (!is_of_gatherer(original)) {
    records_.ended(original, index, now);
  }
  answer(original, now);
  if (!line_.empty()) {
    release_line(now);
  }
}

void HbfFtl::answer(Request request, Tick now) {
  if (!is_of_gatherer(request)) {
    latency_.add((now - request.arrival).value());
  }
  sender_of(request).on_complete(request, now);
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
    if (!is_of_gatherer(jobs_[index].request)) {
      requests.push_back({jobs_[index].request, jobs_[index].admitted});
    }
  }
  gatherer_.list_outstanding(requests);
  line_.each([&](const RequestLine::Entry& each) {
    if (!each.request.flush) {  // of a flush, its sender's one is listed
      requests.push_back({each.request, false});
    }
  });
}

void HbfFtl::reset_statistics(Tick now) {
  device_->reset_statistics(now);
  ftl_.reset_statistics();
  collector_.counts() = HbfCollector::Counts();
  collector_.copier().counts() = HbfCopier::Counts();
  gatherer_.counts() = HbfGatherer::Counts();
  refresher_.late() = 0;
  map_reads_ = 0;
  map_writes_ = 0;
  rewrites_ = 0;
}

// The FTL that a state is loaded into is empty, so that no block was started before.
void HbfFtl::serialize_start(Archive& archive) {
  archive(ftl_);
  if (archive.loading()) {
    start_from_ftl();
  }
}

void HbfFtl::serialize(Archive& archive) {
  device_->serialize(archive);
  archive.section("hbf ftl");
  archive(ftl_);
  ftl_.serialize_statistics(archive);
  archive(pending_, jobs_, placer_, map_reads_, map_writes_, rewrites_, records_);
  line_.serialize(archive, ftl_.pages().size());
  archive(flush_answered_);
  archive.check(!flush_answered_ || (!line_.empty() && line_.front().request.flush),
                "end of a flush that does not wait");
  archive.fixed(reads_);
  for (const std::uint32_t index : jobs_.taken()) {
    serialize_slots(archive, jobs_[index].readers, links_of(jobs_.data(), &Job::next_reader),
                    jobs_.size(), [](std::uint32_t) {});
  }
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
      archive.check(job.step != Step::flash || job.place != kNowhere,
                    "request to flash without a page");
    }
    for (const std::uint32_t index : latest) {
      archive.check(jobs_.holds(index) && latest_.find(jobs_[index].page.value()) == kNoIndex,
                    "page that is written twice");
      latest_.insert(jobs_[index].page.value(), index);
    }
    placer_.each(
        [&](std::uint32_t index) { archive.check(jobs_.holds(index), "write without a request"); });
  }
  archive(collector_, refresher_, gatherer_);
}

namespace {

// Returns the user's request for the line that a line of flash holds.
Request line_of(const Request& original, Address flash) {
  Request line = original;
  line.address += Address(offset_of(flash) - offset_of(original.address));
  return line;
}

}  // namespace

LineData HbfFtl::write_data(const Request& request) const {
  if (is_of_copier(request)) {
    return collector_.copier().write_data(request);
  }
  if (request.memory == MemoryClass::dram) {
    return no_data();
  }
  const Request& original = jobs_.held(request.tag).request;
  return sender_of(original).write_data(line_of(original, request.address));
}

// A page that is not mapped reads as zeros. A read that failed begins again.
void HbfFtl::on_read_data(const Request& request, const LineBytes& bytes) {
  if (is_of_copier(request)) {
    collector_.copier().on_read_data(request, bytes);
    return;
  }
  if (request.memory == MemoryClass::dram) {
    return;
  }
  const Job& job = jobs_.held(request.tag);
  if (!failed(job, static_cast<HbfStatus>(request.status))) {
    sender_of(job.request)
        .on_read_data(line_of(job.request, request.address), job.mapped ? bytes : LineBytes{});
  }
}

LineBytes HbfFtl::peek(Address line) const {
  LineBytes bytes = page_bytes(line);
  gatherer_.overlay(line, bytes);
  gatherer_.overlay(line_, line, bytes);
  return bytes;
}

LineBytes HbfFtl::page_bytes(Address line) const {
  const LogicalPage page(line.value() / kPageBytes.value());
  const std::uint32_t write = latest_.find(page.value());
  if (write != kNoIndex) {
    const Request& original = jobs_[write].request;
    return sender_of(original).write_data(line_of(original, line)).bytes;
  }
  const PhysicalPage place = ftl_.pages().place(page);
  return place == kNowhere ? LineBytes{}
                           : flash_.peek(addresses_.in_channel(place, offset_of(line)));
}

void HbfFtl::power_fail(const PowerFailure& failure, std::size_t first) {
  lose_map();
  device_->slow_memory()->power_fail(failure, first);
}

// The map of preconditioned pages is lost, too.
bool HbfFtl::restore(SlowMemory& before, Tick now, Tick recover_for) {
  lose_map();
  return device_->slow_memory()->restore(*static_cast<HbfFtl&>(before).device_->slow_memory(), now,
                                         recover_for);
}

void HbfFtl::lose_map() {
  gatherer_.lose_power();
  line_.clear();
  flush_answered_ = false;
  latest_.clear();
  for (std::size_t page = 0; page < ftl_.pages().size(); ++page) {
    ftl_.trim(LogicalPage(static_cast<std::int64_t>(page)));
  }
}

void HbfFtl::register_statistics(StatisticRegistry& registry, const std::vector<SlowMemory*>& all) {
  std::vector<HbfFtl*> ftls;
  std::vector<SlowMemory*> devices;
  for (SlowMemory* const memory : all) {
    ftls.push_back(static_cast<HbfFtl*>(memory));
    devices.push_back(ftls.back()->device_->slow_memory());
  }
  devices.front()->register_statistics(registry, devices);
  struct Row {
    const char* name;
    const char* unit;
    const char* description;
    Counter& (*count)(HbfFtl& ftl);
  };
  using F = HbfFtl;
  const auto counters = [&](const auto& rows) {
    for (const Row& row : rows) {
      registry.counter(row.name, row.unit, row.description, members_of(ftls, row.count));
    }
  };
  counters(std::array<Row, 12>{{
      {"hbf.gc.flash_reads", "requests", "page reads of the collector",
       [](F& f) -> Counter& { return f.collector_.copier().counts().flash_reads; }},
      {"hbf.gc.flash_writes", "requests", "page writes of the collector",
       [](F& f) -> Counter& { return f.collector_.copier().counts().flash_writes; }},
      {"hbf.gc.hbm_reads", "requests", "HBM lines that the collector reads",
       [](F& f) -> Counter& { return f.collector_.copier().counts().line_reads; }},
      {"hbf.gc.hbm_writes", "requests", "HBM lines that the collector writes",
       [](F& f) -> Counter& { return f.collector_.copier().counts().line_writes; }},
      {"hbf.map.hbm_reads", "requests", "HBM lines of the map that are read",
       [](F& f) -> Counter& { return f.map_reads_; }},
      {"hbf.map.hbm_writes", "requests", "HBM lines of the map that are written",
       [](F& f) -> Counter& { return f.map_writes_; }},
      {"hbf.parts.writes", "requests",
       "writes taken by the host's page buffers: below 4 KiB, or of a page that gathers",
       [](F& f) -> Counter& { return f.gatherer_.counts().writes; }},
      {"hbf.parts.written", "requests", "of hbf.parts.writes, answered by the write of their page",
       [](F& f) -> Counter& { return f.gatherer_.counts().written; }},
      {"hbf.parts.discarded", "requests",
       "of hbf.parts.writes, answered because their page was trimmed",
       [](F& f) -> Counter& { return f.gatherer_.counts().discarded; }},
      {"hbf.parts.pages", "pages", "pages written from the host's page buffers",
       [](F& f) -> Counter& { return f.gatherer_.counts().pages; }},
      {"hbf.parts.fills", "pages", "of hbf.parts.pages, pages whose missing parts were read",
       [](F& f) -> Counter& { return f.gatherer_.counts().fills; }},
      {"hbf.parts.padded", "pages", "of hbf.parts.pages, incomplete pages without older data",
       [](F& f) -> Counter& { return f.gatherer_.counts().padded; }},
  }});
  constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
  registry.histogram("hbf.parts.latency_ns", "ns",
                     "of hbf.parts.written, from arrival to answer; part of nvdimm.line_latency_ns",
                     kPicosecondsPerNanosecond, members_of(ftls, [](F& f) -> Histogram& {
                       return f.gatherer_.counts().latency;
                     }));
  counters(std::array<Row, 8>{{
      {"hbf.parts.reads", "requests", "reads answered from the host's page buffers",
       [](F& f) -> Counter& { return f.gatherer_.counts().reads; }},
      {"hbf.refresh.blocks", "blocks", "blocks rewritten for a refresh",
       [](F& f) -> Counter& { return f.collector_.counts().refreshed_blocks; }},
      {"hbf.refresh.late", "blocks", "blocks whose refresh began later than hbf.refresh_every",
       [](F& f) -> Counter& { return f.refresher_.late(); }},
      {"hbf.refresh.pages", "pages", "pages programmed for a refresh",
       [](F& f) -> Counter& { return f.collector_.counts().refreshed_pages; }},
      {"hbf.replay.blocks", "blocks", "blocks with a failed program whose pages were copied",
       [](F& f) -> Counter& { return f.collector_.counts().replayed_blocks; }},
      {"hbf.replay.pages", "pages", "pages programmed for a replay",
       [](F& f) -> Counter& { return f.collector_.counts().replayed_pages; }},
      {"hbf.replay.writes", "requests",
       "users' writes repeated after a failed program of their block",
       [](F& f) -> Counter& { return f.rewrites_; }},
      {"hbf.replay.copies", "requests",
       "copies written again after a failed program of their block",
       [](F& f) -> Counter& { return f.collector_.copier().counts().rewrites; }},
  }});
  register_ftl_statistics(registry, members_of(ftls, &F::ftl_),
                          members_of(ftls, [](F& f) -> FlashArray& { return f.flash_.flash(); }));
}

}  // namespace hmsim
