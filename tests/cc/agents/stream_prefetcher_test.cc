// SPDX-License-Identifier: BSD-3-Clause
// A core's stream prefetcher in isolation.
#include "agents/core/stream_prefetcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "agents/core/stream_detector.h"
#include "core/random.h"

namespace hmsim {
namespace {

using Lines = std::vector<std::int64_t>;

PrefetchParameters parameters(std::int64_t degree, std::int64_t distance) {
  PrefetchParameters values;
  values.degree = degree;
  values.distance = distance;
  return values;
}

Lines asked_by(StreamDetector& detector, std::uint64_t page, std::int64_t line) {
  Lines asked;
  detector.miss(page, line, [&](std::int64_t next) {
    asked.push_back(next);
    return true;
  });
  return asked;
}

TEST(StreamDetector, AStreamRequestsItsNextLines) {
  for (const std::int64_t step : {1, -1}) {
    StreamDetector detector(parameters(2, 5));
    const auto at = [step](std::int64_t line) { return 30 + step * line; };
    EXPECT_EQ(asked_by(detector, 7, at(0)), Lines());
    EXPECT_EQ(asked_by(detector, 7, at(1)), Lines());
    EXPECT_EQ(asked_by(detector, 7, at(2)), (Lines{at(3), at(4)}));
    EXPECT_EQ(asked_by(detector, 7, at(3)), (Lines{at(5), at(6)}));
    EXPECT_EQ(asked_by(detector, 7, at(4)), (Lines{at(7), at(8)}));
    EXPECT_EQ(asked_by(detector, 7, at(5)), (Lines{at(9), at(10)}));
    EXPECT_EQ(asked_by(detector, 7, at(6)), Lines{at(11)});  // 5 lines ahead
    EXPECT_EQ(asked_by(detector, 7, at(9)), (Lines{at(12), at(13)}));
    EXPECT_EQ(asked_by(detector, 7, at(9)), Lines());
    EXPECT_EQ(asked_by(detector, 7, at(20)), Lines());  // not prefetched: a new run
    EXPECT_EQ(asked_by(detector, 8, at(21)), Lines());
    EXPECT_EQ(asked_by(detector, 7, at(21)), Lines());
    EXPECT_EQ(asked_by(detector, 7, at(22)), (Lines{at(23), at(24)}));
  }
}

TEST(StreamDetector, RejectedLinesAreRequestedAgain) {
  StreamDetector detector(parameters(4, 20));
  asked_by(detector, 1, 0);
  asked_by(detector, 1, 1);
  detector.miss(1, 2, [](std::int64_t line) { return line < 4; });
  EXPECT_EQ(asked_by(detector, 1, 3), (Lines{4, 5, 6, 7}));
}

TEST(StreamDetector, ThePageUsedLongestAgoIsForgotten) {
  PrefetchParameters two = parameters(1, 9);
  two.streams = 2;
  StreamDetector detector(two);
  for (const std::uint64_t page : {1, 2}) {
    asked_by(detector, page, 0);
    asked_by(detector, page, 1);
  }
  asked_by(detector, 1, 1);
  asked_by(detector, 3, 0);
  EXPECT_EQ(asked_by(detector, 1, 2), Lines{3});
  EXPECT_EQ(asked_by(detector, 2, 2), Lines());
}

// For any misses: at most `degree` lines, in the direction of the last `training` misses or of a
// stream that they continue, each beyond the previous one, within the distance and the page.
TEST(StreamDetector, RequestsNoOtherLines) {
  Random random(5);
  std::uint64_t asked = 0;
  for (int round = 0; round < 300; ++round) {
    PrefetchParameters values = parameters(1 + static_cast<std::int64_t>(random.below(6)),
                                           1 + static_cast<std::int64_t>(random.below(63)));
    values.training = 2 + static_cast<std::int64_t>(random.below(4));
    StreamDetector detector(values);
    std::int64_t line = 0;
    for (int i = 0; i < 400; ++i) {
      line = random.below(12) == 0
                 ? static_cast<std::int64_t>(random.below(64))
                 : std::clamp<std::int64_t>(line + (round % 2 == 0 ? 1 : -1), 0, 63);
      const Lines lines = asked_by(detector, 3, line);
      asked += lines.size();
      ASSERT_LE(static_cast<std::int64_t>(lines.size()), values.degree);
      for (std::size_t k = 0; k < lines.size(); ++k) {
        ASSERT_GE(lines[k], 0);
        ASSERT_LE(lines[k], 63);
        ASSERT_LE(std::abs(lines[k] - line), values.distance);
        ASSERT_EQ(lines[k] - lines[0], (lines.back() < line ? -1 : 1) * static_cast<int>(k));
      }
    }
  }
  EXPECT_GT(asked, 10'000U);
}

struct Read {
  MemoryClass memory;
  Address address;
  std::uint32_t buffer;
};

std::vector<Read> reads_of(StreamPrefetcher& prefetcher, MemoryClass memory, std::int64_t line) {
  std::vector<Read> reads;
  prefetcher.follow(memory, Address(line * 64), [&](Address address, std::uint32_t buffer) {
    reads.push_back({memory, address, buffer});
  });
  return reads;
}

TEST(StreamPrefetcher, ALineIsTakenOnce) {
  StreamPrefetcher prefetcher(parameters(2, 2));
  std::vector<Read> reads;
  for (std::int64_t line = 0; line < 3; ++line) {
    EXPECT_TRUE(reads.empty());
    reads = reads_of(prefetcher, MemoryClass::nvdimm, line);
  }
  ASSERT_EQ(reads.size(), 2U);
  using Line = StreamPrefetcher::Line;
  EXPECT_EQ(prefetcher.take(MemoryClass::dram, Address(3 * 64), 1), Line::absent);
  EXPECT_EQ(prefetcher.take(MemoryClass::nvdimm, Address(3 * 64), 5), Line::coming);
  EXPECT_EQ(prefetcher.take(MemoryClass::nvdimm, Address(3 * 64), 6), Line::absent);
  EXPECT_EQ(prefetcher.arrived(reads[0].buffer, Tick(0)), std::optional<std::uint32_t>(5));
  EXPECT_EQ(prefetcher.arrived(reads[1].buffer, Tick(0)), std::nullopt);
  EXPECT_EQ(prefetcher.take(MemoryClass::nvdimm, Address(4 * 64 + 8), 7), Line::here);
  EXPECT_EQ(prefetcher.take(MemoryClass::nvdimm, Address(4 * 64), 8), Line::absent);
}

TEST(StreamPrefetcher, AStoreGivesUpItsLine) {
  StreamPrefetcher prefetcher(parameters(2, 2));
  std::vector<Read> reads;
  for (std::int64_t line = 10; line > 7; --line) {
    reads = reads_of(prefetcher, MemoryClass::dram, line);
  }
  ASSERT_EQ(reads.size(), 2U);
  prefetcher.arrived(reads[0].buffer, Tick(0));
  prefetcher.overwrite(MemoryClass::dram, reads[0].address);
  prefetcher.overwrite(MemoryClass::dram, reads[1].address);
  EXPECT_EQ(prefetcher.arrived(reads[1].buffer, Tick(0)), std::nullopt);
  for (const Read& read : reads) {
    EXPECT_EQ(prefetcher.take(MemoryClass::dram, read.address, 1), StreamPrefetcher::Line::absent);
  }
}

TEST(StreamPrefetcher, LinesInFlightAreBoundByItsMshrs) {
  PrefetchParameters few = parameters(8, 20);
  few.mshrs = 3;
  StreamPrefetcher prefetcher(few);
  std::vector<Read> reads;
  for (std::int64_t line = 0; line < 3; ++line) {
    reads = reads_of(prefetcher, MemoryClass::dram, line);
  }
  ASSERT_EQ(reads.size(), 3U);
  EXPECT_EQ(prefetcher.take(MemoryClass::dram, reads[0].address, 1),
            StreamPrefetcher::Line::coming);
  EXPECT_TRUE(reads_of(prefetcher, MemoryClass::dram, 3).empty());
  prefetcher.arrived(reads[0].buffer, Tick(0));
  EXPECT_EQ(reads_of(prefetcher, MemoryClass::dram, 4).size(), 1U);
}

// When all buffers hold lines in flight, no other line is accepted; after that the line that
// arrived first is replaced.
TEST(StreamPrefetcher, BuffersAreReusedInTheOrderOfArrival) {
  PrefetchParameters few = parameters(4, 20);
  few.buffers = 2;
  StreamPrefetcher prefetcher(few);
  std::vector<Read> reads;
  for (std::int64_t line = 0; line < 3; ++line) {
    reads = reads_of(prefetcher, MemoryClass::dram, line);
  }
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_TRUE(reads_of(prefetcher, MemoryClass::dram, 3).empty());
  prefetcher.arrived(reads[1].buffer, Tick(0));
  prefetcher.arrived(reads[0].buffer, Tick(0));
  std::vector<Read> next;
  const auto follow = [&](std::int64_t line) {
    for (const Read& read : reads_of(prefetcher, MemoryClass::dram, line)) {
      next.push_back(read);
    }
  };
  follow(4);
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ(next[0].buffer, reads[1].buffer);
  EXPECT_EQ(next[1].buffer, reads[0].buffer);
  EXPECT_EQ(next[0].address, Address(5 * 64));
}

}  // namespace
}  // namespace hmsim
