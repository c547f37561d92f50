// SPDX-License-Identifier: BSD-3-Clause
// Latencies of an agent's block I/O, as its threads see them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// Completed block request.
struct IoRecord {
  enum class Kind : std::uint8_t { read, write, flush, trim };

  std::size_t agent = 0;     // position in the workload
  std::uint32_t thread = 0;  // number of the submitting thread within the agent
  Kind kind = Kind::read;
  std::uint64_t first_line = 0;  // on the device, in lines of 64 bytes
  std::uint64_t lines = 0;       // 0 for a flush
  Tick submitted{0};             // when it arrived or the thread began it, before any software
  Tick done{0};                  // when the thread may continue
};

class IoObserver {
 public:
  virtual ~IoObserver() = default;
  virtual void on_io(const IoRecord& record) = 0;
};

// Meter of the latencies of an agent's reads and writes. Flushes and trims only reach the observer.
class IoMeter {
 public:
  // Records a completed request. Its latency counts if `measured`.
  void ended(const IoRecord& record, bool measured) {
    if (measured && (record.kind == IoRecord::Kind::read || record.kind == IoRecord::Kind::write)) {
      latencies_[record.kind == IoRecord::Kind::write ? 1 : 0].add(
          (record.done - record.submitted).value());
    }
    if (observer_ != nullptr) {
      observer_->on_io(record);
    }
  }

  // Reports each completed request to the observer, which must outlive the agent's last step.
  void watch(IoObserver& observer) { observer_ = &observer; }

  void register_statistics(StatisticRegistry& registry, const std::string& path) {
    const StatisticGroup group(registry, path + ".request_latency_us");
    for (const bool write : {false, true}) {
      const std::string name = write ? "write" : "read";
      group.times(
          name,
          "latency of its block " + name +
              "s, from submission to completion as its thread observes it: software, queues "
              "and device",
          latencies_[write ? 1 : 0]);
    }
  }

  void serialize(Archive& archive) { archive(latencies_); }

 private:
  std::array<Histogram, 2> latencies_;  // picoseconds, of reads and of writes
  IoObserver* observer_ = nullptr;      // nullptr: no request log
};

}  // namespace hmsim
