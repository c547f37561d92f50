// SPDX-License-Identifier: BSD-3-Clause
// Decides which requests may enter the host queue, which is in front of all channels.
#pragma once

#include <array>
#include <cstdint>

#include "policies/policy.h"

namespace hmsim {

// The host queue as a limiter sees it. Valid only during the call. Index: MemoryClass.
struct HostView {
  Tick now;
  std::array<std::int64_t, kMemoryClasses> held;      // entries
  std::array<std::uint64_t, kMemoryClasses> left;     // requests that have left since the start
  std::array<std::uint64_t, kMemoryClasses> holding;  // entries x picoseconds since the start

  std::int64_t of(MemoryClass memory) const { return held[static_cast<std::size_t>(memory)]; }
};

// The load that a CXL device reports with its answers (DevLoad).
enum class LoadLevel : std::uint8_t { light, optimal, moderate, severe, last = severe };

// The NVDIMM's requests are the slow ones, whether it is on the memory bus or behind a port.
class HostLimiter : public Policy {
 public:
  // Called once, before all other functions. `entries`: of the queue, by class (shared: all of them
  // for each class).
  virtual void connect(const std::array<std::int64_t, kMemoryClasses>& /*entries*/) {}

  // Returns whether a request of this class and source may enter now; a free entry is there.
  virtual bool admits(MemoryClass /*memory*/, std::uint16_t /*source*/, const HostView& /*view*/) {
    return true;
  }
  // Reports that a request entered or left; `view` includes the change.
  virtual void on_enter(MemoryClass /*memory*/, std::uint16_t /*source*/,
                        const HostView& /*view*/) {}
  virtual void on_leave(MemoryClass /*memory*/, const HostView& /*view*/) {}
  // Reports that a request arrived while all entries of a shared queue were held.
  virtual void on_full(MemoryClass /*memory*/, const HostView& /*view*/) {}
  // Reports the level that an answer carried.
  virtual void on_load(LoadLevel /*level*/, Tick /*now*/) {}

  // Returns the next time after `now` at which admits() may change without an event.
  virtual Tick next_change(Tick /*now*/) const { return kNever; }
};

}  // namespace hmsim
