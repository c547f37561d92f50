// SPDX-License-Identifier: BSD-3-Clause
// FCFS in both variants, FR-FCFS and FR-FCFS+Cap: which requests overtake which.
#include <gtest/gtest.h>

#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

// Requests row 0 of a bank, row 1, and row 0 eleven more times. Returns the position at which row 1
// is served.
std::size_t place_of_the_miss(const std::string& scheduler) {
  ChannelUnderTest channel({{"nvdimm.present", "false"},
                            {"dram.refresh", "false"},
                            {"controller.scheduler", scheduler}});
  channel.send(MemoryClass::dram, channel.dram(0, 0, 0));
  const std::uint64_t miss = channel.send(MemoryClass::dram, channel.dram(1, 0, 0));
  for (int column = 1; column < 12; ++column) {
    channel.send(MemoryClass::dram, channel.dram(0, 0, column));
  }
  channel.drain();
  const auto& order = channel.order_;
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), miss) - order.begin());
}

TEST(Fcfs, ARowMissIsOvertakenByNoneByAllOrByAsManyHitsAsTheCapAllows) {
  EXPECT_EQ(place_of_the_miss("fcfs_strict"), 1U);
  EXPECT_EQ(place_of_the_miss("fcfs"), 1U);
  EXPECT_EQ(place_of_the_miss("fr_fcfs"), 12U);
  EXPECT_EQ(place_of_the_miss("fr_fcfs_cap"), 4U);  // a miss and three hits are a streak of four
}

TEST(Fcfs, StrictlyNoRequestHasACommandBeforeOlderOnesHaveAll) {
  ChannelUnderTest channel(with(kSmallNvdimm, {{"controller.scheduler", "fcfs_strict"}}));
  RandomTraffic traffic(channel, 11);
  traffic.run(100);
  channel.drain();
  traffic.expect_all_done();
  std::int64_t served = 0;  // all requests before this one have had their burst
  for (const CommandRecord& record : channel.log_) {
    if (record.request >= 0) {
      EXPECT_EQ(record.request, served) << "in cycle " << record.cycle.value();
      const bool burst = record.command == ChannelCommand::read ||
                         record.command == ChannelCommand::write ||
                         record.command == ChannelCommand::nvdimm_read ||
                         record.command == ChannelCommand::nvdimm_write;
      served += burst ? 1 : 0;
    }
  }
}

TEST(FrFcfsCap, TheOldestOfTheBankGoesFirstUntilAMissEndsTheStreak) {
  Rehearsal queue("fr_fcfs_cap", {{"policies.fr_fcfs_cap.cap", "2"}}, kShape);
  RequestView hit = dram(0, 0, 5);
  hit.row_hit = true;
  const std::uint32_t a = queue.enqueue(hit);
  const std::uint32_t b = queue.enqueue(hit);
  const std::uint32_t miss = queue.enqueue(dram(0, 0, 6));
  const std::uint32_t c = queue.enqueue(hit);
  RequestView elsewhere = dram(0, 1, 5);
  const std::uint32_t other = queue.enqueue(elsewhere);
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(queue.order(), (Numbers{a, b, c, miss, other}));
  queue.issue(a, true);
  EXPECT_EQ(queue.order(), (Numbers{b, c, miss, other}));
  queue.issue(b, true);  // the second hit
  EXPECT_EQ(queue.order(), (Numbers{miss, c, other}));
  queue.issue(miss, false);
  const std::uint32_t late = queue.enqueue(dram(0, 0, 7));
  EXPECT_EQ(queue.order(), (Numbers{c, other, late}));
}

// A row hit is possible on the first request that this scheduler sees, because other requests
// opened the row.
TEST(FrFcfsCap, ABanksFirstHitIsTheFirstOfItsStreak) {
  for (const int cap : {1, 2, 3}) {
    Rehearsal queue("fr_fcfs_cap", {{"policies.fr_fcfs_cap.cap", std::to_string(cap)}}, kShape);
    const std::uint32_t miss = queue.enqueue(dram(0, 0, 6));
    RequestView hit = dram(0, 0, 5);
    hit.row_hit = true;
    for (int i = 0; i < 5; ++i) {
      queue.enqueue(hit);
    }
    int overtaken = 0;
    while (queue.order().front() != miss) {
      queue.issue(queue.order().front(), true);
      ++overtaken;
    }
    EXPECT_EQ(overtaken, cap);
  }
}

}  // namespace
}  // namespace hmsim::testing
