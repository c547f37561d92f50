// SPDX-License-Identifier: BSD-3-Clause
// Quanta of TCM and ATLAS over several channels: measurements add up, and all channels use the same
// ranking.
#include <gtest/gtest.h>

#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Two channels whose schedulers are connected as peers. At equal times, the first one acts first.
class TwoChannels {
 public:
  TwoChannels(const std::string& scheduler, const Assignments& assignments)
      : first_(scheduler, assignments, kShape), second_(scheduler, assignments, kShape) {
    const std::vector<TransactionScheduler*> all{&first_.policy(), &second_.policy()};
    first_.policy().connect_peers(all);
    second_.policy().connect_peers(all);
  }
  void retire(std::uint16_t core, std::int64_t instructions) {
    first_.retire(core, instructions);
    second_.retire(core, instructions);
  }
  void run_to(Tick time) {
    first_.run_to(time);
    second_.run_to(time);
  }

  Rehearsal first_;
  Rehearsal second_;
};

void serve(Rehearsal& channel, std::uint16_t core, int misses) {
  for (int i = 0; i < misses; ++i) {
    channel.issue(channel.enqueue(dram(core, 0, 0)), false);
  }
}

// Core 0 sends 10 requests to the first channel and 40 to the second. Core 1 sends 40 to the first.
// The first channel alone would class core 0 as less intensive, the second alone core 1. Over both
// channels, core 1 is less intensive.
TEST(Channels, TcmClustersByTheServiceOfAllChannels) {
  TwoChannels channels(
      "tcm", {{"policies.tcm.sources", "core"}, {"policies.tcm.cluster_threshold", "0.5"}});
  serve(channels.first_, 0, 10);
  serve(channels.first_, 1, 40);
  serve(channels.second_, 0, 40);
  channels.retire(0, 1000);
  channels.retire(1, 1000);
  for (Rehearsal* const channel : {&channels.first_, &channels.second_}) {
    const std::uint32_t more = channel->enqueue(dram(0, 1, 0));
    EXPECT_EQ(channel->order(), Numbers{more});
  }
  channels.run_to(500 * kMicrosecond);
  for (Rehearsal* const channel : {&channels.first_, &channels.second_}) {
    const std::uint32_t less = channel->enqueue(dram(1, 1, 0));
    EXPECT_EQ(channel->order().front(), less);
  }
}

TEST(Channels, TcmShufflesEquallyInAllChannels) {
  TwoChannels channels("tcm",
                       {{"policies.tcm.sources", "core"}, {"policies.tcm.cluster_threshold", "0"}});
  // The two channels receive the cores' first requests in opposite orders.
  for (std::uint16_t core = 0; core < 5; ++core) {
    serve(channels.first_, core, 10);
    serve(channels.second_, 4 - core, 10);
    channels.retire(core, 1000);
  }
  Numbers first;
  Numbers second;
  for (std::uint16_t core = 0; core < 5; ++core) {
    first.push_back(channels.first_.enqueue(dram(core, 1, 0)));
    second.push_back(channels.second_.enqueue(dram(core, 1, 0)));
  }
  ASSERT_EQ(first, second);
  for (int shuffles = 0; shuffles < 50; ++shuffles) {
    channels.run_to(500 * kMicrosecond + shuffles * 400 * kNanosecond);
    ASSERT_EQ(channels.first_.order(), channels.second_.order()) << shuffles;
  }
}

// Alone, the first channel would put core 0 first; the second has seen only core 0.
TEST(Channels, AtlasCountsServiceInAllChannels) {
  TwoChannels channels("atlas", {});
  serve(channels.first_, 0, 10);
  serve(channels.first_, 1, 40);
  serve(channels.second_, 0, 60);
  channels.run_to(5'000 * kMicrosecond);
  for (Rehearsal* const channel : {&channels.first_, &channels.second_}) {
    const std::uint32_t more = channel->enqueue(dram(0, 1, 0));
    const std::uint32_t less = channel->enqueue(dram(1, 1, 0));
    EXPECT_EQ(channel->order(), (Numbers{less, more}));
  }
}

}  // namespace
}  // namespace hmsim::testing
