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
  OpenLoop(const ArrivalKeys& keys, Random random);

  bool open() const { return open_; }
  void restart(Tick origin) { process_.restart(origin); }
  Tick next() const { return process_.next(); }
  // Counts the present arrival and steps to the next one.
  void arrived() {
    ++offered_;
    process_.step();
  }

  std::int64_t waiting() const { return static_cast<std::int64_t>(queue_.size()); }
  void wait(const RequestSource::Taken& taken);  // drops it if the queue is full
  RequestSource::Taken pop();                    // the first to arrive; requires waiting() > 0
  // Records the time that a request has waited for a thread.
  void begun(Tick waited) { waited_.add(waited.value()); }

  // Registers statistics under `path`, unless the loop is closed.
  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

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
