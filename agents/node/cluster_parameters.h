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
  static constexpr std::int64_t kMegabit = 1'000'000;

  std::int64_t nodes = 1;
  NodeMemories memory = NodeMemories::own;
  Tick latency = 15 * kMicrosecond;    // one way, of the network
  std::int64_t rate = 10'000'000'000;  // bits per second of each node's links

  void declare(ParameterSet& parameters) {
    {
      const ParameterSet::Scope scope(parameters, "nodes");
      parameters.integer("count", nodes, {1, kMostNodes}, "nodes",
                         {"nodes, each as this configuration describes it",
                          "1: the configuration is the whole system"});
      parameters.choice<NodeMemories>(
          "memory", memory, {{"own", NodeMemories::own}, {"shared", NodeMemories::shared}},
          {"own: each node has separate channels, controller.channels of them; shared: all nodes "
           "share the channels of one",
           "own: a cluster"});
    }
    const ParameterSet::Scope scope(parameters, "network");
    parameters.time("latency", latency,
                    {"time from a message's first bit sent to that bit received, both kernels "
                     "included",
                     "10 Gb/s Ethernet through TCP: 10 us for an isolated request (Larsen et al., "
                     "SBAC-PAD 2007), 20 us (Hurwitz and Feng, Hot Interconnects 2003)"});
    parameters.bit_rate(
        "rate", rate,
        {"bandwidth of the link from each node to the network, and of the link back",
         "10 Gb/s Ethernet"});
  }

  std::vector<ParameterError> check() const {
    std::vector<ParameterError> errors;
    if (rate % kMegabit != 0) {
      errors.push_back({"network.rate", "must be whole megabits per second"});
    }
    return errors;
  }

  bool shares(std::int64_t node, std::int64_t with) const {
    return node == with || memory == NodeMemories::shared;
  }
  std::int64_t memories() const { return memory == NodeMemories::own ? nodes : 1; }
  // Returns how long a link carries `bytes` bytes.
  Tick time_on_link(std::uint64_t bytes) const {
    constexpr std::int64_t kBitTime = 1'000'000;  // picoseconds per bit at 1 Mbit/s
    const std::int64_t megabits = rate / kMegabit;
    const std::int64_t bits = 8 * static_cast<std::int64_t>(bytes);
    return Tick((bits * kBitTime + megabits - 1) / megabits);
  }
};

}  // namespace hmsim
