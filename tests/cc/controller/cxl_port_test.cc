// SPDX-License-Identifier: BSD-3-Clause
// Does a CXL port meet its closed forms, and lose no request and no written line?
#include "controller/port/cxl_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/random.h"
#include "nvdimm/design.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/host_rig.h"

namespace hmsim::testing {
namespace {

FlitLane lane(const char* flit, const char* sharing, const char* rate) {
  const SystemConfig config = make_config(with(kCxl, {{"cxl.flit", flit},
                                                      {"cxl.messages_per_header", sharing},
                                                      {"cxl.down.rate", rate},
                                                      {"cxl.down.latency", "10ns"}}));
  return {config.port.down, config.port};
}

// 68 bytes at 17 GB/s take 4 ns: a slot 1 ns, a line with its header 5 slots in two flits.
TEST(FlitLane, TakesTheTimeOfItsSlots) {
  FlitLane small = lane("68", "1", "17GT/s");
  EXPECT_EQ(small.send(FlitMessage::header, Tick(0)), Tick(14'000));
  EXPECT_EQ(small.busy(), Tick(1'000));
  EXPECT_EQ(small.send(FlitMessage::data, Tick(0)), Tick(1'000 + 8'000 + 10'000));
  EXPECT_EQ(small.busy(), Tick(6'000));
  EXPECT_EQ(small.send(FlitMessage::data, Tick(0)), Tick(6'000 + 8'000 + 10'000));
  FlitLane sharing = lane("68", "4", "17GT/s");
  sharing.send(FlitMessage::data, Tick(0));
  EXPECT_EQ(sharing.busy(), Tick(4'250));
  // 256 bytes at 16 GB/s take 16 ns; a slot 16/15 ns, five of them 5.334 ns.
  FlitLane large = lane("256", "1", "16GT/s");
  EXPECT_EQ(large.send(FlitMessage::data, Tick(0)), Tick(26'000));
  EXPECT_EQ(large.busy(), Tick(5'334));
}

// Idle read of a resident line: a flit and the latency down, the device, two flits and the latency
// up. The device's clock has 1.25 ns: command 1, lookup, answer, line 2.
TEST(CxlPort, AnIdleReadTakesItsClosedForm) {
  for (const std::string latency : {"20ns", "50ns", "100ns"}) {
    CxlHost host({{"cxl.down.latency", latency}, {"cxl.up.latency", latency}});
    host.send(Address(0), false);
    host.drain();
    const Tick lookup = design_of(NvdimmKind::flash).hit_delay(host.memory.config().nvdimm);
    constexpr std::int64_t kPeriod = 1'250;
    const auto edge = [](std::int64_t time) { return (time + kPeriod - 1) / kPeriod * kPeriod; };
    const std::int64_t sent = edge(host.kernel.now().value());
    host.kernel.run_until(Tick(sent));
    const std::uint64_t read = host.send(Address(64), false);
    host.drain();
    const std::int64_t one_way = std::stoll(latency) * 1'000;
    const std::int64_t at_device = edge(sent + 2'125 + one_way);
    const std::int64_t acked = edge(at_device + kPeriod + lookup.value());
    EXPECT_EQ(host.done[static_cast<std::uint32_t>(read)].value(),
              acked + 2 * kPeriod + 2 * 2'125 + one_way)
        << latency;
  }
}

// Returns the time per line of many resident lines, of which a share is written.
double time_per_line(const Assignments& more, int writes_of_ten) {
  CxlHost host(more);
  constexpr std::int64_t kResident = 8 * 64;  // lines
  for (std::int64_t line = 0; line < kResident; ++line) {
    host.send(Address(line * 64), true);
  }
  host.drain();
  const Tick begin = host.kernel.now();
  constexpr int kLines = 4'000;
  for (int i = 0; i < kLines; ++i) {
    host.send(Address(i % kResident * 64), (i * 7) % 10 < writes_of_ten);
  }
  host.drain();
  return static_cast<double>((host.kernel.now() - begin).value()) / kLines;
}

// 32 GB/s with flits of 68 bytes: a slot has 531.25 ps. Reads bound the lane up, writes the lane
// down, and both directions are used best by an equal share of each.
TEST(CxlPort, TheBusierLaneBoundsTheRate) {
  const Assignments wide{{"cxl.credits", "1024"}, {"nvdimm.buffer.write_size", "1MiB"}};
  const double slot = 531.25;
  EXPECT_NEAR(time_per_line(wide, 0), 5 * slot, 0.02 * 5 * slot);
  EXPECT_NEAR(time_per_line(wide, 10), 5 * slot, 0.02 * 5 * slot);
  EXPECT_NEAR(time_per_line(wide, 5), 3 * slot, 0.03 * 3 * slot);
  const Assignments shared = with(wide, {{"cxl.messages_per_header", "4"}});
  EXPECT_NEAR(time_per_line(shared, 0), 4.25 * slot, 0.02 * 4.25 * slot);
}

// A credit returns when the device's queue has the request: C lines in each round trip.
TEST(CxlPort, CreditsBoundTheRate) {
  const Assignments far{{"cxl.down.latency", "200ns"}, {"cxl.up.latency", "200ns"}};
  for (const int credits : {1, 4, 16}) {
    const double round = 2'125 + 200'000 + 200'000;  // and up to a period until the next edge
    const double each =
        time_per_line(with(far, {{"cxl.credits", std::to_string(credits)}}), 0) * credits;
    EXPECT_GE(each, 0.99 * round) << credits;
    EXPECT_LE(each, 1.03 * (round + 1'250)) << credits;
  }
}

// Each flush returns the credit that it took, and no other.
TEST(CxlPort, FlushesLeaveTheNumberOfCredits) {
  const Assignments far{{"cxl.down.latency", "200ns"}, {"cxl.up.latency", "200ns"}};
  CxlHost host(with(far, {{"cxl.credits", "1"}}));
  for (int i = 0; i < 8; ++i) {
    host.flush();
    host.drain();
  }
  const Tick begin = host.kernel.now();
  constexpr int kLines = 100;
  for (int i = 0; i < kLines; ++i) {
    host.send(Address(0), false);
  }
  host.drain();
  EXPECT_GE(host.kernel.now() - begin, Tick(kLines * (2'125 + 200'000 + 200'000)));
}

// With one credit, a request that waits for it takes it when it returns, even if another request
// arrives at that very time.
TEST(CxlPort, ARequestThatArrivesWithACreditDoesNotDelayTheFirstOne) {
  const auto second_done = [](bool third) {
    CxlHost host(Assignments{{"cxl.credits", "1"}});
    host.send(Address(0), false);
    const auto second = static_cast<std::uint32_t>(host.send(Address(64), false));
    if (third) {
      while (host.admitted.empty()) {
        host.kernel.step(kNever);
      }
      const Tick returns = host.admitted.begin()->second + host.memory.config().port.up.latency;
      host.kernel.run_until(returns - Tick(1));
      host.kernel.enter(returns);
      host.send(Address(128), false);
    }
    host.drain();
    return host.done[second];
  };
  EXPECT_EQ(second_done(true), second_done(false));
}

// A write that was admitted has its data after a power failure at any time.
TEST(CxlPort, AdmittedWritesSurviveAPowerFailure) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    const Assignments more{{"system.store_data", "true"},
                           {"cxl.credits", round % 2 == 0 ? "2" : "64"},
                           {"host.queue", round % 3 == 0 ? "shared" : "none"},
                           {"nvdimm.kind", round % 4 == 0 ? "pcm" : "flash"}};
    CxlHost host(more);
    constexpr std::int64_t kLines = 200;
    std::map<std::int64_t, std::uint32_t> tags;
    for (std::int64_t line = 0; line < kLines; ++line) {
      tags[line] = static_cast<std::uint32_t>(host.send(Address(line * 64), true));
    }
    host.kernel.run_until(Tick(static_cast<std::int64_t>(random.below(3'000'000))));
    host.memory.spare_writes();
    host.memory.power_fail(host.kernel.now());
    int admitted = 0;
    for (const auto& [line, tag] : tags) {
      const LineBytes bytes = host.memory.peek(MemoryClass::nvdimm, Address(line * 64));
      const bool written =
          std::any_of(bytes.begin(), bytes.end(), [](auto byte) { return byte != 0; });
      if (host.admitted.count(tag) != 0 && line > 0) {  // the first request's number is 0
        EXPECT_TRUE(written) << "line " << line;
        ++admitted;
      }
    }
    EXPECT_TRUE(admitted > 0 || host.kernel.now() < kMicrosecond);
  }
}

TEST(CxlPort, RejectsInvalidParameters) {
  for (const auto& [name, value] :
       keys_from("cxl.credits=0 cxl.down.rate=0T/s cxl.up.latency=0s cxl.load.moderate=8 "
                 "cxl.load.severe=64 controller.ack=nvdimm_p")) {
    EXPECT_THROW(make_config(with(kCxl, {{name, value}})), InputError) << name;
  }
}

}  // namespace
}  // namespace hmsim::testing
