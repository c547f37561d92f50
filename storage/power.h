// SPDX-License-Identifier: BSD-3-Clause
// Power of a memory array: the power of circuit blocks, idle or busy, and the energy per bit of its
// cells.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"
#include "storage/row_memory.h"

namespace hmsim {

// Power of a circuit block in watts: `idle` if it is never busy, `peak` if it is always busy.
struct BlockPower {
  double idle;
  double peak;
};

struct ArrayPowerParameters {
  BlockPower scheduler{0.3, 1.3};  // including its DMA engines
  BlockPower ring{0.03, 0.06};
  BlockPower link{0.12, 0.4};
  BlockPower scheduler_buffers{0.00126, 0.00437};
  BlockPower controller{0.24, 0.34};  // each
  BlockPower controller_buffers{0.00126, 0.00437};
  double cell_write = 16.82;  // picojoules per bit
  double cell_read = 2.47;
  double row_buffer_write = 1.02;
  double row_buffer_read = 0.93;
  std::int64_t dies = 512;
  double die_idle = 0.000264;  // watts
  double row_active = 0;       // microwatts per bit of the row buffer of a busy controller

  void declare(ParameterSet& parameters);  // under "power."
};

// Mean power over a time, in watts.
struct Power {
  double scheduler = 0;
  double ring = 0;
  double link = 0;
  double buffers = 0;
  double controllers = 0;
  double cells = 0;
  double background = 0;  // of the cells' dies
  double total() const {
    return scheduler + ring + link + buffers + controllers + cells + background;
  }
};

// Shares of time in which blocks were busy.
struct BusyShares {
  double link = 0;  // mean over both directions
  double ring = 0;
  double controllers = 0;
};

// Returns the mean power of an array of `memory`. `counts` and `busy` were measured over `time`.
Power power_of(const ArrayPowerParameters& parameters, const BusyShares& busy,
               const RowMemoryCounts& counts, const RowMemoryParameters& memory, Tick time);

}  // namespace hmsim
