// SPDX-License-Identifier: BSD-3-Clause
// FIRM: the length of groups, the formation of batches, and their order.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cc/controller/harness.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

using Numbers = std::vector<std::uint32_t>;

bool in_group(const Rehearsal& queue, std::uint32_t number) {
  return (queue.key(number) >> 61) != 0 && (queue.key(number) >> 61) != 4;
}

int group_size(const Rehearsal& queue) {
  const Numbers order = queue.order();
  return static_cast<int>(std::count_if(order.begin(), order.end(),
                                        [&](std::uint32_t n) { return in_group(queue, n); }));
}

// Queues 20 reads and 20 writes to one bank. Each request is a batch: a row miss of 13 cycles.
// Returns the number of requests in the first group that is formed while all of them are queued.
int requests_of_a_group(std::int64_t trtrs, const Assignments& assignments = {}) {
  ChannelShape shape = Rehearsal::ddr3_1600(trtrs);
  shape.row_miss = shape.clock_period * 9;
  Rehearsal queue("firm", assignments, shape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
  for (int row = 0; row < 20; ++row) {
    queue.enqueue(dram(0, 0, row));
    queue.enqueue(dram(0, 0, row, true));
  }
  EXPECT_EQ(group_size(queue), 1);
  queue.issue(first, false);
  EXPECT_EQ(queue.policy().direction(), Direction::writes);
  return group_size(queue);
}

// Read and write groups are equal: each takes half of 130 or 135 cycles, in batches of 13.
TEST(Firm, AReadAndAWriteGroupTakeAtLeast130Or135Cycles) {
  EXPECT_EQ(requests_of_a_group(1), 5);  // 65 cycles are enough
  EXPECT_EQ(requests_of_a_group(2), 6);  // 67.5 are not
  EXPECT_EQ(requests_of_a_group(1, {{"policies.firm.turnaround_share", "40"}}), 3);  // 32.5
}

TEST(Firm, GroupsAreInProportionToPendingRequests) {
  ChannelShape shape = kShape;
  shape.row_miss = shape.clock_period * 9;
  Rehearsal queue("firm", {}, shape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
  for (int row = 0; row < 40; ++row) {
    queue.enqueue(dram(0, 0, row, row % 4 != 0));
  }
  queue.issue(first, false);
  EXPECT_EQ(queue.policy().direction(), Direction::writes);
  EXPECT_EQ(group_size(queue), 8);  // 130 x 30 / 40 = 97.5 cycles, in batches of 13
  for (int i = 0; i < 8; ++i) {
    queue.issue(queue.order().front(), false);
  }
  EXPECT_EQ(queue.policy().direction(), Direction::reads);
  EXPECT_EQ(group_size(queue), 4);  // 130 x 10 / 32 = 40.6 cycles
}

TEST(Firm, OneKindAloneKeepsTheBus) {
  Rehearsal queue("firm", {}, kShape);
  for (int row = 0; row < 4; ++row) {
    queue.enqueue(dram(0, 0, row));
  }
  for (std::uint32_t number = 0; number < 4; ++number) {
    EXPECT_EQ(queue.policy().direction(), Direction::reads);
    queue.issue(number, false);
  }
}

TEST(Firm, RequestsToOneRowMakeABatchUpToTheCap) {
  // Two batches, of 16 and of 4 hits, take 124 cycles, 20 misses 520: 130 x 124 / 644 = 25 cycles.
  Rehearsal queue("firm", {}, kShape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
  for (int i = 0; i < 20; ++i) {
    queue.enqueue(dram(0, 0, 1, true));
  }
  for (int i = 0; i < 20; ++i) {
    queue.enqueue(dram(0, 1, i));
  }
  queue.issue(first, false);
  EXPECT_EQ(group_size(queue), 16);
}

TEST(Firm, PersistEpochsMakeSeparateBatches) {
  for (const std::uint64_t second : {0U, 1U}) {
    Rehearsal queue("firm", {{"policies.firm.turnaround_share", "100"}}, kShape);
    const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
    for (const std::uint64_t epoch : {std::uint64_t{0}, second}) {
      RequestView write = nvdimm(0, 0, 3, true);
      write.epoch = epoch;
      queue.ack(queue.enqueue(write));
    }
    for (int row = 0; row < 40; ++row) {
      queue.enqueue(dram(0, 0, row));
    }
    queue.issue(first, false);
    EXPECT_EQ(group_size(queue), second == 0 ? 2 : 1);
  }
}

// After an interval, core 0 is not intensive, core 1 streams, and core 2 is random. They arrive in
// the opposite order.
TEST(Firm, NotIntensiveThenRandomThenStreamingSources) {
  Rehearsal queue("firm", {}, kShape);
  queue.issue(queue.enqueue(dram(0, 0, 0)), false);
  queue.retire(0, 1'000'000);
  Numbers waiting;
  for (int i = 0; i < 8; ++i) {
    queue.issue(queue.enqueue(dram(1, 0, 0)), false);
    waiting.push_back(queue.enqueue(dram(2, i, i)));
  }
  queue.run_to(500 * kMicrosecond);
  for (const std::uint32_t number : waiting) {
    queue.issue(number, false);
  }
  const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
  const std::uint32_t streaming = queue.enqueue(dram(1, 0, 0));
  const std::uint32_t random = queue.enqueue(dram(2, 0, 0));
  const std::uint32_t light = queue.enqueue(dram(0, 0, 0));
  queue.issue(first, false);
  EXPECT_EQ(queue.order(), (Numbers{light, random, streaming}));
}

// Core 1 hits in 50 or 49 of 100 requests; core 2 never hits.
TEST(Firm, SourcesStreamFromAShareOfHitsOn) {
  for (const bool streams : {true, false}) {
    Rehearsal queue("firm", {}, kShape);
    for (int i = 0; i < 100; ++i) {
      queue.issue(queue.enqueue(dram(1, 0, i < (streams ? 51 : 50) ? 0 : i)), false);
      queue.issue(queue.enqueue(dram(2, 0, i)), false);
    }
    queue.run_to(500 * kMicrosecond);
    const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
    const std::uint32_t local = queue.enqueue(dram(1, 0, 0));
    const std::uint32_t random = queue.enqueue(dram(2, 0, 0));
    queue.issue(first, false);
    EXPECT_EQ(queue.order(), streams ? (Numbers{random, local}) : (Numbers{local, random}));
  }
}

// Cores 1 and 2 hit the same rows repeatedly. Core 2 waits for eight banks at a time, so it is not
// streaming; core 1 waits for one.
TEST(Firm, SourcesThatWaitForManyBanksDoNotStream) {
  Rehearsal queue("firm", {}, kShape);
  Numbers waiting;
  for (int bank = 0; bank < 8; ++bank) {
    waiting.push_back(queue.enqueue(dram(2, bank, 0)));
    queue.issue(queue.enqueue(dram(2, bank, 0)), false);
    queue.issue(queue.enqueue(dram(1, 0, 0)), false);
  }
  waiting.push_back(queue.enqueue(dram(1, 0, 0)));
  queue.run_to(250 * kMicrosecond);
  for (const std::uint32_t number : waiting) {
    queue.issue(number, false);
  }
  queue.run_to(500 * kMicrosecond);
  const std::uint32_t first = queue.enqueue(dram(3, 7, 0));
  const std::uint32_t streaming = queue.enqueue(dram(1, 0, 0));
  const std::uint32_t random = queue.enqueue(dram(2, 0, 0));
  queue.issue(first, false);
  EXPECT_EQ(queue.order(), (Numbers{random, streaming}));
}

TEST(Firm, PersistentAndOtherWriteBatchesAlternate) {
  Rehearsal queue(
      "firm", {{"policies.firm.turnaround_share", "1"}, {"policies.firm.write_mark", "1"}}, kShape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
  Numbers other;
  Numbers persistent;
  for (int i = 0; i < 3; ++i) {
    other.push_back(queue.enqueue(dram(0, 0, i, true)));
  }
  for (int i = 0; i < 3; ++i) {
    persistent.push_back(queue.enqueue(nvdimm(0, 0, i, true)));
    queue.ack(persistent.back());
  }
  queue.issue(first, false);
  EXPECT_EQ(queue.order(),
            (Numbers{persistent[0], other[0], persistent[1], other[1], persistent[2], other[2]}));
}

// One write is queued beside four reads. A write group is too short to be worth a turnaround.
TEST(Firm, ReadsKeepTheBusWhileTooLittleIsPending) {
  Rehearsal queue("firm", {}, kShape);
  const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
  queue.enqueue(dram(0, 0, 0, true));
  for (int row = 0; row < 4; ++row) {
    queue.enqueue(dram(0, 1 + row, row));
  }
  queue.issue(first, false);
  EXPECT_EQ(queue.policy().direction(), Direction::reads);
  EXPECT_EQ(group_size(queue), 4);  // all reads: no coming turn limits the group
}

TEST(Firm, WritesHaveTheirTurnWhenTheyAreOld) {
  for (const Tick arrival : {Tick(0), 2'000 * kNanosecond}) {
    Rehearsal queue("firm", {}, kShape);
    queue.run_to(arrival);
    queue.enqueue(dram(0, 0, 0, true));
    const std::uint32_t early = queue.enqueue(dram(0, 1, 0));
    const std::uint32_t late = queue.enqueue(dram(0, 2, 0));
    queue.run_to(arrival + 2'499 * kNanosecond);
    queue.issue(early, false);
    EXPECT_EQ(queue.policy().direction(), Direction::reads);
    queue.run_to(arrival + 2'500 * kNanosecond);
    queue.enqueue(dram(0, 1, 0));
    queue.issue(late, false);
    EXPECT_EQ(queue.policy().direction(), Direction::writes);
  }
}

TEST(Firm, WritesHaveTheirTurnWhenTheyFillTheirShareOfTheQueue) {
  ChannelShape shape = kShape;
  shape.dram_slots = 8;
  shape.row_miss = Tick(0);
  Rehearsal queue("firm", {{"policies.firm.turnaround_share", "1"}}, shape);
  std::uint32_t read = queue.enqueue(dram(0, 7, 0));
  for (int row = 0; row < 6; ++row) {  // the sixth write reaches the mark of 75 %
    EXPECT_EQ(queue.policy().direction(), Direction::reads);
    queue.enqueue(dram(0, row, 0, true));
    const std::uint32_t next = queue.enqueue(dram(0, 7, 0));
    queue.issue(read, true);
    read = next;
  }
  EXPECT_EQ(queue.policy().direction(), Direction::writes);
}

// Channel without an NVDIMM. Its queue stays full until `requests` requests have been sent.
class FullQueue {
 public:
  FullQueue(const Assignments& assignments, int requests, std::function<void(FullQueue&)> next)
      : channel_(assignments), left_(requests), next_(std::move(next)) {
    channel_.on_done = [this](const Request& /*request*/) { send(); };
    for (int i = 0; i < 128; ++i) {
      send();
    }
    channel_.drain();
    EXPECT_EQ(channel_.completions_.size(), static_cast<std::size_t>(requests));
  }

  ChannelUnderTest channel_;
  Random random_{1};

 private:
  void send() {
    if (left_-- > 0) {
      next_(*this);
    }
  }
  int left_;
  std::function<void(FullQueue&)> next_;
};

bool same(const std::vector<CommandRecord>& one, const std::vector<CommandRecord>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const CommandRecord& a, const CommandRecord& b) { return a == b; });
}

Assignments without_nvdimm(const char* scheduler, const char* writes) {
  return {{"nvdimm.present", "false"},
          {"controller.scheduler", scheduler},
          {"controller.writes", writes}};
}

void send_random(FullQueue& queue) {
  const std::int64_t line = static_cast<std::int64_t>(queue.random_.below(1 << 22));
  queue.channel_.send(MemoryClass::dram, Address(line * 64), queue.random_.below(2) == 0);
}

TEST(Firm, TurnsTheBusAroundLessOftenThanFrFcfs) {
  const auto turnarounds = [](const char* scheduler, const char* writes) {
    FullQueue queue(without_nvdimm(scheduler, writes), 4'000, send_random);
    return queue.channel_.channel_.statistics().turnarounds;
  };
  EXPECT_LT(turnarounds("firm", "drained") * 3, turnarounds("fr_fcfs", "mixed"));
}

// With requests always waiting, the share mu (turnaround_share) limits the time spent on
// turnarounds. A pair of turnarounds, from reads to writes and back, costs 26 cycles of 1.25 ns.
TEST(Firm, UnderBacklogTurnaroundsTakeAtMostTheirShare) {
  for (const int share : {2, 5, 10, 20}) {
    Assignments assignments = without_nvdimm("firm", "drained");
    assignments.emplace_back("policies.firm.turnaround_share", std::to_string(share));
    FullQueue queue(assignments, 8'000, send_random);
    const auto turns = static_cast<double>(queue.channel_.channel_.statistics().turnarounds);
    const double there_and_back = 26 * 1.25;
    EXPECT_LE(turns / 2 * there_and_back * 100,
              share * static_cast<double>(queue.channel_.kernel_.now() / kNanosecond))
        << share;
    EXPECT_GT(turns, 10) << share;
  }
}

// Reads alone cause no turn, so the turnaround share changes no command.
TEST(Firm, WithoutWritesTheTurnaroundShareChangesNothing) {
  const auto commands = [](const char* share) {
    Assignments assignments = without_nvdimm("firm", "drained");
    assignments.emplace_back("policies.firm.turnaround_share", share);
    FullQueue queue(assignments, 4'000, [](FullQueue& full) {
      const auto below = [&](std::uint64_t bound) {
        return static_cast<std::int64_t>(full.random_.below(bound));
      };
      const auto source = static_cast<std::uint16_t>(below(3));
      full.channel_.send(MemoryClass::dram,
                         full.channel_.dram(below(2), below(8), below(128), below(4)), false,
                         source);
    });
    return queue.channel_.log_;
  };
  const auto expected = commands("20");
  EXPECT_TRUE(same(commands("1"), expected));
  EXPECT_TRUE(same(commands("100"), expected));
}

// Batches of one read each, in order of arrival, match FR-FCFS if no request hits an open row.
TEST(Firm, OneSourcesReadsWithoutLocalityGoAsUnderFrFcfs) {
  const auto commands = [](const char* scheduler) {
    int row = 0;
    FullQueue queue(without_nvdimm(scheduler, "drained"), 4'000, [row](FullQueue& full) mutable {
      const auto bank = static_cast<std::int64_t>(full.random_.below(8));
      full.channel_.send(MemoryClass::dram, full.channel_.dram(row++ % 16'384, bank, 0));
    });
    return queue.channel_.log_;
  };
  EXPECT_TRUE(same(commands("firm"), commands("fr_fcfs")));
}

// Persistent writes always fill their queue. A read waits for the end of one write group and for
// reads before it, at most for the time of two groups and a refresh. A group lasts at most 2,000
// cycles, or 500 bursts, and eight reads follow each.
TEST(Firm, PersistentWritesDoNotStarveReads) {
  ChannelUnderTest channel({{"controller.queues", "split"},
                            {"controller.arbiter", "oldest_first"},
                            {"controller.scheduler", "firm"},
                            {"controller.writes", "drained"}});
  int writes = 0;
  int reads = 0;
  Tick longest{0};
  const auto write = [&] {
    channel.send(MemoryClass::nvdimm, Address(writes++ % 8'192 * 64), true, 1);
  };
  const auto read = [&] {
    channel.send(MemoryClass::dram, channel.dram(reads % 64, reads % 8, reads % 128));
    ++reads;
  };
  channel.on_done = [&](const Request& request) {
    if (request.memory == MemoryClass::nvdimm) {
      writes < 8'000 ? write() : void();
    } else {
      longest = later(longest, channel.kernel_.now() - request.arrival);
      writes < 8'000 ? read() : void();
    }
  };
  for (int i = 0; i < 160; ++i) {
    write();
  }
  for (int i = 0; i < 8; ++i) {
    read();
  }
  channel.drain();
  EXPECT_EQ(channel.completions_.size(), static_cast<std::size_t>(reads + writes));
  EXPECT_GE(reads, 8'000 / 500 * 8);
  EXPECT_LE(longest, 2 * 2'500 * kNanosecond + 350 * kNanosecond);
}

}  // namespace
}  // namespace hmsim::testing
