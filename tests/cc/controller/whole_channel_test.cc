// SPDX-License-Identifier: BSD-3-Clause
// How does a channel use another simulator that models it completely? The stand-in here answers
// each request `kDelay` cycles after it was added, and accepts a limited number.
#include "controller/channel/whole_channel.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kDelay = 20;  // cycles

class Other final : public WholeDram {
 public:
  struct Added {
    std::int64_t cycle;
    std::uint64_t address;
    bool write;
  };

  std::optional<Done> take_done() override {
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].cycle + kDelay <= cycles) {
        const Done done{waiting[i].address, waiting[i].write};
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
        return done;
      }
    }
    return std::nullopt;
  }
  bool accepts(bool write) const override { return (write ? writes : reads) && held() < room; }
  void add(std::uint64_t address, bool write) override {
    added.push_back({cycles, address, write});
    waiting.push_back(added.back());
    counted.column_commands += 1;
    counted.row_hits += 2;
    counted.activates += 3;
    counted.precharges += 4;
    counted.refreshes += 5;
  }
  void tick() override { ++cycles; }
  std::int64_t held() const override { return static_cast<std::int64_t>(waiting.size()); }
  Counters counters() const override { return counted; }
  void reset_counters() override { counted = {}; }

  std::int64_t cycles = 0;  // ticks
  std::int64_t room = 64;
  bool reads = true;  // accepts reads
  bool writes = true;
  std::vector<Added> added;
  std::vector<Added> waiting;
  Counters counted{};
};

class WholeUnderTest final : public Requester, public SourceProgress {
 public:
  struct Ended {
    std::uint64_t id;
    std::int64_t cycle;
  };

  explicit WholeUnderTest(const Assignments& more = {})
      : config_(make_config(with(kDramOnly, more))), requesters_{this} {
    auto dram = std::make_unique<Other>();
    other_ = dram.get();
    channel_ = std::make_unique<WholeChannel>(config_, 0, std::move(dram));
    channel_->attach(kernel_, requesters_, *this);
  }

  void run_to(std::int64_t cycle) { kernel_.run_until(cycle * period()); }
  void run_to(Tick time) { kernel_.run_until(time); }
  Tick period() const { return config_.dram.clock_period(); }
  std::uint64_t send(std::int64_t line, bool write = false) {
    Request request;
    request.id = next_id_++;
    request.address = Address(line * kLineBytes.value());
    request.write = write;
    request.arrival = kernel_.now();
    channel_->send(request, kernel_.now());
    return request.id;
  }

  std::int64_t instructions(std::uint16_t) const override { return 0; }
  void on_admit(const Request& request, Tick now) override {
    EXPECT_EQ(now % period(), Tick(0));
    admitted_[request.id] = now / period();
  }
  void on_complete(const Request& request, Tick now) override {
    EXPECT_EQ(now % period(), Tick(0));
    ended_.push_back({request.id, now / period()});
    if (again_ > 0) {
      --again_;
      send(again_);
    }
  }
  void on_read_data(const Request& request, const LineBytes& bytes) override {
    read_[request.id] = bytes;
  }

  SystemConfig config_;
  Kernel kernel_;
  std::unique_ptr<WholeChannel> channel_;
  Other* other_ = nullptr;
  std::vector<Ended> ended_;
  std::map<std::uint64_t, std::int64_t> admitted_;
  std::map<std::uint64_t, LineBytes> read_;
  int again_ = 0;  // number of answers that are followed by a read

 private:
  std::vector<Requester*> requesters_;
  std::uint64_t next_id_ = 0;
};

TEST(WholeChannel, GivesARequestOnTheNextEdgeAndAnswersItWhenItIsDone) {
  for (const std::int64_t beyond : {0, 1, 700, 1249}) {  // picoseconds of 1250
    SCOPED_TRACE(beyond);
    WholeUnderTest whole;
    const std::int64_t edge = beyond == 0 ? 5 : 6;
    whole.run_to(5 * whole.period() + Tick(beyond));
    whole.send(7);
    EXPECT_FALSE(whole.channel_->idle());
    whole.run_to(100);
    ASSERT_EQ(whole.other_->added.size(), 1u);
    EXPECT_EQ(whole.other_->added[0].cycle, edge);
    EXPECT_EQ(whole.other_->added[0].address, 7u * 64u);
    EXPECT_EQ(whole.admitted_.at(0), edge);
    ASSERT_EQ(whole.ended_.size(), 1u);
    EXPECT_EQ(whole.ended_[0].cycle, edge + kDelay);
    EXPECT_TRUE(whole.channel_->idle());
  }
}

