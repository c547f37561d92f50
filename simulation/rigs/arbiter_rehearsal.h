// SPDX-License-Identifier: BSD-3-Clause
// Bus arbiter without a channel, driven by hand for tests and self-checks.
#pragma once

#include <memory>
#include <string>

#include "core/errors.h"
#include "policies/policy.h"
#include "simulation/rigs/rehearsal.h"

namespace hmsim {

class ArbiterRehearsal final : public SourceProgress {
 public:
  static constexpr int kSlots = 128;  // per class

  // Connects the arbiter to a DDR3-1600 channel.
  ArbiterRehearsal(const std::string& name, const Assignments& assignments)
      : arbiter_(create_policy<BusArbiter>(PolicyKind::bus_arbiter, name, assignments)) {
    ChannelShape shape = Rehearsal::ddr3_1600();
    shape.slots = 2 * kSlots;
    shape.dram_slots = kSlots;
    shape.nvdimm_slots = kSlots;
    arbiter_->connect(shape, *this);
  }

  static RequestView view(MemoryClass memory, std::uint32_t slot, Tick arrival = Tick(0)) {
    RequestView view{};
    view.slot = slot;
    view.arrival = arrival;
    view.memory = memory;
    return view;
  }

  // Returns the arbiter's choice with the given numbers of slots taken. Slots 0 and 1 hold the
  // competing requests.
  MemoryClass choose(int dram_pending, int nvdimm_pending, Tick dram_arrival = Tick(0),
                     Tick nvdimm_arrival = Tick(0), Tick now = Tick(0)) {
    return arbiter_->choose({view(MemoryClass::dram, 0, dram_arrival),
                             view(MemoryClass::nvdimm, 1, nvdimm_arrival), 0, 0, dram_pending,
                             nvdimm_pending, now});
  }
  BusArbiter& arbiter() const { return *arbiter_; }
  // Throws InputError if there is no such counter.
  Counter counter(const std::string& name) const {
    for (const PolicyCounter& counter : arbiter_->counters()) {
      if (counter.name == name) {
        return *counter.value;
      }
    }
    throw InputError("unknown counter: " + name);
  }

  std::int64_t instructions(std::uint16_t /*source*/) const override { return 0; }

 private:
  std::unique_ptr<BusArbiter> arbiter_;
};

}  // namespace hmsim
