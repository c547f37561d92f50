// SPDX-License-Identifier: BSD-3-Clause
// Interface to DRAMsim3 in this build. It exposes no type of DRAMsim3.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dram/model_parameters.h"
#include "dram/parameters.h"
#include "dram/timing_model.h"
#include "dram/whole_dram.h"

namespace hmsim {

struct Dramsim3Preset {
  std::string name;
  std::string text;  // contents of the .ini file
};

// Returns the .ini files that DRAMsim3 ships.
const std::vector<Dramsim3Preset>& dramsim3_presets();

// Returns a timing model based on DRAMsim3's ChannelState. `dram` must have passed
// dramsim3_errors().
std::unique_ptr<TimingModel> make_dramsim3_timing(const DramParameters& dram,
                                                  const DramModelParameters& options);

// Returns a model of one channel based on DRAMsim3's Controller.
std::unique_ptr<WholeDram> make_dramsim3_whole(const DramParameters& dram,
                                               const DramModelParameters& options,
                                               std::int64_t queue_depth);

}  // namespace hmsim
