// SPDX-License-Identifier: BSD-3-Clause
#include "agents/io_meter.h"

namespace hmsim {

void IoMeter::ended(const IoRecord& record, bool measured) {
  if (measured && (record.kind == IoRecord::Kind::read || record.kind == IoRecord::Kind::write)) {
    latencies_[record.kind == IoRecord::Kind::write ? 1 : 0].add(
        (record.done - record.submitted).value());
  }
  if (observer_ != nullptr) {
    observer_->on_io(record);
  }
}

void IoMeter::register_statistics(StatisticRegistry& registry, const std::string& path) {
  constexpr std::array<const char*, 2> kNames{"read", "write"};
  constexpr std::array<const char*, 2> kDescriptions{
      "latency of its block reads, from submission to completion as its thread observes it: "
      "software, queues and device",
      "latency of its block writes, from submission to completion as its thread observes it: "
      "software, queues and device"};
  for (std::size_t i = 0; i < latencies_.size(); ++i) {
    registry.histogram(path + ".request_latency_us." + kNames[i], "us", kDescriptions[i],
                       kMicrosecond.value(), {&latencies_[i]});
  }
}

}  // namespace hmsim
