// SPDX-License-Identifier: BSD-3-Clause
#include "traces/queued_requests.h"

#include <algorithm>
#include <iterator>

namespace hmsim {

namespace {

bool covers(const BlockRequest& done, const BlockRequest& request) {
  if (done.device != request.device || done.sectors == 0 || request.sectors == 0) {
    return done.device == request.device && done.sectors == request.sectors;
  }
  return done.write == request.write && done.trim == request.trim &&
         request.sector >= done.sector && request.sectors <= done.sectors &&
         request.sector - done.sector <= done.sectors - request.sectors;
}

}  // namespace

bool QueuedRequests::complete(const BlockRequest& done, std::uint64_t time) {
  for (BlockRequest& each : waiting_) {
    if (each.completion_ns || !covers(done, each)) {
      continue;
    }
    if (time < each.arrival_ns) {
      return false;
    }
    each.completion_ns = time;
    if (done.sectors == 0) {
      break;
    }
  }
  return true;
}

void QueuedRequests::remove(const BlockRequest& back) {
  const auto same = [&back](const BlockRequest& each) {
    return !each.completion_ns && each.device == back.device && each.sector == back.sector &&
           each.sectors == back.sectors && each.write == back.write && each.trim == back.trim;
  };
  const auto found = std::find_if(waiting_.rbegin(), waiting_.rend(), same);
  if (found != waiting_.rend()) {
    waiting_.erase(std::next(found).base());
  }
}

bool QueuedRequests::take(BlockRequest& request) {
  request = waiting_.empty() ? BlockRequest() : waiting_.front();
  const bool found = !waiting_.empty();
  if (found) {
    waiting_.pop_front();
  }
  return found;
}

}  // namespace hmsim
