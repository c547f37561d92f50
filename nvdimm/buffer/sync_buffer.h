// SPDX-License-Identifier: BSD-3-Clause
// The synchronisation buffer: a read part and a write part with separate frames. It keeps places
// and states; the NVDIMM decides what happens next.
//
// A frame holds a page of 64 lines, or one item (a line) of a page. Its key is the number of the
// page or the item. A key that waits for a frame also has a record, so find() finds keys in any
// state. Such records wait in order of arrival.
//
// The two parts never hold the same line. A finished write removes its line from the read part. A
// page read from flash omits the lines that the write part holds.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/key_map.h"
#include "core/parameters.h"
#include "core/pool.h"
#include "core/ring.h"
#include "core/slot_list.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/buffer/buffer_parameters.h"
#include "nvdimm/buffer/buffer_statistics.h"
#include "policies/buffer_replacement.h"

namespace hmsim {

enum class FrameState : std::uint8_t {
  free,
  waiting,  // has no frame yet
  filling,  // read part: being read from flash; lines in `valid` are already usable
  clean,    // write part: written back, kept only while pinned
  dirty,
  evicting,  // write part: being written back
  last = evicting
};

// List that a frame which may be replaced is in.
enum class FrameListing : std::uint8_t { none, replaceable, guarded, last = guarded };

struct Frame {
  std::int64_t key = 0;
  std::uint64_t valid = 0;     // lines it holds; write part: none of them older than in flash
  std::uint64_t expected = 0;  // filling: lines that the arriving page will bring
  std::uint64_t brought = 0;   // read part: lines that a read fetched and none has used yet
  std::uint32_t pins = 0;      // acknowledged, unfinished commands
  SlotLink link;               // in a list; `next` also links an eviction's frames
  SlotChain waiters;           // commands, by tag
  FrameState state = FrameState::free;
  FrameListing listing = FrameListing::none;
  bool prefetched = false;   // prefetched, and not yet asked for by a read
  bool fetching = false;     // read part: a flash read for it is queued or running
  bool joined = false;       // read part, filling: another item's flash read brings its page
  std::uint16_t handle = 0;  // write part: placement handle
  std::uint32_t lun = 0;     // read part, waiting for flash: the LUN that is read

  void serialize(Archive& archive) {
    archive(key, valid, expected, brought, pins, waiters, state, prefetched, fetching, handle, lun);
  }
};

class BufferPart {
 public:
  // `unused_prefetches`: counts prefetched frames that are released unused.
  BufferPart(std::int64_t capacity, std::unique_ptr<BufferReplacement> replacement,
             Counter& unused_prefetches);

  std::uint32_t find(std::int64_t key) const {
    if (key != recent_key_) {
      recent_key_ = key;
      recent_ = map_.find(key);
    }
    return recent_;
  }
  Frame& operator[](std::uint32_t frame) { return frames_[frame]; }
  const Frame& operator[](std::uint32_t frame) const { return frames_[frame]; }
  // Returns a frame by a number stored elsewhere. Raises a fault if it is free.
  Frame& held(std::uint32_t frame) { return frames_.held(frame); }
  const Frame& held(std::uint32_t frame) const { return frames_.held(frame); }

  // Returns the number of records, free ones included. They are numbered from 0.
  std::uint32_t records() const { return frames_.size(); }

  // Adds a record for an absent key, at the end of those that wait for a frame.
  std::uint32_t add(std::int64_t key);
  std::size_t waiting() const { return waiting_.size(); }
  bool full() const { return held_ == capacity_; }
  std::uint64_t capacity() const { return static_cast<std::uint64_t>(capacity_); }
  std::uint64_t free() const { return static_cast<std::uint64_t>(capacity_ - held_); }
  // Gives a frame to the first waiting record. Must not be full().
  std::uint32_t admit();
  // Frees the frame and removes its key.
  void release(std::uint32_t frame);

