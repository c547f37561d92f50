// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a simulation, each with cores for jobs, an L3 and a way to memory; page tables, one
// for each node with a memory of its own; and the network between nodes.
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

// Cores by node, in ascending order of their numbers, each once.
using CoresByNode = std::vector<std::vector<JobCore>>;

// Those on which jobs run, of so many nodes. Throws InputError when an agent is on a node that
// there is not, a core is of two nodes, or of jobs that differ in their base CPI.
CoresByNode job_cores(const Agents& agents, std::int64_t count);

class Nodes {
 public:
  struct Core {
    NodeCore* core;
    std::size_t node;
  };

  Nodes(const FrontendParameters& frontend, const CoresByNode& cores);
  // The memory must outlive all that an environment is given to.
  void connect(MemorySystem& memory, TranslationKind translation, std::uint64_t seed);

  std::size_t size() const { return nodes_.size(); }
  std::vector<Node*> all() const;
  const std::vector<Core>& cores() const { return cores_; }  // node by node
  Network* network() const { return network_.get(); }        // none where there is one node

  // These need connect() before.
  // What an agent on some of the nodes sees of them.
  AgentEnvironment environment(const std::vector<std::int64_t>& nodes) const;
  // The number in the whole system of a page that an agent on these nodes tells (PageVisitor).
  std::int64_t system_page(const std::vector<std::int64_t>& nodes, std::int64_t page) const;
  std::vector<Counter*> wraps() const;

  void serialize(Archive& archive);         // before agents
  void serialize_shared(Archive& archive);  // what they use, after them

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Core> cores_;
  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<NodeMemory>> memories_;
  std::vector<std::unique_ptr<Translation>> translations_;   // by memory
  std::vector<std::unique_ptr<LastLevelCache>> shared_l3s_;  // by node
  std::vector<NodeEnvironment> environments_;                // likewise
};

}  // namespace hmsim
