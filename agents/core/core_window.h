// SPDX-License-Identifier: BSD-3-Clause
// Instruction window of an out-of-order core: records from their dispatch until they leave.
//
// Records are numbered in order of dispatch. Records first_ to end_ - 1 are in the window. The
// record before first_ is kept as well; at the start of a pass it stands for instruction 0. The
// retirement of records before known_ is known. Records before applied_ no longer bound the next
// dispatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"

namespace hmsim {

class CoreWindow {
 public:
  static constexpr std::int64_t kUnknown = -1;

  struct Entry {
    std::int64_t index = 0;     // instruction number within the pass, from 1
    std::int64_t dispatch = 0;  // slot
    std::int64_t ready = 0;     // slot, or kUnknown
    std::int64_t retire = 0;    // slot, once all earlier records have theirs
    void serialize(Archive& archive) { archive(index, dispatch, ready, retire); }
  };

  // Reserves room for this many records, rounded up to a power of two. Called once.
  void reserve(std::int64_t records) {
    std::size_t size = 1;
    while (size < static_cast<std::size_t>(records)) {
      size *= 2;
    }
    entries_.resize(size);
    mask_ = size - 1;
  }

  // Empties the window. `before` stands for the last record that left it.
  void clear(const Entry& before) {
    first_ = applied_ = known_ = end_;
    entry(first_ - 1) = before;
  }

  // A record is stored at its number modulo the capacity.
  std::size_t capacity() const { return entries_.size(); }
  std::size_t place_of(std::int64_t number) const {
    return static_cast<std::size_t>(number) & mask_;
  }
  // Returns the number of the record in the window whose number modulo the capacity is `index`.
  std::int64_t number_at(std::uint32_t index) const {
    return first_ + static_cast<std::int64_t>((index - static_cast<std::size_t>(first_)) & mask_);
  }
  bool holds(std::int64_t number) const { return number >= first_ && number < end_; }
  // Calls see(number) for each record in the window, in order.
  template <class See>
  void each(See see) const {
    for (std::int64_t number = first_; number < end_; ++number) {
      see(number);
    }
  }
  std::int64_t end() const { return end_; }  // the number of the next record
  const Entry& operator[](std::int64_t number) const { return entries_[place_of(number)]; }
  void set_ready(std::int64_t number, std::int64_t slot) { entry(number).ready = slot; }
  bool retirement_known(std::int64_t number) const { return number < known_; }
  // Returns the first record not retired by the slot, or end().
  std::int64_t first_unretired(std::int64_t slot) const {
    std::int64_t next = first_;
    for (std::int64_t count = known_ - first_; count > 0;) {
      const std::int64_t half = count / 2;
      const bool past = entry(next + half).retire <= slot;
      next = past ? next + half + 1 : next;
      count = past ? count - half - 1 : half;
    }
    return next;
  }

  bool has_room() const { return end_ - first_ + 1 < static_cast<std::int64_t>(entries_.size()); }
  // Removes records that are retired by the slot and bound no dispatch.
  void leave(std::int64_t slot) {
    while (first_ < applied_ && entry(first_).retire <= slot) {
      ++first_;
    }
  }
  // Adds a record and returns its number.
  std::int64_t add(std::int64_t index, std::int64_t dispatch, std::int64_t ready, Tick now) {
    ensure(static_cast<std::size_t>(end_ - first_) <= mask_, "core", now, -1,
           "too many records in a core's window");
    Entry& added = entry(end_);
    added.index = index;
    added.dispatch = dispatch;
    added.ready = ready;
    return end_++;
  }
  // Raises `slot` to the first slot after the retirement of instruction `index`. Returns false if
  // that is not known yet.
  bool bound(std::int64_t index, std::int64_t& slot) {
    while (applied_ < end_ && entry(applied_).index <= index) {
      if (applied_ == known_) {
        return false;
      }
      const Entry& left = entry(applied_);
      slot = later(slot, left.retire + (index - left.index) + 1);
      ++applied_;
    }
    return true;
  }
  // Computes the retirement of records whose slots are known. Calls reach(before, index) when the
  // retirement of instructions up to `index` is known; `before` is the last record among them.
  // Returns whether any retirement has become known.
  template <class Reach>
  bool resolve(Reach reach) {
    const std::int64_t first = known_;
    while (known_ < end_ && entry(known_).ready != kUnknown) {
      const Entry& before = entry(known_ - 1);
      Entry& next = entry(known_);
      reach(before, next.index - 1);
      next.retire = later(before.retire + (next.index - before.index), next.ready);
      ++known_;
    }
    return known_ != first;
  }
  bool resolved() const { return known_ == end_; }  // all retirements are known
  // The last record with known retirement.
  const Entry& last_known() const { return entry(known_ - 1); }
  // Empties the window, whose records are all resolved. The last record then stands for instruction
  // `index`, retired in `slot`.
  void retire_all(std::int64_t index, std::int64_t slot) {
    Entry& last = entry(known_ - 1);
    last.index = index;
    last.retire = slot;
    first_ = applied_ = known_ = end_;
  }

  void serialize(Archive& archive) {
    archive.fixed(entries_);
    archive(first_, applied_, known_, end_);
    // Guarantees that loops over the window end.
    archive.check(first_ >= 0 && first_ <= applied_ && applied_ <= known_ && known_ <= end_ &&
                      end_ - first_ < static_cast<std::int64_t>(entries_.size()),
                  "invalid window of a core");
  }

 private:
  Entry& entry(std::int64_t number) { return entries_[place_of(number)]; }
  const Entry& entry(std::int64_t number) const { return entries_[place_of(number)]; }

  std::vector<Entry> entries_;
  std::size_t mask_ = 0;
  std::int64_t first_ = 0;
  std::int64_t applied_ = 0;
  std::int64_t known_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace hmsim
