// SPDX-License-Identifier: BSD-3-Clause
// Do the channel's shortcuts (controller/channel/fast/) change any result? Each random
// configuration runs with and without them. Commands, completions and statistics are compared bit
// for bit, and each continues from the other's checkpoint. Plain channels also have equal
// checkpoints: they process the same edges with and without shortcuts. Others may process more
// edges, on which nothing happens, so their requests come between edges.
#include <gtest/gtest.h>

#include <string>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_system.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/controller/statistics_text.h"

namespace hmsim::testing {
namespace {

using Paths = ChannelUnderTest::Paths;

constexpr int kConfigurations = 1000;
constexpr int kParts = 10;
constexpr int kBursts = 60;
constexpr int kBurstsPerState = 7;

RandomSystem draw(Random& random, bool plain) {
  RandomSystem system = draw_system(random, plain);
  if (random.below(3) == 0) {
    Assignments& all = system.assignments;
    all.emplace_back("dram.timing.tREFI", std::to_string(700 + random.below(2000)));
    all.emplace_back("dram.timing.tRFC", std::to_string(1 + random.below(150)));
    all.emplace_back("dram.timing.tRP", std::to_string(1 + random.below(250)));
    fit_times(system);
  }
  return system;
}

void expect_same(ChannelUnderTest& one, ChannelUnderTest& other, std::size_t from = 0) {
  ASSERT_EQ(one.log_.size() - from, other.log_.size());
  for (std::size_t i = from; i < one.log_.size(); ++i) {
    ASSERT_TRUE(one.log_[i] == other.log_[i - from])
        << "command " << i << " at " << one.log_[i].cycle.value() << " and "
        << other.log_[i - from].cycle.value();
  }
  EXPECT_EQ(statistics_of(one), statistics_of(other));
}

// Sends the same random bursts and pauses to both channels. Expects equal checkpoints of plain
// channels after every kBurstsPerState-th burst.
void drive(ChannelUnderTest& one, ChannelUnderTest& other, std::uint64_t seed, bool plain) {
  RandomTraffic first(one, seed);
  RandomTraffic second(other, seed);
  Cycle now{0};
  for (int i = 0; i < kBursts; ++i) {
    first.burst();
    second.burst();
    now += first.pause();
    second.pause();
    for (ChannelUnderTest* const each : {&one, &other}) {
      plain ? each->run_to(now) : each->run_before(now + Cycle(1));
    }
    if (plain && i % kBurstsPerState == 0) {
      ASSERT_TRUE(one.save() == other.save()) << "checkpoints after burst " << i;
    }
  }
}

// Divides the random configurations into parts, so that processes can test them in parallel.
class FastPaths : public ::testing::TestWithParam<std::uint64_t> {};

void expect_that_they_change_nothing(std::uint64_t part, bool observed) {
  Random random(part);
  for (int i = 1; i <= kConfigurations / kParts; ++i) {
    const bool plain = random.below(3) == 0;
    const RandomSystem system = draw(random, plain);
    SCOPED_TRACE(text_of(system.assignments));
    const SystemConfig& config = system.config;
    ChannelUnderTest fast(config, nullptr, Paths::fast);
    ChannelUnderTest reference(config, nullptr, Paths::reference);
    if (!observed) {
      fast.observe_nothing();
      reference.observe_nothing();
    }
    drive(fast, reference, static_cast<std::uint64_t>(i), plain);
    EXPECT_EQ(fast.admitted_, reference.admitted_);
    EXPECT_EQ(fast.finished_, reference.finished_);
    EXPECT_EQ(fast.order_, reference.order_);
    expect_same(fast, reference);
    if (::testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

TEST_P(FastPaths, ChangeNoCommandNoCompletionNoStatisticAndNoCheckpoint) {
  expect_that_they_change_nothing(GetParam(), true);
}

// Without a command observer, refreshes of an idle channel are counted in whole rounds.
TEST_P(FastPaths, ChangeNothingWithoutCommandObservers) {
  expect_that_they_change_nothing(GetParam(), false);
}

INSTANTIATE_TEST_SUITE_P(Part, FastPaths, ::testing::Range<std::uint64_t>(1, kParts + 1));

TEST(FastPathsAndReference, ContinueCheckpointsOfEachOther) {
  Random random(2);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const bool plain = random.below(3) == 0;
    const RandomSystem system = draw(random, plain);
    SCOPED_TRACE(text_of(system.assignments));
    const SystemConfig& config = system.config;
    ChannelUnderTest fast(config, nullptr, Paths::fast);
    ChannelUnderTest reference(config, nullptr, Paths::reference);
    drive(fast, reference, seed, plain);
    const std::size_t commands = fast.log_.size();
    ChannelUnderTest with(config, nullptr, Paths::fast);
    ChannelUnderTest without(config, nullptr, Paths::reference);
    without.load(fast.save());
    with.load(reference.save());
    const Cycle end(200'000);
    for (ChannelUnderTest* const each : {&fast, &reference, &with, &without}) {
      each->run_to(end);
    }
    expect_same(fast, with, commands);
    expect_same(fast, without, commands);
    if (HasFatalFailure()) {
      return;
    }
  }
}

// Both classes always have a burst available in both directions, so the arbiter must choose.
// Frequent refreshes close rows after the choice of a class and before its burst is issued.
TEST(FastPathsAndReference, AskTheArbiterEquallyOftenIfRefreshesInterruptContests) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const SystemConfig config = make_config(
        with(kSmallNvdimm,
             keys_from("controller.queues=split controller.arbiter=round_robin "
                       "controller.ack_slots=0 nvdimm.unmapped_read=zero nvdimm.buffer.lookup=0ns "
                       "nvdimm.buffer.port=pipelined dram.timing.tREFI=300 dram.timing.tRFC=20")));
    ChannelUnderTest fast(config, nullptr, Paths::fast);
    ChannelUnderTest reference(config, nullptr, Paths::reference);
    for (ChannelUnderTest* const each : {&fast, &reference}) {
      Random random(seed);
      const auto send = [&](MemoryClass memory) {
        const auto line = static_cast<std::int64_t>(random.below(64));
        each->send(memory,
                   memory == MemoryClass::dram ? each->dram(0, line % 4, line)
                                               : Address(line % 8 * 4096 + line / 8 * 64),
                   random.below(4) == 0);
      };
      for (int i = 0; i < 6; ++i) {
        send(MemoryClass::dram);
        send(MemoryClass::nvdimm);
      }
      each->on_done = [&](const Request& request) { send(request.memory); };
      each->run_to(Cycle(20'000));
      each->on_done = nullptr;
      each->drain();
    }
    expect_same(fast, reference);
  }
}

}  // namespace
}  // namespace hmsim::testing
