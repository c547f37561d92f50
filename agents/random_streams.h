// SPDX-License-Identifier: BSD-3-Clause
// Stream of pseudo-random numbers that each agent of a workload draws from.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"

namespace hmsim {

constexpr std::int64_t kLastRandomStream = (std::int64_t{1} << 48) - 1;

// Returns the stream of each agent whose key `random_stream` is not set. The stream follows from
// the agent's kind, node and core, and from its order among agents that share all three. Agents of
// another kind, node or core therefore do not affect it. `agents` holds the keys of each agent,
// including "kind", with valid values. Linear in the number of agents.
std::vector<std::int64_t> random_streams(const std::vector<Assignments>& agents);

}  // namespace hmsim
