// SPDX-License-Identifier: BSD-3-Clause
// BLISS and ATLAS at their boundaries; the starvation guard.
#include <gtest/gtest.h>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

using Numbers = std::vector<std::uint32_t>;

void serve(Rehearsal& queue, std::uint16_t core, int count) {
  for (int i = 0; i < count; ++i) {
    queue.issue(queue.enqueue(dram(core, 0, 0)), true);
  }
}

TEST(Bliss, TheFourthRequestInARowBlacklistsUntilTheListIsCleared) {
  Rehearsal queue("bliss", {}, kShape);
  const std::uint32_t heavy = queue.enqueue(dram(0, 1, 0));
  const std::uint32_t light = queue.enqueue(dram(1, 1, 0));
  serve(queue, 0, 3);
  EXPECT_EQ(queue.order(), (Numbers{heavy, light}));
  serve(queue, 1, 1);  // ends the streak
  serve(queue, 0, 3);
  EXPECT_EQ(queue.order(), (Numbers{heavy, light}));
  serve(queue, 0, 1);
  EXPECT_EQ(queue.order(), (Numbers{light, heavy}));
  queue.run_to(Tick(4'999'999));
  EXPECT_EQ(queue.order(), (Numbers{light, heavy}));
  queue.run_to(5 * kMicrosecond);
  EXPECT_EQ(queue.order(), (Numbers{heavy, light}));
}

// Requests before a clearing do not count for the next streak.
TEST(Bliss, AfterTheClearingItTakesAsManyRequestsAgain) {
  Rehearsal queue("bliss", {}, kShape);
  const std::uint32_t heavy = queue.enqueue(dram(0, 1, 0));
  const std::uint32_t light = queue.enqueue(dram(1, 1, 0));
  serve(queue, 0, 4);
  EXPECT_EQ(queue.order(), (Numbers{light, heavy}));
  queue.run_to(5 * kMicrosecond);
  serve(queue, 0, 3);
  EXPECT_EQ(queue.order(), (Numbers{heavy, light}));
  serve(queue, 0, 1);
  EXPECT_EQ(queue.order(), (Numbers{light, heavy}));
}

// A row hit of the blacklisted source ranks below an older or younger miss of another source.
TEST(Bliss, TheBlacklistGoesBeforeRowHits) {
  Rehearsal queue("bliss", {}, kShape);
  serve(queue, 0, 4);
  RequestView hit = dram(0, 1, 0);
  hit.row_hit = true;
  const std::uint32_t blacklisted = queue.enqueue(hit);
  const std::uint32_t miss = queue.enqueue(dram(1, 1, 0));
  EXPECT_EQ(queue.order(), (Numbers{miss, blacklisted}));
}

