// SPDX-License-Identifier: BSD-3-Clause
// Does each line that waits for slots get its turn, so that each queue of an NVMe SSD gets its
// share, for reads and writes?
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "tests/cc/storage/rig.h"

namespace hmsim::testing {
namespace {

// The device of configs/storage/nvme.yaml, whose 64 buffers are shared by all queues, without
// software.
Machine nvme(std::int64_t queues) {
  Machine machine;
  machine.path.contexts = 64;
  machine.design.link = {{Tick(310'000), Tick(0)}, {Tick(310'000), Tick(0)}};
  ArrayParameters& array = machine.design.array;
  array.tags = 1'024;
  array.queues = queues;
  array.queue_of = QueueOf::submitter;
  array.order = QueueOrder::balance;
  array.buffers = 64;
  array.shared_buffers = true;
  array.buffer = Bytes(4'096);
  array.stripe = Bytes(4'096);
  array.ring_to = Tick(512'000);
  array.ring_from = Tick(427'000);
  RowMemoryParameters& memory = machine.design.memory;
  memory.controllers = 7;
  memory.capacity = Bytes(std::int64_t{64} << 30);
  memory.queue = Bytes(65'536);
  memory.row = Bytes(4'096);
  memory.read_base = memory.write_base = Tick(4'410'000);
  memory.read_per_kib = memory.write_per_kib = Tick(0);
  memory.read_time = memory.write_time = Tick(0);
  memory.start_gap = 0;
  return machine;
}

// Eight threads read and eight write. The ring is the limit. In each turn it moves 4 KiB for every
// thread, so requests in both directions take the same time. With a single queue for buffers, a
// read would wait with every 4 KiB piece that controllers have ready, but a write with only one.
// Reads of 256 KiB would then take 1,027 us and writes 7,043 us.
TEST(ArrayTurns, ReadersAndWritersOfLargeRequestsTakeTheSameTime) {
  for (const std::uint64_t kib : {64, 256}) {
    const Machine machine = nvme(16);
    Array array(machine.design, machine.capacity);
    std::vector<Load> loads = threads(8, kib * kKib, 1);
    loads.resize(16, Load{kib * kKib, 0});
    ClosedLoop loop(machine.path, array, loads);
    loop.run(kMicrosecond * 20'000, kMicrosecond * 220'000);
    const double expected = 8 * static_cast<double>(kib) * (0.427 + 0.512);
    for (const bool write : {false, true}) {
      double time = 0;
      double requests = 0;
      for (std::size_t i = write ? 8 : 0; i < (write ? 16u : 8u); ++i) {
        time += static_cast<double>(loop.results[i].latency) / 1e6;
        requests += static_cast<double>(loop.results[i].requests);
      }
      EXPECT_NEAR(time / requests, expected, 0.02 * expected) << kib << write;
    }
  }
}

// Lines request slots and slots are freed at random. The reference knows since when each line has
// waited for its turn: the next job is the first of the line that has waited longest.
TEST(SlotsInTurn, LinesTakeTurnsAndKeepTheirOrder) {
  constexpr std::size_t kLines = 5;
  Random random(3);
  SlotsInTurn<std::uint32_t> slots(3, kLines);
  std::vector<std::deque<std::uint32_t>> waiting(kLines);
  std::vector<std::uint64_t> since(kLines);  // when the line began to wait for its turn
  std::int64_t used = 0;
  std::uint32_t job = 0;
  for (std::uint64_t step = 1; step < 20'000; ++step) {
    const auto now = Tick(static_cast<std::int64_t>(step));
    if (random.below(100) < 52) {
      const auto line = static_cast<std::size_t>(random.below(kLines));
      const bool taken = slots.acquire(line, ++job, now);
      ASSERT_EQ(taken, used < 3);
      used += taken ? 1 : 0;
      if (!taken) {
        since[line] = waiting[line].empty() ? 2 * step : since[line];
        waiting[line].push_back(job);
      }
    } else if (used > 0) {
      slots.release(now);
      std::size_t next = kLines;
      for (std::size_t line = 0; line < kLines; ++line) {
        if (!waiting[line].empty() && (next == kLines || since[line] < since[next])) {
          next = line;
        }
      }
      const auto admitted = slots.admit(now);
      ASSERT_EQ(admitted.has_value(), next < kLines);
      if (admitted) {
        ASSERT_EQ(*admitted, waiting[next].front());
        waiting[next].pop_front();
        since[next] = 2 * step + 1;
      } else {
        --used;
      }
    }
    ASSERT_EQ(slots.used(), used);
  }
  EXPECT_GT(job, 10'000u);
}

}  // namespace
}  // namespace hmsim::testing
