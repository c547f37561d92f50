// SPDX-License-Identifier: BSD-3-Clause
// Do agents keep a link to their memory busy? A request that crosses the link waits outside no
// longer, so only credits, lanes and the device bound the rate.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kLines = 4'000;

const Assignments kDram = keys_from(
    "nvdimm.present=false expander.channels=1 controller.page_policy=open_page dram.refresh=false");
const Assignments kPcm =
    keys_from("nvdimm.kind=pcm nvdimm.capacity=1GiB nvdimm.attach=cxl dram.refresh=false");

// A trace of lines in ascending order; the last `writes` of ten are written.
std::string lines(std::int64_t count, int writes) {
  std::ostringstream trace;
  for (std::int64_t i = 0; i < count; ++i) {
    trace << std::hex << 64 * i << (i % 10 < 10 - writes ? " R\n" : " W\n");
  }
  return trace.str();
}

std::unique_ptr<Simulation> saturating(const Assignments& config, const char* target,
                                       const std::string& trace) {
  const Assignments agent{
      {"kind", "memory_trace"}, {"path", "t"}, {"format", "ramulator_rw"}, {"target", target}};
  return std::make_unique<Simulation>(config, std::vector<Assignments>{agent}, RunOptions(),
                                      text_source(trace));
}

// Returns nanoseconds from time 0 to the last answer.
double time_of(const Assignments& config, const char* target, const std::string& trace) {
  const auto simulation = saturating(config, target, trace);
  run_to_end(*simulation);
  return static_cast<double>(simulation->now().value()) / 1'000;
}

// 4 GT/s x 8 lanes carry 4 GB/s: a flit of 68 bytes takes 17 ns, a slot 4.25 ns. A line takes five
// slots of one direction. The lane is busy from the first line on, which takes three flits, both
// latencies of 35 ns, and the device (less than 60 ns).
TEST(Link, ASaturatingTraceFillsTheLane) {
  const Assignments slow =
      with(kDram,
           keys_from("expander.down.rate=4GT/s expander.up.rate=4GT/s controller.queue_depth=128"));
  constexpr double kLine = 5 * 4.25;
  constexpr double kFirst = 3 * 17 + 2 * 35 + 60;
  for (const int writes : {0, 10}) {
    constexpr std::int64_t kMany = 6'000;  // more than may be on the link
    const double time = time_of(slow, "dram", lines(kMany, writes));
    EXPECT_GE(time, kMany * kLine) << writes;
    EXPECT_LE(time, kMany * kLine + kFirst) << writes;
  }
}

// C credits pass in one round trip: a read's flit of 2.125 ns, 200 ns each way, and up to a period
// of 1.25 ns until the device's next edge.
TEST(Link, ASaturatingTraceUsesAllCredits) {
  for (const int credits : {1, 4, 16}) {
    for (const bool pcm : {false, true}) {
      const std::string link = pcm ? "cxl." : "expander.";
      const Assignments far{{link + "down.latency", "200ns"},
                            {link + "up.latency", "200ns"},
                            {link + "credits", std::to_string(credits)}};
      const double each =
          credits / static_cast<double>(kLines) *
          time_of(with(pcm ? kPcm : kDram, far), pcm ? "nvdimm" : "dram", lines(kLines, 0));
      EXPECT_GE(each, 0.99 * 402.125) << credits << pcm;
      EXPECT_LE(each, 1.03 * (402.125 + 1.25)) << credits << pcm;
    }
  }
}

// A core that only writes, a line each 1 ns, with a window of 8. Its writes leave with the 64
// credits, which return after 2 us and the time in the device: the last of 200 lines leaves in the
// fourth round.
TEST(Link, ACoresWritesOnTheLinkDoNotFillItsWindow) {
  std::string trace;
  for (int i = 0; i < 200; ++i) {
    trace += "ST " + std::to_string(64 * i) + "\n";
  }
  const Assignments core = keys_from(
      "kind=llc_trace path=t format=ramulator2_ls instructions_per_request=4 width=4 "
      "frequency=1GHz window=8");
  const Assignments far = with(
      kDram,
      keys_from("expander.down.latency=1us expander.up.latency=1us controller.queue_depth=128"));
  Simulation simulation(far, {core}, RunOptions(), text_source(trace));
  run_to_end(simulation);
  EXPECT_GT(simulation.now(), 2 * 2 * kMicrosecond);
  EXPECT_LT(simulation.now(), 4 * 2 * kMicrosecond + kMicrosecond);
}

// The limits hold across a checkpoint at any step, with a host queue in front of the link too.
TEST(Link, ASaturatingTraceContinuesExactly) {
  for (const char* queue : {"none", "shared"}) {
    const Assignments more{{"host.queue", queue}, {"host.entries", "24"}};
    expect_exact_continuation([&] { return saturating(with(kDram, more), "dram", lines(400, 3)); },
                              4'000, 3);
  }
}

}  // namespace
}  // namespace hmsim::testing
