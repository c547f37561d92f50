// SPDX-License-Identifier: BSD-3-Clause
// Nodes of a simulation. Each has cores for jobs, an L3 and a port to memory. Page tables exist
// once per memory. A network connects the nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/agent.h"
#include "agents/cache/last_level_cache.h"
#include "agents/frontend_parameters.h"
#include "agents/node/network.h"
#include "agents/node/node.h"
#include "agents/translation.h"
#include "controller/memory_system.h"
#include "controller/node_memory.h"
#include "core/statistics.h"

namespace hmsim {

// Cores by node, distinct and in ascending order of their numbers.
using CoresByNode = std::vector<std::vector<JobCore>>;

// Returns the cores that run jobs, for `count` nodes. Throws InputError if an agent is on a
// nonexistent node, a core belongs to two nodes, or jobs on one core differ in base CPI.
CoresByNode job_cores(const Agents& agents, std::int64_t count);

class Nodes {
 public:
  struct Core {
    NodeCore* core;
    std::size_t node;
  };

  Nodes(const FrontendParameters& frontend, const CoresByNode& cores);
  // Connects the nodes to a memory, which must outlive everything that gets an environment.
  void connect(MemorySystem& memory, TranslationKind translation, std::uint64_t seed);

  std::size_t size() const { return nodes_.size(); }
  std::vector<Node*> all() const;
  const std::vector<Core>& cores() const { return cores_; }  // node by node
  Network* network() const { return network_.get(); }        // nullptr if there is one node

  // environment(), system_page() and wraps() require connect(). environment() returns the
  // environment of an agent on these nodes.
  AgentEnvironment environment(const std::vector<std::int64_t>& nodes) const;
  // Returns the page number in the whole system for a page that an agent on these nodes visits
  // (PageVisitor).
  std::int64_t system_page(const std::vector<std::int64_t>& nodes, std::int64_t page) const;
  std::vector<Counter*> wraps() const;

  void serialize(Archive& archive);         // serializes nodes and network; call before agents
  void serialize_shared(Archive& archive);  // serializes page tables and L3s; call after agents

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Core> cores_;
  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<NodeMemory>> memories_;
  std::vector<std::unique_ptr<Translation>> translations_;   // by memory
  std::vector<std::unique_ptr<LastLevelCache>> shared_l3s_;  // by node
  std::vector<NodeEnvironment> environments_;                // by node
};

}  // namespace hmsim
