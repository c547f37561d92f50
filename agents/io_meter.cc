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
  const StatisticGroup group(registry, path + ".request_latency_us");
  for (const bool write : {false, true}) {
    const std::string name = write ? "write" : "read";
    group.times(name,
                "latency of its block " + name +
                    "s, from submission to completion as its thread observes it: software, queues "
                    "and device",
                latencies_[write ? 1 : 0]);
  }
}

}  // namespace hmsim
