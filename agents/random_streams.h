// SPDX-License-Identifier: BSD-3-Clause
// Which stream of pseudo-random numbers each agent of a workload draws from.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"

namespace hmsim {

constexpr std::int64_t kLastRandomStream = (std::int64_t{1} << 48) - 1;

// Returns the stream of each agent that does not name one by its key `random_stream`. The stream
// follows from the agent's kind, node and core, and, among agents for which these are equal, from
// their order. So agents of another kind, node or core do not change it, wherever they are listed.
// `agents`: their keys, "kind" among them, with valid values. Linear in the number of agents.
std::vector<std::int64_t> random_streams(const std::vector<Assignments>& agents);

}  // namespace hmsim
