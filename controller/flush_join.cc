// SPDX-License-Identifier: BSD-3-Clause
#include "controller/flush_join.h"

#include "core/archive.h"

namespace hmsim {

Request FlushJoin::begin(const Request& request, std::int64_t parts) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(under_way_.size()));
    under_way_.emplace_back();
  }
  Request part = request;
  part.tag = free_.back();
  part.agent = static_cast<std::uint16_t>(requesters_.size() - 1);
  free_.pop_back();
  under_way_[part.tag] = {request, parts};
  return part;
}

void FlushJoin::on_complete(const Request& part, Tick now) {
  Flush& flush = under_way_[part.tag];
  if (--flush.parts > 0) {
    return;
  }
  const Request request = flush.request;
  free_.push_back(part.tag);
  ++flushes_;
  latency_.add((now - request.arrival).value());
  requesters_[request.agent]->on_complete(request, now);
}

void FlushJoin::serialize(Archive& archive) { archive(under_way_, free_, flushes_, latency_); }

}  // namespace hmsim
