// SPDX-License-Identifier: BSD-3-Clause
// Files with the state of a system's flash after preconditioning, so that other runs of the same
// system need not repeat it.
//
// A file lists all parameters that shape this state, and the seed. It opens only for a system with
// the same values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "controller/config/system_config.h"
#include "core/archive.h"

namespace hmsim {

// Returns the parameters that shape this state, and the seed, as text. Systems with equal texts can
// share files.
std::string preconditioned_shape(const SystemConfig& config, std::uint64_t seed);

// Returns the number of logical pages written to precondition all flash of the system; 0 if
// nothing is preconditioned or a file is loaded.
std::uint64_t preconditioned_pages(const SystemConfig& config);

std::string seal_preconditioned(const SystemConfig& config, std::uint64_t seed, std::string state);

// Calls load() with the state in the file at `path`. Throws InputError if the file cannot be read,
// is damaged, has another version, or is for a different system; then it names the first differing
// parameter.
void load_preconditioned(const std::string& path, const SystemConfig& config, std::uint64_t seed,
                         const std::function<void(Archive&)>& load);

}  // namespace hmsim
