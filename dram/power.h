// SPDX-License-Identifier: BSD-3-Clause
// Supply voltage and currents of one DRAM device, from which its energy is computed.
#pragma once

#include <array>
#include <cstdint>

#include "core/parameters.h"

namespace hmsim {

struct DramStandardDescriptor;

// In microvolts and microamperes. kFromPreset until resolved; afterwards it marks currents that the
// part does not have.
struct DramPower {
  std::int64_t vdd = kFromPreset;
  std::int64_t idd0 = kFromPreset;
  std::int64_t idd2n = kFromPreset;
  std::int64_t idd2p = kFromPreset;
  std::int64_t idd3n = kFromPreset;
  std::int64_t idd4r = kFromPreset;
  std::int64_t idd4w = kFromPreset;
  std::int64_t idd5 = kFromPreset;
  std::int64_t idd5c = kFromPreset;
  std::int64_t idd6 = kFromPreset;
};

// Name and description of a field of DramPower.
struct PowerField {
  const char* name;
  std::int64_t DramPower::*field;
  const char* doc;
};

inline constexpr std::array<PowerField, 10> kPowerFields{{
    {"VDD", &DramPower::vdd, "supply voltage"},
    {"IDD0", &DramPower::idd0, "one bank activated and precharged every tRC"},
    {"IDD2N", &DramPower::idd2n, "standby, all banks precharged"},
    {"IDD2P", &DramPower::idd2p, "precharge power-down, fast exit"},
    {"IDD3N", &DramPower::idd3n, "standby, a bank active"},
    {"IDD4R", &DramPower::idd4r, "reads without a gap"},
    {"IDD4W", &DramPower::idd4w, "writes without a gap"},
    {"IDD5", &DramPower::idd5, "refreshes of all banks without a gap"},
    {"IDD5C", &DramPower::idd5c, "same-bank refreshes without a gap (DDR5)"},
    {"IDD6", &DramPower::idd6, "self-refresh"},
}};

// Currents of a part, and their source.
struct PowerSource {
  DramPower power;
  bool exact;  // of this part; otherwise of the nearest known part
  const char* source;
};

// Returns the currents of the nearest known device. `rate` is in MT/s; `megabits` and `width` are
// of one device.
PowerSource typical_power(const DramStandardDescriptor& standard, std::int64_t rate,
                          std::int64_t megabits, int width);

}  // namespace hmsim
