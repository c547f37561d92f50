// SPDX-License-Identifier: BSD-3-Clause
// The place of an agent in its system: what it is connected to, and how it sends requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernel.h"
#include "core/request.h"
#include "traces/trace_reader.h"

namespace hmsim {

class Host;
class LastLevelCache;
class Network;
class Node;
class Pager;
class Translation;

// Parts of the system that the agents of a node share.
struct NodeEnvironment {
  MemoryPort* port = nullptr;
  Translation* translation = nullptr;
  LastLevelCache* shared_l3 = nullptr;  // of the cores that share one
  Node* node = nullptr;                 // on whose cores jobs run
  Host* storage = nullptr;              // of block I/O, for agents that do any
};

// An agent's view of its system, first of its node, or the first of these. All that it points to
// must outlive the agent.
struct AgentEnvironment : NodeEnvironment {
  std::vector<NodeEnvironment> nodes;  // all of the nodes that it is on
  Network* network = nullptr;          // nullptr: there is one node
  Pager* pager = nullptr;              // of agents whose memory is paged
  TraceSource trace;
  std::uint64_t trace_bytes = 0;  // decompressed length of its trace; 0: unknown
  std::uint64_t seed = 1;         // of the run
};

class AgentLink {
 public:
  std::size_t index() const { return index_; }  // its number in the workload
  std::int64_t core() const { return core_; }   // the hardware context that it acts for
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
  // Sends a request on behalf of a core, to the memory of that core's node.
  void send(MemoryPort& port, std::int64_t core, Request request, Tick now) const {
    request.agent = static_cast<std::uint16_t>(index_);
    request.source = static_cast<std::uint16_t>(core);
    port.send(request, now);
  }
  // The agent's next event changed.
  void notify() const { wakeup_.notify(); }
  void notify(Tick next_event) const { wakeup_.notify(next_event); }

 protected:
  AgentLink() = default;
  void attach(std::size_t index, const AgentEnvironment& environment, Wakeup wakeup) {
    index_ = index;
    environment_ = environment;
    wakeup_ = wakeup;
  }
  void pause() const { wakeup_.pause(); }  // the run may be over
  std::int64_t& core_number() { return core_; }

 private:
  AgentEnvironment environment_;
  Wakeup wakeup_;
  std::size_t index_ = 0;
  std::int64_t core_ = 0;
};

}  // namespace hmsim
