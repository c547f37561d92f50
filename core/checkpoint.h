// SPDX-License-Identifier: BSD-3-Clause
// The envelope of a checkpoint: whose state it is, and that it is whole.
#pragma once

#include <cstdint>
#include <string>

namespace hmsim {

// `identity` tells runs apart whose states do not fit each other.
std::string seal_checkpoint(const std::string& state, std::uint64_t identity);

// The state. Throws InputError when the checkpoint is damaged, of another version, or of another
// configuration, workload or seed.
std::string open_checkpoint(const std::string& checkpoint, std::uint64_t identity);

}  // namespace hmsim
