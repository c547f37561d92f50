// SPDX-License-Identifier: BSD-3-Clause
// Are frames found, listed and given up in the right order?
#include "nvdimm/buffer/sync_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "core/random.h"

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

// A part of the buffer next to plain lists of its keys.
class Twice {
 public:
  explicit Twice(const char* replacement, std::uint64_t seed)
      : by_recency_(std::string(replacement) == "lru"),
        parameters_(of_eight_frames(replacement)),
        random_(seed),
        buffer_(std::make_unique<SyncBuffer>(parameters_, Assignments())) {}

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
        if (holds(key)) {
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
      ASSERT_EQ(frame != kNoIndex, holds(key) || in(waiting_, key)) << key;
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
    ASSERT_EQ(buffer_->statistics().prefetch_unused, expected_unused_);
    Keys listed;
    for (std::uint32_t frame = part().victim(); frame != kNoIndex; frame = part().after(frame)) {
      listed.push_back(part()[frame].key);
    }
    Keys expected = replaceable_;
    if (!by_recency_ && listed.size() >= expected.size()) {  // in the policy's order
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
  bool holds(std::int64_t key) const {
    return in(replaceable_, key) || in(guarded_, key) || pins_.count(key) == 1;
  }
  void forget(std::int64_t key) {
    for (Keys* keys : {&replaceable_, &guarded_}) {
      keys->erase(std::remove(keys->begin(), keys->end(), key), keys->end());
    }
  }
  // Gives a frame to the first waiting key, which then uses it.
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
    if (holds(key)) {
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
    const Counter unused = buffer_->statistics().prefetch_unused;
    buffer_ = std::make_unique<SyncBuffer>(parameters_, Assignments());
    buffer_->statistics().prefetch_unused = unused;
    buffer_->write.add(3);
    buffer_->write.admit();
    const std::int64_t key =
        random_.below(2) == 0 ? 3 : static_cast<std::int64_t>(random_.below(20));
    EXPECT_EQ(part().find(key) != kNoIndex, key == 3);
    Archive archive(saved.bytes());
    buffer_->serialize(archive);
    ASSERT_TRUE(archive.at_end());
    ASSERT_EQ(part().find(key) != kNoIndex, holds(key) || in(waiting_, key));
  }

  const bool by_recency_;
  const BufferParameters parameters_;
  Random random_;
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

// A frame of the read part that has lost its last line is free, unless a command uses it or a flash
// read for it is pending.
TEST(SyncBuffer, AWrittenLineLeavesTheReadPart) {
  struct Case {
    FrameState state;
    std::uint32_t pins;
    bool fetching;
    std::uint64_t valid;
    bool stays;
  };
  for (const Case& each :
       {Case{FrameState::clean, 0, false, 2, false}, Case{FrameState::clean, 0, false, 3, true},
        Case{FrameState::clean, 1, false, 2, true}, Case{FrameState::clean, 0, true, 2, true},
        Case{FrameState::filling, 0, false, 2, true}}) {
    SyncBuffer buffer(of_eight_frames(), Assignments());
    buffer.read.add(5);
    const std::uint32_t number = buffer.read.admit();
    Frame& frame = buffer.read[number];
    frame.state = each.state;
    frame.pins = each.pins;
    frame.fetching = each.fetching;
    frame.valid = each.valid;
    frame.expected = 6;
    buffer.drop_from_read(4, 2);
    EXPECT_EQ(buffer.read.find(5), number);
    buffer.drop_from_read(5, 2);
    ASSERT_EQ(buffer.read.find(5) != kNoIndex, each.stays);
    EXPECT_EQ(buffer.read.free(), each.stays ? 7u : 8u);
    if (each.stays) {
      EXPECT_EQ(frame.valid, each.valid & ~std::uint64_t{2});
      EXPECT_EQ(frame.expected, 4u);
    }
  }
}

// Covers pages and items.
TEST(SyncBuffer, KeysAndLinesOfAddresses) {
  for (const BufferGranularity granularity : {BufferGranularity::page, BufferGranularity::item}) {
    const bool items = granularity == BufferGranularity::item;
    BufferParameters parameters = of_eight_frames();
    parameters.granularity = granularity;
    parameters.write_size = 3 * kPageBytes;
    const SyncBuffer buffer(parameters, Assignments());
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
