// SPDX-License-Identifier: BSD-3-Clause
#include "dram/parameters.h"

#include <array>

#include "dram/presets.h"

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

constexpr std::array<TimingField, 17> kTimingFields{{
    {"tCK", &DramTiming::tck_ps, 100, 100'000, "ps", "clock period"},
    {"CL", &DramTiming::cl, 1, 200, "cycles", "read command to first data"},
    {"CWL", &DramTiming::cwl, 1, 200, "cycles", "write command to first data"},
    {"tRCD", &DramTiming::trcd, 1, 1000, "cycles", "activate to read or write of the bank"},
    {"tRP", &DramTiming::trp, 1, 1000, "cycles", "precharge to activate of the bank"},
    {"tRAS", &DramTiming::tras, 1, 1000, "cycles", "activate to precharge of the bank"},
    {"tRC", &DramTiming::trc, 1, 1000, "cycles", "activate to activate of the bank"},
    {"tRRD", &DramTiming::trrd, 1, 1000, "cycles", "activate to activate of another bank"},
    {"tFAW", &DramTiming::tfaw, 1, 1000, "cycles", "window of at most four activates of a rank"},
    {"tWR", &DramTiming::twr, 1, 1000, "cycles", "end of write data to precharge"},
    {"tWTR", &DramTiming::twtr, 0, 1000, "cycles", "end of write data to read of the rank"},
    {"tRTP", &DramTiming::trtp, 1, 1000, "cycles", "read to precharge"},
    {"tCCD", &DramTiming::tccd, 1, 1000, "cycles", "column command to column command of the rank"},
    {"burst", &DramTiming::burst, 1, 64, "cycles", "data-bus time of one 64-byte line"},
    {"tRTRS", &DramTiming::trtrs, 0, 100, "cycles", "data-bus gap when the driver changes"},
    {"tREFI", &DramTiming::trefi, 100, 1'000'000, "cycles",
     "mean time between refreshes of a rank"},
    {"tRFC", &DramTiming::trfc, 1, 100'000, "cycles", "refresh to activate"},
}};

}  // namespace

void DramParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "dram");
  std::vector<std::string> names;
  for (const DramPreset& known : kDramPresets) {
    names.emplace_back(known.name);
  }
  parameters.name_of("preset", preset, names,
                     {"the DRAM part, which supplies organisation and timing",
                      "each preset names its source in dram/presets.cc"});
  parameters.integer("ranks", ranks, {1, 8}, "ranks",
                     {"ranks per channel; a power of two",
                      "the paper, Table III: 4 ranks in all over 4 channels"});
  parameters.boolean("refresh", refresh,
                     {"refresh every rank once in tREFI", "JESD79-3F section 4.13"});
  parameters.choice("precharge_delay", precharge_delay,
                    {{"jedec", PrechargeDelay::jedec},
                     {"paper", PrechargeDelay::paper},
                     {"paper_read", PrechargeDelay::paper_read}},
                    {"column command to precharge: tRTP | CWL+BL/2+tWR, or CL+BL/2 for both, or "
                     "for reads only",
                     "the paper, Table III: 18.75 ns"});
  const ParameterSet::Scope timing_scope(parameters, "timing");
  for (const TimingField& field : kTimingFields) {
    parameters.integer_or(field.name, timing.*field.field, {field.low, field.high}, "preset",
                          kFromPreset, field.unit, {field.doc, "JESD79-3F; the preset"});
  }
}

void DramParameters::resolve() {
  const DramPreset& known = dram_preset(preset);
  organisation = known.organisation;
  for (const TimingField& field : kTimingFields) {
    if (timing.*field.field == kFromPreset) {
      timing.*field.field = known.timing.*field.field;
    }
  }
}

std::vector<ParameterError> DramParameters::check() const {
  std::vector<ParameterError> errors;
  if ((ranks & (ranks - 1)) != 0) {
    errors.push_back({"dram.ranks", std::to_string(ranks) + " is not a power of two"});
  }
  if (timing.cwl > timing.cl + timing.burst + timing.trtrs) {
    errors.push_back({"dram.timing.CWL", "is larger than CL + burst + tRTRS"});
  }
  if (timing.trc < timing.tras) {
    errors.push_back({"dram.timing.tRC", "is smaller than tRAS"});
  }
  if (timing.tccd < timing.burst) {
    errors.push_back({"dram.timing.tCCD", "is smaller than the burst: data would overlap"});
  }
  if (timing.trefi <= 4 * (timing.trfc + timing.trp + timing.tras)) {
    errors.push_back({"dram.timing.tREFI", "leaves no time between refreshes (tRFC)"});
  }
  return errors;
}

Bytes DramParameters::rank_capacity() const {
  return kLineBytes * (organisation.banks * organisation.rows * organisation.columns);
}

}  // namespace hmsim