// The other simulator gets row, bank, rank and column, whatever the address map is.
TEST(WholeChannel, SendsRowBankRankAndColumnToTheOtherSimulator) {
  WholeUnderTest whole(
      {{"dram.ranks", "2"}, {"controller.address_map", "bank|row|rank|column|channel"}});
  const DramOrganisation& part = whole.config_.dram.organisation;
  std::vector<std::uint64_t> expected;
  for (const std::int64_t row : {std::int64_t{0}, std::int64_t{5}, part.rows - 1}) {
    for (const std::int64_t bank : {std::int64_t{0}, std::int64_t{3}, part.banks - 1}) {
      for (const std::int64_t rank : {0, 1}) {
        const std::int64_t column = (row + bank + 9) % part.columns;
        whole.send(((bank * part.rows + row) * 2 + rank) * part.columns + column);
        expected.push_back(static_cast<std::uint64_t>(
            (((row * part.banks + bank) * 2 + rank) * part.columns + column) * 64));
      }
    }
  }
  whole.run_to(100);
  ASSERT_EQ(whole.other_->added.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(whole.other_->added[i].address, expected[i]) << i;
  }
  EXPECT_EQ(whole.ended_.size(), expected.size());
}

TEST(WholeChannel, CountsReadsAndWritesApart) {
  WholeUnderTest whole;
  whole.run_to(10);
  whole.send(1, true);
  whole.run_to(13);  // this edge is over
  whole.send(2);
  whole.send(3);
  whole.run_to(15 * whole.period() + Tick(1));  // waits for the next edge
  whole.send(4);
  whole.run_to(100);
  ChannelStatistics& statistics = whole.channel_->statistics();
  EXPECT_EQ(statistics.dram_reads, 3u);
  EXPECT_EQ(statistics.dram_writes, 1u);
  statistics.fold(Tick(whole.period()));
  const Histogram& reads = statistics.dram_read_latency.histogram();
  const Histogram& writes = statistics.dram_write_latency.histogram();
  EXPECT_EQ(reads.count(), 3u);
  EXPECT_EQ(writes.count(), 1u);
  const std::int64_t delay = (kDelay * whole.period()).value();
  EXPECT_DOUBLE_EQ(writes.mean(), static_cast<double>(delay));
  EXPECT_DOUBLE_EQ(reads.mean(), static_cast<double>(3 * delay + 2 * 1250 + 1249) / 3);
}

TEST(WholeChannel, HasTheOtherSimulatorsCountersSinceTheLastReset) {
  WholeUnderTest whole;
  ChannelStatistics& statistics = whole.channel_->statistics();
  const auto expect_counted = [&](Counter requests) {
    EXPECT_EQ(statistics.dram_data_cycles, 4 * requests);
    EXPECT_EQ(statistics.row_hits, 2 * requests);
    EXPECT_EQ(statistics.activates, 3 * requests);
    EXPECT_EQ(statistics.precharges, 4 * requests);
    EXPECT_EQ(statistics.refreshes, 5 * requests);
  };
  for (std::int64_t line = 0; line < 5; ++line) {
    whole.send(line);
  }
  whole.run_to(50);
  expect_counted(5);
  EXPECT_EQ(whole.channel_->elapsed(), Cycle(50));
  whole.channel_->reset_statistics(whole.kernel_.now());
  EXPECT_EQ(statistics.dram_reads, 0u);
  EXPECT_EQ(whole.channel_->elapsed(), Cycle(0));
  whole.send(9);
  whole.run_to(57);
  EXPECT_EQ(whole.channel_->elapsed(), Cycle(7));
  whole.run_to(100);
  expect_counted(1);
  EXPECT_EQ(statistics.dram_reads, 1u);
}

TEST(WholeChannel, RequestsThatAreNotAcceptedWaitInOrder) {
  WholeUnderTest whole;
  whole.other_->room = 2;
  EXPECT_FALSE(whole.channel_->would_wait(MemoryClass::dram));
  for (std::int64_t line = 0; line < 5; ++line) {
    whole.send(line);
  }
  EXPECT_TRUE(whole.channel_->would_wait(MemoryClass::dram));
  whole.run_to(10);
  EXPECT_EQ(whole.admitted_.size(), 2u);
  EXPECT_EQ(whole.channel_->statistics().dram_occupancy.value(), 2);
  whole.run_to(100);
  ASSERT_EQ(whole.ended_.size(), 5u);
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(whole.ended_[i].id, i);
    EXPECT_EQ(whole.admitted_.at(i), kDelay * static_cast<std::int64_t>(i / 2)) << i;
    EXPECT_EQ(whole.ended_[i].cycle, kDelay * static_cast<std::int64_t>(i / 2 + 1)) << i;
  }
  EXPECT_EQ(whole.channel_->statistics().dram_occupancy.value(), 0);
  EXPECT_FALSE(whole.channel_->would_wait(MemoryClass::dram));
}

