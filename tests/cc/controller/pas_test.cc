// SPDX-License-Identifier: BSD-3-Clause
// In which order does page-aware scheduling send commands to the NVDIMM? Each of the paper's two
// examples is a separate micro-trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "nvdimm/nvdimm.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

constexpr auto kNvdimm = MemoryClass::nvdimm;
constexpr Cycle kLongAfter{10'000'000};

Assignments scheduled_by(const char* scheduler, const Assignments& more = {}) {
  return with({{"dram.refresh", "false"},
               {"controller.queues", "split"},
               {"controller.nvdimm_scheduler", scheduler},
               {"controller.arbiter", "oldest_first"},
               {"nvdimm.capacity", "64MiB"},
               {"nvdimm.nand.pages_per_block", "16"},
               {"nvdimm.ftl.over_provisioning", "60"},
               {"nvdimm.buffer.read_size", "1MiB"},
               {"nvdimm.buffer.write_size", "1MiB"}},
              more);
}

// Channel that receives NVDIMM requests to pages given by letters: "ABA" is pages 0, 1, 0. Each
// request to a page accesses its next line.
class Queue {
 public:
  explicit Queue(const Assignments& assignments) : channel(assignments) {}

  void send(const std::string& pages, bool write = false) {
    for (const char page : pages) {
      const auto number = static_cast<std::size_t>(page - 'A');
      lines_.resize(std::max(lines_.size(), number + 1));
      const auto address =
          static_cast<std::int64_t>(number) * 4096 + std::int64_t{lines_[number]++} * 64;
      channel.send(kNvdimm, Address(address), write);
    }
  }
  // Returns the pages of the commands sent so far.
  std::string commands() const {
    std::string pages;
    for (const CommandRecord& record : channel.log_) {
      if (record.command == ChannelCommand::nvdimm_read_command ||
          record.command == ChannelCommand::nvdimm_write_command) {
        pages.push_back(static_cast<char>('A' + record.row));
      }
    }
    return pages;
  }
  std::string all_commands() {
    channel.run_to(kLongAfter);
    return commands();
  }
  void flush() { channel.flush(); }
  Counter flash_reads() {
    return static_cast<Nvdimm*>(channel.nvdimms().front())->statistics().nand.page_reads;
  }

  ChannelUnderTest channel;

 private:
  std::vector<int> lines_;
};

const Assignments kOneAtATime{{"controller.outstanding", "1"}};

Assignments blocking(const Assignments& more = {}) { return with(kOneAtATime, more); }

TEST(Pas, TakesPagesInTurnAndIsFirstInFirstOutInsideAPage) {
  Queue queue(scheduled_by("pas", blocking()));
  queue.send("AAABBCAD");
  EXPECT_EQ(queue.all_commands(), "ABCDABAA");
  std::vector<std::uint64_t> of_a;
  for (const CommandRecord& record : queue.channel.log_) {
    if (record.command == ChannelCommand::nvdimm_read_command && record.row == 0) {
      of_a.push_back(static_cast<std::uint64_t>(record.request));
    }
  }
  EXPECT_EQ(of_a, (std::vector<std::uint64_t>{0, 1, 2, 6}));
}

TEST(Pas, APageThatReturnsToTheRoundIsLast) {
  Queue queue(scheduled_by("pas", blocking()));
  queue.send("ABB");
  queue.channel.run_to(Cycle(10));  // A is sent and leaves the round
  queue.send("CA");
  EXPECT_EQ(queue.all_commands(), "ABCAB") << "B has had its turn when A comes: C, then A";
}

TEST(Pas, OrdersPagesOfOnePseudoBankAndOfAll) {
  Queue queue(scheduled_by("pas", blocking()));
  queue.send("AAIIBB");  // I is page 8, in the pseudo-bank of A
  EXPECT_EQ(queue.all_commands(), "AIBAIB");
}

TEST(Pas, OthersSendTheOldestFirst) {
  for (const char* scheduler : {"fcfs", "fr_fcfs"}) {
    Queue queue(scheduled_by(scheduler, blocking()));
    queue.send("AAABBCAD");
    EXPECT_EQ(queue.all_commands(), "AAABBCAD") << scheduler;
  }
}

