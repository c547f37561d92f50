// SPDX-License-Identifier: BSD-3-Clause
// DRAM behind a CXL port: idle latency, the lanes' bound, data, and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "check/protocol_checker.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/host_rig.h"

namespace hmsim::testing {
namespace {

const Assignments kExpander =
    keys_from("nvdimm.present=false expander.channels=1 controller.page_policy=open_page");

// The device has the host's DRAM clock, 1.25 ns. A hit takes CL 11 and a burst of 4. A header has a
// flit of 2.125 ns, a line two.
TEST(Expander, AnIdleReadTakesTheDramPathAndTheLink) {
  constexpr std::int64_t kPeriod = 1'250;
  constexpr std::int64_t kFlit = 2'125;
  constexpr std::int64_t kHit = 15 * kPeriod;
  for (const std::int64_t latency : {20'000, 35'375, 100'000}) {
    const std::string time = std::to_string(latency) + "ps";
    CxlHost host(with(kExpander, {{"expander.down.latency", time}, {"expander.up.latency", time}}));
    host.send(Address(0), false, MemoryClass::dram);
    host.drain();
    const auto edge = [](std::int64_t at) { return (at + kPeriod - 1) / kPeriod * kPeriod; };
    const std::int64_t sent = edge(host.kernel.now().value());
    host.kernel.run_until(Tick(sent));
    const std::uint64_t read = host.send(Address(64), false, MemoryClass::dram);
    host.drain();
    const std::int64_t took = host.done[static_cast<std::uint32_t>(read)].value() - sent;
    EXPECT_EQ(took, edge(sent + kFlit + latency) - sent + kHit + 2 * kFlit + latency) << time;
    if (latency == 35'375) {  // arrives on an edge
      EXPECT_EQ(took, kHit + 2 * latency + 3 * kFlit);
    }
  }
}

// An open loop of a read each 2 us at all latencies of the link: each takes the device's time, a
// flit of 68 bytes at 32 GT/s x 8 down and two up, and both latencies. 32 GT/s x 8 / 8 = 32 GB/s.
TEST(Expander, TheHostsLatencyIsTheDevicesAndTheLinks) {
  constexpr double kFlit = 68 / 32.0;  // ns
  for (const int latency : {20, 35, 100}) {
    const std::string time = std::to_string(latency) + "ns";
    CxlHost host(with(kExpander, {{"expander.down.latency", time}, {"expander.up.latency", time}}));
    StatisticRegistry registry;
    host.memory.register_statistics(registry);
    for (std::int64_t i = 0; i < 50; ++i) {
      host.kernel.run_until(Tick(2 * i * kMicrosecond));
      host.send(Address(i * 4'096 * 7), false, MemoryClass::dram);
    }
    host.drain();
    std::map<std::string, double> mean;
    for (const Statistic& each : registry.read()) {
      mean[each.path] = each.summary.empty() ? 0 : each.summary.front().second;
    }
    const double device = mean["dram.device_read_latency_ns"];
    EXPECT_GT(device, 26 * 1.25 - 0.01) << time;  // ACT, RD, CL and burst
    EXPECT_LT(device, 65) << time;
    EXPECT_NEAR(mean["dram.read_latency_ns"], device + 3 * kFlit + 2 * latency, 1e-6) << time;
    EXPECT_NEAR(mean["dram.latency.read.link_ns"], 3 * kFlit + 2 * latency, 1e-6) << time;
  }
}

// Returns the picoseconds per line of row hits, of which a share is written.
double time_per_line(const Assignments& more, int writes_of_ten) {
  CxlHost host(with(kExpander, more));
  constexpr int kLines = 4'000;
  for (int i = 0; i < kLines; ++i) {
    host.send(Address(i % 128 * 64), (i / 10) % 10 < writes_of_ten, MemoryClass::dram);
  }
  host.drain();
  return static_cast<double>(host.kernel.now().value()) / kLines;
}

// Sixteen entries in front of a near and a far channel. Far reads take every entry that becomes
// free; a limit of four leaves the other twelve to near reads.
TEST(Expander, ALimiterAppliesToFarDramOnly) {
  const auto near_done = [](const Assignments& more) {
    CxlHost host(with(
        with(kExpander, keys_from("controller.channels=2 expander.down.latency=1us "
                                  "expander.up.latency=1us host.queue=shared host.entries=16")),
        more));
    for (int i = 0; i < 400; ++i) {
      host.send(Address(i % 128 * 128), false, MemoryClass::dram);       // near
      host.send(Address(i % 128 * 128 + 64), false, MemoryClass::dram);  // far
    }
    host.kernel.run_until(Tick(20 * kMicrosecond));
    int near = 0;
    for (const Request& request : host.order) {
      near += request.address.value() / 64 % 2 == 0 ? 1 : 0;
    }
    return near;
  };
  // Some 2.1 us for each sixteen far reads, beside which as many near ones pass, in order.
  EXPECT_LE(near_done({}), 200);
  EXPECT_EQ(near_done({{"host.limiter", "limit"}, {"policies.limit.entries", "4"}}), 400);
  EXPECT_EQ(near_done({{"host.limiter", "yield"}}), 400);
}

// At 4 GT/s x 8 a slot has 4.25 ns, and a line of DDR3-1600 5 ns. Five slots of one direction bound
// reads or writes alone; with half of each, both lanes carry three slots a line.
TEST(Expander, TheBusierLaneBoundsTheRate) {
  const Assignments slow = keys_from(
      "expander.down.rate=4GT/s expander.up.rate=4GT/s expander.credits=1024 "
      "controller.queue_depth=128");
  const double slot = 4'250;
  EXPECT_NEAR(time_per_line(slow, 0), 5 * slot, 0.02 * 5 * slot);
  EXPECT_NEAR(time_per_line(slow, 10), 5 * slot, 0.02 * 5 * slot);
  const double half = time_per_line(slow, 5);
  EXPECT_GE(half, 3 * slot);
  EXPECT_LE(half, 1.1 * 3 * slot);
}

// A credit returns when the device's queue has the request: C lines in each round trip.
TEST(Expander, CreditsBoundTheRate) {
  for (const int credits : {1, 4}) {
    const Assignments far{{"expander.down.latency", "200ns"},
                          {"expander.up.latency", "200ns"},
                          {"expander.credits", std::to_string(credits)}};
    const double round = 2'125 + 400'000;
    const double each = time_per_line(far, 0) * credits;
    EXPECT_GE(each, 0.99 * round) << credits;
    EXPECT_LE(each, 1.03 * (round + 1'250)) << credits;
  }
}

// The last of three channels is behind a port.
TEST(Expander, OnlyTheLastChannelsAreBehindAPort) {
  CxlHost host(with(kExpander, {{"controller.channels", "3"}, {"expander.up.latency", "1us"}}));
  for (int line = 0; line < 3; ++line) {
    host.send(Address(line * 64), false, MemoryClass::dram);
  }
  host.drain();
  EXPECT_LT(host.done[0], kMicrosecond);
  EXPECT_LT(host.done[1], kMicrosecond);
  EXPECT_GT(host.done[2], kMicrosecond);
}

// The protocol checker sees the commands of DRAM behind a port.
TEST(Expander, ItsCommandsAreChecked) {
  CxlHost host(with(kExpander, {{"dram.preset", "ddr5_4800b_16gb_x8"}, {"dram.refresh", "true"}}));
  ProtocolChecker checker(host.memory.config());
  checker.watch(host.memory);
  for (int i = 0; i < 2'000; ++i) {
    host.send(Address(i * 64 * 37), i % 3 == 0, MemoryClass::dram);
    host.kernel.run_until(host.kernel.now() + Tick(20'000));
  }
  host.drain();
  checker.finish(host.kernel.now(), true);
  checker.raise_if_violated();
  EXPECT_GT(checker.commands(), 2'000);
}

TEST(Expander, KeepsData) {
  CxlHost host(with(kExpander, {{"system.store_data", "true"}, {"controller.channels", "2"}}));
  for (int line = 0; line < 64; ++line) {
    host.send(Address(line * 64), true, MemoryClass::dram);
  }
  host.drain();
  for (int line = 1; line < 64; ++line) {
    const LineBytes bytes = host.memory.peek(MemoryClass::dram, Address(line * 64));
    EXPECT_TRUE(std::any_of(bytes.begin(), bytes.end(), [](auto byte) { return byte != 0; }))
        << line;
  }
}

TEST(Expander, RejectsInvalidParameters) {
  for (const auto& [name, value] : keys_from("expander.channels=2 expander.credits=0 "
                                             "expander.down.rate=0T/s expander.up.latency=0s")) {
    EXPECT_THROW(make_config(with(kExpander, {{name, value}})), InputError) << name;
  }
  EXPECT_THROW(make_config({{"expander.channels", "1"}}), InputError);
  EXPECT_NO_THROW(make_config({{"expander.channels", "1"}, {"nvdimm.attach", "cxl"}}));
}

}  // namespace
}  // namespace hmsim::testing
