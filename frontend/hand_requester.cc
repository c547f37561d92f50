// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/hand_requester.h"

#include <utility>

namespace hmsim {

std::uint64_t HandRequester::send(MemoryPort& port, Request request, Tick now) {
  if (free_tags_.empty()) {
    free_tags_.push_back(static_cast<std::uint32_t>(pending_.size()));
    pending_.push_back(0);
  }
  request.tag = free_tags_.back();
  free_tags_.pop_back();
  const std::uint64_t id = next_id_++;
  pending_[request.tag] = id;
  port.send(request, now);
  return id;
}

std::vector<Completion> HandRequester::take_completions() { return std::exchange(done_, {}); }

void HandRequester::on_complete(const Request& request, Tick now) {
  done_.push_back({pending_[request.tag], request.arrival, now});
  free_tags_.push_back(request.tag);
  ++completed_;
}

void HandRequester::serialize(Archive& archive) {
  archive.section("by hand");
  archive(pending_, free_tags_, done_, next_id_, completed_);
}

}  // namespace hmsim
