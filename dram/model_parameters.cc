// SPDX-License-Identifier: BSD-3-Clause
#include "dram/model_parameters.h"

#include <array>
#include <filesystem>

#include "core/errors.h"
#include "core/input_file.h"
#include "dram/dramsim3_ini.h"
#include "dram/standard.h"
#ifdef HMSIM_DRAMSIM3
#include "dram/dramsim3/adapter.h"
#endif

namespace hmsim {

namespace {

constexpr std::array<std::int64_t DramTiming::*, 20> kTimings{
    &DramTiming::tck_ps, &DramTiming::cl,     &DramTiming::cwl,    &DramTiming::trcd,
    &DramTiming::trp,    &DramTiming::tras,   &DramTiming::trc,    &DramTiming::trrd,
    &DramTiming::tfaw,   &DramTiming::twr,    &DramTiming::twtr,   &DramTiming::trtp,
    &DramTiming::tccd,   &DramTiming::burst,  &DramTiming::trtrs,  &DramTiming::trefi,
    &DramTiming::trfc,   &DramTiming::tccd_l, &DramTiming::trrd_l, &DramTiming::twtr_l};

// Timings that a file may omit.
constexpr std::array<std::int64_t DramTiming::*, 4> kSleepTimings{
    &DramTiming::tcke, &DramTiming::txp, &DramTiming::tckesr, &DramTiming::txs};

constexpr std::uint64_t kLongestIni = std::uint64_t{1} << 20;  // bytes; shipped files have 2 KB
std::string ini_text(const std::string& name) {
#ifdef HMSIM_DRAMSIM3
  std::vector<std::string> names;
  for (const Dramsim3Preset& preset : dramsim3_presets()) {
    if (preset.name == name) {
      return preset.text;
    }
    names.push_back(preset.name);
  }
  const std::string nearest = nearest_name(name, names);
  const std::string hint = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
#else
  const std::string hint =
      "; this build has no DRAMsim3 and does not know its shipped files by name";
#endif
  std::error_code error;
  if (!std::filesystem::exists(name, error)) {
    throw InputError("dram.dramsim3_ini: no such file: '" + name + "'" + hint);
  }
  InputFile file(name, "dram.dramsim3_ini");
  if (file.size() > kLongestIni) {
    throw InputError(name + ": must be at most 1 MiB (dram.dramsim3_ini)");
  }
  return file.read_all();
}

}  // namespace

void DramModelParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "dram");
  parameters.name_of("backend", backend, {"native", "dramsim3", "dramsim3_full"},
                     {"model of the DRAM: native: this simulator; dramsim3: DRAMsim3's devices "
                      "under this simulator's controller; dramsim3_full: all of DRAMsim3, without "
                      "NVDIMM. The last two need a build with 'scons dramsim3=1'",
                      "Li et al., DRAMsim3, IEEE CAL 2020"});
  parameters.text("dramsim3_ini", ini,
                  {"a DRAMsim3 .ini file, or the name of a shipped one, that supplies organisation "
                   "and timing to every backend; its [system] section is ignored",
                   ""});
  parameters.boolean(
      "dramsim3_mend_ini", mend_ini,
      {"correct known misspellings in an .ini file (REFI: tREFI) instead of refusing them",
       "DRAMsim3 itself ignores them and refreshes every 7800 cycles"});
  parameters.boolean("dramsim3_mend_timing", mend_timing,
                     {"correct a known omission in DRAMsim3's timing table: tRTRS between writes "
                      "to different ranks",
                      "docs/trust.md"});
  parameters.integer("dramsim3_command_queue", command_queue, {1, 4096}, "entries",
                     {"dramsim3_full: commands queued for each bank, in addition to the "
                      "transaction queues of controller.queue_depth for reads and for writes",
                      "DRAMsim3's .ini files: 8"});
  parameters.boolean("dramsim3_unified_queue", unified_queue,
                     {"dramsim3_full: one transaction queue for reads and writes", ""});
}

void DramModelParameters::resolve(DramParameters& dram) const {
  if (ini.empty()) {
    dram.resolve();
    return;
  }
  const Dramsim3Ini read = read_dramsim3_ini(ini_text(ini), ini, mend_ini);
  const DramTiming given = dram.timing;
  const DramPower given_power = dram.power;
  const std::string preset = dram.preset;
  dram.preset = DramParameters().preset;  // values that .ini files lack are plain DDR3's
  dram.resolve();
  dram.preset = preset;
  dram.standard = read.standard;
  dram.organisation = read.organisation;
  for (const auto field : kTimings) {
    dram.timing.*field = given.*field == kFromPreset ? read.timing.*field : given.*field;
  }
  for (const auto field : kSleepTimings) {
    if (given.*field == kFromPreset && read.timing.*field != kFromPreset) {
      dram.timing.*field = read.timing.*field;
    }
  }
  for (const PowerField& field : kPowerFields) {
    if (given_power.*field.field == kFromPreset && read.power.*field.field != kFromPreset) {
      dram.power.*field.field = read.power.*field.field;
    }
  }
}

std::vector<ParameterError> dramsim3_errors(const DramParameters& dram) {
  const DramTiming& timing = dram.timing;
  std::vector<ParameterError> errors;
  if (timing.trc != timing.tras + timing.trp) {
    errors.push_back({"dram.timing.tRC", "must be tRAS + tRP with DRAMsim3"});
  }
  if (dram.standard->dramsim3_protocol == nullptr) {
    errors.push_back({"dram.preset", "must be a part of DDR3 or DDR4 with DRAMsim3"});
  }
  if (timing.burst != 4) {
    errors.push_back({"dram.timing.burst", "must be 4 cycles with DRAMsim3, bursts of 8"});
  }
  if (dram.command_rate != CommandRate::one) {
    errors.push_back({"dram.command_rate", "must be '1N' with DRAMsim3"});
  }
  if (timing.dimm_gap() > timing.trtrs) {
    errors.push_back({"dram.timing.tRTRS_dimm",
                      "must be tRTRS, " + std::to_string(timing.trtrs) + " cycles, with DRAMsim3"});
  }
  if (dram.refresh_management) {
    errors.push_back({"dram.refresh_management", "is not supported with DRAMsim3: must be false"});
  }
  if (dram.sleeps()) {
    errors.push_back({dram.self_refresh ? "dram.self_refresh" : "dram.power_down",
                      "is not supported with DRAMsim3: must be off"});
  }
  if (dram.precharge_delay != PrechargeDelay::jedec) {
    errors.push_back({"dram.precharge_delay", "must be 'jedec' with DRAMsim3"});
  }
  return errors;
}

}  // namespace hmsim
