// SPDX-License-Identifier: BSD-3-Clause
// A bus arbiter by itself: told of requests, and asked.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

#include "policies/monitors/performance_table.h"
#include "policies/policy.h"

namespace hmsim::testing {

inline constexpr Tick kCycle{1250};

inline RequestView view_of(MemoryClass memory, std::uint32_t slot, Tick arrival = Tick(0)) {
  RequestView view{};
  view.slot = slot;
  view.arrival = arrival;
  view.memory = memory;
  return view;
}

inline RequestView dram_line(std::int64_t line, std::uint16_t source = 0, std::uint32_t slot = 0) {
  RequestView view = view_of(MemoryClass::dram, slot);
  view.source = source;
  view.line = line;
  view.row = line / 1024;
  view.bank = static_cast<int>(line / 128 % 8);
  return view;
}

inline RequestView nvdimm_line(std::int64_t page, bool write, std::uint32_t slot = 0) {
  RequestView view = view_of(MemoryClass::nvdimm, slot);
  view.row = page;
  view.line = page * kLinesPerPage;
  view.write = write;
  return view;
}

// Rates by cell: `dram(i)` and `nvdimm(i)` in the order of the text.
template <class D, class N>
std::string table_text(D dram, N nvdimm) {
  std::ostringstream text;
  text << "version 1 dram";
  for (std::size_t i = 0; i < kDramCells; ++i) {
    text << ' ' << dram(i);
  }
  text << " nvdimm";
  for (std::size_t i = 0; i < kNvdimmCells; ++i) {
    text << ' ' << nvdimm(i);
  }
  return text.str();
}

class ArbiterUnderTest final : public SourceProgress {
 public:
  static constexpr int kSlots = 128;  // of each class

  ArbiterUnderTest(const std::string& name, const Assignments& assignments) {
    auto policy = create_policy(PolicyKind::bus_arbiter, name, assignments);
    arbiter_.reset(static_cast<BusArbiter*>(policy.release()));
    ChannelShape shape;
    shape.clock_period = kCycle;
    shape.slots = 2 * kSlots;
    shape.dram_slots = kSlots;
    shape.nvdimm_slots = kSlots;
    arbiter_->connect(shape, *this);
  }
  std::int64_t instructions(std::uint16_t /*source*/) const override { return 0; }

  MemoryClass choose(int dram_pending, int nvdimm_pending, Tick dram_arrival = Tick(0),
                     Tick nvdimm_arrival = Tick(0), Tick now = Tick(0)) {
    return arbiter_->choose({view_of(MemoryClass::dram, 0, dram_arrival),
                             view_of(MemoryClass::nvdimm, 1, nvdimm_arrival), 0, 0, dram_pending,
                             nvdimm_pending, now});
  }
  Counter counter(const std::string& name) {
    for (const PolicyCounter& counter : arbiter_->counters()) {
      if (counter.name == name) {
        return *counter.value;
      }
    }
    ADD_FAILURE() << name;
    return 0;
  }

  std::unique_ptr<BusArbiter> arbiter_;
};

}  // namespace hmsim::testing
