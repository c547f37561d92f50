// SPDX-License-Identifier: BSD-3-Clause
// Host simulator of the memory gate's tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "embed/memory_gate.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {

inline constexpr auto kDram = MemoryClass::dram;
inline constexpr auto kNvdimm = MemoryClass::nvdimm;
inline constexpr std::int64_t kPage = 4096;
inline constexpr std::uint64_t kSeed = 7;

inline Assignments system(const Assignments& more = {}) {
  return with(keys_from("nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=28 "
                        "nvdimm.buffer.read_size=256KiB nvdimm.buffer.write_size=256KiB "
                        "controller.queue_depth=8 controller.nvdimm_queue_depth=8"),
              more);
}

inline const Assignments kUnified{{"controller.queues", "unified"}};
inline const Assignments kSplit{{"controller.queues", "split"}};

// Two ports that send their packets as fast as the gate accepts them, and the single event of the
// gate.
class Host final : public GateHost {
 public:
  explicit Host(const Assignments& parameters) : gate(*this, parameters, kSeed, true) {
    gate.resume(now);
  }

  void on_done(std::uint64_t id) override { done.emplace_back(id, now); }
  void on_room(MemoryClass memory) override {
    room.push_back(memory);
    Port& port = ports[index(memory)];
    EXPECT_TRUE(port.refused) << "told without having been refused";
    port.refused = false;
    if (reoffers) {
      pump(memory);
    }
  }
  void on_taken(const GatePacket& packet, Tick time) override { taken.emplace_back(packet, time); }

  void send(MemoryClass memory, std::int64_t address, bool write = false, std::int64_t size = 64,
            std::uint16_t source = 0) {
    GatePacket packet;
    packet.memory = memory;
    packet.address = Address(address);
    packet.size = size;
    packet.write = write;
    packet.source = source;
    packet.id = next_id++;
    ports[index(memory)].packets.push_back(packet);
    pump(memory);
  }
  // Sends reads of pages until one is refused. Returns the number of accepted ones.
  std::size_t fill(MemoryClass memory) {
    const std::size_t before = taken.size();
    for (std::int64_t page = 0; !ports[index(memory)].refused; ++page) {
      send(memory, page * kPage);
    }
    return taken.size() - before;
  }

  void run_to(Tick time) {
    while (gate.next_event() <= time) {
      now = gate.next_event();
      gate.advance(now);
    }
    now = time;
  }
  // Runs until the gate is idle, or, without reoffers, until a port gets a room notice.
  void drain() {
    while (!gate.idle() && (reoffers || room.empty())) {
      ASSERT_NE(gate.next_event(), kNever);
      run_to(gate.next_event());
    }
  }

  Statistic statistic(const std::string& path) {
    const std::vector<Statistic> all = gate.statistics(now);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&path](const Statistic& each) { return each.path == path; });
    EXPECT_NE(found, all.end()) << path;
    return found == all.end() ? Statistic() : *found;
  }

  static std::size_t index(MemoryClass memory) { return static_cast<std::size_t>(memory); }

  struct Port {
    std::deque<GatePacket> packets;
    bool refused = false;
  };
  Tick now{0};
  MemoryGate gate;
  std::array<Port, kMemoryClasses> ports;
  std::vector<std::pair<std::uint64_t, Tick>> done;
  std::vector<MemoryClass> room;
  std::vector<std::pair<GatePacket, Tick>> taken;
  std::uint64_t next_id = 0;
  bool reoffers = true;

 private:
  void pump(MemoryClass memory) {
    Port& port = ports[index(memory)];
    while (!port.refused && !port.packets.empty()) {
      if (gate.offer(port.packets.front(), now)) {
        port.packets.pop_front();
      } else {
        port.refused = true;
      }
    }
  }
};

}  // namespace hmsim::testing
