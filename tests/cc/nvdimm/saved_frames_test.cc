// SPDX-License-Identifier: BSD-3-Clause
// Are saved frames of the buffer refused that contradict each other?
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "nvdimm/buffer/frame_bytes.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

using Numbers = std::set<std::uint32_t>;

BufferParameters of_frames(std::int64_t frames, const char* replacement) {
  BufferParameters parameters;
  parameters.read_size = frames * kPageBytes;
  parameters.write_size = frames * kPageBytes;
  parameters.replacement = replacement;
  return parameters;
}

// Records 0 .. 2 are replaceable, 3 and 4 guarded, 5 is used, 6 free; 7 and 8 wait.
class SavedFrames : public ::testing::Test {
 protected:
  // Words of a record that its part compares with its lists.
  enum Field : std::size_t { key = 0, previous = 4, next = 5, state = 8, listing = 9, words = 13 };

  static constexpr std::size_t kRecords = 9;
  static constexpr std::size_t kFree = 2 + kRecords * words;  // how many, and the one
  static constexpr std::size_t kReplaceable = kFree + 2;      // first, last, how many
  static constexpr std::size_t kGuarded = kReplaceable + 3;
  static constexpr std::size_t kWaiting = kGuarded + 3;  // places, the first of them, how many
  static constexpr std::size_t kPlaces = 16;
  static constexpr std::size_t kEnd = kWaiting + 1 + kPlaces + 2;

  SavedFrames() : state_(saved("lru", {0, 1, 2})) {}

  // These are replaceable.
  static std::string saved(const char* replacement, const Numbers& replaceable) {
    Counter unused = 0;
    SyncBuffer buffer(of_frames(8, replacement), Assignments(), unused);
    BufferPart& part = buffer.read;
    for (std::size_t i = 0; i < kRecords; ++i) {
      part.add(static_cast<std::int64_t>(10 + i));
    }
    for (std::uint32_t frame = 0; frame < 7; ++frame) {
      part[part.admit()].state = FrameState::clean;
      if (replaceable.count(frame) == 1 || frame == 3 || frame == 4) {
        part.list(frame, frame >= 3);
      }
    }
    part.release(6);
    Archive archive;
    part.serialize(archive);
    return archive.bytes();
  }
  static bool taken(const std::string& state, const char* replacement = "lru",
                    std::int64_t frames = 8) {
    Counter unused = 0;
    SyncBuffer buffer(of_frames(frames, replacement), Assignments(), unused);
    return testing::takes_all_of(state, buffer.read);
  }
  std::uint64_t word(std::size_t number) const {
    return testing::word_at(state_, number * testing::kWordBytes);
  }
  std::string with(std::size_t number, std::uint64_t other) const {
    return testing::with_word(state_, number * testing::kWordBytes, other);
  }
  static std::size_t of_record(std::size_t record, Field field) {
    return 2 + record * words + field;
  }
  void expect_refused(std::size_t number, const std::vector<std::uint64_t>& others) const {
    for (const std::uint64_t other : others) {
      if (other != word(number)) {
        EXPECT_FALSE(taken(with(number, other))) << "word " << number << ": " << other;
      }
    }
  }
  // Whatever else the word is.
  void expect_refused(std::size_t number) const {
    expect_refused(number, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, word(number) + 1, word(number) - 1,
                            std::uint64_t{1} << 31, std::uint64_t{kNoIndex}});
  }

  std::string state_;
};

TEST_F(SavedFrames, AreTaken) {
  EXPECT_EQ(state_.size(), kEnd * testing::kWordBytes);
  EXPECT_TRUE(taken(state_));
  EXPECT_EQ(word(1), kRecords);
  EXPECT_EQ(word(kFree), 1u);
  EXPECT_EQ(word(kReplaceable + 2), 3u);
  EXPECT_EQ(word(kGuarded), 3u);
  EXPECT_EQ(word(kWaiting), kPlaces);
}

TEST_F(SavedFrames, AreRefusedThatAreCountedWrong) {
  expect_refused(0);
  expect_refused(kFree);
  expect_refused(kFree + 1);
  EXPECT_FALSE(taken(with(of_record(5, state), static_cast<std::uint64_t>(FrameState::free))));
}

