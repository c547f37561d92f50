// SPDX-License-Identifier: BSD-3-Clause
// Schedulers under test without a channel.
#pragma once

#include "simulation/rigs/rehearsal.h"

namespace hmsim::testing {

inline const ChannelShape kShape = Rehearsal::ddr3_1600();

inline RequestView dram(std::uint16_t core, int bank, std::int64_t row, bool write = false) {
  RequestView view{};
  view.memory = MemoryClass::dram;
  view.source = core;
  view.bank = bank;
  view.row = row;
  view.write = write;
  return view;
}

inline RequestView nvdimm(std::uint16_t core, int bank, std::int64_t row, bool write = false) {
  RequestView view = dram(core, bank, row, write);
  view.memory = MemoryClass::nvdimm;
  return view;
}

}  // namespace hmsim::testing
