// SPDX-License-Identifier: BSD-3-Clause
#include "controller/flush_join.h"

#include "core/errors.h"

namespace hmsim {

Request FlushJoin::begin(const Request& request, std::size_t first, std::size_t end) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(under_way_.size()));
    under_way_.emplace_back();
  }
  Request part = request;
  part.tag = free_.back();
  part.agent = static_cast<std::uint16_t>(requesters_.size() - 1);
  free_.pop_back();
  under_way_[part.tag] = {request, static_cast<std::int64_t>(end - first), first, end};
  return part;
}

void FlushJoin::on_complete(const Request& part, Tick now) {
  ensure(part.tag < under_way_.size(), "flush", now, -1, "end of a part without a flush");
  Flush& flush = under_way_[part.tag];
  if (--flush.parts != 0) {
    return;
  }
  const Flush done = flush;
  free_.push_back(part.tag);
  ++flushes_;
  latency_.add((now - done.request.arrival).value());
  for (std::size_t channel = done.first; channel < done.end; ++channel) {
    gates_[channel]->pass_flush(now);
  }
  requesters_[done.request.agent]->on_complete(done.request, now);
}

void FlushJoin::list_outstanding(std::vector<Outstanding>& requests) const {
  for (const Flush& flush : under_way_) {
    if (flush.parts > 0) {
      requests.push_back({flush.request, true});
    }
  }
}

void FlushJoin::serialize(Archive& archive) {
  archive(under_way_, free_, flushes_, latency_);
  archive.check_indices(free_, under_way_.size(), "invalid flush");
  for (const Flush& flush : under_way_) {
    // A flush of this requester itself would never stop completing.
    archive.check_index(flush.request.agent, requesters_.size() - 1, "flush without a requester");
    archive.check(flush.end <= gates_.size(), "flush without a channel");
  }
}

}  // namespace hmsim
