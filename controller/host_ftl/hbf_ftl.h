// SPDX-License-Identifier: BSD-3-Clause
// The host's FTL of one HBF channel (hbf.ftl: host), in front of it. It maps logical pages and
// chooses the bank of each written page. All of its work are requests in the host's queues: they
// come back here with this object as their requester, and go on to the HBF channel.
//
//   read    [a line of the map in HBM], then the page's place, or that of its latest write, for
//           which it waits
//   write   a bank with room and its next page; mapped at the end of the program, [then a line of
//           the map in HBM]. A failed program is repeated elsewhere, and its block is replayed: the
//           collector copies its pages. HbfGatherer makes whole pages of writes below 4 KiB.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controller/channel/channel_front.h"
#include "controller/channel/slow_memory.h"
#include "controller/config/system_config.h"
#include "controller/host_ftl/hbf_collector.h"
#include "controller/host_ftl/hbf_gatherer.h"
#include "controller/host_ftl/hbf_job_records.h"
#include "controller/host_ftl/hbf_placer.h"
#include "controller/host_ftl/hbf_refresher.h"
#include "controller/host_ftl/host_path.h"
#include "controller/host_ftl/request_line.h"
#include "core/archive.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/request.h"
#include "core/slot_list.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/hbf/hbf_status.h"

namespace hmsim {

class HbfChannel;
class HbfDevice;

class HbfFtl final : public ChannelFront, public SlowMemory, private Requester {
 public:
  // `channel`: number of `device`. `path` takes its requests. Preconditions, unless
  // serialize_start() is to load a state.
  HbfFtl(const SystemConfig& config, std::int64_t channel, std::unique_ptr<HbfChannel> device,
         HostPath& path, std::uint64_t seed);

  // Also attaches the parts that act at times: the refresher and the gatherer. Makes the blocks of
  // the device those that preconditioning left.
  void attach(Kernel& kernel, const std::vector<Requester*>& requesters,
              const SourceProgress& progress) override;
  void add_requesters(std::vector<Requester*>& requesters) override;
  const Ftl& ftl() const { return ftl_; }

  // Takes a request for a logical page of the channel, or passes on one of its own. Answers a flush
  // once all earlier requests are done. Later ones wait until pass_flush(). Until then they hold no
  // entry of a queue, which other channels may need for the same flush.
  void send(const Request& request, Tick now) override;
  void pass_flush(Tick now) override;
  // Returns also whether requests wait for a flush, or parts of pages would wait outside for long.
  bool would_wait(MemoryClass memory) const override {
    return !line_.empty() || gatherer_.crowded() || device_->would_wait(memory);
  }
  bool idle() const override {
    return is_done() && line_.empty() && collector_.idle() && device_->idle();
  }
  // Adds the requests of users that it has taken and that are not done.
  void list_outstanding(std::vector<Outstanding>& requests) const override;
  void set_request_observer(RequestObserver* observer) override {
    device_->set_request_observer(records_.lead_to(observer));
  }
  void reset_statistics(Tick now) override;
  void serialize(Archive& archive) override;

  SlowMemory* slow_memory() override { return this; }
  void register_statistics(StatisticRegistry& registry,
                           const std::vector<SlowMemory*>& all) override;
  MemoryPort::Collections collections() const override {
    return {collector_.begun(), collector_.ended()};
  }
  // Discards also writes of the page that are under way. Returns whether it had data.
  std::int64_t trim(LogicalPage page, Tick now) override;
  void serialize_start(Archive& archive) override;
  LineBytes peek(Address line) const override;
  // The map is lost.
  void power_fail(const PowerFailure& failure, std::size_t first) override;
  bool restore(SlowMemory& before, Tick now, Tick recover_for) override;

  // For the collector: whether reads of users of a block were sent and are not done.
  bool reads_under_way(std::uint32_t lun, std::uint32_t block) const {
    return reads_[ftl_.shape().block_index(lun, block)] != 0;
  }
  // Called when a copy was programmed at `target`; `current`: it is mapped there now.
  void on_copied(LogicalPage page, PhysicalPage target, bool current, Tick now);
  // Called when a program at `target` has ended, which may have failed.
  void programmed(PhysicalPage target, Tick now);
  // Called when a block of the bank was freed, so that the bank may take pages again.
  void on_collected(std::uint32_t lun, Tick now);

