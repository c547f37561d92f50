// SPDX-License-Identifier: BSD-3-Clause
#include "dram/presets.h"

#include <utility>

#include "core/errors.h"
#include "dram/standard.h"

namespace hmsim {

namespace {

constexpr std::int64_t kBytesPerMegabit = (1 << 20) / 8;

// Alternative names of some parts.
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

DramPreset make_preset(const DramStandardDescriptor& standard, const std::string& speed,
                       const DramDevice& device, const DramTiming& timing) {
  const std::int64_t devices = device.data_lines / device.width;
  const bool small = device.megabits < 1024;
  const std::string size = std::to_string(small ? device.megabits : device.megabits / 1024);
  std::string name = standard.name;
  name.append("_").append(speed).append("_").append(size).append(small ? "mb_x" : "gb_x");
  name.append(std::to_string(device.width));
  std::string source = standard.document;
  source.append(", speed bin ").append(speed).append(" (").append(std::to_string(timing.cl));
  source.append("-").append(std::to_string(timing.trcd)).append("-");
  source.append(std::to_string(timing.trp)).append("): ").append(std::to_string(devices));
  source.append(" x ").append(size).append(small ? " Mb x" : " Gb x");
  source.append(std::to_string(device.width)).append(", pages of ");
  source.append(std::to_string(device.page_bytes)).append(" bytes; ");
  constexpr std::int64_t kTransfersPerCycle = 2'000'000;  // MT/s x ps
  const PowerSource power =
      typical_power(standard, kTransfersPerCycle / timing.tck_ps, device.megabits, device.width);
  source.append(power.source);
  const std::int64_t bank_bytes = device.megabits * kBytesPerMegabit / device.banks;
  return {std::move(name),
          std::move(source),
          &standard,
          {device.groups, device.banks, bank_bytes / device.page_bytes,
           devices * device.page_bytes / kLineBytes.value(), devices, device.banks_per_refresh,
           device.stacks},
          timing,
          power.power};
}

namespace {

std::vector<DramPreset> all_presets() {
  std::vector<DramPreset> presets;
  for (const DramStandardDescriptor* standard : kDramStandardTable) {
    for (DramPreset& preset : standard->presets()) {
      presets.push_back(std::move(preset));
    }
  }
  for (const Alias& alias : kAliases) {
    DramPreset preset = *find(presets, alias.part);
    preset.name = alias.name;
    preset.source = std::string(alias.part) + " under another name";
    presets.push_back(std::move(preset));
  }
  return presets;
}

}  // namespace

// Built once: the roughly 700 parts take 3 million host instructions.
const std::vector<DramPreset>& dram_presets() {
  static const std::vector<DramPreset> kAll = all_presets();
  return kAll;
}

DramPreset dram_preset(std::string_view name) {
  const std::vector<DramPreset>& presets = dram_presets();
  if (const DramPreset* const preset = find(presets, name)) {
    return *preset;
  }
  throw InputError("unknown DRAM preset: '" + std::string(name) + "'");
}

}  // namespace hmsim
