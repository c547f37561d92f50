// SPDX-License-Identifier: BSD-3-Clause
// Fences by page. A fence closes a run of non-temporal writes to one 4 KB page: after the last line
// of the page, or before the next non-temporal write to another page. Dispatch stops at a fence
// until all non-temporal writes are safe. A write is safe once the controller has accepted it or,
// for NVDIMM lines with Persistence::module, once it is done.
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

  // Returns whether a fence precedes the next record.
  bool due_before(const Miss& next) const {
    return fence_ || (next.non_temporal && copied_page_ && page_of_write(next) != *copied_page_);
  }
  // Returns whether that fence must wait for writes.
  bool block(const Miss& next) const { return unsafe_ > 0 && due_before(next); }
  // Called when the record is dispatched.
  void dispatched(const Miss& next) {
    if (present_ && due_before(next)) {
      ++fences_;
      fence_ = false;
    }
  }
  // Called when the record's write is sent. Returns whether a fence waits for it.
  bool write(const Miss& record);
  // Returns where a write must be for a fence to stop waiting for it. DRAM does not survive power
  // failure, so for its lines a fence only enforces order.
  Persistence safe_at(const Request& write) const {
    return write.memory == MemoryClass::dram ? Persistence::controller : persistence_;
  }
  // Called when a write that fences wait for is safe.
  void safe() { --unsafe_; }

  Counter& fences() { return fences_; }
  void serialize(Archive& archive) { archive(unsafe_, copied_page_, fence_, fences_); }

 private:
  // Numbers the pages of both memories without overlap.
  static std::int64_t page_of_write(const Miss& miss) {
    const auto page = static_cast<std::uint64_t>(kPageBytes.value());
    return static_cast<std::int64_t>(miss.write_address / page * kMemoryClasses +
                                     static_cast<std::uint64_t>(miss.memory));
  }

  bool present_ = false;
  Persistence persistence_ = Persistence::controller;
  std::int64_t unsafe_ = 0;                  // writes that fences wait for
  std::optional<std::int64_t> copied_page_;  // page of the open run
  bool fence_ = false;                       // a fence precedes the next record
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
