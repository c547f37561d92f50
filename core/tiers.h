// SPDX-License-Identifier: BSD-3-Clause
// Tiers of a hybrid memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hmsim {

// fast: DRAM. slow: NVDIMMs and storage devices. The host queue, which knows ports, also counts
// DRAM behind a port as slow.
enum class Tier : std::uint8_t { fast, slow, last = slow };
inline constexpr std::size_t kTiers = static_cast<std::size_t>(Tier::last) + 1;

constexpr std::size_t index_of(Tier tier) { return static_cast<std::size_t>(tier); }

}  // namespace hmsim
