// SPDX-License-Identifier: BSD-3-Clause
#include "controller/flush_join.h"

#include "core/places.h"

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

void FlushJoin::list_outstanding(std::vector<Outstanding>& requests) const {
  for (const Flush& flush : under_way_) {
    if (flush.parts > 0) {
      requests.push_back({flush.request, true});
    }
  }
}

void FlushJoin::check_outstanding(const Archive& archive,
                                  const std::vector<Outstanding>& requests) const {
  constexpr const char* kWrong = "flushes do not hold together";
  std::vector<std::int64_t> parts(under_way_.size());
  for (const Outstanding& each : requests) {
    archive.check_index(each.request.tag, parts.size(), kWrong);
    ++parts[each.request.tag];
  }
  Places free(archive, under_way_.size(), kWrong);
  for (const std::uint32_t tag : free_) {
    free.take(tag);
  }
  for (std::size_t tag = 0; tag < parts.size(); ++tag) {
    archive.check(parts[tag] == under_way_[tag].parts && free.has(tag) == (parts[tag] == 0),
                  kWrong);
  }
}

void FlushJoin::serialize(Archive& archive) { archive(under_way_, free_, flushes_, latency_); }

}  // namespace hmsim
