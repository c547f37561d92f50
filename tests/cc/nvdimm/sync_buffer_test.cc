// SPDX-License-Identifier: BSD-3-Clause
// Are frames found, listed and given up in the right order, and are saved ones refused that
// contradict each other?
#include "nvdimm/buffer/sync_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

using Keys = std::deque<std::int64_t>;

constexpr std::int64_t kFrames = 8;

BufferParameters of_eight_frames(const char* replacement = "lru") {
  BufferParameters parameters;
  parameters.read_size = kFrames * kPageBytes;
  parameters.write_size = kFrames * kPageBytes;
  parameters.replacement = replacement;
  return parameters;
}

// A part of the buffer beside plain lists of its keys.
class Twice {
 public:
  explicit Twice(const char* replacement, std::uint64_t seed)
      : by_recency_(std::string(replacement) == "lru"),
        parameters_(of_eight_frames(replacement)),
        random_(seed),
        buffer_(std::make_unique<SyncBuffer>(parameters_, Assignments(), unused_)) {}

  void step() {
    const auto key = static_cast<std::int64_t>(random_.below(20));
    const std::uint32_t frame = part().find(key);
    switch (random_.below(6)) {
      case 0:
        if (frame == kNoIndex && waiting_.size() < 3) {
          part().add(key);
          waiting_.push_back(key);
        }
        break;
      case 1:
        admit();
        break;
      case 2:
        use(key);
        break;
      case 3:
        end_use(key);
        break;
      case 4:
        if (in(replaceable_, key) || in(guarded_, key) || pins_.count(key) == 1) {
          expected_unused_ += part()[frame].prefetched ? 1 : 0;
          part().release(frame);
          forget(key);
          pins_.erase(key);
        }
        break;
      default:
        if (random_.below(20) == 0) {
          save_and_load();
        }
    }
  }

  void check() {
    for (std::int64_t key = 0; key < 20; ++key) {
      const std::uint32_t frame = part().find(key);
      const bool held = in(replaceable_, key) || in(guarded_, key) || pins_.count(key) == 1;
      ASSERT_EQ(frame != kNoIndex, held || in(waiting_, key)) << key;
      if (frame != kNoIndex) {
        ASSERT_EQ(part()[frame].key, key);
        ASSERT_EQ(part()[frame].pins, pins_.count(key) == 1 ? pins_[key] : 0u);
        ASSERT_EQ(part()[frame].listing, in(replaceable_, key) ? FrameListing::replaceable
                                         : in(guarded_, key)   ? FrameListing::guarded
                                                               : FrameListing::none);
      }
    }
    const std::size_t held = replaceable_.size() + guarded_.size() + pins_.size();
    ASSERT_EQ(part().free(), kFrames - held);
    ASSERT_EQ(part().full(), held == kFrames);
    ASSERT_EQ(part().capacity(), std::uint64_t{kFrames});
    ASSERT_EQ(part().waiting(), waiting_.size());
    ASSERT_EQ(part().replaceable(), replaceable_.size());
    ASSERT_EQ(unused_, expected_unused_);
    Keys listed;
    for (std::uint32_t frame = part().victim(); frame != kNoIndex; frame = part().after(frame)) {
      listed.push_back(part()[frame].key);
    }
    Keys expected = replaceable_;
    if (!by_recency_ && listed.size() >= expected.size()) {  // the policy's order
      std::sort(expected.begin(), expected.end());
      std::sort(listed.begin(), listed.begin() + static_cast<std::ptrdiff_t>(expected.size()));
    }
    expected.insert(expected.end(), guarded_.begin(), guarded_.end());
    ASSERT_EQ(listed, expected);
  }

 private:
  BufferPart& part() { return buffer_->write; }
  static bool in(const Keys& keys, std::int64_t key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }
  void forget(std::int64_t key) {
    for (Keys* keys : {&replaceable_, &guarded_}) {
      keys->erase(std::remove(keys->begin(), keys->end(), key), keys->end());
    }
  }
  // The first that waits gets a frame, and is used.
  void admit() {
    if (waiting_.empty() || part().full()) {
      return;
    }
    const std::uint32_t frame = part().admit();
    ASSERT_EQ(part()[frame].key, waiting_.front());
    part()[frame].state = FrameState::dirty;
    part()[frame].prefetched = random_.below(4) == 0;
    part().pin(frame);
    pins_[waiting_.front()] = 1;
    waiting_.pop_front();
  }
  void use(std::int64_t key) {
    if (in(replaceable_, key) || in(guarded_, key) || pins_.count(key) == 1) {
      part().pin(part().find(key));
      forget(key);
      ++pins_[key];
    }
  }
  void end_use(std::int64_t key) {
    if (pins_.count(key) == 0) {
      return;
    }
    const std::uint32_t frame = part().find(key);
    --part()[frame].pins;
    if (--pins_[key] == 0) {
      pins_.erase(key);
      const bool guard = random_.below(3) == 0;
      part().list(frame, guard);
      (guard ? guarded_ : replaceable_).push_back(key);
    }
  }
  void save_and_load() {
    Archive saved;
    buffer_->serialize(saved);
    buffer_ = std::make_unique<SyncBuffer>(parameters_, Assignments(), unused_);
    buffer_->write.add(3);
    buffer_->write.admit();
    Archive archive(saved.bytes());
    buffer_->serialize(archive);
    ASSERT_TRUE(archive.at_end());
  }

