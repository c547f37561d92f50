// SPDX-License-Identifier: BSD-3-Clause
#include "dram/parameters.h"

#include <algorithm>
#include <array>

#include "dram/energy.h"
#include "dram/presets.h"
#include "dram/standard.h"

namespace hmsim {

namespace {

struct TimingField {
  const char* name;
  std::int64_t DramTiming::*field;
  std::int64_t low;
  std::int64_t high;
  const char* unit;
  const char* doc;
};

constexpr std::array<TimingField, 36> kTimingFields{{
    {"tCK", &DramTiming::tck_ps, 100, 100'000, "ps", "clock period"},
    {"CL", &DramTiming::cl, 1, 200, "cycles", "read command to first data"},
    {"CWL", &DramTiming::cwl, 1, 200, "cycles", "write command to first data"},
    {"tRCD", &DramTiming::trcd, 1, 1000, "cycles", "activate to read or write of the bank"},
    {"tRP", &DramTiming::trp, 1, 1000, "cycles", "precharge to activate of the bank"},
    {"tRAS", &DramTiming::tras, 1, 1000, "cycles", "activate to precharge of the bank"},
    {"tRC", &DramTiming::trc, 1, 1000, "cycles", "activate to activate of the bank"},
    {"tRRD", &DramTiming::trrd, 1, 1000, "cycles", "activate to activate of another bank"},
    {"tRRD_L", &DramTiming::trrd_l, 1, 1000, "cycles",
     "activate to activate of another bank in the same bank group"},
    {"tFAW", &DramTiming::tfaw, 1, 1000, "cycles", "window of at most four activates of a rank"},
    {"tWR", &DramTiming::twr, 1, 1000, "cycles", "end of write data to precharge"},
    {"tWTR", &DramTiming::twtr, 0, 1000, "cycles", "end of write data to read of the rank"},
    {"tWTR_L", &DramTiming::twtr_l, 0, 1000, "cycles",
     "end of write data to read of the same bank group"},
    {"tPPD", &DramTiming::tppd, 1, 1000, "cycles", "precharge to precharge of the rank (DDR5)"},
    {"tRTP", &DramTiming::trtp, 1, 1000, "cycles", "read to precharge"},
    {"tCCD", &DramTiming::tccd, 1, 1000, "cycles", "column command to column command of the rank"},
    {"tCCD_L", &DramTiming::tccd_l, 1, 1000, "cycles",
     "column command to column command of the same bank group"},
    {"tCCD_L_WR", &DramTiming::tccd_l_wr, 1, 1000, "cycles",
     "write to write of the same bank group (DDR5)"},
    {"tCCDR", &DramTiming::tccdr, 1, 1000, "cycles",
     "column command to column command of another stack id (HBM3)"},
    {"burst", &DramTiming::burst, 1, 64, "cycles", "data-bus time of one 64-byte line"},
    {"burst_gap", &DramTiming::burst_gap, 0, 16, "cycles",
     "gap between the halves of a line, in which a half of another bank group fits (LPDDR5, HBM3)"},
    {"tRTRS", &DramTiming::trtrs, 0, 100, "cycles", "data-bus gap when the driver changes"},
    {"tRTRS_dimm", &DramTiming::trtrs_dimm, 0, 100, "cycles",
     "data-bus gap when another DIMM becomes the driver; at least tRTRS, which it is by default; "
     "an NVDIMM is a DIMM"},
    {"tREFI", &DramTiming::trefi, 100, 1'000'000, "cycles",
     "mean time between refreshes of a rank"},
    {"tRFC", &DramTiming::trfc, 1, 100'000, "cycles", "refresh to activate"},
    {"tRFCsb", &DramTiming::trfcsb, 1, 100'000, "cycles",
     "same-bank refresh to activate of a refreshed bank, or to the next one of the rank (DDR5); "
     "other standards: tRFCpb, to the activate only"},
    {"tREFSBRD", &DramTiming::trefsbrd, 1, 10'000, "cycles",
     "same-bank refresh to activate of another bank (LPDDR5: tpbR2act; HBM3: tRREFD)"},
    {"tPBR2PBR", &DramTiming::tpbr2pbr, 1, 10'000, "cycles",
     "per-bank refresh to the next one of the rank (LPDDR5; HBM3: tRREFD)"},
    {"tCKE", &DramTiming::tcke, 1, 1000, "cycles", "power-down entry to exit, and exit to entry"},
    {"tXP", &DramTiming::txp, 1, 1000, "cycles", "power-down exit to other commands"},
    {"tCKESR", &DramTiming::tckesr, 1, 1000, "cycles", "self-refresh entry to exit"},
    {"tXS", &DramTiming::txs, 1, 100'000, "cycles", "self-refresh exit to other commands"},
    {"tXSDLL", &DramTiming::txsdll, 1, 100'000, "cycles", "self-refresh exit to read"},
    {"tWCK_RD", &DramTiming::twck_rd, 1, 200, "cycles",
     "start of a stopped data clock to read data: tWCKENL_RD + tWCKPRE_Static + tWCKPRE_Toggle_RD "
     "(LPDDR5)"},
    {"tWCK_WR", &DramTiming::twck_wr, 1, 200, "cycles",
     "start of a stopped data clock to write data (LPDDR5)"},
    {"tWCKPST", &DramTiming::twckpst, 0, 1000, "cycles",
     "end of data to the stop of the data clock (LPDDR5)"},
}};

const OptionalTime* find(const std::vector<OptionalTime>& times, std::int64_t DramTiming::*field) {
  const auto found = std::find_if(times.begin(), times.end(),
                                  [&](const OptionalTime& own) { return own.time == field; });
  return found == times.end() ? nullptr : &*found;
}

// Reports times that are set although the standard does not have them, and times shorter than those
// that they lengthen.
void check_own_times(const DramStandardDescriptor& standard, const DramTiming& timing,
                     std::vector<ParameterError>& errors) {
  const std::vector<OptionalTime> own = standard.own_times();
  for (const DramStandardDescriptor* other : kDramStandardTable) {
    for (const OptionalTime& time : other->own_times()) {
      const std::string name = std::string("dram.timing.") + time.name;
      if (timing.*time.time != kFromPreset && find(own, time.time) == nullptr &&
          std::none_of(errors.begin(), errors.end(),
                       [&](const ParameterError& told) { return told.name == name; })) {
        errors.push_back({name, "is not a time of this part"});
      }
    }
  }
  for (const OptionalTime& time : own) {
    if (time.at_least != nullptr && timing.*time.time != kFromPreset &&
        timing.*time.time < timing.*time.at_least) {
      errors.push_back({std::string("dram.timing.") + time.name,
                        "must be at least the time that it lengthens, " +
                            std::to_string(timing.*time.at_least) + " cycles"});
    }
  }
}

}  // namespace

void DramParameters::declare(ParameterSet& parameters) {
  declare_power(parameters);
  const ParameterSet::Scope scope(parameters, "dram");
  std::vector<std::string> names;
  for (const DramPreset& known : dram_presets()) {
    names.push_back(known.name);
  }
  parameters.name_of("preset", preset, names,
                     {"the DRAM part, which supplies organisation and timing",
                      "the standard of each preset's family; table3: DRAMSim2"});
  parameters.integer("ranks", ranks, {1, 8}, "ranks",
                     {"ranks per channel; a power of two",
                      "the paper, Table III: 4 ranks in all over 4 channels"});
  parameters.integer_or(
      "ranks_per_dimm", ranks_per_dimm, {1, 8}, "all", kOneDimm, "ranks",
      {"ranks of each DIMM of a channel; bursts of ranks on different DIMMs are tRTRS_dimm apart",
       "all: one DIMM a channel"});
  parameters.integer(
      "register_delay", register_delay, {0, 8}, "cycles",
      {"registered DIMMs: cycles by which the register delays each command, and with "
       "it the data, of DRAM and NVDIMMs; spacings of commands remain",
       "register: JESD82-31 (DDR4RCD02), assumed 1 on RDIMMs; 0: unbuffered"});
  parameters.choice("command_rate", command_rate,
                    {{"1N", CommandRate::one}, {"2N", CommandRate::two}},
                    {"clock cycles for which the host drives each command and address; 2N: two, "
                     "of which the second selects the rank, so that commands and their data are a "
                     "cycle later and at most every second cycle has a command",
                     "JESD79-5B: 2N mode (MR2); of controllers of DDR3 and DDR4: 2T timing"});
  parameters.boolean("refresh", refresh,
                     {"refresh every rank once in tREFI", "JESD79-3F section 4.13"});
  parameters.choice("refresh_mode", refresh_mode,
                    {{"all_bank", RefreshMode::all_bank}, {"same_bank", RefreshMode::same_bank}},
                    {"all_bank: one command refreshes all banks of a rank; same_bank: it refreshes "
                     "banks of one number while the others continue: one in each bank group "
                     "(DDR5's REFsb: each twice in tREFI), or a pair (LPDDR5's REFpb: each once)",
                     "JESD79-5B section 4.13; JESD209-5"});
  parameters.boolean(
      "refresh_management", refresh_management,
      {"send RFM to a rank when one of its banks has had dram.RAAIMT activates, less "
       "those that REF and RFM take off; an RFM takes tRFC",
       "JESD79-5B: refresh management, tRFM1 = tRFC1"});
  parameters.integer("RAAIMT", raaimt, {16, 80}, "activates",
                     {"activates of a bank from which its rank needs an RFM; each REF and RFM of "
                      "the rank takes that many off",
                      "JESD79-5B: 32 to 80, by the part (MR58); REF takes off RAAIMT (MR59)"});
  parameters.integer("refresh_postpone", refresh_postpone, {0, 8}, "refreshes",
                     {"refreshes of a rank that may be postponed while requests wait for it",
                      "JESD79-3F section 4.13: at most 8 (DDR5: 4)"});
  parameters.integer("refresh_pull_in", refresh_pull_in, {0, 8}, "refreshes",
                     {"refreshes of a rank that may be pulled in while it is idle",
                      "JESD79-3F section 4.13: at most 8 (DDR5: 4)"});
  parameters.choice("precharge_delay", precharge_delay,
                    {{"jedec", PrechargeDelay::jedec}, {"paper", PrechargeDelay::paper}},
                    {"column command to precharge: tRTP | CWL+BL/2+tWR, or CL+BL/2 for both",
                     "the paper, Table III: 18.75 ns"});
  parameters.choice("power_down", power_down,
                    {{"none", PowerDown::none}, {"fast", PowerDown::fast}},
                    {"put ranks without waiting requests into precharge power-down (fast exit)",
                     "JESD79-3F section 4.17"});
  parameters.time(
      "power_down_idle", power_down_idle,
      {"time without a waiting request after which a rank closes its rows and powers down",
       "assumed"});
  parameters.boolean(
      "self_refresh", self_refresh,
      {"put ranks without waiting requests into self-refresh", "JESD79-3F section 4.16"});
  parameters.time(
      "self_refresh_idle", self_refresh_idle,
      {"time without a waiting request after which a rank enters self-refresh", "assumed"});
  const ParameterSet::Scope timing_scope(parameters, "timing");
  const ParameterSet::PartData part(parameters);
  for (const TimingField& field : kTimingFields) {
    parameters.integer_or(field.name, timing.*field.field, {field.low, field.high}, "preset",
                          kFromPreset, field.unit, {field.doc, "the preset's standard"});
  }
}

void DramParameters::declare_power(ParameterSet& parameters) {
  constexpr Range kVolts{100'000, 5'000'000};
  constexpr Range kAmperes{0, 10'000'000};
  const ParameterSet::Scope scope(parameters, "dram.power");
  const ParameterSet::PartData part(parameters);
  for (const PowerField& field : kPowerFields) {
    const Doc doc{field.doc, "of one device; the preset's description names its source"};
    const bool volts = field.field == &DramPower::vdd;
    parameters.quantity_or(field.name, power.*field.field, volts ? kVolts : kAmperes,
                           volts ? kVoltages : kCurrents, "preset", kFromPreset, doc);
  }
}

void DramParameters::resolve() {
  const DramPreset known = dram_preset(preset);
  standard = known.standard;
  organisation = known.organisation;
  for (const TimingField& field : kTimingFields) {
    if (timing.*field.field == kFromPreset) {
      timing.*field.field = known.timing.*field.field;
    }
  }
  for (const PowerField& field : kPowerFields) {
    if (power.*field.field == kFromPreset) {
      power.*field.field = known.power.*field.field;
    }
  }
}

std::vector<ParameterError> DramParameters::check() const {
  std::vector<ParameterError> errors;
  if ((ranks & (ranks - 1)) != 0) {
    std::int64_t below = 1;
    while (2 * below < ranks) {
      below *= 2;
    }
    errors.push_back({"dram.ranks", std::to_string(ranks) + " is not a power of two; nearest: " +
                                        std::to_string(below) + " and " +
                                        std::to_string(2 * below)});
  }
  if (ranks % dimm_ranks() != 0) {
    std::int64_t nearest = earlier(dimm_ranks(), ranks);
    while (ranks % nearest != 0) {
      --nearest;
    }
    errors.push_back({"dram.ranks_per_dimm", "must divide dram.ranks, " + std::to_string(ranks) +
                                                 "; nearest: " + std::to_string(nearest)});
  }
  check_own_times(*standard, timing, errors);
  const bool same_bank = refresh_mode == RefreshMode::same_bank;
  if (same_bank && !standard->same_bank_refresh) {
    errors.push_back(
        {"dram.refresh_mode", std::string(standard->document) + " supports only 'all_bank'"});
    return errors;
  }
  if (same_bank && refresh_postpone + refresh_pull_in > 0) {
    errors.push_back({refresh_postpone > 0 ? "dram.refresh_postpone" : "dram.refresh_pull_in",
                      "must be 0: only refreshes of dram.refresh_mode: all_bank can move"});
  }
  if (same_bank && self_refresh) {
    errors.push_back({"dram.self_refresh", "needs dram.refresh_mode: all_bank"});
  }
  if (refresh_management && !standard->refresh_management) {
    errors.push_back({"dram.refresh_management",
                      std::string(standard->document) + ": not modelled; must be false"});
  }
  if (refresh_management && standard->refresh_management &&
      (same_bank || self_refresh || !refresh)) {
    errors.push_back({"dram.refresh_management", same_bank ? "needs dram.refresh_mode: all_bank"
                                                 : self_refresh ? "needs dram.self_refresh: false"
                                                                : "needs dram.refresh: true"});
  }
  if (self_refresh && !refresh) {
    errors.push_back({"dram.self_refresh", "needs dram.refresh: true"});
  }
  if (timing.txsdll < timing.txs) {
    errors.push_back(
        {"dram.timing.tXSDLL", "must be at least tXS, " + std::to_string(timing.txs) + " cycles"});
  }
  const std::int64_t moved = standard->max_moved_refreshes;
  if (refresh_postpone > moved) {
    errors.push_back({"dram.refresh_postpone", "must be at most " + std::to_string(moved)});
  }
  if (refresh_pull_in > moved) {
    errors.push_back({"dram.refresh_pull_in", "must be at most " + std::to_string(moved)});
  }
  const std::int64_t read_end = timing.cl + timing.burst + timing.trtrs;
  if (timing.cwl > read_end) {
    errors.push_back({"dram.timing.CWL", "must be at most CL + burst + tRTRS, " +
                                             std::to_string(read_end) + " cycles"});
  }
  if (standard->protocol != nullptr) {
    check_protocol(errors);
  }
  for (const ParameterError& error : power_errors(*this)) {
    errors.push_back(error);
  }
  if (timing.trc < timing.tras) {
    errors.push_back(
        {"dram.timing.tRC", "must be at least tRAS, " + std::to_string(timing.tras) + " cycles"});
  }
  const std::int64_t data = timing.gap() > 0 ? timing.burst / 2 : timing.burst;
  if (timing.tccd < data) {
    errors.push_back({"dram.timing.tCCD", "must be at least the burst, " + std::to_string(data) +
                                              " cycles: data would overlap"});
  }
  const std::int64_t spacing =
      organisation.banks_per_refresh == 0 ? timing.trfcsb : timing.tpbr2pbr;
  const std::int64_t least = same_bank
                                 ? (spacing + timing.trp + timing.tras + 1) * refreshes_in_trefi()
                                 : 4 * (timing.trfc + timing.trp + timing.tras) + 1;
  if (timing.trefi < least) {
    errors.push_back({"dram.timing.tREFI", "leaves no time between refreshes: must be at least " +
                                               std::to_string(least) + " cycles"});
  }
  return errors;
}

// Reports features not modelled with multi-slot commands, and times too long for CommandSlots.
void DramParameters::check_protocol(std::vector<ParameterError>& errors) const {
  const std::string own = std::string(standard->document) + ": not modelled; ";
  if (power_down != PowerDown::none) {
    errors.push_back({"dram.power_down", own + "must be 'none'"});
  }
  if (self_refresh) {
    errors.push_back({"dram.self_refresh", own + "must be false"});
  }
  if (command_rate != CommandRate::one) {
    errors.push_back({"dram.command_rate",
                      std::string(standard->document) + " has no 2N command rate; must be '1N'"});
  }
  constexpr std::int64_t kMostCycles = 32;  // half of what CommandSlots tracks
  if (timing.line() > kMostCycles) {
    errors.push_back({"dram.timing.burst",
                      "and its gap must be at most " + std::to_string(kMostCycles) + " cycles"});
  }
  if (standard->protocol->columns_of_line * timing.tccd_l > kMostCycles) {
    errors.push_back({"dram.timing.tCCD_L",
                      "must be at most " +
                          std::to_string(kMostCycles / standard->protocol->columns_of_line) +
                          " cycles"});
  }
  const std::int64_t columns = standard->protocol->columns_of_line;
  if (columns > 1 && timing.tccd_l != timing.burst / columns + timing.gap()) {
    errors.push_back({"dram.timing.burst_gap", "must be tCCD_L - burst / " +
                                                   std::to_string(columns) +
                                                   ": the halves of a line are separate bursts"});
  }
  if (standard->protocol->data_bus_of_rank && ranks > static_cast<std::int64_t>(kMostOwnBuses)) {
    errors.push_back({"dram.ranks", "must not exceed the 2 pseudo-channels of a channel"});
  }
  for (const bool write : {false, true}) {
    if (standard->protocol->data_clock && data_clock_lead(timing, write) > kMostCycles / 2) {
      errors.push_back(
          {write ? "dram.timing.tWCK_WR" : "dram.timing.tWCK_RD",
           "must exceed the latency by at most " + std::to_string(kMostCycles / 2) + " cycles"});
    }
  }
}

std::int64_t DramParameters::activate_delay() const {
  return standard->protocol == nullptr ? 0 : standard->protocol->activate_slots - 1;
}

std::int64_t DramParameters::dimm_ranks() const {
  return ranks_per_dimm == kOneDimm ? ranks : ranks_per_dimm;
}

std::int64_t DramParameters::columns_of_line() const {
  return standard->protocol == nullptr ? 1 : standard->protocol->columns_of_line;
}

std::int64_t DramParameters::command_buses() const {
  return standard->protocol != nullptr && standard->protocol->separate_buses ? 2 : 1;
}

bool DramParameters::has_own_buses() const {
  return standard->protocol != nullptr && standard->protocol->data_bus_of_rank;
}

bool DramParameters::is(std::string_view name) const { return name == standard->name; }

Bytes DramParameters::rank_capacity() const {
  return kLineBytes * (organisation.banks * organisation.rows * organisation.columns);
}

}  // namespace hmsim
