// SPDX-License-Identifier: BSD-3-Clause
// DDR5 parts, composed from JESD79-5B. A part is a rank of one sub-channel: 32 data lines and
// bursts of 16, which move a line of 64 bytes. A DIMM has two sub-channels with separate buses.
// They are modelled as two channels (`controller.channels`), each with half of the DIMM's capacity
// and bandwidth.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "dram/standard.h"

namespace hmsim {

extern const DramStandardDescriptor kDramStandard_ddr5;

namespace {

constexpr int kDataLines = 32;

// tCK in picoseconds, truncated as in the standard; cycles of CL; and cycles of nRCD and nRP, from
// the standard's tables of speed bins. CL is even.
struct Bin {
  const char* name;
  std::int64_t tck;
  std::int64_t cl;
  std::int64_t nrcd;
};

constexpr std::array<Bin, 17> kBins{{
    {"3200a", 625, 22, 22},
    {"3200b", 625, 26, 26},
    {"3200c", 625, 28, 28},
    {"3600b", 555, 30, 29},
    {"4000b", 500, 32, 32},
    {"4400b", 454, 36, 36},
    {"4800a", 416, 34, 34},
    {"4800b", 416, 40, 39},
    {"4800c", 416, 42, 42},
    {"5200b", 384, 42, 42},
    {"5600a", 357, 40, 40},
    {"5600b", 357, 46, 45},
    {"5600c", 357, 50, 50},
    {"6000b", 333, 48, 48},
    {"6400a", 312, 46, 46},
    {"6400b", 312, 52, 52},
    {"6400c", 312, 56, 56},
}};

// Section 2.7: banks per group; x16 devices have 4 groups, others 8. Refresh parameters: tRFC1 and
// tRFCsb; tREFSBRD is 30 ns in all.
struct Density {
  std::int64_t megabits;
  std::int64_t banks_per_group;
  std::int64_t trfc;    // ps
  std::int64_t trfcsb;  // ps
};

constexpr std::array<Density, 3> kDensities{
    {{8192, 2, 195'000, 115'000}, {16384, 4, 295'000, 130'000}, {32768, 4, 410'000, 190'000}}};

// The standard's rounding algorithm in integers: reduces the time by 0.3 %, adds a cycle and
// truncates.
constexpr std::int64_t cycles(std::int64_t time, std::int64_t tck, std::int64_t at_least = 1) {
  const std::int64_t rounded = (time * 997 / tck + 1000) / 1000;
  return rounded < at_least ? at_least : rounded;
}

DramTiming timing_of(const Bin& bin, const Density& density, int width) {
  DramTiming timing;
  timing.tck_ps = bin.tck;
  timing.cl = bin.cl;
  timing.cwl = bin.cl - 2;
  timing.trcd = bin.nrcd;
  timing.trp = bin.nrcd;
  timing.tras = cycles(32'000, bin.tck);
  timing.trc = timing.tras + timing.trp;
  timing.trrd = 8;
  timing.trrd_l = cycles(5'000, bin.tck, 8);
  timing.tfaw = width == 16 ? 40 : 32;  // pages of 2 KB and of 1 KB
  timing.twr = cycles(30'000, bin.tck);
  timing.twtr = cycles(2'500, bin.tck, 4);
  timing.twtr_l = cycles(10'000, bin.tck, 16);
  timing.trtp = cycles(7'500, bin.tck, 12);
  timing.tccd = 8;
  timing.tccd_l = cycles(5'000, bin.tck, 8);
  // On x4 devices a write covers half of an error-correction word, so it is a read-modify-write.
  timing.tccd_l_wr =
      width == 4 ? cycles(20'000, bin.tck, 32) : cycles(10'000, bin.tck, 16);  // tCCD_L_WR(2)
  timing.tppd = 2;
  timing.burst = 8;                    // BL16
  timing.trtrs = 2;                    // read to write: a preamble of 2
  timing.trefi = 3'900'000 / bin.tck;  // tREFI1, up to 85 degrees; truncated (mean)
  timing.trfc = cycles(density.trfc, bin.tck);
  timing.trfcsb = cycles(density.trfcsb, bin.tck);
  // Power-down (tPD and tXP) and self-refresh. tCKESR represents tCPDED + tCSL. tXSDLL represents
  // tDLLK, which the standard gives per data rate. Both values are assumed, the second as 640 ns.
  timing.tcke = cycles(7'500, bin.tck, 8);
  timing.txp = cycles(7'500, bin.tck, 8);
  timing.tckesr = cycles(5'000, bin.tck, 8) + cycles(10'000, bin.tck);
  timing.txs = cycles(density.trfc + 10'000, bin.tck);
  timing.txsdll = std::max(timing.txs, cycles(640'000, bin.tck, 1024));
  timing.trefsbrd = cycles(30'000, bin.tck);
  return timing;
}

// Returns the timing with per-row activation counting (PRAC), which adds an update of the row's
// counter to each precharge: JESD79-5C as quoted in IEEE CAL 2025, 10.1109/LCA.2025.3587293. Alert
// and refresh management are not modelled.
DramTiming with_prac(DramTiming timing) {
  const std::int64_t tck = timing.tck_ps;
  timing.tras = cycles(16'000, tck);
  timing.trp = cycles(36'000, tck);
  timing.trc = std::max(timing.tras + timing.trp, cycles(52'000, tck));
  timing.trtp = cycles(5'000, tck);
  timing.twr = cycles(10'000, tck);
  return timing;
}

// Speed bins of which there are parts with PRAC.
bool has_prac(const Bin& bin) {
  const std::string_view name = bin.name;
  return name == "4800b" || name == "6400b";
}

void add_parts(std::vector<DramPreset>& all, const Bin& bin, bool prac) {
  for (const Density& density : kDensities) {
    for (const int width : {4, 8, 16}) {
      const std::int64_t groups = width == 16 ? 4 : 8;
      const DramDevice device{density.megabits,
                              width,
                              width == 16 ? 2048 : 1024,
                              groups,
                              groups * density.banks_per_group,
                              kDataLines};
      const DramTiming timing = timing_of(bin, density, width);
      if (!prac) {
        all.push_back(make_preset(kDramStandard_ddr5, bin.name, device, timing));
        continue;
      }
      const std::string speed = std::string(bin.name) + "_prac";
      DramPreset part = make_preset(kDramStandard_ddr5, speed, device, with_prac(timing));
      part.source += "; row timings with PRAC, JESD79-5C";
      all.push_back(std::move(part));
    }
  }
}

std::vector<DramPreset> presets() {
  std::vector<DramPreset> all;
  for (const Bin& bin : kBins) {
    add_parts(all, bin, false);
  }
  for (const Bin& bin : kBins) {
    if (has_prac(bin)) {
      add_parts(all, bin, true);
    }
  }
  return all;
}

// Adds the minimum distance between precharges of a rank.
std::vector<TimingRule> rules_of(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  return rules::joined({{{Command::precharge, Command::precharge, Scope::rank, t.tppd}},
                        rules::of_group(t, t.tccd_l_wr),
                        rules::of_rank(t),
                        rules::of_bank(dram),
                        dram.refresh_mode == RefreshMode::same_bank
                            ? rules::of_same_bank_refresh(t, t.trrd_l, t.trfcsb)
                            : rules::of_all_bank_refresh(t),
                        rules::of_bus(t),
                        rules::of_power(dram)});
}

std::vector<OptionalTime> own_times() {
  return {{"tRTRS_dimm", &DramTiming::trtrs_dimm, &DramTiming::trtrs},
          {"tRRD_L", &DramTiming::trrd_l, &DramTiming::trrd},
          {"tWTR_L", &DramTiming::twtr_l, &DramTiming::twtr},
          {"tCCD_L", &DramTiming::tccd_l, &DramTiming::tccd},
          {"tCCD_L_WR", &DramTiming::tccd_l_wr, &DramTiming::tccd_l},
          {"tPPD", &DramTiming::tppd, nullptr},
          {"tRFCsb", &DramTiming::trfcsb, nullptr},
          {"tREFSBRD", &DramTiming::trefsbrd, nullptr}};
}

// Order-of-magnitude estimates for 16 Gb x8 devices at 4800 MT/s, not from a data sheet. All parts
// use them.
std::vector<DeviceCurrents> currents() {
  return {
      {4800, 16384, 8, {110, 85, 80, 100, 350, 330, 280, 150, 90}},
  };
}

}  // namespace

const DramStandardDescriptor kDramStandard_ddr5{"ddr5",   "JESD79-5B", 4,         true,     nullptr,
                                                1100,     true,        own_times, currents, presets,
                                                rules_of, nullptr,     true};

}  // namespace hmsim
