// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/nodes.h"

#include <map>
#include <string>

#include "core/archive.h"
#include "core/errors.h"
#include "core/units.h"

namespace hmsim {

namespace {

void check_node(const std::string& key, std::int64_t node, std::int64_t count) {
  if (node >= count) {
    throw InputError(key + ": unknown node " + std::to_string(node) + ": the last node is " +
                     std::to_string(count - 1) + " (frontend.nodes.count is " +
                     std::to_string(count) + ")");
  }
}

// First use of a core by a job: its agent and its parameters.
struct Use {
  std::size_t agent = 0;
  JobCore core;
};

void check_use(const std::string& name, const JobCore& core, const Use& first) {
  if (core.base_cpi != first.core.base_cpi) {
    throw InputError(name + "base_cpi: core " + std::to_string(core.number) + " also runs agent " +
                     std::to_string(first.agent) + " with base CPI " +
                     format_real(first.core.base_cpi) +
                     ": jobs that share a core need equal values");
  }
}

}  // namespace

CoresByNode job_cores(const Agents& agents, std::int64_t count) {
  std::vector<std::map<std::int64_t, Use>> found(static_cast<std::size_t>(count));
  std::map<std::int64_t, std::int64_t> node_of;  // by core
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const Agent& agent = *agents[i];
    const std::string name = "agent." + std::to_string(i) + ".";
    const AgentPlacement placement = agent.placement();
    for (std::size_t which = 0; which < placement.nodes.size(); ++which) {
      const std::int64_t node = placement.nodes[which];
      check_node(name + placement.key, node, count);
      std::vector<JobCore> cores = placement.cores_of(which);
      for (const JobCore& core : cores) {
        check_use(name, core,
                  found[static_cast<std::size_t>(node)]
                      .try_emplace(core.number, Use{i, core})
                      .first->second);
      }
      const char* const key = cores.empty() ? "core" : "cores";
      if (cores.empty()) {
        cores = {{agent.core()}};
      }
      for (const auto& [core, base_cpi] : cores) {
        const std::int64_t other = node_of.try_emplace(core, node).first->second;
        if (other != node) {
          throw InputError(name + key + ": core " + std::to_string(core) + " belongs to node " +
                           std::to_string(other) + ": cores of node " + std::to_string(node) +
                           " need other numbers");
        }
      }
    }
  }
  CoresByNode cores;
  for (const std::map<std::int64_t, Use>& each : found) {
    std::vector<JobCore>& own = cores.emplace_back();
    for (const auto& [number, use] : each) {
      own.push_back(use.core);
    }
  }
  return cores;
}

Nodes::Nodes(const FrontendParameters& frontend, const CoresByNode& cores) {
  for (const std::vector<JobCore>& own : cores) {
    nodes_.push_back(std::make_unique<Node>(frontend, own));
    shared_l3s_.push_back(
        std::make_unique<LastLevelCache>(frontend.cache.levels[kCacheLevels - 1]));
    for (std::size_t i = 0; i < own.size(); ++i) {
      cores_.push_back({&nodes_.back()->core(i), nodes_.size() - 1});
    }
  }
  if (nodes_.size() > 1) {
    network_ = std::make_unique<Network>(frontend.cluster);
  }
}

std::vector<Node*> Nodes::all() const {
  std::vector<Node*> found;
  for (const auto& node : nodes_) {
    found.push_back(node.get());
  }
  return found;
}

void Nodes::connect(MemorySystem& memory, TranslationKind translation, std::uint64_t seed) {
  for (std::int64_t node = 0; node < memory.config().nodes; ++node) {
    memories_.push_back(std::make_unique<NodeMemory>(memory, node));
    translations_.push_back(std::make_unique<Translation>(
        translation, memories_.back()->capacity(MemoryClass::dram), seed));
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (memories_.size() == 1) {
      nodes_[node]->share_memory(all());
    }
    NodeEnvironment each;
    each.port = memories_.size() == 1 ? static_cast<MemoryPort*>(&memory) : memories_[node].get();
    each.translation = translations_[memories_.size() == 1 ? 0 : node].get();
    each.shared_l3 = shared_l3s_[node].get();
    each.node = nodes_[node].get();
    environments_.push_back(each);
  }
}

AgentEnvironment Nodes::environment(const std::vector<std::int64_t>& nodes) const {
  AgentEnvironment environment;
  for (const std::int64_t node : nodes) {
    environment.nodes.push_back(environments_[static_cast<std::size_t>(node)]);
  }
  static_cast<NodeEnvironment&>(environment) = environment.nodes.front();
  environment.network = network_.get();
  return environment;
}

std::int64_t Nodes::system_page(const std::vector<std::int64_t>& nodes, std::int64_t page) const {
  const std::int64_t pages = environments_.front().port->capacity(MemoryClass::nvdimm) / kPageBytes;
  const std::int64_t node = nodes[static_cast<std::size_t>(page / pages)];
  return (memories_.size() == 1 ? 0 : node * pages) + page % pages;
}

std::vector<Counter*> Nodes::wraps() const {
  std::vector<Counter*> wraps;
  for (const auto& translation : translations_) {
    wraps.push_back(&translation->wraps());
  }
  return wraps;
}

void Nodes::serialize(Archive& archive) {
  for (const auto& node : nodes_) {
    node->serialize(archive);
  }
  if (network_ != nullptr) {
    network_->serialize(archive);
  }
}

void Nodes::serialize_shared(Archive& archive) {
  for (const auto& translation : translations_) {
    translation->serialize(archive);
  }
  for (const auto& shared_l3 : shared_l3s_) {
    shared_l3->serialize(archive);
  }
}

}  // namespace hmsim
