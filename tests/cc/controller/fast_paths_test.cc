// SPDX-License-Identifier: BSD-3-Clause
// Do the channel's shortcuts (controller/channel/fast/) change anything? Every random configuration
// runs with them and, edge by edge, without: commands, completions and statistics are compared bit
// for bit, and a checkpoint of the one is continued by the other.
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <sstream>
#include <string>

#include "controller/accounts/channel_statistics.h"
#include "core/random.h"
#include "core/statistics.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

using Paths = ChannelUnderTest::Paths;
using Choices = std::initializer_list<const char*>;

constexpr int kConfigurations = 500;
constexpr int kParts = 10;
constexpr int kBursts = 60;

// A configuration drawn at random; none when its parts do not fit together.
std::optional<SystemConfig> draw(Random& random) {
  Assignments drawn;
  const auto choose = [&](const char* name, Choices choices) {
    const auto which = random.below(choices.size());
    drawn.emplace_back(name, *(choices.begin() + which));
  };
  const bool nvdimm = random.below(3) != 0;
  if (nvdimm) {
    drawn = kSmallNvdimm;
    choose("controller.queues", {"unified", "split"});
    choose("controller.ack", {"grant", "grant", "auto", "nvdimm_p"});
    choose("controller.ack_slots", {"0", "1"});
    choose("controller.outstanding", {"1", "8", "24"});
    choose("nvdimm.unmapped_read", {"zero", "zero", "flash"});
    choose("nvdimm.buffer.port", {"serial", "pipelined"});
    choose("nvdimm.buffer.lookup", {"0ns", "7ns", "52ns"});
    choose("controller.nvdimm_scheduler", {"fr_fcfs", "fcfs", "pas"});
  } else {
    drawn = kDramOnly;
  }
  // Most channels need no extras, or keys only: these have all the shortcuts.
  choose("controller.scheduler", {"fr_fcfs", "fr_fcfs", "fr_fcfs", "fcfs", "fr_fcfs_cap", "par_bs",
                                  "bliss", "atlas", "tcm", "firm"});
  choose("controller.arbiter", {"scheduler_order", "round_robin", "dram_first", "oldest_first"});
  choose("controller.contest", {"ready", "legal"});
  choose("controller.starvation_limit", {"none", "none", "none", "2us"});
  choose("controller.queue_depth", {"4", "32", "128"});
  choose("controller.structure", {"flat", "flat", "flat", "flat", "two_level"});
  choose("controller.writes", {"mixed", "mixed", "mixed", "mixed", "drained"});
  choose("controller.page_policy",
         {"open_page", "open_page", "open_page", "open_page", "closed_page", "timeout_page"});
  choose("controller.bank_hash", {"none", "xor"});
  choose("dram.preset", {"ddr3_1600_4gb_x8", "ddr3_1600_8gb_x8", "ddr4_2400r_8gb_x8",
                         "ddr4_3200aa_16gb_x16", "ddr5_4800b_16gb_x8"});
  choose("dram.ranks", {"1", "2", "4"});
  choose("dram.refresh_postpone", {"0", "0", "0", "0", "3"});
  choose("dram.power_down", {"off", "off", "off", "off", "off", "fast"});
  if (random.below(3) == 0) {
    drawn.emplace_back("dram.timing.tREFI", std::to_string(700 + random.below(2000)));
    drawn.emplace_back("dram.timing.tRFC", std::to_string(1 + random.below(150)));
    drawn.emplace_back("dram.timing.tRP", std::to_string(1 + random.below(250)));
  }
  try {
    return make_config(drawn);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string statistics_of(ChannelUnderTest& channel) {
  StatisticRegistry registry;
  register_channel_statistics(registry, {&channel.channel_}, 1);
  std::ostringstream text;
  text.precision(17);
  for (const Statistic& each : registry.read()) {
    text << each.path << ' ' << each.value << ' ' << each.count << ' ' << each.present;
    for (const auto& [name, value] : each.summary) {
      text << ' ' << name << ' ' << value;
    }
    text << '\n';
  }
  return text.str();
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

std::string state_of(ChannelUnderTest& channel) {
  Archive archive;
  channel.channel_.serialize(archive);
  channel.kernel_.serialize(archive);
  channel.checker_.serialize(archive);
  return archive.bytes();
}

void resume(ChannelUnderTest& channel, const std::string& state) {
  Archive archive(state);
  channel.channel_.serialize(archive);
  channel.kernel_.serialize(archive);
  channel.checker_.serialize(archive);
  ASSERT_TRUE(archive.at_end());
}

// The same bursts and pauses to both; answers are part of the traffic.
void drive(ChannelUnderTest& one, ChannelUnderTest& other, std::uint64_t seed) {
  RandomTraffic first(one, seed);
  RandomTraffic second(other, seed);
  Cycle now{0};
  for (int i = 0; i < kBursts; ++i) {
    first.burst();
    second.burst();
    now += first.pause();
    second.pause();
    one.run_to(now);
    other.run_to(now);
  }
}

// In parts, so that processors share them.
class FastPaths : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FastPaths, ChangeNoCommandNoCompletionAndNoStatistic) {
  Random random(GetParam());
  int drawn = 0;
  for (std::uint64_t seed = 1; drawn < kConfigurations / kParts; ++seed) {
    const std::optional<SystemConfig> config = draw(random);
    if (!config) {
      continue;
    }
    ++drawn;
    SCOPED_TRACE(drawn);
    ChannelUnderTest fast(*config, nullptr, Paths::fast);
    ChannelUnderTest reference(*config, nullptr, Paths::reference);
    drive(fast, reference, seed);
    EXPECT_EQ(fast.admitted_, reference.admitted_);
    EXPECT_EQ(fast.finished_, reference.finished_);
    EXPECT_EQ(fast.order_, reference.order_);
    expect_same(fast, reference);
    if (HasFatalFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Part, FastPaths, ::testing::Range<std::uint64_t>(1, kParts + 1));

TEST(FastPathsAndReference, ACheckpointWithThemIsContinuedWithoutAndTheOtherWayRound) {
  Random random(2);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::optional<SystemConfig> config = draw(random);
    if (!config) {
      continue;
    }
    SCOPED_TRACE(seed);
    ChannelUnderTest fast(*config, nullptr, Paths::fast);
    ChannelUnderTest reference(*config, nullptr, Paths::reference);
    drive(fast, reference, seed);
    const std::size_t commands = fast.log_.size();
    ChannelUnderTest with(*config, nullptr, Paths::fast);
    ChannelUnderTest without(*config, nullptr, Paths::reference);
    resume(without, state_of(fast));
    resume(with, state_of(reference));
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

}  // namespace
}  // namespace hmsim::testing
