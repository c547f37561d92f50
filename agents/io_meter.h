// SPDX-License-Identifier: BSD-3-Clause
// How long an agent's block I/O took, as the threads that asked for it see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// A block request that has ended.
struct IoRecord {
  enum class Kind : std::uint8_t { read, write, flush, trim };

  std::size_t agent = 0;     // its place in the workload
  std::uint32_t thread = 0;  // of the agent, that submitted it
  Kind kind = Kind::read;
  std::uint64_t first_line = 0;  // of the device, in lines of 64 bytes
  std::uint64_t lines = 0;       // 0: a flush
  Tick submitted{0};             // when the thread began it, before any software
  Tick done{0};                  // when the thread may continue with its result
};

class IoObserver {
 public:
  virtual ~IoObserver() = default;
  virtual void on_io(const IoRecord& record) = 0;
};

// Keeps the latencies of an agent's reads and writes. Flushes and trims go to the observer alone.
class IoMeter {
 public:
  // Notes a request that has ended. Its latency counts if `measured`.
  void ended(const IoRecord& record, bool measured);
  // Tells the observer, which outlives the agent's last step, of each request that ends.
  void watch(IoObserver& observer) { observer_ = &observer; }

  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive) { archive(latencies_); }

 private:
  std::array<Histogram, 2> latencies_;  // picoseconds, of reads and of writes
  IoObserver* observer_ = nullptr;      // none: nobody logs requests
};

}  // namespace hmsim
