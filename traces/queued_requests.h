// SPDX-License-Identifier: BSD-3-Clause
// Requests that a Linux block layer queued, in that order, each held until what is read behind it
// tells when it was done: a completion tells of its sectors, among others where requests were
// merged; of flushes that move no data completions tell in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/archive.h"
#include "traces/trace_formats.h"

namespace hmsim {

class QueuedRequests {
 public:
  // So many requests are held at most, where one's completion does not come.
  static constexpr std::size_t kMost = 1'024;

  void add(const BlockRequest& request) { waiting_.push_back(request); }
  // The device was done with what `done` names. False: with a request before it was queued.
  [[nodiscard]] bool complete(const BlockRequest& done, std::uint64_t time);

  // Whether the request that comes next is known.
  bool ready() const {
    return waiting_.size() >= kMost || (!waiting_.empty() && waiting_.front().completion_ns);
  }
  bool take(BlockRequest& request);  // the first; false: there is none
  void clear() { waiting_.clear(); }
  void serialize(Archive& archive) { archive(waiting_); }

 private:
  std::deque<BlockRequest> waiting_;
};

}  // namespace hmsim
