// SPDX-License-Identifier: BSD-3-Clause
// One flash NVDIMM: everything behind the ack line.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/event_queue.h"
#include "core/kernel.h"
#include "core/request.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/buffer/evictor.h"
#include "nvdimm/buffer/lookahead.h"
#include "nvdimm/buffer/pending_work.h"
#include "nvdimm/buffer/posted_writes.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/data.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/garbage_collector.h"
#include "nvdimm/ftl/map_traffic.h"
#include "nvdimm/module.h"
#include "nvdimm/nand/flash_array.h"
#include "nvdimm/parameters.h"
#include "nvdimm/power.h"
#include "nvdimm/statistics.h"

namespace hmsim {

class Places;
struct UnderWay;

// A command's way: lookup (tBC), then ready if its line is in the buffer (read) or its page has a
// frame in the write part (write). Else it waits: a read for the page to come from flash (one flash
// read for all that wait for it), a write for a frame. A frame needed for a read is that of the
// least recently used clean page; one needed for a write is got by one eviction for each page that
// waits. Where no frame can go, commands wait in order of arrival of their pages.
//
// A write to a page that is just being evicted waits for the program to end and then uses the same
// frame again. A read of a line that the page's frame in the write part lacks reads the page from
// flash into the read part, without the lines of the write part.
class Nvdimm final : public NvdimmModule,
                     private FlashClient,
                     private FlashRequester,
                     private CollectionListener,
                     private EvictionListener,
                     private MapListener {
 public:
  // `parameters` have passed check(). `seed`: this channel's own, for preconditioning and victim
  // selection. `assignments`: the configuration's, for the parameters of policies.
  Nvdimm(const NvdimmParameters& parameters, AckListener& host, std::uint64_t seed,
         const Assignments& assignments = {});

  static Bytes logical_capacity(const NvdimmParameters& parameters);  // a multiple of 4 KiB

  void command(std::uint32_t tag, Address address, bool write, Tick now) override;
  void post(Address address, const LineData& data, Tick now) override;
  void flush(std::uint32_t tag, Tick now) override;
  Tick finish(std::uint32_t tag, Tick now) override;
  std::int64_t trim(Address address, Bytes size, Tick now) override;

  void write_line(std::uint32_t tag, const LineData& data) override;
  LineBytes read_line(std::uint32_t tag) const override;
  LineBytes peek(Address address) const override;

  PowerRecord power_fail(Tick now, Tick save_for = kNever) override;
  // The map is rebuilt from spare areas.
  bool restore(NvdimmModule& before, Tick now, Tick recover_for = kNever) override;
  const PowerRecord& power_record() const override { return power_; }
  CommandView seen(std::uint32_t tag) const override {
    const Command& command = commands_[tag];
    const CommandState state = command.stage == Stage::none    ? CommandState::none
                               : command.stage == Stage::ready ? CommandState::ready
                                                               : CommandState::unfinished;
    return {state, command.write, command.address};
  }
  void serialize_start(Archive& archive) override;
  const NvdimmParameters& parameters() const override { return parameters_; }

  Tick gc_blocked(std::uint32_t tag) const { return commands_[tag].gc_blocked; }
  // Nothing waits for the write part, is in it, or on its way from there to flash.
  bool written_back() const;
  bool idle() const override;

  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  const Ftl& ftl() const { return ftl_; }
  MapCounts& map_counts() { return ftl_.map() == nullptr ? no_map_counts_ : ftl_.map()->counts(); }
  const FlashArray& flash() const { return flash_; }
  const PendingWork& pending() const { return pending_; }
  std::uint64_t collections_begun() const override { return collector_.begun(); }
  std::uint64_t collections_ended() const override { return collector_.ended(); }
  void add_flash_observer(FlashObserver& observer) override;
  NvdimmStatistics& statistics() { return statistics_; }
  void reset_statistics(Tick now);

 private:
  friend struct NvdimmFaults;  // tests break things through it

  enum class EventKind : std::uint8_t { frames_freed, flush, posted, last = posted };

  enum class Stage : std::uint8_t { none, lookup, waiting, ready, last = ready };

  struct Command {
    Address address;
    Tick arrival;
    std::uint64_t collections = 0;   // ended before
    Tick since{0};                   // lookup: its end; then: it waits for a fill or a frame
    std::uint64_t order = 0;         // lookup: its end's among the events
    Tick gc_blocked{0};              // before
    std::uint32_t frame = kNoIndex;  // ready: pinned, or none
    std::uint32_t next = kNoIndex;   // in a SlotChain
    std::uint32_t asked = kNoIndex;  // lookup: what it asks for, if the queue is watched
    Stage stage = Stage::none;
    bool write = false;
    bool in_write_part = false;  // where `frame` is

    void serialize(Archive& archive) {
      archive(address, arrival, collections, since, order, gc_blocked, frame, next, asked, stage,
              write, in_write_part);
    }
  };

  enum class Found : std::uint8_t { here, on_its_way, missing, unmapped };

  Tick next_of_all() const { return earlier(next_own(), flash_.next_event()); }
  Tick next_own() const { return earlier(next_lookup_, events_.next_time()); }
  bool lookup_is_next() const {
    return next_lookup_ < events_.next_time() ||
           (next_lookup_ == events_.next_time() &&
            commands_[lookups_.first].order < events_.order_of_next());
  }
  void end_lookup();
  void advance_one();
  void look_up(std::uint32_t tag, Tick now);
  Found seek_read(std::uint32_t tag, Tick now);
  Found seek_line(std::uint32_t tag, Tick now);
  Found fetch_line(std::uint32_t tag, std::int64_t key, std::uint32_t frame, Tick now);
  Found seek_write(std::uint32_t tag, Tick now);
  void wait(std::uint32_t tag, Frame& frame);
  void wait_for_read(std::uint32_t tag, Frame& frame);
  void ready(std::uint32_t tag, bool in_write_part, std::uint32_t frame, Tick now);
  void admit_reads(Tick now);
  void admit_later(Tick now) {
    if (buffer_.read.waiting() + buffer_.write.waiting() > 0 || lookahead_ != nullptr) {
      schedule_admission(now);
    }
  }
  void schedule_admission(Tick now);
  void trim_buffer(LogicalPage page);
  void admit_writes(Tick now, const GcWait& gc = {});
  void start_fill(std::uint32_t frame, FlashPriority priority, Tick now);
  void fetch(std::uint32_t frame, FlashPriority priority, const GcWait& gc, Tick now);
  void owe_read(Frame& frame, std::uint32_t lun);
  bool move_read(Frame& frame, std::uint32_t lun);
  void withdraw_read(std::uint32_t frame, Tick now);
  void end_fill(std::uint32_t frame, const GcWait& gc, Tick now);
  void accept_writes(std::uint32_t frame, const GcWait& gc, Tick now);
  static std::size_t line_number(Address address) {
    return static_cast<std::size_t>(address.value() / kLineBytes.value() % kLinesPerPage);
  }
  void wait(std::uint32_t tag, SlotChain& chain);
  auto links() { return links_of(commands_.data(), &Command::next); }
  auto links() const { return links_of(commands_.data(), &Command::next); }
  void end_posted(std::uint32_t tag, Tick now);
  LineBytes stored_line(Address address) const;
  void tell_programmed();
  void write_back(Tick now);
  void continue_flush(Tick now) {
    if (flush_ != kNoIndex) {
      write_back(now);
    }
  }
  void end_flush(Tick now);
  void tear_flash(std::vector<PowerLane>& lanes);
  void save_dirty(std::vector<PowerLane>& lanes);
  void save_page(LogicalPage page, const UnsavedPage& content, std::vector<PowerLane>& lanes,
                 std::uint32_t& next);
  void save_rest(std::vector<PowerLane>& lanes);
  void collect(std::vector<PowerLane>& lanes);
  void overlay_posted(LogicalPage page, PageBytes& bytes) const;
  std::uint32_t flush_target(std::uint32_t first) const;
  void prefetch(Tick now);
  void keep_frames_free(Tick now);
  void list(BufferPart& part, std::uint32_t frame) {
    part.list(frame, lookahead_ != nullptr && lookahead_->guards(part[frame].key));
  }
  void settle_read_frame(std::uint32_t frame);
  void settle_write_frame(std::uint32_t frame);

  // Loading.
  void check_loaded(const Archive& archive) const;
  void check_frames(const Archive& archive) const;
  void check_data(const Archive& archive) const;
  void check_commands(const Archive& archive) const;
  void take_waiters(const Archive& archive, Places& waiting) const;
  void check_users(const Archive& archive) const;
  void check_command(const Archive& archive, std::uint32_t tag) const;
  void check_under_way(const Archive& archive) const;
  void check_fetches(const Archive& archive, UnderWay& under_way) const;

  // Reads of pages for frames of the read part.
  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  PhysicalPage next_flash_place(const FlashCommand& command) const override;
  void on_flash_done(const FlashCommand& command, Tick now) override;

  std::uint32_t flash_wear(PhysicalPage place) const override { return ftl_.erases(place); }
  void on_flash_served(const FlashCommand& command, Tick now) override;
  void on_flash_idle(std::uint32_t lun, Tick now) override;
  void on_flash_room(std::uint32_t lun, Tick now) override;
  void on_frame_written(std::uint32_t frame, const GcWait& gc, Tick now) override;
  void on_page_copied(LogicalPage page, std::uint32_t lun, Tick now) override;
  void on_mapped(std::uint32_t cookie, const GcWait& gc, Tick now) override;

  const NvdimmParameters parameters_;
  AckListener& host_;
  UnmappedRead unmapped_read_;
  Tick lookup_time_;
  bool serial_lookups_;

  NvdimmStatistics statistics_;
  PendingWork pending_;
  Ftl ftl_;
  FlashArray flash_;
  SyncBuffer buffer_;
  std::unique_ptr<NvdimmData> data_;      // data mode only
  std::unique_ptr<Lookahead> lookahead_;  // nullptr: nothing is done ahead of lookups
  GarbageCollector collector_;
  MapTraffic map_;
  Evictor evictor_;

  std::vector<Command> commands_;  // by tag
  PostedWrites posted_;
  std::uint32_t unfinished_ = 0;
  Tick lookup_free_{0};             // serial lookups: when the next one may start
  std::size_t leaving_ = 0;         // frames of the write part that will be free without more ado
  bool freed_pending_ = false;      // a frames_freed event is scheduled
  std::uint32_t flush_ = kNoIndex;  // the tag of one that writes back
  SlotChain lookups_;          // in the order in which they end, which is that of their beginning
  Tick next_lookup_ = kNever;  // its end
  EventQueue<EventKind> events_;
  PowerRecord power_;
  MapCounts no_map_counts_;  // all zero
};

void register_flash_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
