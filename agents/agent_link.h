// SPDX-License-Identifier: BSD-3-Clause
// Place of an agent in its system: its connections, and how it sends requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "core/request.h"
#include "traces/trace_reader.h"

namespace hmsim {

class ApplicationObserver;
class Host;
class LastLevelCache;
class Network;
class Node;
class Pager;
class Stages;
class Translation;

// Parts of the system that the agents of a node share.
struct NodeEnvironment {
  MemoryPort* port = nullptr;
  Translation* translation = nullptr;
  LastLevelCache* shared_l3 = nullptr;  // of the cores that share an L3
  Node* node = nullptr;                 // whose cores run jobs
  Host* storage = nullptr;              // for agents that do block I/O
};

// Agent's view of its system. The base class describes the agent's node, or the first of its nodes.
// The objects that the pointers refer to must outlive the agent.
struct AgentEnvironment : NodeEnvironment {
  std::vector<NodeEnvironment> nodes;          // all nodes of the agent
  Network* network = nullptr;                  // nullptr: one node
  Pager* pager = nullptr;                      // for agents with paged memory
  Stages* stages = nullptr;                    // for agents that wait for others
  ApplicationObserver* application = nullptr;  // of the loads of cores; nullptr: none
  TraceSource trace;
  std::uint64_t trace_bytes = 0;  // decompressed length of its trace; 0: unknown
  std::uint64_t seed = 1;         // of the run
};

class AgentLink {
 public:
  std::size_t index() const { return index_; }  // position in the workload
  std::string name() const { return "agent." + std::to_string(index_); }  // to users
  std::int64_t core() const { return core_; }  // hardware context that it acts for
  const AgentEnvironment& environment() const { return environment_; }

  void send(MemoryClass memory, Address address, bool write, std::uint32_t tag, Tick now,
            std::uint16_t context = 0) const {
    Request request;
    request.address = address;
    request.tag = tag;
    request.memory = memory;
    request.write = write;
    send(*environment_.port, core_ + context, request, now);
  }
  // Sends a request on behalf of `core` to the memory of that core's node.
  void send(MemoryPort& port, std::int64_t core, Request request, Tick now) const {
    request.agent = static_cast<std::uint16_t>(index_);
    request.source = static_cast<std::uint16_t>(core);
    port.send(request, now);
  }
  // Reports that the agent's next event has changed.
  void notify() const { wakeup_.notify(); }
  void notify(Tick next_event) const { wakeup_.notify(next_event); }

 protected:
  AgentLink() = default;
  void attach(std::size_t index, const AgentEnvironment& environment, Wakeup wakeup) {
    index_ = index;
    environment_ = environment;
    wakeup_ = wakeup;
  }
  void pause() const { wakeup_.pause(); }  // returns control, as the run may be over
  std::int64_t& core_number() { return core_; }

 private:
  AgentEnvironment environment_;
  Wakeup wakeup_;
  std::size_t index_ = 0;
  std::int64_t core_ = 0;
};

}  // namespace hmsim
