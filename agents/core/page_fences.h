// SPDX-License-Identifier: BSD-3-Clause
// Fences by page: a run of non-temporal writes to one 4 KB page is closed by a fence, after the
// last line of the page, or else before the next such write to another page. Dispatch stops at a
// fence until all non-temporal writes are safe: accepted by the controller, or, where that is not
// enough for lines of the NVDIMM (Persistence), done.
#pragma once

#include <cstdint>
#include <optional>

#include "core/archive.h"
#include "core/request.h"
#include "core/statistics.h"
#include "traces/trace_formats.h"

namespace hmsim {

class PageFences {
 public:
  void open(bool present, Persistence persistence) {
    present_ = present;
    persistence_ = persistence;
  }
  bool present() const { return present_; }

  // Whether a fence stands before the record, which is the next one.
  bool due_before(const Miss& next) const {
    return fence_ || (next.non_temporal && copied_page_ && page_of_write(next) != *copied_page_);
  }
  // Whether that fence waits for writes.
  bool block(const Miss& next) const { return unsafe_ > 0 && due_before(next); }
  // The record is dispatched.
  void pass(const Miss& next) {
    if (present_ && due_before(next)) {
      ++fences_;
      fence_ = false;
    }
  }
  // The write of the record is sent. Returns whether a fence waits for it.
  bool write(const Miss& record);
  // Where a fence no longer waits for the write. DRAM keeps nothing when power fails: a fence only
  // waits until its lines are in order.
  Persistence safe_at(const Request& write) const {
    return write.memory == MemoryClass::dram ? Persistence::controller : persistence_;
  }
  // A write for which a fence waits is safe.
  void safe() { --unsafe_; }

  Counter& fences() { return fences_; }
  void serialize(Archive& archive) { archive(unsafe_, copied_page_, fence_, fences_); }

 private:
  // Numbers the pages of both memories, which differ.
  static std::int64_t page_of_write(const Miss& miss) {
    const auto page = static_cast<std::uint64_t>(kPageBytes.value());
    return static_cast<std::int64_t>(miss.write_address / page * kMemoryClasses +
                                     static_cast<std::uint64_t>(miss.memory));
  }

  bool present_ = false;
  Persistence persistence_ = Persistence::controller;
  std::int64_t unsafe_ = 0;                  // writes that a fence waits for
  std::optional<std::int64_t> copied_page_;  // of a run that is not closed
  bool fence_ = false;                       // stands before the next record
  Counter fences_ = 0;
};

inline bool PageFences::write(const Miss& record) {
  if (!present_ || !record.non_temporal) {
    return false;
  }
  ++unsafe_;
  const auto line = static_cast<std::uint64_t>(kLineBytes.value());
  const auto page = static_cast<std::uint64_t>(kPageBytes.value());
  fence_ = (record.write_address + line) % page == 0;
  copied_page_.reset();
  if (!fence_) {
    copied_page_ = page_of_write(record);
  }
  return true;
}

}  // namespace hmsim
