// SPDX-License-Identifier: BSD-3-Clause
// Configuration of a memory system inside another simulator.
#pragma once

#include <cstdint>

#include "controller/system_config.h"
#include "core/parameters.h"

namespace hmsim {

// Returns the configuration of the memory side and sets `values` to all of its parameters, defaults
// and presets filled in. Ignores parameters of `frontend` and `storage`, because the host replaces
// these parts. Throws InputError with one line per invalid parameter.
SystemConfig host_config(const Assignments& given, Assignments& values);

// Returns the number that checkpoints carry, so that others' are refused.
std::uint64_t identity_of(Assignments values, std::uint64_t seed);

}  // namespace hmsim