// The paper, Fig. 12: the read buffer holds one page, and requests to other pages are between two
// to A.
TEST(Pas, Figure12OnePageIsUsedUpBeforeItIsLost) {
  const Assignments small = blocking({{"nvdimm.buffer.read_size", "4KiB"}});
  Queue fcfs(scheduled_by("fcfs", small));
  fcfs.send("ABCDA");
  EXPECT_EQ(fcfs.all_commands(), "ABCDA");
  EXPECT_EQ(fcfs.flash_reads(), 5u) << "A is read twice";

  Assignments literal = small;
  literal.emplace_back("policies.pas.trigger", "any_miss");
  Queue pas(scheduled_by("pas", literal));
  pas.send("ABCDA");
  EXPECT_EQ(pas.all_commands(), "AABCD");
  EXPECT_EQ(pas.flash_reads(), 4u);
}

// The paper, Fig. 13: A is in the buffer, B is not.
TEST(Pas, Figure13AMissOverlapsTransfersOfAnotherPage) {
  const Assignments two{{"controller.outstanding", "2"}};
  std::vector<Cycle> miss_done;
  std::vector<Cycle> hits_done;
  for (const char* scheduler : {"fcfs", "pas"}) {
    Queue queue(scheduled_by(scheduler, two));
    queue.send("A");
    queue.channel.run_to(Cycle(100'000));  // A is resident
    queue.send("AAAAB");
    queue.channel.run_to(kLongAfter);
    hits_done.push_back(queue.channel.finished_.at(4) - Cycle(100'000));
    miss_done.push_back(queue.channel.finished_.at(5) - Cycle(100'000));
    EXPECT_EQ(queue.flash_reads(), 2u);
  }
  // PAS sends B in cycle 1. With FCFS two hits are sent in cycles 0 and 1 and acknowledged in 43
  // and 44. The first one's grant is in 45, the next two hits in 46 and 47; their acks take 89 and
  // 90, another grant 91, and B is sent in 92.
  constexpr std::int64_t kMiss = 56'667 + 1 + 11 + 4;  // as in NvdimmLatency.ReadMiss
  EXPECT_EQ(miss_done[0], Cycle(92 + kMiss));
  EXPECT_EQ(miss_done[1], Cycle(1 + kMiss));
  EXPECT_LT(hits_done[1], miss_done[1]) << "A's data move while B is being read";
}

TEST(Pas, ThrashTurnsToSameAndOneCleanPageBack) {
  Queue queue(scheduled_by("pas", blocking({{"nvdimm.buffer.read_size", "4KiB"}})));
  queue.send("ABABABCCDD");
  // A, B, C, D in turn. The second A is a miss on a page that was in the buffer: thrash. Its group
  // is used up first; the ack of its last request, a hit, ends SAME. Then pages go in turn again:
  // B's third request is first, and thrashes.
  const std::string sent = queue.all_commands();
  EXPECT_EQ(sent.substr(0, 6), "ABCDAA");
  EXPECT_EQ(queue.channel.order_.size(), 10u);
}

TEST(Pas, AFirstTouchIsNotAThrash) {
  Queue queue(scheduled_by("pas", {{"controller.outstanding", "4"}}));
  queue.send("AABBAABB");
  EXPECT_EQ(queue.all_commands(), "ABABABAB") << "merged misses are late, and no thrash either";
}

TEST(Pas, AnyMissTurnsToSameAtTheFirstTouch) {
  Queue queue(scheduled_by("pas", blocking({{"policies.pas.trigger", "any_miss"}})));
  queue.send("ABABCC");
  // The first miss of A turns to SAME. A's group ends with a hit, which returns to DIFF. Then B
  // misses.
  EXPECT_EQ(queue.all_commands(), "AABBCC");
}

TEST(Pas, ReturnsAfterTheGivenNumberOfCleanPages) {
  const auto order = [](const char* pages) {
    Queue queue(scheduled_by("pas", blocking({{"policies.pas.trigger", "any_miss"},
                                              {"policies.pas.return_after", pages}})));
    queue.send("AABCABCBC");
    queue.channel.run_to(Cycle(300'000));  // all pages are resident now
    queue.channel.log_.clear();
    queue.send("AABCABC");
    return queue.all_commands();
  };
  EXPECT_EQ(order("1"), "ABCABCA") << "no miss any more: DIFF";
  EXPECT_EQ(order("4"), "AAABCBC") << "three pages were used up before, A is the fourth";
  EXPECT_EQ(order("9"), "AAABBCC") << "still SAME";
}

TEST(Pas, AllMissesAreHitsWithEnoughSlack) {
  Queue queue(scheduled_by(
      "pas", blocking({{"policies.pas.trigger", "any_miss"}, {"policies.pas.slack", "1000000"}})));
  queue.send("ABAB");
  EXPECT_EQ(queue.all_commands(), "ABAB");
}

TEST(Pas, AQuickerAckIsAHit) {
  Queue queue(scheduled_by(
      "pas", blocking({{"policies.pas.trigger", "any_miss"}, {"policies.pas.slack", "0"}})));
  queue.send("A");
  queue.channel.run_to(Cycle(100'000));
  queue.send("B");
  queue.channel.run_to(Cycle(200'000));
  queue.channel.log_.clear();
  queue.send("AABB");
  // A hit's ack arrives in cycle 43 (53.75 ns), later than the 52 ns of a hit. With no slack for
  // the clock edge every request is a miss.
  EXPECT_EQ(queue.all_commands(), "AABB");
}

// PAS does not see requests after a barrier until the barrier ends, so A's requests form two
// groups.
TEST(Pas, ABarrierSplitsGroups) {
  Queue queue(scheduled_by("pas", blocking()));
  queue.send("AAB");
  queue.flush();
  queue.send("ACCA");
  EXPECT_EQ(queue.all_commands(), "ABAACAC") << "ABA, then A and C in turn";
  Queue whole(scheduled_by("pas", blocking()));
  whole.send("AABACCA");
  EXPECT_EQ(whole.all_commands(), "ABCACAA");
}

// Uses the example of Fig. 12 with a barrier before A's second request. PAS cannot group this
// request with A's first one, so the page leaves the buffer in between and is read from flash
// again: five reads for four pages.
TEST(Pas, SameEndsAtABarrier) {
  Assignments literal = blocking({{"nvdimm.buffer.read_size", "4KiB"}});
  literal.emplace_back("policies.pas.trigger", "any_miss");
  Queue pas(scheduled_by("pas", literal));
  pas.send("ABCD");
  pas.flush();
  pas.send("A");
  EXPECT_EQ(pas.all_commands(), "ABCDA");
  EXPECT_EQ(pas.flash_reads(), 5u);
}

TEST(Pas, LeavesDramAlone) {
  const auto dram_order = [](const char* scheduler) {
    Assignments unified = scheduled_by(scheduler, {{"controller.queues", "unified"},
                                                   {"controller.scheduler", scheduler},
                                                   {"controller.arbiter", "scheduler_order"}});
    ChannelUnderTest channel(unified);
    Random random(3);
    for (int i = 0; i < 100; ++i) {
      channel.send(MemoryClass::dram, channel.dram(static_cast<std::int64_t>(random.below(4)),
                                                   static_cast<std::int64_t>(random.below(4)),
                                                   static_cast<std::int64_t>(random.below(8))));
    }
    channel.drain();
    return channel.order_;
  };
  EXPECT_EQ(dram_order("pas"), dram_order("fr_fcfs"));
}

TEST(Pas, RandomTrafficEndsInOrderOfEachLine) {
  for (const char* outstanding : {"1", "3", "queue"}) {
    for (const char* trigger : {"thrash", "any_miss"}) {
      ChannelUnderTest channel(scheduled_by("pas", {{"controller.outstanding", outstanding},
                                                    {"policies.pas.trigger", trigger},
                                                    {"nvdimm.buffer.read_size", "8KiB"},
                                                    {"nvdimm.buffer.write_size", "8KiB"}}));
      Random random(11);
      std::map<std::uint64_t, std::int64_t> line_of;
      for (int i = 0; i < 600; ++i) {
        const std::int64_t line = static_cast<std::int64_t>(random.below(6)) * 64 +
                                  static_cast<std::int64_t>(random.below(4));
        line_of[channel.send(kNvdimm, Address(line * 64), random.below(2) == 0)] = line;
      }
      channel.drain(Cycle(1'000'000'000));
      ASSERT_EQ(channel.order_.size(), 600u);
      std::map<std::int64_t, std::uint64_t> last;
      for (const std::uint64_t id : channel.order_) {
        const auto [at, first] = last.try_emplace(line_of.at(id), id);
        EXPECT_TRUE(first || at->second < id);
        at->second = id;
      }
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
