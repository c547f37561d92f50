// SPDX-License-Identifier: BSD-3-Clause
// Schedulers under test without a channel.
#pragma once

#include "policies/base/rehearsal.h"

namespace hmsim::testing {

// DDR3-1600 with one rank of eight banks, and an NVDIMM of eight LUNs.
inline const ChannelShape kShape = [] {
  ChannelShape shape;
  shape.clock_period = Tick(1250);
  shape.slots = 512;
  shape.ranks = 1;
  shape.banks_per_rank = 8;
  shape.pseudo_banks = 8;
  shape.burst = Tick(4 * 1250);
  shape.read_to_write = Tick(2 * 1250);
  shape.write_to_read = Tick(16 * 1250);
  shape.row_miss = Tick(22 * 1250);
  return shape;
}();

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
