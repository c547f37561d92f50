// SPDX-License-Identifier: BSD-3-Clause
// What a configuration must satisfy for its DRAM model, dram.backend.
#pragma once

#include <string>
#include <vector>

#include "controller/config/system_config.h"

namespace hmsim {

bool is_built_in(const std::string& backend);  // in this build

std::vector<ParameterError> backend_errors(const SystemConfig& config);

}  // namespace hmsim
