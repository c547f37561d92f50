// SPDX-License-Identifier: BSD-3-Clause
// Requests queued by a Linux block layer, in that order. Each is held until its completion time is
// known. A completion names its sectors, which may be those of merged requests. Completions of
// flushes without data are matched in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/archive.h"
#include "traces/trace_formats.h"

namespace hmsim {

class QueuedRequests {
 public:
  // Limit of held requests, in case a completion is missing.
  static constexpr std::size_t kMost = 1'024;

  void add(const BlockRequest& request) { waiting_.push_back(request); }
  // The device completed the sectors or the flush that `done` names. Returns false if a matching
  // request was queued after `time`.
  [[nodiscard]] bool complete(const BlockRequest& done, std::uint64_t time);

  // Removes the last request queued like `back` that has not completed; nothing if there is none.
  void remove(const BlockRequest& back);

  // Returns whether the next request can be returned: its completion is known, or the limit is
  // reached.
  bool ready() const {
    return waiting_.size() >= kMost || (!waiting_.empty() && waiting_.front().completion_ns);
  }
  bool take(BlockRequest& request);  // removes the first request; false if there is none
  void clear() { waiting_.clear(); }
  void serialize(Archive& archive) { archive(waiting_); }

 private:
  std::deque<BlockRequest> waiting_;
};

}  // namespace hmsim
