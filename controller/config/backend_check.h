// SPDX-License-Identifier: BSD-3-Clause
// Limits that a DRAM model, dram.backend, sets to a configuration.
#pragma once

#include <string>
#include <vector>

#include "controller/config/system_config.h"

namespace hmsim {

bool is_built_in(const std::string& backend);  // in this build

std::vector<ParameterError> backend_errors(const SystemConfig& config);

}  // namespace hmsim
