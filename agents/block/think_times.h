// SPDX-License-Identifier: BSD-3-Clause
// Think time of threads with block I/O, as fio's thinktime: after a number of requests, a thread
// waits until all of its requests have completed, and then for a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

class ThinkTimes {
 public:
  ThinkTimes() = default;  // no thread thinks
  ThinkTimes(std::int64_t every, std::size_t threads)
      : every_(every), threads_(threads, Thread{every, 0}) {}

  bool may_take(std::size_t thread) const { return threads_.empty() || threads_[thread].left > 0; }
  // Records that a thread took a request. A flush does not count.
  void taken(std::size_t thread, bool flush) {
    if (!threads_.empty()) {
      threads_[thread].left -= flush ? 0 : 1;
      ++threads_[thread].under_way;
    }
  }
  // Records that a request ended. Returns true if the thread thinks from now on, until end().
  bool ended(std::size_t thread) {
    return !threads_.empty() && --threads_[thread].under_way == 0 && threads_[thread].left == 0;
  }
  void end(std::size_t thread) { threads_[thread].left = every_; }

  std::size_t size() const { return threads_.size(); }
  void serialize(Archive& archive) { archive.fixed(threads_); }

 private:
  struct Thread {
    std::int64_t left = 0;       // requests until it thinks
    std::int64_t under_way = 0;  // its requests
    void serialize(Archive& archive) { archive(left, under_way); }
  };

  std::int64_t every_ = 1;
  std::vector<Thread> threads_;
};

}  // namespace hmsim
