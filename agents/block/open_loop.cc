// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/open_loop.h"

namespace hmsim {

OpenLoop::OpenLoop(const ArrivalKeys& keys, Random random)
    : open_(keys.arrivals != Arrivals::closed), longest_(keys.queue), process_(keys, random) {}

void OpenLoop::wait(const RequestSource::Taken& taken) {
  if (waiting() == longest_) {
    ++dropped_;
  } else {
    queue_.push(taken);
  }
}

RequestSource::Taken OpenLoop::pop() {
  const RequestSource::Taken taken = queue_.front();
  queue_.pop();
  return taken;
}

void OpenLoop::register_statistics(StatisticRegistry& registry, const std::string& path) {
  if (!open_) {
    return;
  }
  const StatisticGroup arrivals(registry, path + ".arrivals");
  arrivals.counter("offered", "requests", "arrivals of the open loop", offered_);
  arrivals.counter("dropped", "requests",
                   "arrivals that found the agent's queue full; they are not executed", dropped_);
  arrivals.times("wait_us", "time from the arrival of a request until a thread begins it", waited_);
}

void OpenLoop::serialize(Archive& archive) {
  archive(process_, queue_, offered_, dropped_, waited_);
  archive.check(waiting() <= longest_, "more arrivals wait than the limit allows");
}

}  // namespace hmsim
