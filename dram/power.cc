// SPDX-License-Identifier: BSD-3-Clause
#include "dram/power.h"

#include <cstdlib>
#include <optional>
#include <tuple>

#include "dram/standard.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMilli = 1000;  // microvolts, microamperes

// Returns the number of doublings between two powers of two.
std::int64_t steps(std::int64_t one, std::int64_t other) {
  std::int64_t count = 0;
  for (; one < other; one *= 2, ++count) {
  }
  for (; other < one; other *= 2, ++count) {
  }
  return count;
}

}  // namespace

PowerSource typical_power(const DramStandardDescriptor& standard, std::int64_t rate,
                          std::int64_t megabits, int width) {
  DeviceCurrents best{};
  std::optional<std::tuple<std::int64_t, std::int64_t, std::int64_t>> distance;
  for (const DeviceCurrents& known : standard.currents()) {
    const std::tuple from{steps(known.width, width), steps(known.megabits, megabits),
                          std::abs(known.rate - rate)};
    if (!distance || from < *distance) {
      best = known;
      distance = from;
    }
  }
  DramPower power;
  power.vdd = standard.vdd * kMilli;
  power.idd0 = best.idd[0] * kMilli;
  power.idd2n = best.idd[1] * kMilli;
  power.idd2p = best.idd[2] * kMilli;
  power.idd3n = best.idd[3] * kMilli;
  power.idd4r = best.idd[4] * kMilli;
  power.idd4w = best.idd[5] * kMilli;
  power.idd5 = best.idd[6] * kMilli;
  power.idd5c = standard.same_bank_refresh ? best.idd[7] * kMilli : kFromPreset;
  power.idd6 = best.idd[8] * kMilli;
  if (standard.currents_estimated) {
    return {power, false, "currents estimated"};
  }
  // tCK in whole picoseconds gives the rate to within 1 %.
  const bool exact = std::get<0>(*distance) == 0 && std::get<1>(*distance) == 0 &&
                     std::get<2>(*distance) * 100 < rate;
  return {power, exact,
          exact ? "currents of DRAMsim3's .ini file"
                : "currents of the nearest of DRAMsim3's .ini files"};
}

}  // namespace hmsim
