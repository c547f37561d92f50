// SPDX-License-Identifier: BSD-3-Clause
// LPDDR5 parts, composed from JESD209-5: a channel of 16 data lines with commands clocked by CK,
// WCK : CK = 4 : 1, four bank groups (BG mode), and a line of 64 bytes as one burst of 32.
//
// Such a burst moves in two halves of two cycles, two cycles apart. Half of a burst of another bank
// group fits between them. Its lengths are BL/n_min = 6 and BL/n_max = 8 (within a bank group).
// Activates are split: ACT-1, and ACT-2 in the next cycle, although tAAD would allow up to 8. WCK
// runs only for bursts: CAS with WS_RD or WS_WR starts it in the cycle before the read or write.
//
// If the standard was not available, values come from public models, which agree where several
// give them: [g] gem5's src/mem LPDDR5 interfaces (LPDDR5_6400_1x16_BG_BL32), [r] Ramulator 2's
// LPDDR5, [l] Antmicro's LPDDR5 PHY for LiteDRAM, which cites tables 182, 183 and 201.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "dram/standard.h"

namespace hmsim {

extern const DramStandardDescriptor kDramStandard_lpddr5;

namespace {

// ACT takes two slots; no DBI, no link ECC.
constexpr CommandProtocol kProtocol{false, 2, 1, false, true};

// One data rate, with WCK : CK = 4 : 1. In cycles: RL (set 0), WL (set A), nWR, nRBTP, tWCKENL_RD,
// tWCKENL_WR, tWCKPRE_Static, tWCKPRE_Toggle_RD and tWCKPRE_Toggle_WR [l].
struct Bin {
  const char* name;
  std::int64_t tck;  // ps
  std::int64_t rl, wl, nwr, nrbtp;
  std::int64_t enable_rd, enable_wr, still, toggle_rd, toggle_wr;
};

constexpr std::array<Bin, 4> kBins{{{"4267", 1875, 12, 6, 19, 2, 4, 2, 3, 6, 2},
                                    {"5500", 1454, 15, 8, 24, 4, 6, 3, 4, 6, 2},
                                    {"6400", 1250, 17, 9, 28, 4, 7, 4, 4, 7, 2},
                                    {"8533", 937, 23, 12, 37, 6, 13, 7, 4, 7, 2}}};
// Rate of LPDDR5X. Its times are estimates: RL, WL and nRBTP of 6400 in nanoseconds, rounded up to
// cycles. nWR is 34 ns, and the start of WCK takes RL + 1 and WL + 1 cycles, as at 6400.
constexpr const char* kExtended = "8533";

// tRFCab and tRFCpb in picoseconds [r]. The values for 32 Gb are LPDDR4's (JESD209-4, table of
// refresh requirements).
struct Density {
  std::int64_t megabits;
  std::int64_t trfcab;
  std::int64_t trfcpb;
};

constexpr std::array<Density, 3> kDensities{
    {{8192, 210'000, 120'000}, {16384, 280'000, 140'000}, {32768, 380'000, 190'000}}};

constexpr int kDataLines = 16;
constexpr std::int64_t kPageBytes = 2048;  // in BG mode [g]
constexpr std::int64_t kGroups = 4;
constexpr std::int64_t kBanks = 16;
constexpr std::int64_t kRefreshed = 2;  // banks per REFpb: same number, two groups apart

// Rounds up to a whole cycle.
std::int64_t cycles(std::int64_t time, std::int64_t tck, std::int64_t at_least) {
  return std::max(at_least, (time + tck - 1) / tck);
}

// Times of the banks, from sources [g] (with its "greater of" rules) and [r].
DramTiming timing_of(const Bin& bin, const Density& density) {
  DramTiming t;
  t.tck_ps = bin.tck;
  t.cl = bin.rl;
  t.cwl = bin.wl;
  t.trcd = cycles(18'000, bin.tck, 2);
  t.trp = cycles(18'000, bin.tck, 2);  // tRPpb
  t.tras = cycles(42'000, bin.tck, 3);
  t.trc = t.tras + t.trp;
  t.trrd = cycles(5'000, bin.tck, 2);
  t.trrd_l = t.trrd;
  t.tfaw = cycles(20'000, bin.tck, 4);
  t.twr = bin.nwr + 1;  // nWR counts from the cycle after the data
  t.twtr = cycles(6'250, bin.tck, 4);
  t.twtr_l = cycles(12'000, bin.tck, 4);
  t.trtp = 6 + bin.nrbtp;  // BL/n_min + nRBTP
  t.tccd = 2;              // a burst of 32 in the gap of one of another group
  t.tccd_l = 8;            // BL/n_max
  t.tppd = 2;
  t.burst = 4;
  t.burst_gap = 2;
  t.trtrs = cycles(1'600, bin.tck, 1);  // read to write: RU(tWCKDQO / tCK)
  t.trefi = 3'906'000 / bin.tck;
  t.trfc = cycles(density.trfcab, bin.tck, 1);
  t.trfcsb = cycles(density.trfcpb, bin.tck, 1);
  t.trefsbrd = cycles(7'500, bin.tck, 1);   // tpbR2act
  t.tpbr2pbr = cycles(90'000, bin.tck, 1);  // tpbR2pbR [r]
  t.twck_rd = bin.enable_rd + bin.still + bin.toggle_rd;
  t.twck_wr = bin.enable_wr + bin.still + bin.toggle_wr;
  t.twckpst = 1;  // 2.5 tWCK, which fit in one cycle
  // Power-down and self-refresh. LPDDR5 channels do not use them.
  t.tcke = cycles(7'500, bin.tck, 5);
  t.txp = cycles(7'000, bin.tck, 3);
  t.tckesr = cycles(15'000, bin.tck, 3);
  t.txs = cycles(density.trfcab + 7'500, bin.tck, 2);
  t.txsdll = t.txs;
  return t;
}

std::vector<DramPreset> presets() {
  std::vector<DramPreset> all;
  for (const Bin& bin : kBins) {
    for (const Density& density : kDensities) {
      const DramDevice device{density.megabits, kDataLines, kPageBytes, kGroups,
                              kBanks,           kDataLines, kRefreshed};
      DramPreset part =
          make_preset(kDramStandard_lpddr5, bin.name, device, timing_of(bin, density));
      if (bin.name == std::string_view(kExtended)) {
        part.name.insert(part.name.find('_'), "x");
        part.source += "; estimated: LPDDR5X with the times of LPDDR5-6400 in nanoseconds";
      }
      all.push_back(std::move(part));
    }
  }
  return all;
}

// Times of an activate count to and from ACT-2. Burst times count to the end of the second half;
// within a bank group, to BL/n_max. Between ranks, the data clock WCK
// must stop first, which takes longer than the data bus needs.
std::vector<TimingRule> rules_of(const DramParameters& dram) {
  DramParameters whole = dram;
  DramTiming& t = whole.timing;
  t.burst = dram.timing.line();
  const std::int64_t write_read = t.cwl + t.tccd_l + t.twtr_l;
  const std::int64_t read_write = t.cl + t.tccd_l + t.trtrs - t.cwl;
  return rules::joined({{{Command::precharge, Command::precharge, Scope::rank, t.tppd},
                         {Command::activate, Command::activate, Scope::group, t.trrd_l},
                         {Command::read, Command::read, Scope::group, t.tccd_l},
                         {Command::write, Command::write, Scope::group, t.tccd_l},
                         {Command::read, Command::write, Scope::group, read_write},
                         {Command::write, Command::read, Scope::group, write_read}},
                        rules::of_rank(t),
                        rules::of_bank(whole),
                        dram.refresh_mode == RefreshMode::same_bank
                            ? rules::of_same_bank_refresh(t, t.trrd_l, t.tpbr2pbr)
                            : rules::of_all_bank_refresh(t),
                        rules::of_direction(t)});
}

std::vector<OptionalTime> own_times() {
  return {{"tRRD_L", &DramTiming::trrd_l, &DramTiming::trrd},
          {"tWTR_L", &DramTiming::twtr_l, &DramTiming::twtr},
          {"tCCD_L", &DramTiming::tccd_l, &DramTiming::tccd},
          {"tPPD", &DramTiming::tppd, nullptr},
          {"tRFCsb", &DramTiming::trfcsb, nullptr},
          {"tREFSBRD", &DramTiming::trefsbrd, nullptr},
          {"tPBR2PBR", &DramTiming::tpbr2pbr, nullptr},
          {"burst_gap", &DramTiming::burst_gap, nullptr},
          {"tWCK_RD", &DramTiming::twck_rd, nullptr},
          {"tWCK_WR", &DramTiming::twck_wr, nullptr},
          {"tWCKPST", &DramTiming::twckpst, nullptr}};
}

// Order-of-magnitude estimates for a 16 Gb x16 die at 6400 MT/s, with all supplies taken as VDD2H;
// not from a data sheet. All parts use them.
std::vector<DeviceCurrents> currents() {
  return {{1600, 16384, 16, {60, 25, 8, 35, 240, 220, 130, 80, 4}}};
}

}  // namespace

const DramStandardDescriptor kDramStandard_lpddr5{"lpddr5", "JESD209-5", 8,        true,
                                                  nullptr,  1050,        true,     own_times,
                                                  currents, presets,     rules_of, &kProtocol};

}  // namespace hmsim
