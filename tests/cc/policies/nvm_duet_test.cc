// SPDX-License-Identifier: BSD-3-Clause
// NVM Duet: epochs in order, working memory past the barriers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

using Numbers = std::vector<std::uint32_t>;

RequestView persistent(std::uint16_t core, std::uint64_t epoch) {
  RequestView view = nvdimm(core, 0, 0, true);
  view.epoch = epoch;
  return view;
}

constexpr const char* kDuet = "nvm_duet";

TEST(NvmDuet, AnEpochWaitsForAllWritesOfTheCoresEarlierOnesToComplete) {
  Rehearsal queue(kDuet, {}, kShape);
  queue.enqueue(persistent(0, 7));
  queue.enqueue(persistent(0, 7));
  queue.enqueue(persistent(0, 8));
  queue.enqueue(persistent(0, 9));
  EXPECT_FALSE(queue.withholds(0));
  EXPECT_FALSE(queue.withholds(1));
  EXPECT_TRUE(queue.withholds(2));
  queue.issue(0, false);
  queue.issue(1, false);
  queue.complete(1);
  EXPECT_TRUE(queue.withholds(2));
  queue.policy().changed_slots().clear();
  queue.complete(0);
  EXPECT_FALSE(queue.withholds(2));
  EXPECT_TRUE(queue.withholds(3));
  EXPECT_EQ(queue.policy().changed_slots(), (Numbers{2}));
}

TEST(NvmDuet, OtherCoresReadsAndWorkingMemoryIgnoreTheBarrier) {
  Rehearsal queue(kDuet, {}, kShape);
  queue.enqueue(persistent(0, 1));
  EXPECT_TRUE(queue.withholds(queue.enqueue(persistent(0, 2))));
  EXPECT_FALSE(queue.withholds(queue.enqueue(persistent(1, 2))));
  EXPECT_FALSE(queue.withholds(queue.enqueue(nvdimm(0, 0, 0))));
  EXPECT_FALSE(queue.withholds(queue.enqueue(dram(0, 0, 0, true))));
}

TEST(NvmDuet, ALateWriteOfAnOlderEpochJoinsTheNewest) {
  Rehearsal queue(kDuet, {}, kShape);
  queue.enqueue(persistent(0, 1));
  queue.enqueue(persistent(0, 3));
  queue.enqueue(persistent(0, 2));
  EXPECT_TRUE(queue.withholds(2));
  queue.complete(0);
  EXPECT_FALSE(queue.withholds(1));
  EXPECT_FALSE(queue.withholds(2));
}

TEST(NvmDuet, ReadsGoBeforeWritesBetweenTheWatermarksAndPersistentWritesBeforeOthers) {
  Rehearsal queue(
      kDuet, {{"policies.nvm_duet.write_high", "3"}, {"policies.nvm_duet.write_low", "1"}}, kShape);
  queue.enqueue(dram(0, 0, 0, true));
  queue.enqueue(persistent(0, 0));
  queue.enqueue(dram(0, 0, 0));
  EXPECT_EQ(queue.order(), (Numbers{2, 1, 0}));
  queue.enqueue(dram(0, 0, 0, true));  // the third write
  EXPECT_EQ(queue.order(), (Numbers{1, 0, 3, 2}));
  queue.issue(1, false);
  EXPECT_EQ(queue.order(), (Numbers{0, 3, 2}));
  queue.issue(0, false);  // one is left
  EXPECT_EQ(queue.order(), (Numbers{2, 3}));
}

// Order: direction, then persistent writes, then row hits, then age. For each pair of request
// kinds, the less urgent one arrived first.
TEST(NvmDuet, DirectionsGoBeforePersistenceAndThatBeforeRowHits) {
  for (const bool writes_first : {false, true}) {
    Rehearsal queue(kDuet,
                    {{"policies.nvm_duet.write_high", writes_first ? "1" : "4096"},
                     {"policies.nvm_duet.write_low", "0"}},
                    kShape);
    std::vector<RequestView> kinds{dram(0, 0, 0), nvdimm(0, 0, 0), dram(0, 0, 0, true),
                                   persistent(0, 0)};
    const std::size_t plain = kinds.size();
    for (std::size_t i = 0; i < plain; ++i) {
      kinds.push_back(kinds[i]);
      kinds.back().row_hit = true;
    }
    const auto urgency = [&](const RequestView& view) {
      const bool keeps_order = view.write && view.memory == MemoryClass::nvdimm;
      return std::array<bool, 3>{view.write == writes_first, keeps_order, view.row_hit};
    };
    std::stable_sort(kinds.begin(), kinds.end(),
                     [&](const auto& a, const auto& b) { return urgency(a) < urgency(b); });
    queue.enqueue(persistent(1, 0));  // writes go first from now on
    for (const RequestView& view : kinds) {
      queue.enqueue(view);
    }
    for (std::uint32_t one = 1; one <= kinds.size(); ++one) {
      for (std::uint32_t other = 1; other < one; ++other) {
        const bool more = urgency(kinds[one - 1]) != urgency(kinds[other - 1]);
        EXPECT_EQ(queue.key(one) > queue.key(other), more) << writes_first << one << other;
        EXPECT_EQ(queue.key(one) == queue.key(other), !more) << writes_first << one << other;
      }
    }
  }
}

// In a channel: no burst of an epoch before all writes of the core's earlier epochs have completed.
TEST(NvmDuet, BarriersHoldInAChannel) {
  ChannelUnderTest channel(with(kSmallNvdimm, {{"controller.scheduler", "nvm_duet"}}));
  std::map<std::uint64_t, std::pair<int, std::uint64_t>> writes;  // request: core, epoch
  Random random(3);
  std::array<std::uint64_t, 2> epochs{};
  for (int i = 0; i < 600; ++i) {
    const auto core = static_cast<std::uint16_t>(random.below(2));
    const bool write = random.below(3) != 0;
    const Address address(static_cast<std::int64_t>(random.below(400) * 64));
    const std::uint64_t id = channel.send(MemoryClass::nvdimm, address, write, core, epochs[core]);
    if (write) {
      writes[id] = {core, epochs[core]};
    }
    channel.send(MemoryClass::dram, channel.dram(0, 0, i % 128), i % 5 == 0, core);
    epochs[core] += random.below(8) == 0 ? 1 : 0;
    channel.run_to(Cycle(20 * i));
  }
  channel.drain(Cycle(100'000'000));
  EXPECT_TRUE(channel.channel_.idle());
  std::map<std::pair<int, std::uint64_t>, Cycle> last_completion;
  for (const auto& [id, epoch] : writes) {
    Cycle& last = last_completion[epoch];
    last = later(last, channel.finished_.at(id));
  }
  int barriers = 0;
  for (const CommandRecord& record : channel.log_) {
    const auto write = writes.find(static_cast<std::uint64_t>(record.request));
    if (write == writes.end()) {
      continue;
    }
    const auto earlier_one = last_completion.lower_bound(write->second);
    if (earlier_one != last_completion.begin() &&
        std::prev(earlier_one)->first.first == write->second.first) {
      EXPECT_GE(record.cycle, std::prev(earlier_one)->second);
      ++barriers;
    }
  }
  EXPECT_GT(barriers, 100);
}

}  // namespace
}  // namespace hmsim::testing
