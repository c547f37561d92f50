// SPDX-License-Identifier: BSD-3-Clause
// Conversion of DramParameters to DRAMsim3's Config and Timing.
#pragma once

#include <cstdint>
#include <memory>

#include "configuration.h"
#include "dram/model_parameters.h"
#include "dram/parameters.h"
#include "timing.h"

namespace hmsim {

// Returns the configuration. Addresses map to row | bank group | bank | rank | column, most
// significant first. Throws InputError if no temporary file can be written: DRAMsim3 reads its
// configuration from a file.
std::unique_ptr<dramsim3::Config> dramsim3_config(const DramParameters& dram,
                                                  const DramModelParameters& options,
                                                  std::int64_t queue_depth);

// Returns DRAMsim3's table of timing rules, with corrections if `options` ask for them.
dramsim3::Timing dramsim3_timing(const dramsim3::Config& config,
                                 const DramModelParameters& options);

}  // namespace hmsim
