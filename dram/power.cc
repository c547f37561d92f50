// SPDX-License-Identifier: BSD-3-Clause
// Currents of DRAM devices. DDR3 and DDR4: those of the .ini files that DRAMsim3 ships, which are
// of Micron's data sheets (its DDR3 is DDR3L, of 1.35 V). DDR5: estimates of the order of
// 16 Gb x8 devices at 4800 MT/s, of no data sheet, in all parts alike.
#include "dram/power.h"

#include <cstdlib>
#include <tuple>

#include "dram/parameters.h"

namespace hmsim {

namespace {

using F = DramFamily;

constexpr std::int64_t kMilli = 1000;  // microvolts, microamperes

struct Known {
  DramFamily family;
  std::int64_t rate;
  std::int64_t megabits;
  int width;
  // Milliamperes: IDD0, 2N, 2P, 3N, 4R, 4W, 5, 5C, 6.
  std::array<std::int64_t, 9> idd;
};

constexpr Known kKnown[] = {
    {F::ddr3, 1333, 1024, 8, {33, 17, 12, 23, 72, 77, 155, 0, 12}},
    {F::ddr3, 1600, 4096, 4, {55, 32, 18, 38, 147, 118, 235, 0, 20}},
    {F::ddr3, 1866, 4096, 4, {62, 35, 18, 41, 164, 133, 242, 0, 20}},
    {F::ddr3, 1600, 4096, 8, {55, 32, 18, 38, 157, 125, 235, 0, 20}},
    {F::ddr3, 1866, 4096, 8, {62, 35, 18, 41, 174, 141, 242, 0, 20}},
    {F::ddr3, 1600, 4096, 16, {66, 32, 18, 47, 235, 171, 235, 0, 20}},
    {F::ddr3, 1866, 4096, 16, {73, 35, 18, 49, 252, 190, 242, 0, 20}},
    {F::ddr3, 1600, 8192, 4, {67, 36, 11, 51, 125, 125, 245, 0, 24}},
    {F::ddr3, 1866, 8192, 4, {69, 38, 11, 53, 135, 135, 250, 0, 24}},
    {F::ddr3, 1600, 8192, 8, {67, 36, 11, 51, 125, 125, 245, 0, 24}},
    {F::ddr3, 1866, 8192, 8, {69, 38, 11, 53, 135, 135, 250, 0, 24}},
    {F::ddr3, 1600, 8192, 16, {67, 36, 11, 51, 185, 185, 270, 0, 24}},
    {F::ddr3, 1866, 8192, 16, {69, 38, 11, 53, 195, 195, 275, 0, 24}},
    {F::ddr4, 1866, 4096, 4, {55, 40, 27, 55, 125, 140, 170, 0, 20}},
    {F::ddr4, 2133, 4096, 4, {55, 42, 27, 55, 135, 155, 170, 0, 20}},
    {F::ddr4, 2400, 4096, 4, {60, 45, 29, 60, 145, 175, 175, 0, 20}},
    {F::ddr4, 2666, 4096, 4, {65, 50, 34, 65, 170, 195, 175, 0, 20}},
    {F::ddr4, 1866, 4096, 8, {55, 40, 27, 55, 125, 140, 170, 0, 20}},
    {F::ddr4, 2133, 4096, 8, {55, 42, 27, 55, 135, 155, 170, 0, 20}},
    {F::ddr4, 2400, 4096, 8, {60, 45, 29, 60, 145, 175, 175, 0, 20}},
    {F::ddr4, 2666, 4096, 8, {65, 50, 34, 65, 170, 195, 175, 0, 20}},
    {F::ddr4, 1866, 4096, 16, {65, 40, 27, 55, 180, 220, 170, 0, 20}},
    {F::ddr4, 2133, 4096, 16, {65, 42, 27, 55, 195, 250, 170, 0, 20}},
    {F::ddr4, 2400, 4096, 16, {65, 45, 29, 60, 205, 285, 175, 0, 20}},
    {F::ddr4, 2666, 4096, 16, {70, 50, 34, 65, 225, 310, 175, 0, 20}},
    {F::ddr4, 1866, 8192, 4, {40, 33, 25, 35, 100, 95, 250, 0, 30}},
    {F::ddr4, 2133, 8192, 4, {40, 33, 25, 35, 100, 95, 250, 0, 30}},
    {F::ddr4, 2400, 8192, 4, {43, 34, 25, 38, 110, 103, 250, 0, 30}},
    {F::ddr4, 2666, 8192, 4, {46, 35, 25, 41, 121, 112, 250, 0, 30}},
    {F::ddr4, 2933, 8192, 4, {49, 36, 25, 44, 132, 121, 250, 0, 30}},
    {F::ddr4, 3200, 8192, 4, {52, 37, 25, 47, 143, 130, 250, 0, 30}},
    {F::ddr4, 1866, 8192, 8, {45, 33, 25, 40, 125, 115, 250, 0, 30}},
    {F::ddr4, 2133, 8192, 8, {45, 33, 25, 40, 125, 115, 250, 0, 30}},
    {F::ddr4, 2400, 8192, 8, {48, 34, 25, 43, 135, 123, 250, 0, 30}},
    {F::ddr4, 2666, 8192, 8, {51, 35, 25, 46, 146, 132, 250, 0, 30}},
    {F::ddr4, 2933, 8192, 8, {54, 36, 25, 49, 157, 141, 250, 0, 30}},
    {F::ddr4, 3200, 8192, 8, {57, 37, 25, 52, 168, 150, 250, 0, 30}},
    {F::ddr4, 1866, 8192, 16, {75, 33, 25, 44, 225, 225, 280, 0, 30}},
    {F::ddr4, 2133, 8192, 16, {75, 33, 25, 44, 225, 225, 280, 0, 30}},
    {F::ddr4, 2400, 8192, 16, {80, 34, 25, 47, 243, 228, 280, 0, 30}},
    {F::ddr4, 2666, 8192, 16, {85, 35, 25, 50, 263, 244, 280, 0, 30}},
    {F::ddr4, 2933, 8192, 16, {90, 36, 25, 53, 283, 261, 280, 0, 30}},
    {F::ddr4, 3200, 8192, 16, {95, 37, 25, 56, 302, 278, 280, 0, 30}},
    {F::ddr5, 4800, 16384, 8, {110, 85, 80, 100, 350, 330, 280, 150, 90}},
};

struct FamilyPower {
  std::int64_t vdd;  // mV
  const char* source;
  const char* nearest;
};

// In the order of DramFamily.
constexpr std::array<FamilyPower, kDramFamilyCount> kFamilies{{
    {1350, "currents of DRAMsim3's .ini file", "currents of the nearest of DRAMsim3's .ini files"},
    {1200, "currents of DRAMsim3's .ini file", "currents of the nearest of DRAMsim3's .ini files"},
    {1100, "currents estimated", "currents estimated"},
}};

// Of two powers of two.
std::int64_t steps(std::int64_t one, std::int64_t other) {
  std::int64_t count = 0;
  for (; one < other; one *= 2, ++count) {
  }
  for (; other < one; other *= 2, ++count) {
  }
  return count;
}

}  // namespace

PowerSource typical_power(DramFamily family, std::int64_t rate, std::int64_t megabits, int width) {
  const Known* best = nullptr;
  std::tuple<std::int64_t, std::int64_t, std::int64_t> distance;
  for (const Known& known : kKnown) {
    const std::tuple from{steps(known.width, width), steps(known.megabits, megabits),
                          std::abs(known.rate - rate)};
    if (known.family == family && (best == nullptr || from < distance)) {
      best = &known;
      distance = from;
    }
  }
  const FamilyPower& typical = kFamilies[static_cast<std::size_t>(family)];
  DramPower power;
  power.vdd = typical.vdd * kMilli;
  power.idd0 = best->idd[0] * kMilli;
  power.idd2n = best->idd[1] * kMilli;
  power.idd2p = best->idd[2] * kMilli;
  power.idd3n = best->idd[3] * kMilli;
  power.idd4r = best->idd[4] * kMilli;
  power.idd4w = best->idd[5] * kMilli;
  power.idd5 = best->idd[6] * kMilli;
  power.idd5c = family == DramFamily::ddr5 ? best->idd[7] * kMilli : kFromPreset;
  power.idd6 = best->idd[8] * kMilli;
  // tCK in whole picoseconds gives the rate to within 1 %.
  const bool exact = family != DramFamily::ddr5 && std::get<0>(distance) == 0 &&
                     std::get<1>(distance) == 0 && std::get<2>(distance) * 100 < rate;
  return {power, exact, exact ? typical.source : typical.nearest};
}

}  // namespace hmsim
