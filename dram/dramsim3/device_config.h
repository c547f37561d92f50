// SPDX-License-Identifier: BSD-3-Clause
// DRAMsim3's Config and Timing for a DRAM as described here.
#pragma once

#include <cstdint>
#include <memory>

#include "configuration.h"
#include "dram/model_parameters.h"
#include "dram/parameters.h"
#include "timing.h"

namespace hmsim {

// Addresses map to row | bank group | bank | rank | column, most significant first. Throws
// InputError when no temporary file can be written: DRAMsim3 takes its configuration from a file.
std::unique_ptr<dramsim3::Config> dramsim3_config(const DramParameters& dram,
                                                  const DramModelParameters& options,
                                                  std::int64_t queue_depth);

// DRAMsim3's table of rules, mended if `options` say so.
dramsim3::Timing dramsim3_timing(const dramsim3::Config& config,
                                 const DramModelParameters& options);

}  // namespace hmsim
