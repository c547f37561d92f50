// SPDX-License-Identifier: BSD-3-Clause
// DDR3 parts, composed from JESD79-3F.
#include <array>

#include "dram/standard.h"

namespace hmsim {

extern const DramStandardDescriptor kDramStandard_ddr3;

namespace {

// Times of one data rate in picoseconds: tables 62 to 67 (speed bins: tCK, CWL, tRAS) and 68 to 69
// (timing by speed: tRRD and tFAW for pages of 1 KB and of 2 KB, tCKE, tXP). tCK is truncated to
// whole picoseconds.
struct Rate {
  const char* name;
  std::int64_t tck;
  std::int64_t cwl;  // cycles
  std::int64_t tras;
  std::array<std::int64_t, 2> trrd;
  std::array<std::int64_t, 2> tfaw;
  std::int64_t tcke;
  std::int64_t txp;
};

constexpr Rate k800{"800", 2500, 5, 37'500, {10'000, 10'000}, {40'000, 50'000}, 7'500, 7'500};
constexpr Rate k1066{"1066", 1875, 6, 37'500, {7'500, 10'000}, {37'500, 50'000}, 5'625, 7'500};
constexpr Rate k1333{"1333", 1500, 7, 36'000, {6'000, 7'500}, {30'000, 45'000}, 5'625, 6'000};
constexpr Rate k1600{"1600", 1250, 8, 35'000, {6'000, 7'500}, {30'000, 40'000}, 5'000, 6'000};
constexpr Rate k1866{"1866", 1071, 9, 34'000, {5'000, 6'000}, {27'000, 35'000}, 5'000, 6'000};
constexpr Rate k2133{"2133", 937, 10, 33'000, {5'000, 6'000}, {25'000, 35'000}, 5'000, 6'000};

// CL, nRCD and nRP are equal in every bin (tables 62 to 67).
struct Bin {
  const Rate& rate;
  char letter;
  std::int64_t cycles;
};

constexpr std::array<Bin, 21> kBins{{
    {k800, 'd', 5},   {k800, 'e', 6},                                        // table 62
    {k1066, 'e', 6},  {k1066, 'f', 7},  {k1066, 'g', 8},                     // table 63
    {k1333, 'f', 7},  {k1333, 'g', 8},  {k1333, 'h', 9},  {k1333, 'j', 10},  // table 64
    {k1600, 'g', 8},  {k1600, 'h', 9},  {k1600, 'j', 10}, {k1600, 'k', 11},  // table 65
    {k1866, 'j', 10}, {k1866, 'k', 11}, {k1866, 'l', 12}, {k1866, 'm', 13},  // table 66
    {k2133, 'k', 11}, {k2133, 'l', 12}, {k2133, 'm', 13}, {k2133, 'n', 14},  // table 67
}};

// Section 2.11: 8 banks; rows of 1 KB, or 2 KB in x16 devices and in all 8 Gb devices. Table 61:
// tRFC.
struct Density {
  std::int64_t megabits;
  std::int64_t trfc;  // ps
};

constexpr std::array<Density, 5> kDensities{
    {{512, 90'000}, {1024, 110'000}, {2048, 160'000}, {4096, 260'000}, {8192, 350'000}}};

// Section 12.1 and the bins' notes: rounds up to a whole cycle. A hundredth of a cycle is
// tolerated, because tCK is truncated: tWR of DDR3-1866, 15 ns, is 14 cycles of 1.0714 ns, not 15
// of 1.071 ns.
constexpr std::int64_t cycles(std::int64_t time, std::int64_t tck, std::int64_t at_least = 1) {
  const std::int64_t rounded = (100 * time + 99 * tck - 1) / (100 * tck);
  return rounded < at_least ? at_least : rounded;
}

DramTiming timing_of(const Bin& bin, const Density& density, std::int64_t page_bytes) {
  const Rate& rate = bin.rate;
  const std::size_t page = page_bytes == 1024 ? 0 : 1;
  DramTiming timing;
  timing.tck_ps = rate.tck;
  timing.cl = bin.cycles;
  timing.cwl = rate.cwl;
  timing.trcd = bin.cycles;
  timing.trp = bin.cycles;
  timing.tras = cycles(rate.tras, rate.tck);
  timing.trc = timing.tras + timing.trp;
  timing.trrd = cycles(rate.trrd[page], rate.tck, 4);  // tables 68 and 69, also for the times below
  timing.tfaw = cycles(rate.tfaw[page], rate.tck);
  timing.twr = cycles(15'000, rate.tck);
  timing.twtr = cycles(7'500, rate.tck, 4);
  timing.trtp = cycles(7'500, rate.tck, 4);
  timing.tccd = 4;
  timing.burst = 4;                     // BL8
  timing.trtrs = 1;                     // not in the standard: DRAMSim2
  timing.trefi = 7'800'000 / rate.tck;  // table 61, up to 85 degrees; a mean, so truncated
  timing.trfc = cycles(density.trfc, rate.tck);
  timing.tcke = cycles(rate.tcke, rate.tck, 3);
  timing.txp = cycles(rate.txp, rate.tck, 3);
  timing.tckesr = timing.tcke + 1;
  timing.txs = cycles(density.trfc + 10'000, rate.tck, 5);
  timing.txsdll = 512;
  return timing;
}

// Currents as DRAMSim2 ships them.
DramPower table3_power() {
  DramPower power;
  power.vdd = 1'500'000;
  power.idd0 = 95'000;
  power.idd2n = 70'000;
  power.idd2p = 45'000;
  power.idd3n = 67'000;
  power.idd4r = 250'000;
  power.idd4w = 250'000;
  power.idd5 = 260'000;
  power.idd6 = 6'000;
  return power;
}

// In cycles of 1.25 ns: DDR3-1600 11-11-11-28, tRFC 110 ns.
DramPreset table3() {
  DramTiming timing;
  timing.tck_ps = 1250;
  timing.cl = 11;
  timing.cwl = 10;
  timing.trcd = 11;
  timing.trp = 11;
  timing.tras = 28;
  timing.trc = 39;
  timing.trrd = 5;
  timing.tfaw = 24;
  timing.twr = 12;
  timing.twtr = 6;
  timing.trtp = 6;
  timing.tccd = 4;
  timing.burst = 4;
  timing.trtrs = 1;
  timing.trefi = 6240;
  timing.trfc = 88;
  timing.tcke = 4;
  timing.txp = 5;
  timing.tckesr = 5;
  timing.txs = 96;  // tRFC + 10 ns
  timing.txsdll = 512;
  return {"table3",
          "16 x Micron MT41J256M4 -125 (1 Gb x4), as DRAMSim2 ships it: CWL = CL - 1, tWR 12, "
          "tRTRS 1, tCKE 4, tXP 5. Its rank of 2 GB and tRFC of 110 ns are those of the paper's "
          "Table III",
          &kDramStandard_ddr3,
          {1, 8, 16384, 256, 16},
          timing,
          table3_power()};
}

std::vector<DramPreset> presets() {
  std::vector<DramPreset> all{table3()};
  for (const Bin& bin : kBins) {
    const std::string speed = std::string(bin.rate.name) + bin.letter;
    for (const Density& density : kDensities) {
      for (const int width : {4, 8, 16}) {
        const std::int64_t page_bytes = width == 16 || density.megabits == 8192 ? 2048 : 1024;
        all.push_back(make_preset(kDramStandard_ddr3, speed,
                                  {density.megabits, width, page_bytes, 1, 8},
                                  timing_of(bin, density, page_bytes)));
      }
    }
  }
  return all;
}

std::vector<TimingRule> rules_of(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  return rules::joined({rules::of_moved_refreshes(dram), rules::of_rank(t), rules::of_bank(dram),
                        rules::of_all_bank_refresh(t), rules::of_bus(t), rules::of_power(dram)});
}

std::vector<OptionalTime> own_times() {
  return {{"tRTRS_dimm", &DramTiming::trtrs_dimm, &DramTiming::trtrs}};
}

// From the .ini files that DRAMsim3 ships, which follow Micron's data sheets for DDR3L, at 1.35 V.
std::vector<DeviceCurrents> currents() {
  return {
      {1333, 1024, 8, {33, 17, 12, 23, 72, 77, 155, 0, 12}},
      {1600, 4096, 4, {55, 32, 18, 38, 147, 118, 235, 0, 20}},
      {1866, 4096, 4, {62, 35, 18, 41, 164, 133, 242, 0, 20}},
      {1600, 4096, 8, {55, 32, 18, 38, 157, 125, 235, 0, 20}},
      {1866, 4096, 8, {62, 35, 18, 41, 174, 141, 242, 0, 20}},
      {1600, 4096, 16, {66, 32, 18, 47, 235, 171, 235, 0, 20}},
      {1866, 4096, 16, {73, 35, 18, 49, 252, 190, 242, 0, 20}},
      {1600, 8192, 4, {67, 36, 11, 51, 125, 125, 245, 0, 24}},
      {1866, 8192, 4, {69, 38, 11, 53, 135, 135, 250, 0, 24}},
      {1600, 8192, 8, {67, 36, 11, 51, 125, 125, 245, 0, 24}},
      {1866, 8192, 8, {69, 38, 11, 53, 135, 135, 250, 0, 24}},
      {1600, 8192, 16, {67, 36, 11, 51, 185, 185, 270, 0, 24}},
      {1866, 8192, 16, {69, 38, 11, 53, 195, 195, 275, 0, 24}},
  };
}

}  // namespace

const DramStandardDescriptor kDramStandard_ddr3{
    "ddr3", "JESD79-3F", 8, false, "DDR3", 1350, false, own_times, currents, presets, rules_of};

}  // namespace hmsim
