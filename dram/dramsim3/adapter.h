// SPDX-License-Identifier: BSD-3-Clause
// What this build of DRAMsim3 offers; nothing of DRAMsim3 itself is seen from here.
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
  std::string text;  // of the .ini file
};

// The .ini files that DRAMsim3 ships.
const std::vector<Dramsim3Preset>& dramsim3_presets();

// DRAMsim3's ChannelState. `dram` must have passed dramsim3_errors().
std::unique_ptr<TimingModel> make_dramsim3_timing(const DramParameters& dram,
                                                  const DramModelParameters& options);

// DRAMsim3's Controller, of one channel.
std::unique_ptr<WholeDram> make_dramsim3_whole(const DramParameters& dram,
                                               const DramModelParameters& options,
                                               std::int64_t queue_depth);

}  // namespace hmsim
