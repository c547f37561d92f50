// SPDX-License-Identifier: BSD-3-Clause
// Does a barrier separate the requests before it from those after it? Does the power match the sum
// of its parts?
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "storage/array.h"
#include "tests/cc/storage/rig.h"

namespace hmsim::testing {
namespace {

using Kind = IoDriverKind;

struct Ends final : IoListener {
  void on_io_done(std::uint32_t tag, Tick now) override {
    order.push_back(tag);
    at[tag] = now;
  }
  std::vector<std::uint32_t> order;
  std::map<std::uint32_t, Tick> at;
};

void run(Array& array) {
  while (array.next_event() < kNever) {
    array.advance(array.next_event());
  }
}

TEST(Barrier, NoRequestPassesIt) {
  for (const Kind kind : {Kind::moneta_base, Kind::moneta_2q, Kind::moneta_balance}) {
    Machine machine = moneta(kind);
    Array array(machine.design, machine.capacity);
    Ends ends;
    array.listen(ends);
    Random random(7);
    constexpr std::uint32_t kRequests = 400;
    std::vector<bool> barrier;
    for (std::uint32_t tag = 0; tag < kRequests; ++tag) {
      IoRequest request;
      request.tag = tag;
      request.barrier = random.below(15) == 0;
      request.kind = static_cast<IoRequest::Kind>(random.below(request.barrier ? 3 : 2));
      request.bytes =
          request.kind == IoRequest::Kind::flush ? 0 : (1 + random.below(64)) * 2 * kKib;
      request.offset = random.below(1'000) * 4 * kKib;
      barrier.push_back(request.barrier);
      array.submit(request, Tick(0));
    }
    run(array);
    ASSERT_EQ(ends.order.size(), kRequests);
    std::vector<std::uint32_t> place(kRequests);
    for (std::uint32_t i = 0; i < kRequests; ++i) {
      place[ends.order[i]] = i;
    }
    for (std::uint32_t tag = 0; tag < kRequests; ++tag) {
      for (std::uint32_t other = 0; other < tag; ++other) {
        if (barrier[tag] || barrier[other]) {
          ASSERT_LT(place[other], place[tag]);
        }
      }
    }
  }
}

// Requests after a barrier start when it has ended, and take their time alone.
TEST(Barrier, LaterRequestsStartWhenItEnds) {
  Array array(moneta(Kind::moneta_2q).design, moneta(Kind::moneta_2q).capacity);
  Ends ends;
  array.listen(ends);
  IoRequest request;
  request.kind = IoRequest::Kind::write;
  request.bytes = 4 * kKib;
  request.tag = 0;
  array.submit(request, Tick(0));
  request.tag = 1;
  request.barrier = true;
  array.submit(request, Tick(0));
  request.tag = 2;
  request.barrier = false;
  request.kind = IoRequest::Kind::read;
  array.submit(request, Tick(0));
  run(array);
  const Tick write = 1'310 * kNanosecond + 4 * 602 * kNanosecond + 4 * 280 * kNanosecond +
                     2'900 * kNanosecond + 4 * 90 * kNanosecond + 100 * kNanosecond;
  const Tick read = 3'000 * kNanosecond + 4 * (115 + 430 + 650) * kNanosecond + 100 * kNanosecond;
  EXPECT_EQ(ends.at[0], write);
  EXPECT_EQ(ends.at[1], 2 * write);
  EXPECT_EQ(ends.at[2], 2 * write + read);
}

TEST(ArrayPower, IsTheSumOfIdleBusyBlocksAndBits) {
  ArrayPowerParameters parameters;
  RowMemoryParameters memory;
  const Power idle = power_of(parameters, {}, {}, memory, kSecond);
  EXPECT_NEAR(idle.background, 0.135, 0.0005);  // 512 dies of 264 uW
  EXPECT_NEAR(idle.total() - idle.background, 0.3 + 0.03 + 0.12 + 5 * 0.00126 + 4 * 0.24, 1e-12);
  RowMemoryCounts counts;
  counts.cell_bytes_written = counts.buffer_bytes_written = 2'000'000'000;  // per second
  const Power busy = power_of(parameters, {1, 1, 1}, counts, memory, kSecond);
  EXPECT_NEAR(busy.cells, 2e9 * 8 * 17.84e-12, 1e-12);
  const double blocks = busy.total() - busy.background - busy.cells;
  EXPECT_NEAR(blocks, 1.3 + 0.06 + 0.4 + 5 * 0.00437 + 4 * 0.34, 1e-12);  // Table I: 3.14 W
  counts.cell_bytes_written = counts.buffer_bytes_written = 4'000'000'000;
  memory.controllers = 1;
  EXPECT_NEAR(power_of(parameters, {}, counts, memory, kSecond).cells, 0.571, 0.0005);
  parameters.row_active = 20;
  const Power half = power_of(parameters, {0, 0, 0.5}, {}, memory, kSecond);
  EXPECT_NEAR(half.background, 512 * 264e-6 + 0.5 * 65'536 * 20e-6, 1e-12);
}

TEST(ArrayPower, SmallWritesTakeAWholeRowsEnergy) {
  for (const bool selective : {false, true}) {
    Machine machine = moneta(Kind::none);
    machine.design.memory.selective_writes = selective;
    machine.design.memory.start_gap = 0;
    Array array(machine.design, machine.capacity);
    ClosedLoop loop(machine.path, array, threads(4, 512, 0));
    loop.run_requests(100);
    EXPECT_EQ(array.memory().counts().cell_bytes_written, selective ? 51'200u : 819'200u);
  }
}

}  // namespace
}  // namespace hmsim::testing
