// SPDX-License-Identifier: BSD-3-Clause
// Does an array have the times and rates that follow from its parts by hand?
#include "storage/array.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cc/storage/rig.h"

namespace hmsim::testing {
namespace {

using Kind = IoDriverKind;

// Returns when a lone request of `transfers` transfers, one buffer each, is done if it begins at 0:
// recurrences of a pipeline with two buffers, without events. Picoseconds.
std::int64_t lone_write(std::int64_t transfers, std::int64_t kib) {
  constexpr std::size_t kControllers = 4;
  const std::int64_t occupied = 602'000 * kib;
  const std::int64_t on_ring = 280'000 * kib;
  const std::int64_t cells = 2'750'000 + 90'000 * kib + 150'000;
  std::vector<std::int64_t> link, ring, done;
  for (std::size_t i = 0; i < static_cast<std::size_t>(transfers); ++i) {
    const std::int64_t buffer = i < 2 ? 0 : ring[i - 2];
    const std::int64_t room = i < kControllers ? 0 : done[i - kControllers];
    link.push_back(std::max(buffer, i == 0 ? 0 : link.back()) + occupied);
    const std::int64_t arrived = link.back() + 1'310'000;
    ring.push_back(std::max({arrived, room, i == 0 ? 0 : ring.back()}) + on_ring);
    done.push_back(std::max(ring.back(), room) + cells);
  }
  return *std::max_element(done.begin(), done.end()) + 100'000;
}

std::int64_t lone_read(std::int64_t transfers, std::int64_t kib) {
  constexpr std::size_t kControllers = 4;
  const std::int64_t cells = 2'952'000 + 115'000 * kib + 48'000;
  std::vector<std::int64_t> start, read, ring, sent;
  for (std::size_t i = 0; i < static_cast<std::size_t>(transfers); ++i) {
    const std::int64_t room = i < kControllers ? 0 : ring[i - kControllers];
    const std::int64_t before = i < kControllers ? 0 : read[i - kControllers];
    start.push_back(std::max(room, i == 0 ? 0 : start.back()));
    read.push_back(std::max(start.back(), before) + cells);
    const std::int64_t buffer = std::max(read.back(), i < 2 ? 0 : sent[i - 2]);
    ring.push_back(std::max(buffer, i == 0 ? 0 : ring.back()) + 430'000 * kib);
    sent.push_back(std::max(ring.back(), i == 0 ? 0 : sent.back()) + 650'000 * kib);
  }
  return sent.back() + 100'000;
}

// The four transfers of 32 KiB go to four controllers, all idle, which wake up side by side.
TEST(Array, AnIdleControllerWakesUpFirst) {
  for (const std::int64_t kib : {4, 32}) {
    for (const bool write : {false, true}) {
      const auto run = [&](Tick wake_up, double& woken) {
        Machine machine = moneta(Kind::none);
        machine.design.memory.start_gap = 0;
        machine.design.memory.wake_up = wake_up;
        Array array(machine.design, machine.capacity);
        const auto bytes = static_cast<std::uint64_t>(kib) * kKib;
        ClosedLoop loop(machine.path, array, threads(1, bytes, write ? 0 : 1));
        loop.run_requests(10);
        woken = loop.statistic("storage.device.wake_ups");
        return loop.now();
      };
      double woken = 0;
      const Tick without = run(Tick(0), woken);
      const Tick with = run(8 * kNanosecond, woken);
      EXPECT_EQ(with - without, 10 * 8 * kNanosecond) << kib << write;
      EXPECT_EQ(woken, static_cast<double>(kib == 4 ? 10 : 40));
    }
  }
}

TEST(Array, ALoneRequestTakesTheTimeOfItsPipeline) {
  for (const Kind kind : {Kind::moneta_base, Kind::moneta_2q, Kind::moneta_balance}) {
    for (const std::int64_t kib : {1, 4, 8, 16, 64, 256, 512}) {
      for (const bool write : {false, true}) {
        Machine machine = moneta(kind);
        machine.path = PathParameters();
        machine.design.memory.start_gap = 0;
        Array array(machine.design, machine.capacity);
        const auto bytes = static_cast<std::uint64_t>(kib) * kKib;
        ClosedLoop loop(machine.path, array, threads(1, bytes, write ? 0 : 1));
        loop.run_requests(1);
        const std::int64_t each = std::min<std::int64_t>(kib, 8);
        EXPECT_EQ(loop.now().value(),
                  write ? lone_write(kib / each, each) : lone_read(kib / each, each))
            << kib << write;
      }
    }
  }
}

TEST(Array, ARequestAcrossAStripeIsTwoTransfersOnTwoControllers) {
  Machine machine = moneta(Kind::none);
  Array array(machine.design, machine.capacity);
  ClosedLoop loop(machine.path, array, {Load{4 * kKib, 0, 6 * kKib, false}}, 3);
  loop.run_requests(40);
  EXPECT_EQ(array.io_queue().writes().requests, 40u);
  EXPECT_EQ(array.counts().of[1].transfers, 40u);  // none crosses a stripe within 6 KB
  Array other(machine.design, machine.capacity);
  ClosedLoop crossing(machine.path, other, {Load{8 * kKib, 0, 16 * kKib - 512, false}}, 3);
  crossing.run_requests(40);
  EXPECT_GT(other.counts().of[1].transfers, 70u);
}

TEST(Array, PartsAddUpToTheDevicesTimeExactly) {
  for (const Kind kind : {Kind::moneta_base, Kind::moneta_2q, Kind::moneta_balance}) {
    Machine machine = moneta(kind);
    machine.design.array.tags = 5;
    Array array(machine.design, machine.capacity);
    std::vector<Load> loads = threads(8, 4 * kKib, 0.5);
    loads.resize(12, Load{64 * kKib, 0.5});
    ClosedLoop loop(machine.path, array, loads);
    loop.run_requests(2'000);
    for (std::size_t i = 0; i < 2; ++i) {
      Counter sum = 0;
      for (const Counter part : array.counts().of[i].parts) {
        sum += part;
      }
      const IoCounts& counts = i == 0 ? array.io_queue().reads() : array.io_queue().writes();
      EXPECT_EQ(static_cast<double>(sum), counts.latency.sum());
      const auto device = static_cast<std::size_t>(Layer::device);
      EXPECT_EQ(sum, loop.host.counts().of[i].parts[device]);
      EXPECT_GT(array.counts().of[i].parts[static_cast<std::size_t>(ArrayPart::tag)], 0u);
    }
  }
}

TEST(Array, AResetClearsAllThatIsCountedOfRequests) {
  Machine machine = moneta(Kind::moneta_2q);
  Array array(machine.design, machine.capacity);
  ClosedLoop loop(machine.path, array, threads(8, 4 * kKib, 0.5));
  loop.run(kMicrosecond * 1'000, kMicrosecond * 2'000);
  for (std::size_t i = 0; i < 2; ++i) {
    const IoCounts& counts = i == 0 ? array.io_queue().reads() : array.io_queue().writes();
    Counter sum = 0;
    for (const Counter part : array.counts().of[i].parts) {
      sum += part;
    }
    EXPECT_GT(counts.requests, 20u);
    EXPECT_EQ(counts.bytes, counts.requests * 4 * kKib);
    EXPECT_EQ(counts.latency.count(), counts.requests);
    EXPECT_EQ(static_cast<double>(sum), counts.latency.sum());
  }
}

double bandwidth(const Machine& machine, std::size_t count, std::uint64_t bytes, double reads) {
  Array array(machine.design, machine.capacity);
  ClosedLoop loop(machine.path, array, threads(count, bytes, reads));
  loop.run(kMicrosecond * 1'000, kMicrosecond * 21'000);
  return loop.bandwidth();
}

// Writes hold one of two buffers for 1.31 us and for the time of the link and the ring.
TEST(Array, TwoBuffersBoundOneDirection) {
  Machine machine = moneta(Kind::none);
  machine.path.contexts = 4'096;
  machine.design.memory.controllers = 64;
  EXPECT_NEAR(bandwidth(machine, 256, 4 * kKib, 0), 2 * 4.096 / (1.31 + 4 * (0.602 + 0.28)),
              0.02);                                                        // 1.69
  EXPECT_NEAR(bandwidth(machine, 256, 8 * kKib, 0), 1.024 / 0.602, 0.001);  // the link
  EXPECT_NEAR(bandwidth(machine, 256, 8 * kKib, 1), 1.024 / 0.650, 0.005);  // the link
  machine.design.link.from_host = {Tick(1), Tick(1'310'000)};
  EXPECT_NEAR(bandwidth(machine, 256, 1 * kKib, 0), 2 * 1.024 / (1.31 + 0.28), 0.02);
}

TEST(Array, TheRingBoundsMixes) {
  Machine machine = moneta(Kind::none);
  machine.path.contexts = 4'096;
  machine.design.array.queues = 2;
  machine.design.array.buffers = 16;
  machine.design.memory.controllers = 64;
  const double ring = 2.048 / (0.28 + 0.43);
  const double mix = bandwidth(machine, 256, 8 * kKib, 0.5);
  EXPECT_LE(mix, ring * 1.01);
  EXPECT_GE(mix, ring * 0.95);
}

// One queue, first come first served: each thread has one request in it, whatever its size.
TEST(Array, FifoGivesBytesInRatioOfSizes) {
  Machine machine = moneta(Kind::moneta_spin);
  Array array(machine.design, machine.capacity);
  std::vector<Load> loads = threads(4, 4 * kKib, 1);
  loads.resize(8, Load{512 * kKib, 1});
  ClosedLoop loop(machine.path, array, loads);
  loop.run(kMicrosecond * 10'000, kMicrosecond * 210'000);
  std::uint64_t small = 0;
  std::uint64_t large = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    (i < 4 ? small : large) += loop.results[i].requests;
  }
  EXPECT_NEAR(static_cast<double>(small) / static_cast<double>(large), 1, 0.5);
  EXPECT_GE(small, large);  // a small one returns to the queue sooner
}

TEST(Array, ARatesBoundIsReachedWhereItIsAlone) {
  // The bound is four controllers, each with a service time of 20 us; all other parts are idle.
  Machine machine = moneta(Kind::none);
  machine.path.contexts = 4'096;
  machine.design.memory.read_time = 17 * kMicrosecond;
  machine.design.array.tags = 256;
  machine.design.memory.queue = Bytes(1 << 20);
  const double service = 2.952 + 0.115 * 4 + 17;
  const double bound = 4 * 4.096 / service;
  const double got = bandwidth(machine, 256, 4 * kKib, 1);
  EXPECT_LE(got, bound * 1.01);
  EXPECT_GE(got, bound * 0.95);
}

TEST(Array, ARowsTimeIsPaidOnceForEachRow) {
  for (const std::int64_t row : {512, 2'048, 8'192}) {
    Machine machine = moneta(Kind::none);
    machine.design.memory.row = Bytes(row);
    machine.design.memory.read_time = kMicrosecond;
    Array array(machine.design, machine.capacity);
    ClosedLoop loop(machine.path, array, threads(1, 4 * kKib, 1));
    loop.run_requests(1);
    const std::int64_t rows = std::max<std::int64_t>(4'096 / row, 1);
    EXPECT_EQ(loop.now().value(),
              2'952'000 + 4 * (115'000 + 430'000 + 650'000) + rows * 1'000'000 + 100'000);
    EXPECT_EQ(array.memory().counts().rows_read, static_cast<Counter>(rows));
  }
}

TEST(Array, StartGapAddsOneWriteInAHundred) {
  Machine machine = moneta(Kind::none);
  machine.design.memory.controllers = 1;
  Array array(machine.design, Bytes(std::int64_t{16} << 30));
  ClosedLoop loop(machine.path, array, threads(4, 4 * kKib, 0));
  loop.run_requests(5'000);
  EXPECT_EQ(array.memory().counts().rows_written, 5'000u);
  EXPECT_EQ(array.memory().counts().gap_moves, 50u);
  const std::uint64_t rows = 5'050;
  EXPECT_EQ(array.memory().counts().cell_bytes_written, rows * 8'192);
}

}  // namespace
}  // namespace hmsim::testing
