// SPDX-License-Identifier: BSD-3-Clause
// Preset values for kinds of cells and whole devices. Sources: nand_presets.cc.
#pragma once

#include <array>
#include <optional>

#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

struct NandPresetRow {
  const char* name;
  NandPreset kind;
  CellTimes times;
  std::optional<NandDevice> device;  // whole devices
};

extern const std::array<NandPresetRow, 11> kNandPresets;

// Sets the cell times; for a whole device also its pages, planes, blocks, bus and endurance.
void set_preset(NandPreset preset, NandParameters& nand);

}  // namespace hmsim
