// SPDX-License-Identifier: BSD-3-Clause
// The port protocol as a small host simulator of the test sees it.
#include <gtest/gtest.h>

#include <vector>

#include "core/errors.h"
#include "tests/cc/embed/gate_host.h"

namespace hmsim::testing {
namespace {

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

TEST(MemoryGate, SplitPortsAreIndependent) {
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
TEST(MemoryGate, APortRefusedTwiceIsServedAfterTheOther) {
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

TEST(MemoryGate, PacketsBeyondTheirMemoryAreAnError) {
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

}  // namespace
}  // namespace hmsim::testing
