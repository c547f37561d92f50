// SPDX-License-Identifier: BSD-3-Clause
// HBM3 parts, composed from JESD238. A channel is one of a stack's sixteen. Its ranks are its two
// pseudo-channels (`dram.ranks: 2`), each with 32 data lines and separate banks, timing and data
// bus. They share two command buses, one for reads and writes and one for all other commands, so
// one command of each kind can issue in the same cycle of CK. CK runs at a quarter of the data
// rate.
//
// A line of 64 bytes is two bursts of 8 from one row, tCCDL apart: two reads (writes) in command
// slots, and two cycles of data each. A burst of another bank group fits between them. An ACT takes
// one and a half cycles of the row bus; it is modelled as two, and its times count from the second.
//
// JESD238 [j] gives tCK, tCCDS, tCCDL, tREFI and tRREFD and leaves most other times to vendors.
// They are in nanoseconds from public models: [r] a third party's 6.4 Gb/s preset for Ramulator 2's
// HBM3, which counts in CK; [g] a gem5 interface of a stack of eight 16 Gb dies. Values without a
// mark have no source.
#include <algorithm>
#include <array>
#include <utility>

#include "dram/standard.h"

namespace hmsim {

extern const DramStandardDescriptor kDramStandard_hbm3;

namespace {

constexpr CommandProtocol kProtocol{true, 2, 2, true, false};

struct Bin {
  const char* name;   // of a stack of 4 x `stacks` dies
  std::int64_t rate;  // Mb/s per data line
  std::int64_t stacks;
};

constexpr std::array<Bin, 7> kBins{{{"4800_4h", 4800, 1},
                                    {"4800_8h", 4800, 2},
                                    {"5600_4h", 5600, 1},
                                    {"5600_8h", 5600, 2},
                                    {"6400_4h", 6400, 1},
                                    {"6400_8h", 6400, 2},
                                    {"9200_8h", 9200, 2}}};
// Rate of HBM3E as Micron and SK hynix state it (9.2 Gb/s and more, 1.2 TB/s a stack). All times
// are estimates: those of HBM3 in nanoseconds. Their dies of 24 Gb have numbers of rows that are no
// powers of two, so the part has dies of 16 Gb.
constexpr std::int64_t kExtended = 9200;

constexpr std::int64_t kMegabits = 2048;   // of a pseudo-channel in four dies of 16 Gb
constexpr std::int64_t kPageBytes = 1024;  // of a pseudo-channel [j]
constexpr std::int64_t kGroups = 4;        // of a stack id
constexpr std::int64_t kBanks = 16;        // of a stack id
constexpr int kDataLines = 32;

// Rounds up to a whole cycle.
std::int64_t cycles(std::int64_t time, std::int64_t tck) { return (time + tck - 1) / tck; }

DramTiming timing_of(const Bin& bin) {
  const std::int64_t tck = 4'000'000 / bin.rate;  // CK, not WDQS [j]
  DramTiming t;
  t.tck_ps = tck;
  t.cl = cycles(16'000, tck);  // RL and WL, of a mode register [r]
  t.cwl = cycles(8'125, tck);
  t.trcd = cycles(16'000, tck);  // tRCDRD, and tRCDWR, which may be less [r]
  t.trp = cycles(16'000, tck);   // [r]
  t.tras = cycles(33'000, tck);  // [r]
  t.trc = t.tras + t.trp;
  t.trrd = cycles(3'125, tck);    // tRRDS [r]
  t.trrd_l = cycles(4'062, tck);  // tRRDL [r]
  t.tfaw = cycles(16'000, tck);   // [r]
  t.twr = cycles(16'000, tck);    // [r]
  t.twtr = cycles(4'062, tck);    // tWTRS [r]
  t.twtr_l = cycles(8'125, tck);  // tWTRL [r]
  t.trtp = cycles(8'125, tck);    // tRTPL [r]; tRTPS is less
  t.tccd = 2;                     // tCCDS [j]
  // tCCDL [j], with CK as it is before the rounding to picoseconds.
  t.tccd_l = std::max<std::int64_t>(4, cycles(2'500 * bin.rate, 4'000'000));
  t.tccdr = 3;  // tCCDS plus one cycle; no source
  t.tppd = 2;
  t.burst = 4;  // two bursts of 8; four bits per data line and cycle
  t.burst_gap = t.tccd_l - t.burst / 2;
  t.trtrs = 2;                                                 // read to write: a preamble
  t.trefi = 3'900'000 / tck;                                   // [j]
  t.trfc = cycles(bin.stacks == 1 ? 260'000 : 350'000, tck);   // tRFCab [r], [g]
  t.trfcsb = cycles(200'000, tck);                             // tRFCpb [g]
  t.trefsbrd = std::max<std::int64_t>(3, cycles(8'000, tck));  // tRREFD [j]
  t.tpbr2pbr = t.trefsbrd;
  // Power-down and self-refresh. HBM3 channels do not use them.
  t.tcke = cycles(7'500, tck);
  t.txp = cycles(7'500, tck);
  t.tckesr = cycles(10'000, tck);
  t.txs = t.trfc + cycles(10'000, tck);
  t.txsdll = t.txs;
  return t;
}

std::vector<DramPreset> presets() {
  std::vector<DramPreset> all;
  for (const Bin& bin : kBins) {
    const DramDevice device{kMegabits * bin.stacks, kDataLines, kPageBytes, kGroups * bin.stacks,
                            kBanks * bin.stacks,    kDataLines, 1,          bin.stacks};
    DramPreset part = make_preset(kDramStandard_hbm3, bin.name, device, timing_of(bin));
    if (bin.rate == kExtended) {
      part.name.insert(part.name.find('_'), "e");
      part.source += "; estimated: HBM3E with the times of HBM3 in nanoseconds";
    }
    all.push_back(std::move(part));
  }
  return all;
}

// A REFpb counts as an activate of its bank group, and in tFAW.
std::vector<TimingRule> per_bank_refresh(const DramTiming& t) {
  constexpr Command kRefresh = Command::refresh_same_bank;
  return rules::joined({rules::of_same_bank_refresh(t, t.trrd, t.tpbr2pbr),
                        {{Command::activate, kRefresh, Scope::group, t.trrd_l},
                         {Command::activate, kRefresh, Scope::rank, t.tfaw, 4},
                         {kRefresh, Command::activate, Scope::rank, t.tfaw, 4},
                         {kRefresh, kRefresh, Scope::rank, t.tfaw, 4}}});
}

// Times of an activate count to and from its second slot. Line times count from the second read
// (write), which follows the first by tCCDL, and from the end of its data. Each pseudo-channel has
// its own data bus. tCCDR applies to reads only.
std::vector<TimingRule> rules_of(const DramParameters& dram) {
  DramParameters whole = dram;
  DramTiming& t = whole.timing;
  t.burst = dram.timing.line();
  t.trtp += t.tccd_l;
  t.tccd_l += t.tccd_l;
  return rules::joined(
      {{{Command::precharge, Command::precharge, Scope::rank, t.tppd},
        {Command::read, Command::read, Scope::other_stack, dram.timing.tccd_l + t.tccdr}},
       rules::of_group(t, t.tccd_l),
       rules::of_rank(t),
       rules::of_bank(whole),
       dram.refresh_mode == RefreshMode::same_bank ? per_bank_refresh(t)
                                                   : rules::of_all_bank_refresh(t),
       rules::of_direction(t)});
}

std::vector<OptionalTime> own_times() {
  return {{"tRRD_L", &DramTiming::trrd_l, &DramTiming::trrd},
          {"tWTR_L", &DramTiming::twtr_l, &DramTiming::twtr},
          {"tCCD_L", &DramTiming::tccd_l, &DramTiming::tccd},
          {"tCCDR", &DramTiming::tccdr, &DramTiming::tccd},
          {"tPPD", &DramTiming::tppd, nullptr},
          {"tRFCsb", &DramTiming::trfcsb, nullptr},
          {"tREFSBRD", &DramTiming::trefsbrd, nullptr},
          {"tPBR2PBR", &DramTiming::tpbr2pbr, nullptr},
          {"burst_gap", &DramTiming::burst_gap, nullptr}};
}

// Order-of-magnitude estimates for a pseudo-channel at 6.4 Gb/s, with all supplies taken as VDDC;
// not from a data sheet. All parts use them.
std::vector<DeviceCurrents> currents() {
  return {{3200, 4096, 32, {90, 40, 25, 60, 420, 400, 250, 130, 20}}};
}

}  // namespace

const DramStandardDescriptor kDramStandard_hbm3{"hbm3",   "JESD238", 8,        true,
                                                nullptr,  1100,      true,     own_times,
                                                currents, presets,   rules_of, &kProtocol};

}  // namespace hmsim
