// SPDX-License-Identifier: BSD-3-Clause
// DDR4 parts, composed from JESD79-4B.
#include <array>

#include "dram/standard.h"

namespace hmsim {

extern const DramStandardDescriptor kDramStandard_ddr4;

namespace {

// Times of one data rate in picoseconds, from the standard's timing tables by speed bin. tRRD is
// for pages of up to 1 KB (x4, x8) and of 2 KB (x16), tFAW for pages of 512 bytes, 1 KB and 2 KB.
// tCK is truncated to whole picoseconds, as in the standard. CWL: table of MR2, write preamble of
// one cycle.
struct Rate {
  const char* name;
  std::int64_t tck;
  std::int64_t cwl;  // cycles
  std::int64_t tras;
  std::int64_t tccd_l;
  std::array<std::int64_t, 2> trrd_s;
  std::array<std::int64_t, 2> trrd_l;
  std::array<std::int64_t, 3> tfaw;
};

enum : std::size_t { k1600, k1866, k2133, k2400, k2666, k2933, k3200 };
constexpr std::array<Rate, 7> kRates{{
    {"1600", 1250, 9, 35'000, 6'250, {5'000, 6'000}, {6'000, 7'500}, {20'000, 25'000, 35'000}},
    {"1866", 1071, 10, 34'000, 5'355, {4'200, 5'300}, {5'300, 6'400}, {17'000, 23'000, 30'000}},
    {"2133", 937, 11, 33'000, 5'355, {3'700, 5'300}, {5'300, 6'400}, {15'000, 21'000, 30'000}},
    {"2400", 833, 12, 32'000, 5'000, {3'300, 5'300}, {4'900, 6'400}, {13'000, 21'000, 30'000}},
    {"2666", 750, 14, 32'000, 5'000, {3'000, 5'300}, {4'900, 6'400}, {12'000, 21'000, 30'000}},
    {"2933", 682, 16, 32'000, 5'000, {2'700, 5'300}, {4'900, 6'400}, {10'875, 21'000, 30'000}},
    {"3200", 625, 16, 32'000, 5'000, {2'500, 5'300}, {4'900, 6'400}, {10'000, 21'000, 30'000}},
}};
// tDLLK in cycles, by rate.
constexpr std::array<std::int64_t, 7> kDllLocks{597, 597, 768, 768, 1024, 1024, 1024};

// CL, nRCD and nRP are equal in every bin (the standard's tables of speed bins).
struct Bin {
  std::size_t rate;
  const char* letters;
  std::int64_t cycles;
};

constexpr std::array<Bin, 24> kBins{{
    {k1600, "j", 10},  {k1600, "k", 11}, {k1600, "l", 12},  {k1866, "l", 12},  {k1866, "m", 13},
    {k1866, "n", 14},  {k2133, "n", 14}, {k2133, "p", 15},  {k2133, "r", 16},  {k2400, "p", 15},
    {k2400, "r", 16},  {k2400, "t", 17}, {k2400, "u", 18},  {k2666, "t", 17},  {k2666, "u", 18},
    {k2666, "v", 19},  {k2666, "w", 20}, {k2933, "v", 19},  {k2933, "w", 20},  {k2933, "y", 21},
    {k2933, "aa", 22}, {k3200, "w", 20}, {k3200, "aa", 22}, {k3200, "ac", 24},
}};

// Section 2.7: 4 groups of 4 banks; x16 devices have 2 groups of 4. tRFC1: table of refresh
// parameters.
struct Density {
  std::int64_t megabits;
  std::int64_t trfc;  // ps
};

constexpr std::array<Density, 3> kDensities{{{4096, 260'000}, {8192, 350'000}, {16384, 550'000}}};

// Section 13.5, the rounding algorithm in integers: rounds up after subtracting 2.6 % of a cycle.
constexpr std::int64_t cycles(std::int64_t time, std::int64_t tck, std::int64_t at_least = 1) {
  const std::int64_t rounded = (time * 1000 / tck + 974) / 1000;
  return rounded < at_least ? at_least : rounded;
}

DramTiming timing_of(const Bin& bin, const Density& density, std::size_t page) {
  constexpr std::array<std::int64_t, 3> kShortestFourActivates{16, 20, 28};
  const Rate& rate = kRates[bin.rate];
  const std::size_t wide = page == 2 ? 1 : 0;
  DramTiming timing;
  timing.tck_ps = rate.tck;
  timing.cl = bin.cycles;
  timing.cwl = rate.cwl;
  timing.trcd = bin.cycles;
  timing.trp = bin.cycles;
  timing.tras = cycles(rate.tras, rate.tck);
  timing.trc = timing.tras + timing.trp;
  timing.trrd = cycles(rate.trrd_s[wide], rate.tck, 4);
  timing.trrd_l = cycles(rate.trrd_l[wide], rate.tck, 4);
  timing.tfaw = cycles(rate.tfaw[page], rate.tck, kShortestFourActivates[page]);
  timing.twr = cycles(15'000, rate.tck);
  timing.twtr = cycles(2'500, rate.tck, 2);
  timing.twtr_l = cycles(7'500, rate.tck, 4);
  timing.trtp = cycles(7'500, rate.tck, 4);
  timing.tccd = 4;
  timing.tccd_l = cycles(rate.tccd_l, rate.tck, 5);
  timing.burst = 4;  // BL8
  timing.trtrs = 2;  // section 4.24, read to write: CL - CWL + BL/2 + 1 + a preamble of 1
  timing.trefi = 7'800'000 / rate.tck;  // up to 85 degrees; truncated, because it is a mean
  timing.trfc = cycles(density.trfc, rate.tck);
  timing.tcke = cycles(5'000, rate.tck, 3);
  timing.txp = cycles(6'000, rate.tck, 4);
  timing.tckesr = timing.tcke + 1;
  timing.txs = cycles(density.trfc + 10'000, rate.tck);
  timing.txsdll = kDllLocks[bin.rate];
  return timing;
}

std::vector<DramPreset> presets() {
  std::vector<DramPreset> all;
  for (const Bin& bin : kBins) {
    const std::string speed = std::string(kRates[bin.rate].name) + bin.letters;
    for (const Density& density : kDensities) {
      for (const std::size_t page : {0u, 1u, 2u}) {
        const std::int64_t groups = page == 2 ? 2 : 4;
        const DramDevice device{density.megabits, 4 << page, std::int64_t{512} << page, groups,
                                4 * groups};
        all.push_back(
            make_preset(kDramStandard_ddr4, speed, device, timing_of(bin, density, page)));
      }
    }
  }
  return all;
}

std::vector<TimingRule> rules_of(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  return rules::joined({rules::of_group(t, t.tccd_l), rules::of_moved_refreshes(dram),
                        rules::of_rank(t), rules::of_bank(dram), rules::of_all_bank_refresh(t),
                        rules::of_bus(t), rules::of_power(dram)});
}

std::vector<OptionalTime> own_times() {
  return {{"tRTRS_dimm", &DramTiming::trtrs_dimm, &DramTiming::trtrs},
          {"tRRD_L", &DramTiming::trrd_l, &DramTiming::trrd},
          {"tWTR_L", &DramTiming::twtr_l, &DramTiming::twtr},
          {"tCCD_L", &DramTiming::tccd_l, &DramTiming::tccd}};
}

// From the .ini files that DRAMsim3 ships, which follow Micron's data sheets.
std::vector<DeviceCurrents> currents() {
  return {
      {1866, 4096, 4, {55, 40, 27, 55, 125, 140, 170, 0, 20}},
      {2133, 4096, 4, {55, 42, 27, 55, 135, 155, 170, 0, 20}},
      {2400, 4096, 4, {60, 45, 29, 60, 145, 175, 175, 0, 20}},
      {2666, 4096, 4, {65, 50, 34, 65, 170, 195, 175, 0, 20}},
      {1866, 4096, 8, {55, 40, 27, 55, 125, 140, 170, 0, 20}},
      {2133, 4096, 8, {55, 42, 27, 55, 135, 155, 170, 0, 20}},
      {2400, 4096, 8, {60, 45, 29, 60, 145, 175, 175, 0, 20}},
      {2666, 4096, 8, {65, 50, 34, 65, 170, 195, 175, 0, 20}},
      {1866, 4096, 16, {65, 40, 27, 55, 180, 220, 170, 0, 20}},
      {2133, 4096, 16, {65, 42, 27, 55, 195, 250, 170, 0, 20}},
      {2400, 4096, 16, {65, 45, 29, 60, 205, 285, 175, 0, 20}},
      {2666, 4096, 16, {70, 50, 34, 65, 225, 310, 175, 0, 20}},
      {1866, 8192, 4, {40, 33, 25, 35, 100, 95, 250, 0, 30}},
      {2133, 8192, 4, {40, 33, 25, 35, 100, 95, 250, 0, 30}},
      {2400, 8192, 4, {43, 34, 25, 38, 110, 103, 250, 0, 30}},
      {2666, 8192, 4, {46, 35, 25, 41, 121, 112, 250, 0, 30}},
      {2933, 8192, 4, {49, 36, 25, 44, 132, 121, 250, 0, 30}},
      {3200, 8192, 4, {52, 37, 25, 47, 143, 130, 250, 0, 30}},
      {1866, 8192, 8, {45, 33, 25, 40, 125, 115, 250, 0, 30}},
      {2133, 8192, 8, {45, 33, 25, 40, 125, 115, 250, 0, 30}},
      {2400, 8192, 8, {48, 34, 25, 43, 135, 123, 250, 0, 30}},
      {2666, 8192, 8, {51, 35, 25, 46, 146, 132, 250, 0, 30}},
      {2933, 8192, 8, {54, 36, 25, 49, 157, 141, 250, 0, 30}},
      {3200, 8192, 8, {57, 37, 25, 52, 168, 150, 250, 0, 30}},
      {1866, 8192, 16, {75, 33, 25, 44, 225, 225, 280, 0, 30}},
      {2133, 8192, 16, {75, 33, 25, 44, 225, 225, 280, 0, 30}},
      {2400, 8192, 16, {80, 34, 25, 47, 243, 228, 280, 0, 30}},
      {2666, 8192, 16, {85, 35, 25, 50, 263, 244, 280, 0, 30}},
      {2933, 8192, 16, {90, 36, 25, 53, 283, 261, 280, 0, 30}},
      {3200, 8192, 16, {95, 37, 25, 56, 302, 278, 280, 0, 30}},
  };
}

}  // namespace

const DramStandardDescriptor kDramStandard_ddr4{
    "ddr4", "JESD79-4B", 8, false, "DDR4", 1200, false, own_times, currents, presets, rules_of};

}  // namespace hmsim