// Service in cycles: a row hit 4, a miss 26. Total = 0.875 x total + 0.125 x service.
TEST(Atlas, LeastAttainedServiceGoesFirstAndFades) {
  Rehearsal queue("atlas", {}, kShape);
  const std::uint32_t a = queue.enqueue(dram(0, 1, 0));
  const std::uint32_t b = queue.enqueue(dram(1, 1, 0));
  serve(queue, 0, 100);
  serve(queue, 1, 90);
  EXPECT_EQ(queue.order(), (Numbers{a, b}));
  queue.run_to(5'000 * kMicrosecond);
  EXPECT_EQ(queue.order(), (Numbers{b, a}));  // 50 : 45
  serve(queue, 1, 12);                        // 43.75 : 39.375 + 6 = 45.375
  queue.run_to(10'000 * kMicrosecond);
  EXPECT_EQ(queue.order(), (Numbers{a, b}));
  serve(queue, 0, 1);
  queue.run_to(15'000 * kMicrosecond);  // 38.28 + 0.5 : 39.70
  EXPECT_EQ(queue.order(), (Numbers{a, b}));
  serve(queue, 0, 4);
  queue.run_to(20'000 * kMicrosecond);  // 33.93 + 2 = 35.93 : 34.74
  EXPECT_EQ(queue.order(), (Numbers{b, a}));
}

TEST(Atlas, RankGoesBeforeRowHitsAndItsPatienceIsThePapers) {
  Rehearsal queue("atlas", {}, kShape);
  EXPECT_EQ(queue.policy().patience(), 50 * kMicrosecond);
  serve(queue, 0, 10);
  serve(queue, 1, 5);
  queue.run_to(5'000 * kMicrosecond);
  RequestView hit = dram(0, 1, 0);
  hit.row_hit = true;
  const std::uint32_t served = queue.enqueue(hit);
  const std::uint32_t starved = queue.enqueue(dram(1, 1, 0));
  EXPECT_EQ(queue.order(), (Numbers{starved, served}));
}

// Service before the last quantum weighs 1, and service in the last quantum 0.
TEST(Atlas, WithAHistoryOfOneNoServiceEverCounts) {
  Rehearsal queue("atlas", {{"policies.atlas.history", "1"}}, kShape);
  serve(queue, 0, 90);
  serve(queue, 1, 10);
  queue.run_to(15'000 * kMicrosecond);
  const std::uint32_t late = queue.enqueue(dram(1, 1, 0));
  const std::uint32_t first = queue.enqueue(dram(0, 1, 0));
  EXPECT_EQ(queue.order(), (Numbers{first, late})) << "the lower core first";
}

// DRAM has had ten misses of 26 cycles; the NVDIMM's bank is busy for one cycle more or less.
TEST(Atlas, ABankIsBusyFromACommandToItsCompletion) {
  for (const bool long_time : {true, false}) {
    Rehearsal queue(
        "atlas",
        {{"policies.atlas.nvdimm_service", "bank"}, {"policies.atlas.sources", "core_class"}},
        kShape);
    const std::uint32_t line = queue.enqueue(nvdimm(0, 1, 0));
    queue.run_to(100 * kMicrosecond);
    queue.command(line);
    queue.run_to(100 * kMicrosecond + kShape.clock_period * (long_time ? 261 : 259));
    queue.issue(line, false);
    queue.complete(line);
    for (int i = 0; i < 10; ++i) {
      queue.issue(queue.enqueue(dram(0, 0, 0)), false);
    }
    queue.run_to(5'000 * kMicrosecond);
    const std::uint32_t flash = queue.enqueue(nvdimm(0, 1, 0));
    const std::uint32_t row = queue.enqueue(dram(0, 1, 0));
    EXPECT_EQ(queue.order(), long_time ? (Numbers{row, flash}) : (Numbers{flash, row}));
  }
}

// One core streams row hits; the other core's miss to the same bank waits for them.
Cycle latency_of_the_miss(const Assignments& more) {
  Assignments assignments = with({{"nvdimm.present", "false"}, {"dram.refresh", "false"}}, more);
  ChannelUnderTest channel(assignments);
  int column = 0;
  const auto hit = [&] { channel.send(MemoryClass::dram, channel.dram(0, 0, column++ % 128)); };
  channel.on_done = [&](const Request& request) {
    if (request.source == 0 && column < 20'000) {
      hit();
    }
  };
  for (int i = 0; i < 8; ++i) {
    hit();
  }
  const std::uint64_t miss = channel.send(MemoryClass::dram, channel.dram(1, 0, 0), false, 1);
  channel.drain();
  return channel.finished_[miss];
}

TEST(StarvationGuard, ATransactionThatHasWaitedTooLongGoesFirst) {
  EXPECT_GT(latency_of_the_miss({}), Cycle(70'000));
  // 1 us = 800 cycles; then at most tRTP + tRP + tRCD + CL + BL/2, plus commands issued before.
  const Cycle bound(800 + 4 + 6 + 11 + 11 + 15);
  const Assignments guard{{"controller.starvation_limit", "1us"}};
  EXPECT_GT(latency_of_the_miss(guard), Cycle(800));
  EXPECT_LE(latency_of_the_miss(guard), bound);
  const Assignments own{{"controller.scheduler", "atlas"}, {"policies.atlas.threshold", "1us"}};
  EXPECT_GT(latency_of_the_miss(own), Cycle(800));
  EXPECT_LE(latency_of_the_miss(own), bound);
}

// DRAM has the bus whenever it requests it, and always does. With a limit of 100 ns its requests,
// 32 at a time of 5 ns each, are overdue as well; then the older one goes first.
TEST(StarvationGuard, HoldsAgainstTheArbiterToo) {
  for (const char* limit : {"0s", "100ns", "1us"}) {
    const bool guarded = limit != std::string("0s");
    ChannelUnderTest channel({{"nvdimm.buffer.read_size", "1MiB"},
                              {"nvdimm.unmapped_read", "zero"},
                              {"controller.queues", "split"},
                              {"controller.arbiter", "dram_first"},
                              {"controller.starvation_limit", limit}});
    int sent = 0;
    const auto hit = [&] { channel.send(MemoryClass::dram, channel.dram(0, 0, sent++ % 128)); };
    channel.on_done = [&](const Request& request) {
      if (request.memory == MemoryClass::dram && sent < 5'000) {
        hit();
      }
    };
    for (int i = 0; i < 32; ++i) {
      hit();
    }
    const std::uint64_t line = channel.send(MemoryClass::nvdimm, Address(0));
    channel.drain();
    // Alone, the NVDIMM read takes 58 cycles. Without the guard it waits for the first refresh,
    // 6240 cycles after the start, because only a refresh interrupts the DRAM hits.
    if (guarded) {
      EXPECT_LT(channel.finished_[line], Cycle(900)) << limit;
    } else {
      EXPECT_GT(channel.finished_[line], Cycle(6'000));
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
