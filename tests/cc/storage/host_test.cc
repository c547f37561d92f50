// SPDX-License-Identifier: BSD-3-Clause
// Does software cost the sum of its layers, and limit rates through contexts, locks and threads?
#include <gtest/gtest.h>

#include "core/errors.h"
#include "tests/cc/storage/rig.h"

namespace hmsim::testing {
namespace {

using Kind = IoDriverKind;

PathParameters path_of(Kind kind) { return moneta(kind).path; }

struct Sum {
  Kind kind;
  std::int64_t write;  // nanoseconds of software for 4 KB, from the paper and its stated savings
  std::int64_t read;
};
constexpr Sum kSums[] = {
    {Kind::none, 0, 0},
    {Kind::moneta_base, 13'300, 12'200},
    {Kind::moneta_nosched, 11'300, 10'200},
    {Kind::moneta_atomic, 10'300, 9'160},
    {Kind::moneta_spin, 4'810, 4'930},
    {Kind::moneta_2q, 4'810, 4'930},
    {Kind::moneta_balance, 4'810, 4'930},
    {Kind::haste, 8'560, 8'680},
    {Kind::nvme_interrupt, 1'042, 1'042},
    {Kind::nvme_poll, 388, 388},
};

TEST(Host, ALoneRequestTakesTheSumOfItsLayers) {
  for (const Sum& sum : kSums) {
    for (const bool write : {false, true}) {
      ConstantDevice device(8 * kMicrosecond);
      ClosedLoop loop(path_of(sum.kind), device, threads(1, 4 * kKib, write ? 0 : 1));
      loop.run_requests(5);
      EXPECT_EQ(loop.now(), 5 * (8 * kMicrosecond + (write ? sum.write : sum.read) * kNanosecond))
          << static_cast<int>(sum.kind) << write;
    }
  }
}

TEST(Host, CopiesGrowWithSizeAndLargeRequestsSleep) {
  for (const std::uint64_t kib : {1, 8, 64, 512}) {
    for (const bool write : {false, true}) {
      ConstantDevice device(Tick(0));
      ClosedLoop loop(path_of(Kind::moneta_spin), device, threads(1, kib * kKib, write ? 0 : 1));
      loop.run_requests(1);
      const bool sleeps = kib > 4;
      const std::int64_t copy = static_cast<std::int64_t>(kib) * (write ? 240 : 270);
      const std::int64_t wakes = write ? 1'100 + 3'150 : 1'080 + 740;
      EXPECT_EQ(loop.now(), (3'850 + copy + (sleeps ? wakes : 0)) * kNanosecond) << kib << write;
    }
  }
}

TEST(Host, PartsOfLatencyAddUpExactly) {
  PathParameters path = path_of(Kind::moneta_base);
  path.contexts = 3;
  path.file_system_time = 5 * kMicrosecond;
  path.file_system_write_hold = 19'500 * kNanosecond;
  path.max_request = Bytes(2'048);
  ConstantDevice device(2 * kMicrosecond);
  ClosedLoop loop(path, device, threads(9, 6 * kKib, 0.5));
  loop.run_requests(400);
  for (const HostCounts::Direction& of : loop.host.counts().of) {
    Counter sum = 0;
    for (const Counter part : of.parts) {
      sum += part;
    }
    EXPECT_GT(of.requests, 100u);
    EXPECT_EQ(static_cast<double>(sum), of.latency.sum());
    EXPECT_GT(of.parts[static_cast<std::size_t>(Layer::section_wait)], 0u);
  }
}

// Little's law over a run of whole requests: all have begun and ended.
TEST(Host, OutstandingIsRateTimesLatency) {
  for (const Sum& sum : kSums) {
    ConstantDevice device(7 * kMicrosecond);
    ClosedLoop loop(path_of(sum.kind), device, threads(12, 4 * kKib, 0.5));
    loop.run_requests(600);
    EXPECT_NEAR(loop.host.outstanding(), loop.iops() * loop.latency_us() / 1e6, 1e-9);
  }
}

// Spinning threads keep their contexts, so the device has as many requests as there are contexts.
// Sleeping threads allow one request each, until the contexts have no time left.
TEST(Host, ContextsBoundSpinningThreadsAndNotSleepers) {
  const auto rate = [](Kind kind, std::int64_t contexts, std::size_t count) {
    PathParameters path = path_of(kind);
    path.contexts = contexts;
    ConstantDevice device(8 * kMicrosecond);
    ClosedLoop loop(path, device, threads(count, 4 * kKib, 0));
    loop.run(kMicrosecond * 1'000, kMicrosecond * 5'000);
    return loop.iops();
  };
  EXPECT_NEAR(rate(Kind::moneta_spin, 4, 16), 4 / 12.81e-6, 600);
  EXPECT_NEAR(rate(Kind::moneta_spin, 16, 16), 16 / 12.81e-6, 2'000);
  // 7.14 us on a context, and 11.15 us elsewhere.
  EXPECT_NEAR(rate(Kind::moneta_atomic, 16, 16), 16 / 18.3e-6, 2'000);
  EXPECT_NEAR(rate(Kind::moneta_atomic, 2, 16), 2 / 7.15e-6, 2'000);
}

TEST(Host, ASectionIsHeldLongerThanItIsPassed) {
  for (const auto& [kind, hold] :
       {std::pair{Kind::moneta_base, 16.4e-6}, std::pair{Kind::moneta_nosched, 4.1e-6},
        std::pair{Kind::haste, 3.05e-6}}) {
    ConstantDevice device(8 * kMicrosecond);
    ClosedLoop loop(path_of(kind), device, threads(16, 512, 0.5));
    loop.run(kMicrosecond * 1'000, kMicrosecond * 9'000);
    EXPECT_NEAR(loop.iops() * hold, 1, 0.003);
  }
  PathParameters path = path_of(Kind::none);
  path.file_system_time = 5 * kMicrosecond;
  path.file_system_write_hold = 19'500 * kNanosecond;
  ConstantDevice device(8 * kMicrosecond);
  ClosedLoop loop(path, device, threads(16, 512, 0));
  loop.run(kMicrosecond * 1'000, kMicrosecond * 9'000);
  EXPECT_NEAR(loop.iops(), 1 / 19.5e-6, 300);
  EXPECT_NEAR(loop.statistic("storage.section.file_system.busy"), 1, 1e-9);
}

TEST(Host, LargeRequestsAreSplitAndTheirPiecesRunTogether) {
  PathParameters path = path_of(Kind::moneta_atomic);
  path.max_request = Bytes(16 * 1'024);
  ConstantDevice device(8 * kMicrosecond);
  ClosedLoop loop(path, device, threads(1, 40 * kKib, 0));
  loop.run_requests(1);
  ASSERT_EQ(device.requests.size(), 3u);
  std::uint64_t bytes = 0;
  for (const IoRequest& piece : device.requests) {
    EXPECT_EQ(piece.offset, device.requests.front().offset + bytes);
    bytes += piece.bytes;
  }
  EXPECT_EQ(bytes, 40 * kKib);
  EXPECT_EQ(device.requests.back().bytes, 8 * kKib);
  // The sum: entry once; queue, tag and issue for each of three pieces; copying; the 8 us of the
  // last piece; interrupt, wake-up, leave.
  const std::int64_t each = 510 + 140 + 480;
  EXPECT_EQ(loop.now(),
            (1'980 + 3 * each + 40 * 240 + 8'000 + 1'100 + 3'150 + 1'980) * kNanosecond);
}

class Nobody final : public IoListener {
 public:
  void on_io_done(std::uint32_t, Tick) override {}
};

// The sum of a write's layers without the copy, once. A device without a map takes no trims.
TEST(Host, ATrimIsOnePieceAndCopiesNothing) {
  for (const bool taken : {true, false}) {
    PathParameters path = path_of(Kind::moneta_atomic);
    path.max_request = Bytes(16 * 1'024);
    ConstantDevice device(8 * kMicrosecond);
    device.trims = taken;
    Host host(path, device);
    Kernel kernel;
    host.attach(Wakeup(kernel, kernel.attach(host)));
    Nobody nobody;
    IoRequest trim;
    trim.kind = IoRequest::Kind::trim;
    trim.bytes = 2'048 * kKib;
    host.begin(host.join(nobody), trim, Tick(0));
    while (kernel.step(kNever)) {
    }
    const std::int64_t software = 1'980 + 510 + 140 + 480 + 1'100 + 3'150 + 1'980;
    EXPECT_EQ(kernel.now(), taken ? (software + 8'000) * kNanosecond : Tick(0));
    EXPECT_EQ(device.requests.size(), taken ? 1u : 0u);
    EXPECT_EQ(host.counts().trims, 1u);
    EXPECT_EQ(host.counts().ignored_trims, taken ? 0u : 1u);
  }
}

TEST(Host, ARequestBeyondTheEndIsRejected) {
  ConstantDevice device(kMicrosecond);
  Host host(PathParameters(), device);
  Nobody nobody;
  const std::uint16_t client = host.join(nobody);
  const auto end = static_cast<std::uint64_t>(device.capacity().value());
  host.begin(client, {end - 512, 512, 0}, Tick(0));
  EXPECT_THROW(host.begin(client, {end - 512, 1'024, 1}, Tick(0)), InputError);
  EXPECT_THROW(host.begin(client, {~std::uint64_t{511}, 1'024, 1}, Tick(0)), InputError);
  EXPECT_THROW(host.begin(client, {100, 512, 1}, Tick(0)), InputError);
}

}  // namespace
}  // namespace hmsim::testing
