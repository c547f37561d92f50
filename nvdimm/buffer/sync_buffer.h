// SPDX-License-Identifier: BSD-3-Clause
// The synchronisation buffer: a read part and a write part, each with frames of its own. It keeps
// places and states; what is to happen next is the NVDIMM's affair.
//
// A frame holds a page of 64 lines, or one item (a line) of a page. Its key is the page's or the
// item's number. Keys that wait for a frame have a record too, so that a key is found whatever
// became of it; such records wait in order of arrival.
//
// The two parts never hold the same line: a finished write takes its line out of the read part, and
// a page being read from flash leaves out the lines that the write part holds.
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
  waiting,  // no frame yet
  filling,  // read part: being read from flash; lines in `valid` can be used all the same
  clean,    // write part: written back, kept only while pinned
  dirty,
  evicting,  // write part: being written back
  last = evicting
};

// Where a frame stands that may be given up.
enum class FrameListing : std::uint8_t { none, replaceable, guarded, last = guarded };

struct Frame {
  std::int64_t key = 0;
  std::uint64_t valid = 0;     // lines it holds; write part: all of them newer than flash, or equal
  std::uint64_t expected = 0;  // filling: lines that the page on its way will bring
  std::uint32_t pins = 0;      // acknowledged commands that have not finished
  SlotLink link;               // in a list, or, of its `next`, among an eviction's frames
  SlotChain waiters;           // commands, by tag
  FrameState state = FrameState::free;
  FrameListing listing = FrameListing::none;
  bool prefetched = false;  // and no read has asked for it yet
  bool fetching = false;    // read part: a flash read for it is queued or running
  bool joined = false;      // read part, filling: another item's flash read brings its page
  std::uint32_t lun = 0;    // read part, while it waits for flash: where from

  void serialize(Archive& archive) {
    archive(key, valid, expected, pins, waiters, state, prefetched, fetching, lun);
  }
};

class BufferPart {
 public:
  // `unused_prefetches` counts prefetched frames that are released before their use.
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
  // A frame that others kept the number of: a fault if it is free.
  Frame& held(std::uint32_t frame) { return frames_.held(frame); }
  const Frame& held(std::uint32_t frame) const { return frames_.held(frame); }

  // Records, free ones included, are numbered from 0.
  std::uint32_t records() const { return frames_.size(); }

  // A record for an absent key, last among those that wait for a frame.
  std::uint32_t add(std::int64_t key);
  std::size_t waiting() const { return waiting_.size(); }
  bool full() const { return held_ == capacity_; }
  std::uint64_t capacity() const { return static_cast<std::uint64_t>(capacity_); }
  std::uint64_t free() const { return static_cast<std::uint64_t>(capacity_ - held_); }
  // Gives a frame to the first record that waits. Not while full().
  std::uint32_t admit();
  // The frame is free, its key absent.
  void release(std::uint32_t frame);

  // A frame that may be given up is listed when its latest use ends; pinning takes it out again.
  // Guarded ones come after all that are replaceable, first in, first out.
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
      raise_fault("buffer", Tick(0), record.key, "a frame is listed twice");
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
  // The first to be given up, and the one after a listed frame.
  std::uint32_t victim() const;
  std::uint32_t after(std::uint32_t frame) const;

  void serialize(Archive& archive);

 private:
  void serialize_list(Archive& archive, FrameListing listing);
  void check_replacement(const Archive& archive) const;

  // In the order of their listing.
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
  mutable std::int64_t recent_key_ = kNoKey;  // the last one looked for, ...
  mutable std::uint32_t recent_ = kNoIndex;   // ... and what was found
};

class SyncBuffer {
 public:
  // `assignments`: the configuration's, for the parameters of the replacement policy.
  SyncBuffer(const BufferParameters& parameters, const Assignments& assignments);
  SyncBuffer(const SyncBuffer&) = delete;
  SyncBuffer& operator=(const SyncBuffer&) = delete;

  std::int64_t key_of(Address address) const {
    const auto at = static_cast<std::uint64_t>(address.value());
    return static_cast<std::int64_t>(items_ ? at / kLineSize : at / kPageSize);
  }
  // The line's bit in the masks of its frame.
  std::uint64_t line_of(Address address) const {
    const auto at = static_cast<std::uint64_t>(address.value());
    return items_ ? 1 : std::uint64_t{1} << (at / kLineSize % kLinesPerPage);
  }
  std::uint64_t all_lines() const { return items_ ? 1 : ~std::uint64_t{0}; }
  LogicalPage page_of(std::int64_t key) const {
    return LogicalPage(items_ ? key / kLinesPerPage : key);
  }
  // The lines of its page that a frame of the write part holds, one bit each.
  std::uint64_t page_lines(const Frame& frame) const {
    return items_ ? std::uint64_t{1} << (frame.key % kLinesPerPage) : frame.valid;
  }
  bool items() const { return items_; }
  // The number of keys of `pages` pages.
  std::uint64_t keys(std::uint64_t pages) const { return items_ ? pages * kLinesPerPage : pages; }

  // A write of the line has ended: the read part's copy of it is out of date.
  void drop_from_read(std::int64_t key, std::uint64_t line);
  // The page's data are not wanted any more. Frames that commands or flash operations still use
  // stay, without a valid line.
  void discard(LogicalPage page);

  BufferStatistics& statistics() { return statistics_; }

  void serialize(Archive& archive);  // but for the statistics

  BufferPart read;
  BufferPart write;

 private:
  // Unsigned, as addresses are here: then they are divided by shifts.
  static constexpr auto kLineSize = static_cast<std::uint64_t>(kLineBytes.value());
  static constexpr auto kPageSize = static_cast<std::uint64_t>(kPageBytes.value());

  bool items_;
  BufferStatistics statistics_;
};

}  // namespace hmsim
