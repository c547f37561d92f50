// SPDX-License-Identifier: BSD-3-Clause
// Configuration of a memory system inside another simulator.
#pragma once

#include <cstdint>

#include "controller/config/system_config.h"
#include "core/parameters.h"

namespace hmsim {

class Archive;
class Kernel;
class MemorySystem;
class ProtocolChecker;

// Returns the configuration of the memory side and sets `values` to all of its parameters, defaults
// and presets filled in. Ignores parameters of `frontend` and `storage`, because the host replaces
// these parts. Throws InputError with one line per invalid parameter.
SystemConfig host_config(const Assignments& given, Assignments& values);

// Returns the number that checkpoints carry, so that others' are refused.
std::uint64_t identity_of(Assignments values, std::uint64_t seed);

// Saves or loads a memory system without requests in flight. `checker`: null unless checking.
// Throws InputError if the state has requests in flight, or only one of the two was checked.
void serialize_idle(Archive& archive, MemorySystem& memory, ProtocolChecker* checker,
                    Kernel& kernel);

}  // namespace hmsim
