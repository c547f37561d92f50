// SPDX-License-Identifier: BSD-3-Clause
// Do posted writes keep what each line was written with, in order, and are saved ones refused that
// contradict each other?
#include "nvdimm/buffer/posted_writes.h"

#include <gtest/gtest.h>

#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

constexpr std::uint32_t kFirst = 20;
constexpr std::uint32_t kEntries = 9;
constexpr std::int64_t kLines = 5;

struct Write {
  std::uint32_t tag;
  LineData data;
};

// Posted writes beside a queue of them for each line.
class Twice {
 public:
  explicit Twice(std::uint64_t seed) : random_(seed), posted_(kFirst, kEntries, true) {}

  void step() {
    switch (random_.below(8)) {
      case 0:
        discard();
        break;
      case 1:
        save_and_load();
        break;
      case 2:
      case 3:
      case 4:
        remove();
        break;
      default:
        add();
    }
  }

  void check() const {
    std::size_t size = 0;
    std::set<std::int64_t> lines;
    std::set<std::uint32_t> tags;
    for (std::int64_t line = 0; line < kLines; ++line) {
      const auto found = queues_.find(line);
      LineBytes expected = background(line);
      LineBytes bytes = expected;
      posted_.apply(line, bytes);
      if (found == queues_.end()) {
        ASSERT_EQ(posted_.latest(line), kNoIndex);
        ASSERT_EQ(bytes, expected);
        continue;
      }
      lines.insert(line);
      size += found->second.size();
      ASSERT_EQ(posted_.latest(line), found->second.back().tag);
      for (const Write& write : found->second) {
        tags.insert(write.tag);
        ASSERT_EQ(posted_.line(write.tag), line);
        ASSERT_EQ(posted_.data(write.tag).bytes, write.data.bytes);
        ASSERT_EQ(posted_.data(write.tag).mask, write.data.mask);
        write.data.apply_to(expected);
      }
      ASSERT_EQ(bytes, expected);
    }
    ASSERT_EQ(tags.size(), size) << "each has a tag of its own";
    for (std::uint32_t tag = kFirst; tag < kFirst + kEntries; ++tag) {
      ASSERT_TRUE(posted_.owns(tag));
      ASSERT_EQ(posted_.uses(tag), tags.count(tag) == 1);
    }
    ASSERT_EQ(posted_.size(), size);
    ASSERT_EQ(posted_.empty(), size == 0);
    ASSERT_EQ(posted_.full(), size == kEntries);
    std::multiset<std::int64_t> seen;
    posted_.each_line([&](std::int64_t line) { seen.insert(line); });
    ASSERT_EQ(seen, std::multiset<std::int64_t>(lines.begin(), lines.end()));
  }
  bool full() const { return posted_.full(); }

 private:
  static LineBytes background(std::int64_t line) {
    LineBytes bytes;
    bytes.fill(static_cast<std::uint8_t>(line + 1));
    return bytes;
  }
  void add() {
    if (posted_.full()) {
      return;
    }
    LineData data;
    data.bytes.fill(static_cast<std::uint8_t>(random_.next()));
    data.mask = random_.next();
    const auto line = static_cast<std::int64_t>(random_.below(kLines));
    const std::uint32_t tag = posted_.add(line, data);
    ASSERT_TRUE(posted_.readers(tag).empty());
    posted_.readers(tag).first = tag;  // whoever has it next has no readers
    queues_[line].push_back({tag, data});
  }
  void remove() {
    if (queues_.empty()) {
      return;
    }
    const auto which =
        std::next(queues_.begin(), static_cast<std::ptrdiff_t>(random_.below(queues_.size())));
    posted_.remove(which->second.front().tag);
    which->second.pop_front();
    if (which->second.empty()) {
      queues_.erase(which);
    }
  }
  void discard() {
    const auto first = static_cast<std::int64_t>(random_.below(kLines));
    const std::int64_t end = first + static_cast<std::int64_t>(random_.below(3));
    posted_.discard(first, end);
    for (auto& [line, queue] : queues_) {
      for (Write& write : queue) {
        write.data.mask = first <= line && line < end ? 0 : write.data.mask;
      }
    }
  }
  void save_and_load() {
    Archive saved;
    posted_.serialize(saved);
    posted_ = PostedWrites(kFirst, kEntries, true);
    posted_.add(0, LineData());
    Archive archive(saved.bytes());
    posted_.serialize(archive);
    EXPECT_TRUE(archive.at_end());
  }

