// SPDX-License-Identifier: BSD-3-Clause
// The requests of a queue that still wait for their data-bus command, in order of arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "policies/policy.h"

namespace hmsim {

// A list through the slots; every call takes constant time.
class PendingRequests {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void connect(const ChannelShape& shape) { entries_.resize(shape.slots); }

  void add(const RequestView& request) {
    Entry& entry = entries_[request.slot];
    entry = {request, newest_, kNone};
    (newest_ == kNone ? oldest_ : entries_[newest_].next) = request.slot;
    newest_ = request.slot;
    ++size_;
  }
  void remove(std::uint32_t slot) {
    const Entry& entry = entries_[slot];
    (entry.previous == kNone ? oldest_ : entries_[entry.previous].next) = entry.next;
    (entry.next == kNone ? newest_ : entries_[entry.next].previous) = entry.previous;
    --size_;
  }

  std::size_t size() const { return size_; }
  std::uint32_t oldest() const { return oldest_; }  // or kNone
  std::uint32_t next(std::uint32_t slot) const { return entries_[slot].next; }
  const RequestView& operator[](std::uint32_t slot) const { return entries_[slot].request; }

  void serialize(Archive& archive) { archive(entries_, oldest_, newest_, size_); }

 private:
  struct Entry {
    RequestView request{};
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    void serialize(Archive& archive) { archive(request, previous, next); }
  };

  std::vector<Entry> entries_;  // by slot
  std::uint32_t oldest_ = kNone;
  std::uint32_t newest_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace hmsim
