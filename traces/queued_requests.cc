// SPDX-License-Identifier: BSD-3-Clause
#include "traces/queued_requests.h"

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

bool QueuedRequests::take(BlockRequest& request) {
  request = waiting_.empty() ? BlockRequest() : waiting_.front();
  const bool found = !waiting_.empty();
  if (found) {
    waiting_.pop_front();
  }
  return found;
}

}  // namespace hmsim
