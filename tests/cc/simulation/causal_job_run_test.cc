// SPDX-License-Identifier: BSD-3-Clause
// Complete simulations of captured threads with recorded causes.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"
#include "tests/cc/traces/causal_trace.h"

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kNvdimmLine = std::uint64_t{1} << 39;

std::unique_ptr<Simulation> replay(const Words& words, const Assignments& more_keys = {},
                                   const Assignments& more = {}) {
  Assignments config = with(kSmall, more);
  Assignments keys = with({{"kind", "job"}, {"path", "x.hmsim"}, {"format", "hmsim"}}, more_keys);
  auto simulation = std::make_unique<Simulation>(config, std::vector<Assignments>{keys},
                                                 RunOptions(), text_source(causal_trace(words)));
  run_to_end(*simulation);
  return simulation;
}

double makespan_us(const Simulation& simulation) {
  return value_of(simulation, "agent.0.makespan_us");
}

// A reader copies a page and wakes a worker, which computes 800,000 instructions, 100 us.
Words reader_and_worker(bool reads_ahead) {
  Words words{runs(2, Leave::goes_on), misses(1, 1), runs(1, Leave::waits),
              begins_bio(1, BioOperation::read, reads_ahead ? 1 : 0)};
  for (std::uint64_t line = 0; line < 64; ++line) {
    words.push_back(misses(kNvdimmLine | (64 * 5 + line), 1));
  }
  words.push_back(ends_bio());
  words.push_back(wakes(2));
  words.insert(words.end(), 400, computes(1'000));
  words.push_back(escape(EscapeCode::use, 5));
  words.push_back(runs(2, Leave::ends));
  words.insert(words.end(), 800, computes(1'000));
  return words;
}

// The worker waits for the reader, and the reader for its page: 71 us before 100 us. The device
// latency thus affects the worker, which never accesses the device.
TEST(CausalJobRun, AProgramWaitsForTheWaitsOfItsWakers) {
  const Assignments two{{"cores", "0-1"}};
  const double once = makespan_us(*replay(reader_and_worker(false), two));
  EXPECT_NEAR(once, 71.2 + 100, 1.5);
  const double slow =
      makespan_us(*replay(reader_and_worker(false), two, {{"nvdimm.nand.read_time", "150us"}}));
  EXPECT_NEAR(slow - once, 100, 1);
}

// With an engine, read-ahead lets the worker continue at once; its reader blocks when it uses the
// page.
TEST(CausalJobRun, AThreadWaitsForReadAheadAtItsFirstUse) {
  const Assignments two{{"cores", "0-1"}};
  const Assignments dma{{"frontend.node.machine", "dma"}};
  const auto ahead = replay(reader_and_worker(true), two, dma);
  EXPECT_NEAR(makespan_us(*ahead), 100, 1);
  EXPECT_NEAR(value_of(*ahead, "agent.0.time.read_ahead") / 1e6, 71.1 - 50, 1);
  const auto demand = replay(reader_and_worker(false), two, dma);
  EXPECT_NEAR(makespan_us(*demand), 171.1, 1);
  EXPECT_NEAR(value_of(*demand, "agent.0.time.reading") / 1e6, 71.1, 1);
}

TEST(CausalJobRun, ThreadsWaitForASharedCore) {
  const double one = makespan_us(*replay(reader_and_worker(false), {{"cores", "0"}}));
  const double work = 71.2 + 50 + 100;
  EXPECT_GT(one, work + 2);  // a switch takes 2 us
  EXPECT_LT(one, work + 4 * 2 + 1);
}

TEST(CausalJobRun, PartsEndAllThreadsTogether) {
  const auto part = replay(reader_and_worker(false), {{"instructions", "200000"}});
  EXPECT_NEAR(value_of(*part, "agent.0.progress"), 200'000, 1'000);
  const auto later = replay(reader_and_worker(false), {{"skip", "400200"}});
  EXPECT_NEAR(value_of(*later, "agent.0.progress"), 800'000, 1'000);
}

}  // namespace
}  // namespace hmsim::testing
