// SPDX-License-Identifier: BSD-3-Clause
// First-in, first-out queue in one block of memory. It grows by doubling and never shrinks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.h"

namespace hmsim {

template <class T>
class Ring {
 public:
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == capacity_; }  // the next push() grows it
  std::size_t size() const { return count_; }

  T& front() { return slots_[head_]; }
  const T& front() const { return slots_[head_]; }
  T& back() { return slots_[(head_ + count_ - 1) & mask_]; }

  void make_room() { grow(); }  // grows a full queue before the next place()
  void push(const T& value) { push() = value; }
  // Appends an element and returns it; the caller must assign it.
  T& push() {
    if (full()) {
      grow();
    }
    return place();
  }
  // As push(), for a queue that is not full.
  T& place() { return slots_[(head_ + count_++) & mask_]; }
  void pop() {
    head_ = (head_ + 1) & mask_;
    --count_;
  }

  // Removes the first element and returns it.
  T take() {
    T first = std::move(front());
    pop();
    return first;
  }
  void clear() { head_ = count_ = 0; }

  // Calls see(value) for all elements, first to last.
  template <class See>
  void each(See see) const {
    for (std::size_t i = 0; i < count_; ++i) {
      see(slots_[(head_ + i) & mask_]);
    }
  }

  // Saves the elements, first to last.
  void serialize(Archive& archive) {
    std::vector<T> values;
    if (!archive.loading()) {
      values.reserve(count_);
      each([&values](const T& value) { values.push_back(value); });
    }
    archive(values);
    if (archive.loading()) {
      clear();
      for (const T& value : values) {
        push(value);
      }
    }
  }

 private:
  [[gnu::noinline]] void grow() {
    constexpr std::size_t kInitialSlots = 8;
    std::vector<T> larger(slots_.empty() ? kInitialSlots : 2 * slots_.size());
    for (std::size_t i = 0; i < count_; ++i) {
      larger[i] = std::move(slots_[(head_ + i) & mask_]);
    }
    slots_ = std::move(larger);
    capacity_ = slots_.size();
    mask_ = capacity_ - 1;
    head_ = 0;
  }

  std::vector<T> slots_;
  std::size_t capacity_ = 0;  // slots_.size(), a power of two
  std::size_t mask_ = 0;      // capacity_ - 1
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

}  // namespace hmsim