  // For the gatherer: takes a read, or a write of a whole page.
  void take(const Request& request, Tick now);
  // Returns whether the page is mapped, or being written.
  bool has_data(LogicalPage page) const {
    return latest_.find(page.value()) != kNoIndex || ftl_.pages().place(page) != kNowhere;
  }
  // Data mode: returns the bytes of a line of the channel as a read would, without gathered parts.
  LineBytes page_bytes(Address line) const;
  // Answers a user's request.
  void answer(Request request, Tick now);
  // Called after requests were answered outside of a request to the FTL.
  void on_gathered(Tick now);

 private:
  enum class Step : std::uint8_t { waits, map_read, flash, map_write, last = map_write };
  struct Job {
    Step step = Step::waits;
    bool admitted = false;
    bool mapped = false;  // read: its page has data
    Request request;      // as its sender sent it
    LogicalPage page{0};
    PhysicalPage place = kNowhere;         // write: kNowhere while it waits for a place
    SlotChain readers;                     // write: reads that wait for its place
    std::uint32_t next_reader = kNoIndex;  // read: link in such a chain
    PendingFlash work() const {
      return page_work(request.write ? FlashOperation::program : FlashOperation::read);
    }
    void serialize(Archive& archive) { archive(step, admitted, mapped, request, page, place); }
  };

  // Answers to its own requests, and those of the copier.
  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  LineData write_data(const Request& request) const override;
  void on_read_data(const Request& request, const LineBytes& bytes) override;

  bool is_done() const { return jobs_.used() == 0 && gatherer_.idle(); }
  void enter(const RequestLine::Entry& entry, Tick now);
  RequestLine::Entry entry_of(const Request& request) const {
    return {request, addresses_.logical_page(request.address), false};
  }
  void release_line(Tick now);
  void start_from_ftl();
  void place_waiting(Tick now);
  void start_read(std::uint32_t index, Tick now);
  void send_read(std::uint32_t index, Tick now);
  void send_flash(std::uint32_t index, Tick now);
  void send_map_line(LogicalPage page, bool write, std::uint32_t tag, Tick now);
  void end_flash(std::uint32_t index, const Request& request, Tick now);
  bool failed(const Job& job, HbfStatus status) const {
    return status == HbfStatus::erased_page && job.mapped;
  }
  void lose_map();
  void end_read(std::uint32_t index, Tick now);
  void end_write(std::uint32_t index, Tick now);
  void commit(std::uint32_t index, Tick now);
  void finish(std::uint32_t index, Tick now);
  std::size_t block_of(PhysicalPage place) const {
    return ftl_.shape().block_index(ftl_.shape().lun_of(place), ftl_.shape().block_of(place));
  }

  static bool is_of_copier(const Request& request) {
    return request.origin == RequestOrigin::collection || request.origin == RequestOrigin::refresh;
  }
  bool is_of_gatherer(const Request& request) const { return request.agent == own_; }
  // Returns the sender of a request that this object took.
  Requester& sender_of(const Request& request) const {
    return is_of_gatherer(request) ? *own_sender_ : *(*requesters_)[request.agent];
  }

  const bool map_in_memory_;
  HbfDevice& flash_;
  HostPath& path_;
  const std::vector<Requester*>* requesters_ = nullptr;
  std::uint16_t own_ = 0;
  PendingWork pending_;
  Ftl ftl_;
  const HbfAddresses addresses_;
  HbfCollector collector_;
  HbfRefresher refresher_;
  HbfPlacer placer_;
  HbfGatherer gatherer_;
  Requester* const own_sender_ = &gatherer_;
  Histogram& latency_;  // of users' requests
  Pool<Job> jobs_;
  HbfJobRecords records_;
  RequestLine line_;                  // a flush, and what came after it
  bool flush_answered_ = false;       // the first request of line_ is a flush that was answered
  KeyMap latest_;                     // logical page -> job of its latest write, if it is not done
  std::vector<std::uint32_t> reads_;  // of users under way, by block
  Counter map_reads_ = 0;
  Counter map_writes_ = 0;
  Counter rewrites_ = 0;  // of failed programs of users' pages
};

}  // namespace hmsim
