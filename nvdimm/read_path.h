// SPDX-License-Identifier: BSD-3-Clause
// Read path of one flash NVDIMM: serves reads from the buffer, or fills frames of its read part
// from flash.
//
// A read finds its line in the write part or the read part. Otherwise it waits for its page; all
// reads of a page wait for the same flash read. The page takes the frame of the least recently used
// clean page. If no frame can be replaced, pages wait in order of arrival. If the page's frame in
// the write part lacks the line, the line is read into the read part, without the lines of the
// write part.
//
// Item frames: each missing item has a flash read or joins that of another item of its page
// (SharedReads). A joined frame is filled when that read ends. A prefetch that joins ends at once,
// because it occupies no LUN. PendingWork counts a shared read once.
#pragma once

#include <cstdint>
#include <memory>

#include "core/types.h"
#include "nvdimm/buffer/data.h"
#include "nvdimm/buffer/lookahead.h"
#include "nvdimm/buffer/shared_reads.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/command_table.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/garbage_collector.h"
#include "nvdimm/ftl/map_traffic.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

class ReadPath final : public CollectionListener, private FlashRequester {
 public:
  // `lookahead`, `data`: may be nullptr.
  ReadPath(const NvdimmParameters& parameters, CommandTable& commands, SyncBuffer& buffer,
           Lookahead* lookahead, const Ftl& ftl, FlashArray& flash, MapTraffic& map,
           GarbageCollector& collector, PendingWork& pending, NvdimmData* data);

  // Handles the end of a read's lookup: the read becomes ready or waits.
  Found look_up(std::uint32_t tag, CommandTable::Command& command, Tick now);
  // Retries a read that has waited.
  void look_up_again(std::uint32_t tag, Tick now);
  // Gives frames to waiting pages, in order of arrival, until no frame is free or replaceable.
  void admit(Tick now);
  // Handles the release of the frame's last pin.
  void unpinned(std::uint32_t frame);
  // Prefetches pages of queued reads, as far as the buffer manager allows.
  void prefetch(Tick now);
  // Submits the flash read of a frame whose physical page is known.
  void fetch(std::uint32_t frame, FlashPriority priority, const GcWait& gc, Tick now);

  // Requires that the buffer is already loaded.
  void serialize(Archive& archive);

 private:
  Found find_block(std::uint32_t tag, std::int64_t key, std::uint32_t frame, Tick now);
  Found fetch_line(std::uint32_t tag, std::int64_t key, std::uint32_t frame, Tick now);
  void start_fill(std::uint32_t frame, FlashPriority priority, Tick now);
  bool joins(Frame& frame);
  void end_fill(std::uint32_t frame, const GcWait& gc, Tick now);
  void end_shared_fill(std::uint32_t leader, const GcWait& gc, Tick now);
  void list_for_lookahead(std::uint32_t frame);
  void add_pending(Frame& frame, std::uint32_t lun);
  bool move(Frame& frame, std::uint32_t lun);
  void withdraw(std::uint32_t frame, Tick now);
  void leave(std::uint32_t frame, Tick now);
  void count_prefetch(const FlashCommand& command);  // if it was a prefetch, which has ended

  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  PhysicalPage next_flash_place(const FlashCommand& command) const override;
  void on_flash_done(const FlashCommand& command, Tick now) override;
  bool on_page_copied(LogicalPage page, std::uint32_t lun, Tick now) override;
  bool serve_copied(LogicalPage page, std::uint32_t lun, Tick now);

  const UnmappedRead unmapped_read_;
  CommandTable& commands_;
  SyncBuffer& buffer_;
  Lookahead* lookahead_;
  const Ftl& ftl_;
  FlashArray& flash_;
  MapTraffic& map_;
  GarbageCollector& collector_;
  PendingWork& pending_;
  NvdimmData* data_;
  const std::unique_ptr<SharedReads> shared_;  // nullptr: each frame has a separate flash read
};

// Posted writes have the newest data, then the write part. A block finds nothing here: its bit is
// 0, and fetch_line() looks it up.
HMSIM_INLINE Found ReadPath::look_up(std::uint32_t tag, CommandTable::Command& command, Tick now) {
  const Address address = command.address;
  const std::int64_t key = buffer_.key_of(address);
  const std::uint64_t line = command.lines == 1 ? buffer_.line_of(address) : 0;
  if (commands_.waits_for_posted(tag, address)) {
    return Found::in_flight;
  }
  const std::uint32_t written = buffer_.write.find(key);
  if (written != kNoIndex && (buffer_.write[written].valid & line) != 0) {
    buffer_.write.pin(written);
    commands_.ready(tag, command, Pinned::write_part, written, now);
    return Found::here;
  }
  const std::uint32_t frame = buffer_.read.find(key);
  if (frame != kNoIndex) {
    Frame& record = buffer_.read[frame];
    if (record.prefetched) {
      record.prefetched = false;
      BufferStatistics& statistics = buffer_.statistics();
      ++(record.state == FrameState::clean ? statistics.prefetch_useful : statistics.prefetch_late);
    }
    if ((record.valid & line) != 0) {
      const bool brought = (record.brought & line) != 0;
      record.brought &= ~line;
      buffer_.read.pin(frame);
      commands_.ready(tag, command, Pinned::read_part, frame, now);
      return brought ? Found::brought : Found::here;
    }
  }
  return fetch_line(tag, key, frame, now);
}

}  // namespace hmsim
