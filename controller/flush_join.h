// SPDX-License-Identifier: BSD-3-Clause
// Splits a flush of several NVDIMMs into one part per channel. When all parts are done, the
// requester's flush is done, and the gates of the channels release the requests after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/channel/flush_gate.h"
#include "core/archive.h"
#include "core/request.h"
#include "core/statistics.h"

namespace hmsim {

class FlushJoin final : public Requester {
 public:
  // The last entry of `requesters` must be this object.
  explicit FlushJoin(const std::vector<Requester*>& requesters) : requesters_(requesters) {}
  // Adds the gate of the next channel.
  void add(FlushGate& gate) { gates_.push_back(&gate); }

  // Returns the part that each of the channels from `first` to `end` must get.
  Request begin(const Request& request, std::size_t first, std::size_t end);
  void on_complete(const Request& part, Tick now) override;

  // Lists unfinished flushes of other requesters.
  void list_outstanding(std::vector<Outstanding>& requests) const;

  Counter& flushes() { return flushes_; }
  Histogram& latency() { return latency_; }

  void serialize(Archive& archive);

 private:
  struct Flush {
    Request request;
    std::int64_t parts = 0;  // not done yet
    std::size_t first = 0;   // range of its channels
    std::size_t end = 0;
    void serialize(Archive& archive) { archive(request, parts, first, end); }
  };

  const std::vector<Requester*>& requesters_;
  std::vector<FlushGate*> gates_;  // by channel
  std::vector<Flush> under_way_;   // by the parts' tag
  std::vector<std::uint32_t> free_;
  Counter flushes_ = 0;
  Histogram latency_;  // picoseconds
};

}  // namespace hmsim
