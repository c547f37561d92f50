// SPDX-License-Identifier: BSD-3-Clause
// Number of nodes, sharing of their memory, and the network between them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

inline constexpr std::int64_t kMostNodes = 16;

// own: each node has the memory system of the configuration. shared: all nodes share one.
enum class NodeMemories { own, shared };

struct ClusterParameters {
  std::int64_t nodes = 1;
  NodeMemories memory = NodeMemories::own;
  Tick latency = 15 * kMicrosecond;    // one way, of the network
  std::int64_t rate = 10'000'000'000;  // bits per second of each node's links

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;

  bool shares(std::int64_t node, std::int64_t with) const {
    return node == with || memory == NodeMemories::shared;
  }
  std::int64_t memories() const { return memory == NodeMemories::own ? nodes : 1; }
  // Returns how long a link carries `bytes` bytes.
  Tick time_on_link(std::uint64_t bytes) const;
};

}  // namespace hmsim