  // A replaceable frame is listed when its last use ends; pinning it removes it. Guarded frames are
  // replaced after all others, first in, first out.
  void pin(std::uint32_t frame) {
    Frame& record = frames_[frame];
    ++record.pins;
    if (record.listing != FrameListing::none) {
      unlist(frame);
    }
  }
  void list(std::uint32_t frame, bool guard) {
    const auto links = links_of(frames_.data(), &Frame::link);
    Frame& record = frames_[frame];
    if (record.listing != FrameListing::none) {
      raise_fault("buffer", Tick(0), record.key, "frame listed twice");
    }
    Listing& listing = guard ? guarded_ : replaceable_;
    record.listing = guard ? FrameListing::guarded : FrameListing::replaceable;
    listing.frames.push_back(links, frame);
    ++listing.count;
    if (replacement_ != nullptr && !guard) {
      replacement_->listed(frame, record.key);
    }
  }
  void unlist(std::uint32_t frame) {
    const auto links = links_of(frames_.data(), &Frame::link);
    Frame& record = frames_[frame];
    const bool guarded = record.listing == FrameListing::guarded;
    Listing& listing = guarded ? guarded_ : replaceable_;
    record.listing = FrameListing::none;
    listing.frames.remove(links, frame);
    --listing.count;
    if (replacement_ != nullptr && !guarded) {
      replacement_->unlisted(frame);
    }
  }
  std::uint64_t replaceable() const { return replaceable_.count; }
  // victim() returns the frame to be replaced first, after() the one to be replaced after `frame`,
  // which is listed. Both return kNoIndex without such a frame.
  std::uint32_t victim() const;
  std::uint32_t after(std::uint32_t frame) const;

  void serialize(Archive& archive);

 private:
  void serialize_list(Archive& archive, FrameListing listing);
  void check_replacement(const Archive& archive) const;

  // Frames in the order in which they were listed.
  struct Listing {
    SlotList frames;
    std::uint64_t count = 0;
  };

  static constexpr std::int64_t kNoKey = -1;

  std::int64_t capacity_;
  std::int64_t held_ = 0;                           // frames in use
  std::unique_ptr<BufferReplacement> replacement_;  // nullptr: the order of `replaceable_`
  Counter* unused_prefetches_;
  Pool<Frame> frames_;  // records
  Listing replaceable_;
  Listing guarded_;
  Ring<std::uint32_t> waiting_;
  KeyMap map_;
  mutable std::int64_t recent_key_ = kNoKey;  // latest argument of find() ...
  mutable std::uint32_t recent_ = kNoIndex;   // ... and its result
};

class SyncBuffer {
 public:
  // `assignments`: the configuration's, for the replacement policy's parameters.
  SyncBuffer(const BufferParameters& parameters, const Assignments& assignments);
  SyncBuffer(const SyncBuffer&) = delete;
  SyncBuffer& operator=(const SyncBuffer&) = delete;

  std::int64_t key_of(Address address) const {
    const auto at = static_cast<std::uint64_t>(address.value());
    return static_cast<std::int64_t>(items_ ? at / kLineSize : at / kPageSize);
  }
  // Returns the line's bit in the masks of its frame.
  std::uint64_t line_of(Address address) const {
    const auto at = static_cast<std::uint64_t>(address.value());
    return items_ ? 1 : std::uint64_t{1} << (at / kLineSize % kLinesPerPage);
  }
  // Returns the bits of `lines` lines of a page (items: one) from `address` on.
  std::uint64_t lines_of(Address address, std::uint8_t lines) const {
    const auto at = static_cast<std::uint64_t>(address.value());
    return items_
               ? 1
               : ~std::uint64_t{0} >> (kLinesPerPage - lines) << (at / kLineSize % kLinesPerPage);
  }
  std::uint64_t all_lines() const { return items_ ? 1 : ~std::uint64_t{0}; }
  LogicalPage page_of(std::int64_t key) const {
    return LogicalPage(items_ ? key / kLinesPerPage : key);
  }
  // Returns the lines of its page that a frame of the write part holds, one bit each.
  std::uint64_t page_lines(const Frame& frame) const {
    return items_ ? std::uint64_t{1} << (frame.key % kLinesPerPage) : frame.valid;
  }
  bool items() const { return items_; }
  // Returns the number of keys of `pages` pages.
  std::uint64_t keys(std::uint64_t pages) const { return items_ ? pages * kLinesPerPage : pages; }

  // Removes lines from the read part. Call when a write to the lines ends, which makes the copies
  // there stale. `lines`: their bits in the frame's masks.
  void drop_from_read(std::int64_t key, std::uint64_t lines);
  // Discards the page. Its frames that commands or flash operations still use stay, without valid
  // lines.
  void discard(LogicalPage page);

  BufferStatistics& statistics() { return statistics_; }

  void serialize(Archive& archive);  // except the statistics

  BufferPart read;
  BufferPart write;

 private:
  // Unsigned, as addresses are here, so that the divisions become shifts.

  bool items_;
  BufferStatistics statistics_;
};

}  // namespace hmsim
