// SPDX-License-Identifier: BSD-3-Clause
// Replays, statistics, suspension and checkpoints of the memory gate under random packets.
#include <gtest/gtest.h>

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
#include "tests/cc/assignments.h"
#include "tests/cc/embed/gate_host.h"

namespace hmsim::testing {
namespace {

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

TEST(MemoryGate, RecordedPacketsCanBeReplayed) {
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
    const Assignments agent =
        keys_from("kind=memory_trace path=t format=gem5 mode=timed target=system");
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
  Host host(system(
      keys_from("controller.queues=split controller.queue_depth=64 controller.writes=drained "
                "nvdimm.precondition.fill=1 nvdimm.precondition.overwrite=1 "
                "nvdimm.buffer.read_size=64KiB nvdimm.buffer.write_size=64KiB")));
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
TEST(MemoryGate, ReportsTheGreatestOccupancyOfTheNvdimm) {
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

TEST(MemoryGate, TimeStopsWhileSuspended) {
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

TEST(MemoryGate, ACheckpointContinuesExactly) {
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

TEST(MemoryGate, AForeignCheckpointIsRejected) {
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
}  // namespace hmsim::testing