// A request may have to wait if one kind is not accepted or a line waits.
TEST(WholeChannel, ARequestMayHaveToWaitForEitherKind) {
  WholeUnderTest whole;
  whole.other_->writes = false;
  EXPECT_TRUE(whole.channel_->would_wait(MemoryClass::dram));
  whole.send(0);
  whole.send(1, true);
  whole.send(2);
  whole.run_to(50);
  EXPECT_EQ(whole.other_->added.size(), 1u);
  whole.other_->writes = true;
  whole.other_->reads = false;
  EXPECT_TRUE(whole.channel_->would_wait(MemoryClass::dram));
  whole.run_to(60);
  EXPECT_EQ(whole.other_->added.size(), 2u);
  whole.other_->reads = true;
  EXPECT_TRUE(whole.channel_->would_wait(MemoryClass::dram));
  whole.run_to(100);
  EXPECT_EQ(whole.other_->added.size(), 3u);
  EXPECT_FALSE(whole.channel_->would_wait(MemoryClass::dram));
}

TEST(WholeChannel, RequestsOfACompletionAreTakenOnTheSameEdge) {
  WholeUnderTest whole;
  whole.again_ = 3;
  whole.send(9);
  whole.run_to(100);
  ASSERT_EQ(whole.ended_.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(whole.other_->added[i].cycle, kDelay * static_cast<std::int64_t>(i));
    EXPECT_EQ(whole.ended_[i].cycle, kDelay * static_cast<std::int64_t>(i + 1));
  }
}

// Among equal requests the oldest completes first; reads and writes are distinguished.
TEST(WholeChannel, RequestsToOneLineAreDistinguished) {
  WholeUnderTest whole;
  const std::uint64_t write = whole.send(5, true);
  whole.run_to(3);
  const std::uint64_t first = whole.send(5);
  const std::uint64_t second = whole.send(5);
  whole.run_to(100);
  ASSERT_EQ(whole.ended_.size(), 3u);
  EXPECT_EQ(whole.ended_[0].id, write);
  EXPECT_EQ(whole.ended_[1].id, first);
  EXPECT_EQ(whole.ended_[2].id, second);
  EXPECT_EQ(whole.channel_->statistics().dram_writes, 1u);
  EXPECT_EQ(whole.channel_->statistics().dram_reads, 2u);
}

// An idle channel wakes once per refresh interval and rank; the other simulator then catches up.
TEST(WholeChannel, AtRestItWakesForRefreshesOnly) {
  for (const std::int64_t ranks : {1, 2}) {
    WholeUnderTest whole(Assignments{{"dram.ranks", std::to_string(ranks)}});
    const std::int64_t rest = whole.config_.dram.timing.trefi / ranks;
    whole.run_to(0);
    EXPECT_EQ(whole.other_->cycles, 1);
    for (std::int64_t i = 1; i < 4; ++i) {
      EXPECT_EQ(whole.channel_->next_event(), i * rest * whole.period());
      whole.run_to(i * rest - 1);
      EXPECT_EQ(whole.other_->cycles, (i - 1) * rest + 1);
      whole.run_to(i * rest);
      EXPECT_EQ(whole.other_->cycles, i * rest + 1);
    }
    whole.run_to(3 * rest + 40);
    whole.send(1);
    whole.run_to(3 * rest + 40);
    EXPECT_EQ(whole.other_->cycles, 3 * rest + 41);
    EXPECT_EQ(whole.channel_->next_event(), (3 * rest + 41) * whole.period());
  }
}

TEST(WholeChannel, HoldsBytesIfDataAreStored) {
  WholeUnderTest whole(Assignments{{"system.store_data", "true"}});
  const std::uint64_t before = whole.send(5);
  whole.run_to(50);
  const std::uint64_t write = whole.send(5, true);
  whole.run_to(100);
  const std::uint64_t after = whole.send(5);
  const std::uint64_t other = whole.send(6);
  whole.run_to(150);
  EXPECT_EQ(whole.read_.at(before), LineBytes{});
  EXPECT_NE(whole.read_.at(after), LineBytes{});
  EXPECT_EQ(whole.read_.at(after)[0], write);
  EXPECT_EQ(whole.read_.at(other), LineBytes{});
  EXPECT_EQ(whole.read_.count(write), 0u);
}

TEST(WholeChannel, RejectsCheckpoints) {
  WholeUnderTest whole;
  Archive archive;
  EXPECT_THROW(whole.channel_->serialize(archive), InputError);
}

}  // namespace
}  // namespace hmsim::testing