  const bool by_recency_;
  const BufferParameters parameters_;
  Random random_;
  Counter unused_ = 0;
  Counter expected_unused_ = 0;
  std::unique_ptr<SyncBuffer> buffer_;
  Keys waiting_;
  Keys replaceable_;
  Keys guarded_;
  std::map<std::int64_t, std::uint32_t> pins_;  // by key
};

TEST(SyncBuffer, FramesAreGivenUpInTheOrderOfTheirListingGuardedOnesLast) {
  for (const char* const replacement : {"lru", "lirs"}) {
    Twice twice(replacement, 3);
    for (int i = 0; i < 4'000; ++i) {
      ASSERT_NO_FATAL_FAILURE(twice.step());
      ASSERT_NO_FATAL_FAILURE(twice.check()) << replacement << ", step " << i;
    }
  }
}

// Records 0 .. 2 are replaceable, 3 and 4 guarded, 5 is used, 6 free; 7 and 8 wait.
class SavedFrames : public ::testing::Test {
 protected:
  // Words of a record that its part compares with its lists.
  enum Field : std::size_t { key = 0, previous = 4, next = 5, state = 8, listing = 9, words = 14 };

  static constexpr std::size_t kRecords = 9;
  static constexpr std::size_t kFree = 2 + kRecords * words;  // how many, and the one
  static constexpr std::size_t kReplaceable = kFree + 2;      // first, last, how many
  static constexpr std::size_t kGuarded = kReplaceable + 3;
  static constexpr std::size_t kWaiting = kGuarded + 3;  // places, the first of them, how many
  static constexpr std::size_t kPlaces = 16;
  static constexpr std::size_t kEnd = kWaiting + 1 + kPlaces + 2;

  SavedFrames() : state_(saved("lru", 3)) {}

  // So many of the first three records are replaceable.
  static std::string saved(const char* replacement, std::uint32_t replaceable) {
    Counter unused = 0;
    SyncBuffer buffer(of_eight_frames(replacement), Assignments(), unused);
    BufferPart& part = buffer.read;
    for (std::size_t i = 0; i < kRecords; ++i) {
      part.add(static_cast<std::int64_t>(10 + i));
    }
    for (std::uint32_t frame = 0; frame < 7; ++frame) {
      part[part.admit()].state = FrameState::clean;
      if (frame < replaceable || frame == 3 || frame == 4) {
        part.list(frame, frame >= 3);
      }
    }
    part.release(6);
    Archive archive;
    part.serialize(archive);
    return archive.bytes();
  }
  static bool taken(const std::string& state, const char* replacement = "lru") {
    Counter unused = 0;
    SyncBuffer buffer(of_eight_frames(replacement), Assignments(), unused);
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

// What the replacement policy has is what is listed.
TEST_F(SavedFrames, AreRefusedThatTheirPolicyDoesNotHave) {
  const std::string three = saved("lirs", 3);
  const std::string two = saved("lirs", 2);
  EXPECT_TRUE(taken(three, "lirs"));
  EXPECT_TRUE(taken(two, "lirs"));
  const std::size_t own = kEnd * testing::kWordBytes;
  ASSERT_GT(three.size(), own);
  EXPECT_FALSE(taken(three.substr(0, own) + two.substr(own), "lirs"));
  EXPECT_FALSE(taken(two.substr(0, own) + three.substr(own), "lirs"));
}

// Of pages and of items.
TEST(SyncBuffer, KeysAndLinesOfAddresses) {
  Counter unused = 0;
  for (const BufferGranularity granularity : {BufferGranularity::page, BufferGranularity::item}) {
    const bool items = granularity == BufferGranularity::item;
    BufferParameters parameters = of_eight_frames();
    parameters.granularity = granularity;
    parameters.write_size = 3 * kPageBytes;
    const SyncBuffer buffer(parameters, Assignments(), unused);
    EXPECT_EQ(buffer.items(), items);
    EXPECT_EQ(buffer.read.capacity(), items ? 512u : 8u);
    EXPECT_EQ(buffer.write.capacity(), items ? 192u : 3u);
    EXPECT_EQ(buffer.all_lines(), items ? 1 : ~std::uint64_t{0});
    for (const std::int64_t line : {0, 1, 63, 64, 130, 6'399}) {
      const Address address(line * kLineBytes.value() + 17);
      EXPECT_EQ(buffer.key_of(address), items ? line : line / 64);
      EXPECT_EQ(buffer.line_of(address), items ? 1 : std::uint64_t{1} << (line % 64));
      EXPECT_EQ(buffer.page_of(buffer.key_of(address)), LogicalPage(line / 64));
      Frame frame;
      frame.key = buffer.key_of(address);
      frame.valid = items ? 1 : 0xF0F;
      EXPECT_EQ(buffer.page_lines(frame), items ? std::uint64_t{1} << (line % 64) : 0xF0F);
    }
  }
}

}  // namespace
}  // namespace hmsim
