// SPDX-License-Identifier: BSD-3-Clause
// The port protocol as a small host simulator of the test sees it. One file, because all tests need
// that host.
#include "embed/memory_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "embed/packet_recorder.h"
#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"

namespace hmsim {

namespace {

constexpr auto kDram = MemoryClass::dram;
constexpr auto kNvdimm = MemoryClass::nvdimm;
constexpr std::int64_t kPage = 4096;
constexpr std::uint64_t kSeed = 7;

Assignments system(const Assignments& more = {}) {
  Assignments all{{"nvdimm.capacity", "256MiB"},         {"nvdimm.ftl.over_provisioning", "28"},
                  {"nvdimm.buffer.read_size", "256KiB"}, {"nvdimm.buffer.write_size", "256KiB"},
                  {"controller.queue_depth", "8"},       {"controller.nvdimm_queue_depth", "8"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const Assignments kUnified{{"controller.queues", "unified"}};
const Assignments kSplit{{"controller.queues", "split"}};

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

TEST(MemoryGate, PacketsToOneLineAreDoneByTheirIdsInOrder) {
  Host host(system(kSplit));
  for (int i = 0; i < 3; ++i) {
    host.send(kDram, 0);
    host.send(kNvdimm, 0);
  }
  host.drain();
  std::vector<std::uint64_t> dram;
  std::vector<std::uint64_t> nvdimm;
  for (const auto& [id, time] : host.done) {
    (id % 2 == 0 ? dram : nvdimm).push_back(id);
  }
  EXPECT_EQ(dram, (std::vector<std::uint64_t>{0, 2, 4}));
  EXPECT_EQ(nvdimm, (std::vector<std::uint64_t>{1, 3, 5}));
}

TEST(MemoryGate, APacketOfSeveralLinesIsDoneWithItsLast) {
  Host one(system(kSplit));
  one.send(kDram, 0);
  one.drain();
  Host host(system(kSplit));
  host.send(kDram, 32, false, 4 * 64);  // touches five lines
  host.drain();
  ASSERT_EQ(host.done.size(), 1u);
  // Four more bursts of four cycles of 1.25 ns.
  EXPECT_EQ(host.done[0].second - one.done[0].second, Tick(4 * 4 * 1250));
}

TEST(MemoryGate, ARefusalIsAnsweredOnce) {
  Host host(system(kSplit));
  host.reoffers = false;
  EXPECT_EQ(host.fill(kNvdimm), 8u);
  GatePacket another;
  another.memory = kNvdimm;
  EXPECT_FALSE(host.gate.offer(another, host.now));  // no second notice is promised
  host.drain();
  EXPECT_EQ(host.room, std::vector<MemoryClass>{kNvdimm});
  host.run_to(host.now + 10'000 * kMicrosecond);
  EXPECT_EQ(host.room.size(), 1u);
  EXPECT_EQ(host.done.size(), 8u);
}

TEST(MemoryGate, SplitPortsHaveNothingToDoWithOneAnother) {
  Host host(system(kSplit));
  EXPECT_EQ(host.fill(kNvdimm), 8u);
  EXPECT_EQ(host.fill(kDram), 8u);
}

TEST(MemoryGate, WithAUnifiedQueueThePortsWaitInOrder) {
  Host host(system(kUnified));
  EXPECT_EQ(host.fill(kNvdimm), 8u);
  EXPECT_EQ(host.fill(kDram), 0u);
  host.drain();
  EXPECT_EQ(host.room, (std::vector<MemoryClass>{kNvdimm, kDram}));
}

// The NVDIMM's port gets its notice first, takes the only free entry, and is refused again. Then it
// is second in line.
TEST(MemoryGate, WhoeverIsRefusedAgainWaitsBehindTheOther) {
  Host host(system(kUnified));
  host.fill(kNvdimm);
  host.send(kNvdimm, 100 * kPage);
  host.fill(kDram);
  host.drain();
  EXPECT_EQ(host.room, (std::vector<MemoryClass>{kNvdimm, kDram, kNvdimm}));
  EXPECT_EQ(host.done.size(), host.next_id);
}

TEST(MemoryGate, WhileOnePortWaitsTheOtherIsRefusedThoughThereIsRoom) {
  for (const bool split : {false, true}) {
    Assignments parameters = system(split ? kSplit : kUnified);
    parameters.emplace_back("controller.channels", "2");
    Host host(parameters);
    // One channel's queue is full and the other has room. Channels are interleaved by lines, so
    // every second line is on the first channel.
    for (std::int64_t line = 0; !host.ports[0].refused; line += 2) {
      host.send(kDram, line * 64);
    }
    EXPECT_EQ(host.taken.size(), 8u);
    host.send(kNvdimm, 64);
    EXPECT_EQ(host.ports[1].refused, !split);
    host.drain();
    EXPECT_EQ(host.done.size(), host.next_id);
  }
}

TEST(MemoryGate, WhatReachesBeyondItsMemoryIsAnError) {
  Host host(system());
  const std::int64_t end = host.gate.capacity(kDram).value();
  host.send(kDram, end - 64);
  EXPECT_EQ(host.taken.size(), 1u);
  EXPECT_THROW(host.send(kDram, end), InputError);
  Host other(system());
  EXPECT_THROW(other.send(kDram, end - 63), InputError);
  Host third(system());
  EXPECT_THROW(third.send(kDram, -64), InputError);
}

TEST(MemoryGate, WrongParametersAreErrors) {
  EXPECT_THROW(Host(system({{"controller.queus", "split"}})), InputError);
  EXPECT_THROW(Host(system({{"system.store_data", "true"}})), InputError);
  EXPECT_THROW(Host(system({{"nvdimm.precondition.buffer", "resident"}})), InputError);
  EXPECT_THROW(Host(system({{"storage.kind", "array"}})), InputError);
  // Settings that concern only the host.
  const Host host(system({{"frontend.core.window", "64"}, {"storage.kind", "none"}}));
  EXPECT_TRUE(host.gate.idle());
}

// Random packets at random times, many at the same time as an event of the gate.
void play(Host& host, std::uint64_t seed, int packets, std::uint64_t sources = 4) {
  Random random(seed);
  for (int count = 0; count < packets; ++count) {
    const auto page = static_cast<std::int64_t>(random.below(64));
    const auto line = static_cast<std::int64_t>(random.below(64));
    const bool write = random.below(3) == 0;
    const std::int64_t size = random.below(8) == 0 ? 128 : 64;
    host.send(random.below(3) == 0 ? kNvdimm : kDram, page * kPage + line * 64, write, size,
              static_cast<std::uint16_t>(random.below(sources)));
    host.run_to(host.now + Tick(static_cast<std::int64_t>(random.below(32) * 1'250)));
  }
}

// Sends `taken`, packets that another gate accepted, at the recorded times; all must be accepted.
void replay(Host& host, const std::vector<std::pair<GatePacket, Tick>>& taken) {
  for (const auto& [packet, time] : taken) {
    host.run_to(time - Tick(1));
    host.now = time;
    EXPECT_TRUE(host.gate.offer(packet, time));
  }
}

void expect_equal(const std::vector<Statistic>& some, const std::vector<Statistic>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].count, others[i].count) << some[i].path;
    EXPECT_EQ(some[i].value, others[i].value) << some[i].path;
    EXPECT_EQ(some[i].summary, others[i].summary) << some[i].path;
  }
}

TEST(MemoryGate, WhatWasTakenCanBeReplayed) {
  for (const Assignments& queues : {kUnified, kSplit}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Host host(system(queues));
      play(host, seed, 2000);
      host.drain();
      EXPECT_FALSE(host.room.empty());
      EXPECT_EQ(host.done.size(), host.next_id);
      Host again(system(queues));
      replay(again, host.taken);
      again.drain();
      EXPECT_EQ(again.done, host.done);
      again.now = host.now;
      expect_equal(again.gate.statistics(again.now), host.gate.statistics(host.now));
    }
  }
}

// With a packet trace and the ordinary frontend, the memory's statistics are the same.
TEST(MemoryGate, APacketTraceIsReplayedWithoutAHost) {
  for (const Assignments& queues : {kUnified, kSplit}) {
    std::ostringstream trace;
    PacketRecorder recorder(trace, "gate");
    Host host(system(queues));
    const Address nvdimm(host.gate.capacity(kDram).value());
    play(host, 9, 2000, 1);
    host.drain();
    for (const auto& [packet, time] : host.taken) {
      recorder.record(packet, time, nvdimm);
    }
    const Assignments agent{{"kind", "memory_trace"},
                            {"path", "t"},
                            {"format", "gem5"},
                            {"mode", "timed"},
                            {"target", "system"}};
    RunOptions options;
    options.seed = kSeed;
    Simulation simulation(system(queues), {agent}, options,
                          testing::text_source(std::move(trace).str()));
    EXPECT_TRUE(simulation.run(~std::uint64_t{0}));
    const Tick end = simulation.now();  // the last request is done
    Host again(system(queues));
    replay(again, host.taken);
    again.run_to(end);
    again.gate.advance(end);
    std::map<std::string, Statistic> replayed;
    for (const Statistic& statistic : simulation.statistics()) {
      replayed[statistic.path] = statistic;
    }
    for (const Statistic& statistic : again.gate.statistics(end)) {
      if (statistic.path.compare(0, 4, "sim.") != 0) {
        expect_equal({statistic}, {replayed[statistic.path]});
      }
    }
  }
}

// Statistics may be read at any time.
TEST(MemoryGate, ReadingStatisticsChangesNothing) {
  Host host(system(kUnified));
  Host watched(system(kUnified));
  for (int part = 0; part < 50; ++part) {
    play(host, static_cast<std::uint64_t>(part), 20);
    play(watched, static_cast<std::uint64_t>(part), 20);
    watched.gate.statistics(watched.now);
  }
  EXPECT_EQ(watched.done, host.done);
}

// Queued writes below a watermark, and all work of flash and garbage collection, finish without
// further packets.
TEST(MemoryGate, DrainsWithoutFurtherPackets) {
  Host host(system({{"controller.queues", "split"},
                    {"controller.queue_depth", "64"},
                    {"controller.writes", "drained"},
                    {"nvdimm.precondition.fill", "1"},
                    {"nvdimm.precondition.overwrite", "1"},
                    {"nvdimm.buffer.read_size", "64KiB"},
                    {"nvdimm.buffer.write_size", "64KiB"}}));
  for (int i = 0; i < 4; ++i) {
    host.send(kDram, i * 64, true);
  }
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    host.send(kNvdimm, static_cast<std::int64_t>(random.below(40'000)) * kPage, true);
  }
  host.drain();
  EXPECT_EQ(host.done.size(), host.next_id);
  EXPECT_GT(host.statistic("nvdimm.gc.count").count, 0u);
}

// Requests that arrive at the same time hold their slots at the same time.
TEST(MemoryGate, TellsTheGreatestOccupancyOfTheNvdimm) {
  Host host(system(kUnified));
  for (const int together : {5, 2}) {
    host.gate.reset_statistics(host.now);
    for (int i = 0; i < together; ++i) {
      host.send(kNvdimm, i * kPage);
    }
    host.send(kDram, 0);
    host.drain();
    EXPECT_EQ(host.statistic("nvdimm.queue.greatest_occupancy").value, together);
  }
  host.gate.reset_statistics(host.now);
  host.fill(kNvdimm);
  host.drain();
  EXPECT_EQ(host.statistic("nvdimm.queue.greatest_occupancy").value, 8);  // of 8 slots
}

TEST(MemoryGate, TimeStandsStillWhileSuspended) {
  Host host(system(kSplit));
  Host straight(system(kSplit));
  for (Host* each : {&host, &straight}) {
    play(*each, 1, 100);
    each->drain();
  }
  EXPECT_EQ(host.now, straight.now);
  const Tick gap = 1000 * kSecond;
  for (Host* each : {&host, &straight}) {
    each->now += Tick(1000);  // after the last event
  }
  const std::vector<Statistic> before = host.gate.statistics(host.now);
  host.gate.suspend(host.now);
  EXPECT_EQ(host.gate.next_event(), kNever);
  host.now += gap;
  expect_equal(host.gate.statistics(host.now), before);
  straight.gate.advance(straight.now);
  host.gate.resume(host.now);
  for (Host* each : {&host, &straight}) {
    play(*each, 2, 100);
    each->drain();
  }
  ASSERT_EQ(host.done.size(), straight.done.size());
  for (std::size_t i = 100; i < host.done.size(); ++i) {
    EXPECT_EQ(host.done[i].first, straight.done[i].first);
    EXPECT_EQ(host.done[i].second - gap, straight.done[i].second);
  }
  expect_equal(host.gate.statistics(host.now), straight.gate.statistics(straight.now));
}

TEST(MemoryGate, ACheckpointGoesOnWhereItWasSaved) {
  Host straight(system(kUnified));
  play(straight, 1, 500);
  straight.drain();
  straight.gate.suspend(straight.now);
  const std::string checkpoint = straight.gate.save();
  straight.gate.resume(straight.now);

  Host restored(system(kUnified));
  restored.gate.suspend(restored.now);
  restored.gate.load(checkpoint);
  restored.now = straight.now;
  restored.next_id = straight.next_id;
  restored.gate.resume(restored.now);
  const std::size_t before = straight.done.size();
  for (Host* each : {&straight, &restored}) {
    play(*each, 2, 500);
    each->drain();
  }
  straight.done.erase(straight.done.begin(),
                      straight.done.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_EQ(restored.done, straight.done);
  expect_equal(restored.gate.statistics(restored.now), straight.gate.statistics(straight.now));
}

TEST(MemoryGate, AForeignCheckpointIsRefused) {
  Host host(system(kUnified));
  host.gate.suspend(host.now);
  std::string checkpoint = host.gate.save();
  Host other(system(kSplit));
  other.gate.suspend(other.now);
  EXPECT_THROW(other.gate.load(checkpoint), InputError);
  checkpoint.back() = static_cast<char>(checkpoint.back() ^ 1);
  EXPECT_THROW(host.gate.load(checkpoint), InputError);
}

}  // namespace

}  // namespace hmsim
