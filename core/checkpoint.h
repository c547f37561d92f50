// SPDX-License-Identifier: BSD-3-Clause
// The envelope of a checkpoint: a header that identifies the run and a hash that detects damage.
#pragma once

#include <cstdint>
#include <string>

namespace hmsim {

// Wraps `state` in a header. `identity` must differ between runs whose states are incompatible.
std::string seal_checkpoint(const std::string& state, std::uint64_t identity);

// Returns the state inside the envelope. Throws InputError if the checkpoint is damaged, or was
// made by another version, configuration, workload or seed.
std::string open_checkpoint(const std::string& checkpoint, std::uint64_t identity);

}  // namespace hmsim
