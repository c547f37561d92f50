// SPDX-License-Identifier: BSD-3-Clause
// Decides which requests may enter the host queue, which is in front of all channels.
#pragma once

#include <array>
#include <cstdint>

#include "core/tiers.h"
#include "policies/policy.h"

namespace hmsim {

// The host queue as a limiter sees it. Valid only during the call. Index: Tier.
struct HostView {
  Tick now;
  std::array<std::int64_t, kTiers> held;      // entries
  std::array<std::uint64_t, kTiers> left;     // requests that have left since the start
  std::array<std::uint64_t, kTiers> holding;  // entries x picoseconds since the start

  std::int64_t of(Tier tier) const { return held[index_of(tier)]; }
};

// The load that a CXL device reports with its answers (DevLoad).
enum class LoadLevel : std::uint8_t { light, optimal, moderate, severe, last = severe };

class HostLimiter : public Policy {
 public:
  // Called once, before all other functions. `entries`: of the queue, by tier (shared: all of them
  // for each tier).
  virtual void connect(const std::array<std::int64_t, kTiers>& /*entries*/) {}

  // Returns whether a request of this tier and source may enter now; a free entry is there.
  virtual bool admits(Tier /*tier*/, std::uint16_t /*source*/, const HostView& /*view*/) {
    return true;
  }
  // Reports that a request entered or left; `view` includes the change.
  virtual void on_enter(Tier /*tier*/, std::uint16_t /*source*/, const HostView& /*view*/) {}
  virtual void on_leave(Tier /*tier*/, const HostView& /*view*/) {}
  // Reports that a request arrived while all entries of a shared queue were held.
  virtual void on_full(Tier /*tier*/, const HostView& /*view*/) {}
  // Reports the level that an answer carried.
  virtual void on_load(LoadLevel /*level*/, Tick /*now*/) {}

  // Returns the next time after `now` at which admits() may change without an event.
  virtual Tick next_change(Tick /*now*/) const { return kNever; }
};

}  // namespace hmsim
