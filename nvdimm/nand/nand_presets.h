// SPDX-License-Identifier: BSD-3-Clause
// Preset values for kinds of cells and whole devices. Sources: nand_presets.cc.
#pragma once

#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

// Sets the cell times; for a whole device also its pages, planes, blocks, bus and endurance.
void set_preset(NandPreset preset, NandParameters& nand);

}  // namespace hmsim
