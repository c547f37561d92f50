// SPDX-License-Identifier: BSD-3-Clause
// Requests of another simulator that are not done, by tag. Free entries form a list, so memory is
// allocated only if more requests than ever before are in flight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/errors.h"
#include "core/types.h"

namespace hmsim {

class RequestsInFlight {
 public:
  // Returns whether there never was a request.
  bool unused() const { return entries_.empty(); }
  // Returns whether add() would allocate memory.
  bool full() const { return free_ == kNone; }
  // Returns the tag of a new request of `lines` lines, at least 1. `id` is the simulator's.
  std::uint32_t add(std::uint64_t id, std::int64_t lines) {
    if (full()) {
      grow();
    }
    const auto tag = static_cast<std::uint32_t>(free_);
    Entry& entry = entries_[tag];
    free_ = entry.id;
    entry = {id, lines, 0};
    return tag;
  }

  std::uint64_t id(std::uint32_t tag) const { return entries_[tag].id; }
  struct Ended {
    std::uint64_t id;
    std::uint8_t status;  // the largest of the lines
  };
  // A line of request `tag` is done, with this status. Returns the request if it was the last line;
  // the tag is then free.
  std::optional<Ended> end_line(std::uint32_t tag, std::uint8_t status = 0) {
    Entry& entry = entries_[tag];
    entry.status = std::max(entry.status, status);
    if (--entry.lines_left != 0) {
      require_lines(entry);
      return std::nullopt;
    }
    const Ended ended{entry.id, entry.status};
    entry.id = free_;
    free_ = tag;
    return ended;
  }

 private:
  struct Entry {
    std::uint64_t id = 0;         // if free: the next free entry
    std::int64_t lines_left = 0;  // if free: 0
    std::uint8_t status = 0;
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  [[gnu::noinline]] static void require_lines(const Entry& entry) {
    ensure(entry.lines_left > 0, "embedded memory", Tick(0), -1, "a line was done twice");
  }

  [[gnu::noinline]] void grow() {
    const std::size_t first = entries_.size();
    entries_.resize(first == 0 ? 64 : 2 * first);
    for (std::size_t tag = entries_.size(); tag-- > first;) {
      entries_[tag].id = free_;
      free_ = tag;
    }
  }

  std::vector<Entry> entries_;
  std::uint64_t free_ = kNone;  // first of the list
};

}  // namespace hmsim
