// SPDX-License-Identifier: BSD-3-Clause
// Files that hold what preconditioning leaves in the NVDIMMs of a system, so that other runs of the
// same system need not do it again.
//
// A file names all parameters that shape this state, and the seed; it opens only for a system that
// has the same ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "controller/system_config.h"
#include "core/archive.h"

namespace hmsim {

// What shapes this state, and the seed, as text: systems for which it is the same share files.
std::string preconditioned_shape(const SystemConfig& config, std::uint64_t seed);

// Logical pages that are written for all NVDIMMs of the system; 0: nothing is preconditioned, or by
// a file.
std::uint64_t preconditioned_pages(const SystemConfig& config);

std::string seal_preconditioned(const SystemConfig& config, std::uint64_t seed, std::string state);

// Calls load() with the state in the file at `path`. Throws InputError when it cannot be read, is
// damaged, of another version, or of a system that differs: then it names the first parameter that
// does.
void load_preconditioned(const std::string& path, const SystemConfig& config, std::uint64_t seed,
                         const std::function<void(Archive&)>& load);

}  // namespace hmsim