  Random random_;
  PostedWrites posted_;
  std::map<std::int64_t, std::deque<Write>> queues_;
};

TEST(PostedWrites, EachLineKeepsItsWritesInOrder) {
  Twice twice(4);
  int full = 0;
  for (int i = 0; i < 4'000; ++i) {
    twice.step();
    ASSERT_NO_FATAL_FAILURE(twice.check()) << "step " << i;
    full += twice.full() ? 1 : 0;
  }
  EXPECT_GT(full, 100);
}

TEST(PostedWrites, TheHostsTagsAreNotTheirs) {
  const PostedWrites posted(kFirst, kEntries, false);
  EXPECT_FALSE(posted.owns(0));
  EXPECT_FALSE(posted.owns(kFirst - 1));
  EXPECT_TRUE(posted.owns(kFirst));
}

// Two writes of line 7, one of line 9, and one place that is free, in this order.
class SavedPosted : public ::testing::Test {
 protected:
  enum Field : std::size_t { line, older, newer, used = 5, words };

  SavedPosted() {
    PostedWrites posted(kFirst, 4, false);
    posted.add(7, LineData());
    posted.add(7, LineData());
    posted.add(9, LineData());
    Archive archive;
    posted.serialize(archive);
    state_ = archive.bytes();
  }
  static bool taken(const std::string& state) {
    PostedWrites posted(kFirst, 4, false);
    return testing::takes_all_of(state, posted);
  }
  std::size_t at(std::size_t entry, std::size_t field) const {
    return kEntriesAt + (entry * words + field) * testing::kWordBytes;
  }
  // All that a word may be turned into is refused.
  void expect_refused(std::size_t at, const char* what) const {
    const std::uint64_t word = testing::word_at(state_, at);
    for (const std::uint64_t other :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{9},
          word - 1, word + 1, std::uint64_t{kFirst} - 1, std::uint64_t{kFirst},
          std::uint64_t{kFirst} + 1, std::uint64_t{kFirst} + 2, std::uint64_t{kFirst} + 3,
          std::uint64_t{kFirst} + 4, std::uint64_t{kNoIndex}}) {
      if (other != word) {
        EXPECT_FALSE(taken(testing::with_word(state_, at, other))) << what << ": " << other;
      }
    }
  }

  static constexpr std::size_t kEntriesAt = 2 * testing::kWordBytes + 13;  // posted writes
  std::string state_;
};

TEST_F(SavedPosted, AreTaken) {
  EXPECT_TRUE(taken(state_));
  ASSERT_EQ(testing::word_at(state_, at(0, line)), 7u);
  ASSERT_EQ(testing::word_at(state_, at(1, older)), kFirst);
  ASSERT_EQ(testing::word_at(state_, at(0, newer)), kFirst + 1);
  ASSERT_EQ(testing::word_at(state_, at(2, line)), 9u);
  ASSERT_EQ(testing::word_at(state_, at(2, used)), 1u);
  ASSERT_EQ(testing::word_at(state_, at(3, used)), 0u);
}

TEST_F(SavedPosted, AreRefusedInAnotherOrder) {
  for (const std::size_t entry : {0, 1, 2}) {
    expect_refused(at(entry, older), "the one before");
    expect_refused(at(entry, newer), "the one behind");
  }
}

TEST_F(SavedPosted, AreRefusedOfTwoLinesOrTwiceOfOne) {
  expect_refused(at(0, line), "the line of the first");
  expect_refused(at(1, line), "the line of the second");
  EXPECT_FALSE(taken(testing::with_word(state_, at(2, line), 7)));
  EXPECT_TRUE(taken(testing::with_word(state_, at(2, line), 8))) << "a line of its own";
}

TEST_F(SavedPosted, AreRefusedThatAreFreeOrNotCounted) {
  for (const std::size_t entry : {0, 1, 2, 3}) {
    expect_refused(at(entry, used), "used");
  }
  const std::size_t free = at(4, 0) + testing::kWordBytes;  // behind no data
  ASSERT_EQ(testing::word_at(state_, free), 1u);
  expect_refused(free, "how many are free");
  expect_refused(free + testing::kWordBytes, "which is free");
  expect_refused(free + 2 * testing::kWordBytes, "how many are used");
  const std::string free_and_used = testing::with_word(state_, at(3, used), 1);
  EXPECT_FALSE(taken(testing::with_word(free_and_used, at(3, older), kFirst + 3)));
}

}  // namespace
}  // namespace hmsim
