// SPDX-License-Identifier: BSD-3-Clause
#include "controller/flush_join.h"

#include "core/places.h"

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
  Flush& flush = under_way_[part.tag];
  if (--flush.parts > 0) {
    return;
  }
  const Flush done = flush;
  free_.push_back(part.tag);
  ++flushes_;
  latency_.add((now - done.request.arrival).value());
  for (std::size_t channel = done.first; channel < done.end; ++channel) {
    channels_[channel]->pass_flush(now);
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

void FlushJoin::check_outstanding(const Archive& archive,
                                  const std::vector<Outstanding>& requests) const {
  constexpr const char* kWrong = "flushes do not hold together";
  std::vector<std::int64_t> parts(under_way_.size());
  std::vector<std::int64_t> ended(under_way_.size());
  for (const Outstanding& each : requests) {
    archive.check_index(each.request.tag, parts.size(), kWrong);
    ++parts[each.request.tag];
  }
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    if (const Request* const part = channels_[channel]->acknowledged_flush()) {
      archive.check_index(part->tag, ended.size(), kWrong);
      const Flush& flush = under_way_[part->tag];
      archive.check(flush.first <= channel && channel < flush.end, kWrong);
      ++ended[part->tag];
    }
  }
  Places free(archive, under_way_.size(), kWrong);
  for (const std::uint32_t tag : free_) {
    free.take(tag);
  }
  for (std::size_t tag = 0; tag < parts.size(); ++tag) {
    const Flush& flush = under_way_[tag];
    const bool waits = parts[tag] > 0;
    archive.check(parts[tag] == flush.parts && free.has(tag) != waits, kWrong);
    archive.check(flush.first <= flush.end && flush.end <= channels_.size(), kWrong);
    archive.check(
        ended[tag] ==
            (waits ? static_cast<std::int64_t>(flush.end - flush.first) - flush.parts : 0),
        kWrong);
  }
}

void FlushJoin::serialize(Archive& archive) { archive(under_way_, free_, flushes_, latency_); }

}  // namespace hmsim
