// SPDX-License-Identifier: BSD-3-Clause
// Does a channel know the longest gap of its data bus, and which side may compete for its banks?
#include <gtest/gtest.h>

#include <string>

#include "controller/channel/dram_backend.h"
#include "controller/channel/dram_side.h"
#include "controller/layout/channel_layout.h"
#include "dram/standard.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

// The gap between bursts of different drivers: a read and a write, in either order, on two ranks.
TEST(ChannelLayout, TheLongestTurnaroundIsThatFromReadsToWritesOrBack) {
  for (const std::int64_t cl : {8, 11}) {
    for (const std::int64_t cwl : {8, 11}) {
      SystemConfig config = make_config(kDramOnly);
      config.dram.timing.cl = cl;
      config.dram.timing.cwl = cwl;
      config.controller.contest = Contest::ready;
      const std::int64_t apart = cl == cwl ? 0 : 3;
      EXPECT_EQ(ChannelLayout(config, 0).turnaround, Cycle(config.dram.timing.trtrs + apart))
          << cl << ", " << cwl;
    }
  }
}

// Returns whether the channel accepts a saved state in which this side has the banks.
bool takes(const Assignments& assignments, std::uint64_t side) {
  const SystemConfig config = make_config(with(kDramOnly, assignments));
  const ChannelLayout layout(config, 0);
  TransactionPool pool(4);
  const DramDevices devices = make_native_devices(config, pool, timing_rules(config.dram));
  DramSide dram(config, layout, devices);
  Archive saved;
  dram.serialize(saved);
  const std::string& bytes = saved.bytes();
  return takes_all_of(with_word(bytes, bytes.size() - kWordBytes, side), dram);
}

TEST(DramSide, ReadsOrDrainedWritesHaveTheBanks) {
  const Assignments drained{{"controller.writes", "drained"}};
  EXPECT_TRUE(takes({}, 0));
  EXPECT_TRUE(takes(drained, 0));
  EXPECT_TRUE(takes(drained, 1));
  EXPECT_FALSE(takes(drained, 2));
}

}  // namespace
}  // namespace hmsim::testing
