// SPDX-License-Identifier: BSD-3-Clause
// The host's FTL of one HBF channel (hbf.ftl: host). It maps logical pages and chooses the bank of
// each written page. All of its work are requests in the host's queues.
//
//   read    [a line of the map in HBM], then the page's place, or that of its latest write, for
//           which it waits
//   write   a bank with room and its next page; mapped at the end of the program, [then a line of
//           the map in HBM]. A failed program is repeated elsewhere, and its block is replayed: the
//           collector copies its pages. HbfGatherer makes whole pages of writes below 4 KiB.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/channel/flush_gate.h"
#include "controller/config/system_config.h"
#include "controller/host_ftl/hbf_collector.h"
#include "controller/host_ftl/hbf_gatherer.h"
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

class HbfFtl final : public Requester,
                     public FlushGate,
                     private HbfCollectorHost,
                     private HbfGathererHost {
 public:
  // `channel`: number of its HBF channel. `path` takes its requests.
  HbfFtl(const SystemConfig& config, std::int64_t channel, HostPath& path, std::uint64_t seed);

  // Attaches the parts that act at times: the refresher and the gatherer. Makes the blocks of the
  // channel's device those that preconditioning left. Counts the latencies of users' requests for
  // the channel.
  void attach(Kernel& kernel, HbfChannel& channel);
  // Sets the requesters, of which the three at `own` are this object, its copier and its gatherer.
  void set_requesters(const std::vector<Requester*>& requesters, std::size_t own);
  HbfCollector& collector() { return collector_; }
  HbfCopier& copier() { return collector_.copier(); }
  HbfGatherer& gatherer() { return gatherer_; }
  HbfRefresher& refresher() { return refresher_; }

  // Takes a request for a logical page of the channel.
  void send(const Request& request, Tick now);
  // Takes a flush, and answers it once all earlier requests are done. Later ones wait until
  // pass_flush(). Until then they hold no entry of a queue, which other channels may need for the
  // same flush.
  void send_flush(const Request& flush, Tick now);
  void pass_flush(Tick now) override;
  // Discards the page, and writes of it that are under way. Returns whether it had data.
  bool trim(std::int64_t page, Tick now);
  // Returns whether requests wait for a flush, or parts of pages would wait outside for long.
  bool would_wait() const { return !line_.empty() || gatherer_.crowded(); }
  // Data mode: returns the bytes of a line of the channel as a read would return them.
  LineBytes peek(Address line) const;
  // Data mode: loses the map.
  void lose_power();
  bool idle() const { return is_done() && line_.empty() && collector_.idle(); }
  // Adds the requests of users that it has taken and that are not done.
  void list_outstanding(std::vector<Outstanding>& requests) const;

  Ftl& ftl() { return ftl_; }
  const Ftl& ftl() const { return ftl_; }
  Counter& map_reads() { return map_reads_; }
  Counter& map_writes() { return map_writes_; }
  Counter& rewrites() { return rewrites_; }
  void reset_statistics();

  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  LineData write_data(const Request& request) const override;
  void on_read_data(const Request& request, const LineBytes& bytes) override;
  void serialize(Archive& archive);

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
    void serialize(Archive& archive) { archive(step, admitted, mapped, request, page, place); }
  };

  // HbfCollectorHost.
  bool reads_under_way(std::uint32_t lun, std::uint32_t block) const override {
    return reads_[ftl_.shape().block_index(lun, block)] != 0;
  }
  void on_copied(LogicalPage page, PhysicalPage target, bool current, Tick now) override;
  void on_copy_failed(PhysicalPage target, Tick now) override { programmed(target, now); }
  void on_collected(std::uint32_t lun, Tick now) override;

  // HbfGathererHost.
  void take(const Request& request, Tick now) override;
  bool has_data(LogicalPage page) const override {
    return latest_.find(page.value()) != kNoIndex || ftl_.pages().place(page) != kNowhere;
  }
  LineBytes page_bytes(Address line) const override;
  void answer(Request request, Tick now) override;
  void on_gathered(Tick now) override;

  bool is_done() const { return jobs_.used() == 0 && gatherer_.idle(); }
  void enter(const RequestLine::Entry& entry, Tick now);
  RequestLine::Entry entry_of(const Request& request) const {
    return {request, addresses_.logical_page(request.address), false};
  }
  void release_line(Tick now);
  void place_waiting(Tick now);
  void start_read(std::uint32_t index, Tick now);
  void send_read(std::uint32_t index, Tick now);
  void send_flash(std::uint32_t index, Tick now);
  void send_map_line(LogicalPage page, bool write, std::uint32_t tag, Tick now);
  void end_flash(std::uint32_t index, const Request& request, Tick now);
  bool failed(const Job& job, HbfStatus status) const {
    return status == HbfStatus::erased_page && job.mapped;
  }
  void end_read(std::uint32_t index, Tick now);
  void end_write(std::uint32_t index, Tick now);
  void programmed(PhysicalPage place, Tick now);
  void commit(std::uint32_t index, Tick now);
  void finish(std::uint32_t index, Tick now);
  std::size_t block_of(PhysicalPage place) const {
    return ftl_.shape().block_index(ftl_.shape().lun_of(place), ftl_.shape().block_of(place));
  }
  static PendingFlash work_of(const Job& job) {
    return page_work(job.request.write ? FlashOperation::program : FlashOperation::read);
  }

  const bool map_in_memory_;
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
  const HbfDevice* device_ = nullptr;
  Histogram* latency_ = nullptr;  // of users' requests
  Pool<Job> jobs_;
  RequestLine line_;                  // a flush, and what came after it
  bool flush_answered_ = false;       // the first request of line_ is a flush that was answered
  KeyMap latest_;                     // logical page -> job of its latest write, if it is not done
  std::vector<std::uint32_t> reads_;  // of users under way, by block
  Counter map_reads_ = 0;
  Counter map_writes_ = 0;
  Counter rewrites_ = 0;  // of failed programs of users' pages
};

// Registers the statistics of all FTLs together; none if `ftls` is empty.
void register_hbf_ftl_statistics(StatisticRegistry& registry, const std::vector<HbfFtl*>& ftls,
                                 const std::vector<HbfChannel*>& channels);

}  // namespace hmsim
