// SPDX-License-Identifier: BSD-3-Clause
// Inputs for arbiters and monitors under test.
#pragma once

#include <sstream>
#include <string>

#include "policies/monitors/performance_table.h"
#include "policies/policy.h"
#include "simulation/rigs/arbiter_rehearsal.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {

inline constexpr Tick kCycle{1250};

inline RequestView view_of(MemoryClass memory, std::uint32_t slot, Tick arrival = Tick(0)) {
  return ArbiterRehearsal::view(memory, slot, arrival);
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

// Returns a table text. Rates by cell: `dram(i)` and `nvdimm(i)` in the order of the text.
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

// Returns each scheduler under each arbiter, with each kind of queues and of writes, after `first`.
inline std::vector<Assignments> combinations(const Assignments& first = {}) {
  std::vector<Assignments> all;
  for (const std::string& scheduler : policy_names(PolicyKind::transaction_scheduler)) {
    for (const std::string& arbiter : policy_names(PolicyKind::bus_arbiter)) {
      for (const char* queues : {"unified", "split"}) {
        for (const char* writes : {"mixed", "drained"}) {
          all.push_back(with(first, {{"controller.nvdimm_scheduler", scheduler},
                                     {"controller.scheduler", scheduler},
                                     {"controller.arbiter", arbiter},
                                     {"controller.queues", queues},
                                     {"controller.writes", writes}}));
        }
      }
    }
  }
  return all;
}

}  // namespace hmsim::testing
