// SPDX-License-Identifier: BSD-3-Clause
// Do posted writes keep each line's data in order, saved or not?
#include "nvdimm/buffer/posted_writes.h"

#include <gtest/gtest.h>

#include <deque>
#include <iterator>
#include <map>
#include <set>

#include "core/random.h"

namespace hmsim {
namespace {

constexpr std::uint32_t kFirst = 20;
constexpr std::uint32_t kEntries = 9;
constexpr std::int64_t kLines = 5;

struct Write {
  std::uint32_t tag;
  LineData data;
};

// Posted writes next to a reference queue for each line.
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
    const std::uint32_t tag = posted_.add(line, data, 0);
    ASSERT_TRUE(posted_.readers(tag).empty());
    posted_.readers(tag).first = tag;  // the next user of the tag must find no readers
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
    posted_.add(0, LineData(), 0);
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

TEST(PostedWrites, TheirTagsDifferFromTheHosts) {
  const PostedWrites posted(kFirst, kEntries, false);
  EXPECT_FALSE(posted.owns(0));
  EXPECT_FALSE(posted.owns(kFirst - 1));
  EXPECT_TRUE(posted.owns(kFirst));
}

}  // namespace
}  // namespace hmsim
