// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/rigs/arbiter_rehearsal.h"

#include "core/errors.h"
#include "simulation/rigs/rehearsal.h"

namespace hmsim {

ArbiterRehearsal::ArbiterRehearsal(const std::string& name, const Assignments& assignments)
    : arbiter_(static_cast<BusArbiter*>(
          create_policy(PolicyKind::bus_arbiter, name, assignments).release())) {
  ChannelShape shape = Rehearsal::ddr3_1600();
  shape.slots = 2 * kSlots;
  shape.dram_slots = kSlots;
  shape.nvdimm_slots = kSlots;
  arbiter_->connect(shape, *this);
}

RequestView ArbiterRehearsal::view(MemoryClass memory, std::uint32_t slot, Tick arrival) {
  RequestView view{};
  view.slot = slot;
  view.arrival = arrival;
  view.memory = memory;
  return view;
}

MemoryClass ArbiterRehearsal::choose(int dram_pending, int nvdimm_pending, Tick dram_arrival,
                                     Tick nvdimm_arrival, Tick now) {
  return arbiter_->choose({view(MemoryClass::dram, 0, dram_arrival),
                           view(MemoryClass::nvdimm, 1, nvdimm_arrival), 0, 0, dram_pending,
                           nvdimm_pending, now});
}

Counter ArbiterRehearsal::counter(const std::string& name) const {
  for (const PolicyCounter& counter : arbiter_->counters()) {
    if (counter.name == name) {
      return *counter.value;
    }
  }
  throw InputError("unknown counter: " + name);
}

}  // namespace hmsim
