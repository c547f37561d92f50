// SPDX-License-Identifier: BSD-3-Clause
// Bus arbiter without a channel, driven by hand for tests and self-checks.
#pragma once

#include <memory>
#include <string>

#include "policies/policy.h"

namespace hmsim {

class ArbiterRehearsal final : public SourceProgress {
 public:
  static constexpr int kSlots = 128;  // per class

  // Connects the arbiter to a DDR3-1600 channel.
  ArbiterRehearsal(const std::string& name, const Assignments& assignments);

  static RequestView view(MemoryClass memory, std::uint32_t slot, Tick arrival = Tick(0));

  // Returns the arbiter's choice with the given numbers of slots taken. Slots 0 and 1 hold the
  // competing requests.
  MemoryClass choose(int dram_pending, int nvdimm_pending, Tick dram_arrival = Tick(0),
                     Tick nvdimm_arrival = Tick(0), Tick now = Tick(0));
  BusArbiter& arbiter() const { return *arbiter_; }
  // Throws InputError if there is no such counter.
  Counter counter(const std::string& name) const;

  std::int64_t instructions(std::uint16_t /*source*/) const override { return 0; }

 private:
  std::unique_ptr<BusArbiter> arbiter_;
};

}  // namespace hmsim