TEST_F(SavedFrames, AreRefusedInOtherLists) {
  for (const std::size_t list : {kReplaceable, kGuarded}) {
    for (std::size_t field = 0; field < 3; ++field) {
      expect_refused(list + field);
    }
  }
  for (std::size_t record = 0; record < kRecords; ++record) {
    expect_refused(of_record(record, listing));
    if (record < 5) {
      expect_refused(of_record(record, previous));
      expect_refused(of_record(record, next));
    }
  }
}

TEST_F(SavedFrames, AreRefusedThatWaitAndDoNot) {
  constexpr auto kFreeState = static_cast<std::uint64_t>(FrameState::free);
  constexpr auto kWaitingState = static_cast<std::uint64_t>(FrameState::waiting);
  for (std::size_t record = 0; record < kRecords; ++record) {
    expect_refused(of_record(record, state), {kFreeState, kWaitingState});
    if (record >= 6) {
      expect_refused(of_record(record, state));
    }
  }
  ASSERT_EQ(word(kWaiting + 1 + 7), 7u);
  ASSERT_EQ(word(kWaiting + 1 + 8), 8u);
  for (const std::size_t place : {std::size_t{7}, std::size_t{8}, kPlaces, kPlaces + 1}) {
    expect_refused(kWaiting + 1 + place);
  }
}

TEST_F(SavedFrames, AreRefusedThatHoldTheSamePage) {
  for (const std::size_t record : {0, 5, 8}) {
    for (std::uint64_t other = 10; other < 10 + kRecords; ++other) {
      if (other != word(of_record(record, key))) {
        EXPECT_EQ(taken(with(of_record(record, key), other)), other == 16) << "record 6 is free";
      }
    }
  }
}

// Six frames are in use.
TEST_F(SavedFrames, AreRefusedOfALargerBuffer) {
  EXPECT_TRUE(taken(state_, "lru", 6));
  EXPECT_FALSE(taken(state_, "lru", 5));
}

// The first of all records, which is free, and of which nobody says that it waits.
TEST_F(SavedFrames, AreRefusedThatAreFreeAndWait) {
  Counter unused = 0;
  SyncBuffer buffer(of_frames(8, "lru"), Assignments(), unused);
  buffer.read.add(10);
  buffer.read.release(buffer.read.admit());
  Archive archive;
  buffer.read.serialize(archive);
  EXPECT_TRUE(taken(archive.bytes()));
  state_ = archive.bytes();
  expect_refused(of_record(0, state));
}

// What the replacement policy has is what is listed.
TEST_F(SavedFrames, AreRefusedThatTheirPolicyDoesNotHave) {
  const std::size_t own = kEnd * testing::kWordBytes;
  for (const Numbers& one : {Numbers{0, 1, 2}, Numbers{0, 1}, Numbers{0, 2}}) {
    for (const Numbers& other : {Numbers{0, 1, 2}, Numbers{0, 1}, Numbers{0, 2}}) {
      const std::string of_buffer = saved("lirs", one).substr(0, own);
      const std::string of_policy = saved("lirs", other).substr(own);
      EXPECT_EQ(taken(of_buffer + of_policy, "lirs"), one == other);
    }
  }
}

// In data mode a frame holds all of its bytes, or none yet.
TEST(FrameBytes, AreWholeOrNone) {
  const LineBytes line{{1, 2, 3}};
  for (const BufferGranularity own : {BufferGranularity::page, BufferGranularity::item}) {
    FrameBytes bytes(own);
    EXPECT_FALSE(bytes.holds(0));
    bytes.write(3, 7, line.data());
    for (std::uint32_t frame = 0; frame < 6; ++frame) {
      EXPECT_EQ(bytes.holds(frame), frame == 3) << frame;
    }
    EXPECT_EQ(bytes.read(3, 7), line);
    Archive saved;
    bytes.serialize(saved);
    for (const BufferGranularity other : {BufferGranularity::page, BufferGranularity::item}) {
      FrameBytes loaded(other);
      EXPECT_EQ(testing::takes_all_of(saved.bytes(), loaded), own == other);
      EXPECT_TRUE(own != other || loaded.read(3, 7) == line);
    }
  }
}

}  // namespace
}  // namespace hmsim
