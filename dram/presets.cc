// SPDX-License-Identifier: BSD-3-Clause
#include "dram/presets.h"

#include "core/errors.h"

namespace hmsim {

// DDR3-1600 (tCK 1.25 ns), 11-11-11-28, BL8; times in cycles. tRFC by density: 1 Gb 110 ns,
// 4 Gb 260 ns, 8 Gb 350 ns (JESD79-3F table 61). tRRD and tFAW by page size: 1 KB 6 and 30 ns, 2 KB
// 7.5 and 40 ns (table 65).
const std::array<DramPreset, 3> kDramPresets{{
    {"table3",
     "16 x Micron MT41J256M4 -125 (1 Gb x4), as DRAMSim2 ships it: CWL = CL - 1, tWR 12, tRTRS 1. "
     "Its rank of 2 GB and tRFC of 110 ns are those of the paper's Table III",
     {1, 8, 16384, 256},
     {1250, 11, 10, 11, 11, 28, 39, 5, 24, 12, 6, 6, 4, 4, 1, 6240, 88}},
    {"ddr3_1600_4gb_x8",
     "8 x 4 Gb x8, 1 KB pages: JESD79-3F, speed bin 1600K",
     {1, 8, 65536, 128},
     {1250, 11, 8, 11, 11, 28, 39, 5, 24, 12, 6, 6, 4, 4, 1, 6240, 208}},
    {"ddr3_1600_8gb_x8",
     "8 x 8 Gb x8, 2 KB pages: JESD79-3F, speed bin 1600K",
     {1, 8, 65536, 256},
     {1250, 11, 8, 11, 11, 28, 39, 6, 32, 12, 6, 6, 4, 4, 1, 6240, 280}},
}};

const DramPreset& dram_preset(std::string_view name) {
  for (const DramPreset& preset : kDramPresets) {
    if (name == preset.name) {
      return preset;
    }
  }
  throw InputError("no such DRAM preset: '" + std::string(name) + "'");
}

}  // namespace hmsim
