// SPDX-License-Identifier: BSD-3-Clause
#include "dram/presets.h"

#include <utility>

#include "core/errors.h"
#include "dram/families.h"

namespace hmsim {

namespace {

constexpr std::int64_t kBytesPerMegabit = (1 << 20) / 8;

// As DRAMSim2 ships it.
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
          DramFamily::ddr3,
          {1, 8, 16384, 256, 16},
          timing,
          table3_power()};
}

// Other names of some parts.
struct Alias {
  const char* name;
  const char* part;
};
constexpr Alias kAliases[] = {{"ddr3_1600_4gb_x8", "ddr3_1600k_4gb_x8"},
                              {"ddr3_1600_8gb_x8", "ddr3_1600k_8gb_x8"}};

const DramPreset* find(const std::vector<DramPreset>& presets, std::string_view name) {
  for (const DramPreset& preset : presets) {
    if (preset.name == name) {
      return &preset;
    }
  }
  return nullptr;
}

}  // namespace

DramPreset make_preset(DramFamily family, const char* prefix, const std::string& speed,
                       const DramDevice& device, const DramTiming& timing) {
  const std::int64_t devices = device.data_lines / device.width;
  const bool small = device.megabits < 1024;
  const std::string size = std::to_string(small ? device.megabits : device.megabits / 1024);
  std::string name = prefix;
  name.append(speed).append("_").append(size).append(small ? "mb_x" : "gb_x");
  name.append(std::to_string(device.width));
  std::string source = traits_of(family).standard;
  source.append(", speed bin ").append(speed).append(" (").append(std::to_string(timing.cl));
  source.append("-").append(std::to_string(timing.trcd)).append("-");
  source.append(std::to_string(timing.trp)).append("): ").append(std::to_string(devices));
  source.append(" x ").append(size).append(small ? " Mb x" : " Gb x");
  source.append(std::to_string(device.width)).append(", pages of ");
  source.append(std::to_string(device.page_bytes)).append(" bytes; ");
  constexpr std::int64_t kTransfersPerCycle = 2'000'000;  // MT/s x ps
  const PowerSource power =
      typical_power(family, kTransfersPerCycle / timing.tck_ps, device.megabits, device.width);
  source.append(power.source);
  const std::int64_t bank_bytes = device.megabits * kBytesPerMegabit / device.banks;
  return {std::move(name),
          std::move(source),
          family,
          {device.groups, device.banks, bank_bytes / device.page_bytes,
           devices * device.page_bytes / kLineBytes.value(), devices},
          timing,
          power.power};
}

std::vector<DramPreset> dram_presets() {
  std::vector<DramPreset> presets{table3()};
  for (const DramFamilyTraits& family : kDramFamilies) {
    for (DramPreset& preset : family.presets()) {
      presets.push_back(std::move(preset));
    }
  }
  for (const Alias& alias : kAliases) {
    DramPreset preset = *find(presets, alias.part);
    preset.name = alias.name;
    preset.source = std::string(alias.part) + " by another name";
    presets.push_back(std::move(preset));
  }
  return presets;
}

DramPreset dram_preset(std::string_view name) {
  const std::vector<DramPreset> presets = dram_presets();
  if (const DramPreset* const preset = find(presets, name)) {
    return *preset;
  }
  throw InputError("no such DRAM preset: '" + std::string(name) + "'");
}

}  // namespace hmsim
