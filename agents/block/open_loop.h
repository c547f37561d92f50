// SPDX-License-Identifier: BSD-3-Clause
// Arrivals of an open loop, and the queue in which they wait for a free thread.
#pragma once

#include <cstdint>
#include <string>

#include "agents/block/arrival_process.h"
#include "agents/block/request_source.h"
#include "core/archive.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// The queue holds a given number of arrivals. An arrival that finds it full is dropped.
class OpenLoop {
 public:
  OpenLoop() = default;  // closed
  OpenLoop(const ArrivalKeys& keys, Random random)
      : open_(keys.arrivals != Arrivals::closed), longest_(keys.queue), process_(keys, random) {}

  bool open() const { return open_; }
  void restart(Tick origin) { process_.restart(origin); }
  Tick next() const { return process_.next(); }
  // Counts the present arrival and steps to the next one.
  void arrived() {
    ++offered_;
    process_.step();
  }

  std::int64_t waiting() const { return static_cast<std::int64_t>(queue_.size()); }

  // Queues a request, or drops it if the queue is full.
  void wait(const RequestSource::Taken& taken) {
    if (waiting() == longest_) {
      ++dropped_;
    } else {
      queue_.push(taken);
    }
  }

  // Returns the first to arrive. Requires waiting() > 0.
  RequestSource::Taken pop() { return queue_.take(); }
  // Records the time that a request has waited for a thread.
  void begun(Tick waited) { waited_.add(waited.value()); }

  // Registers statistics under `path`, unless the loop is closed.
  void register_statistics(StatisticRegistry& registry, const std::string& path) {
    if (!open_) {
      return;
    }
    const StatisticGroup arrivals(registry, path + ".arrivals");
    arrivals.counter("offered", "requests", "arrivals of the open loop", offered_);
    arrivals.counter("dropped", "requests",
                     "arrivals that found the agent's queue full; they are not executed", dropped_);
    arrivals.times("wait_us", "time from the arrival of a request until a thread begins it",
                   waited_);
  }

  void serialize(Archive& archive) {
    archive(process_, queue_, offered_, dropped_, waited_);
    archive.check(waiting() <= longest_, "more arrivals wait than the limit allows");
  }

 private:
  bool open_ = false;
  std::int64_t longest_ = 0;
  ArrivalProcess process_;
  Ring<RequestSource::Taken> queue_;
  Counter offered_ = 0;
  Counter dropped_ = 0;
  Histogram waited_;  // picoseconds
};

}  // namespace hmsim
