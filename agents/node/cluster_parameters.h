// SPDX-License-Identifier: BSD-3-Clause
// How many nodes there are, whose memory is whose, and the network between them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

inline constexpr std::int64_t kMostNodes = 16;

// Each node has the memory system that the configuration describes, or all share one.
enum class NodeMemories { own, shared };

struct ClusterParameters {
  std::int64_t nodes = 1;
  NodeMemories memory = NodeMemories::own;
  Tick latency = 15 * kMicrosecond;    // of the network, one way
  std::int64_t rate = 10'000'000'000;  // of each node's links, bits per second

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;

  bool shares(std::int64_t node, std::int64_t with) const {
    return node == with || memory == NodeMemories::shared;
  }
  std::int64_t memories() const { return memory == NodeMemories::own ? nodes : 1; }
  // How long a link carries so many bytes.
  Tick time_on_link(std::uint64_t bytes) const;
};

}  // namespace hmsim
