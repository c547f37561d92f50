// SPDX-License-Identifier: BSD-3-Clause
// Which work do buffer managers do before lookups?
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "policies/buffer_manager.h"

namespace hmsim {
namespace {

std::unique_ptr<BufferManager> make(const std::string& name, const Assignments& own = {}) {
  Assignments assignments;
  for (const Assignment& each : own) {
    assignments.emplace_back("policies." + name + "." + each.first, each.second);
  }
  return create_policy<BufferManager>(PolicyKind::buffer_manager, name, assignments);
}

constexpr PrefetchView kRoom{8, 0, 1, 0};     // 8 LUNs, no prefetch in flight, one free frame
constexpr WritePartView kQueued{100, 0, 42};  // 100 frames; pages that queued writes target

TEST(BufferManagers, OnDemandDoesNothingAhead) {
  const auto manager = make("on_demand");
  EXPECT_FALSE(manager->watches_queue());
  EXPECT_FALSE(manager->prefetch(kRoom));
  EXPECT_EQ(manager->frames_to_keep_free(kQueued), 0u);
}

TEST(BufferManagers, OthersPrefetchAndPreevictByName) {
  for (const std::string name : {"prefetch", "preevict", "prefetch_preevict"}) {
    const auto manager = make(name);
    EXPECT_TRUE(manager->watches_queue()) << name;
    EXPECT_EQ(manager->prefetch(kRoom), name != "preevict") << name;
    EXPECT_EQ(manager->frames_to_keep_free(kQueued), name != "prefetch" ? 42u : 0u) << name;
  }
}

// A manager starts another prefetch only while fewer prefetches are under way than there are LUNs,
// and fewer than there are free or replaceable frames.
TEST(BufferManagers, PrefetchesAreBoundedByLunsAndByFrames) {
  for (const char* const name : {"prefetch", "prefetch_preevict"}) {
    const auto manager = make(name);
    for (std::uint32_t luns = 1; luns < 6; ++luns) {
      for (std::uint32_t under_way = 0; under_way < 8; ++under_way) {
        for (std::uint64_t free = 0; free < 6; ++free) {
          for (std::uint64_t replaceable = 0; replaceable < 6; ++replaceable) {
            EXPECT_EQ(manager->prefetch({luns, under_way, free, replaceable}),
                      under_way < luns && under_way < free + replaceable);
          }
        }
      }
    }
  }
}

// A manager keeps free a share of all frames, rounded up, or the frames that queued writes need,
// whichever is more.
TEST(BufferManagers, FramesAreKeptFreeForAShareAndForQueuedPages) {
  for (const char* const name : {"preevict", "prefetch_preevict"}) {
    const auto kept = [&](const char* percent, std::uint64_t frames, std::uint64_t queued) {
      const auto manager = *percent == '\0' ? make(name) : make(name, {{"low_water", percent}});
      return manager->frames_to_keep_free({frames, 7, queued});
    };
    EXPECT_EQ(kept("", 100, 0), 5u) << "5 percent";
    EXPECT_EQ(kept("", 101, 0), 6u);
    EXPECT_EQ(kept("", 100, 5), 5u);
    EXPECT_EQ(kept("", 100, 6), 6u);
    EXPECT_EQ(kept("0", 100, 0), 0u);
    EXPECT_EQ(kept("100", 100, 3), 100u);
    EXPECT_EQ(kept("0.0001", 1'000'000, 0), 1u);
    EXPECT_EQ(kept("0.0001", 1'000'001, 0), 2u);
    EXPECT_EQ(kept("0.00004", 1'000'000, 0), 0u) << "to a millionth";
    EXPECT_EQ(kept("0.00005", 1'000'000, 0), 1u);
  }
}

// Above the high mark until the low one is reached, all frames but those of the low mark.
TEST(BufferManagers, WatermarksHaveHysteresisThatIsSaved) {
  const auto manager = make("watermark", {{"high", "50"}, {"low", "40"}});
  const auto kept = [&](BufferManager& asked, std::uint64_t used) {
    return asked.frames_to_keep_free({100, 100 - used, 42});
  };
  for (const std::uint64_t used : {0, 45, 50}) {
    EXPECT_EQ(kept(*manager, used), 0u) << used;
  }
  EXPECT_EQ(kept(*manager, 51), 60u);
  EXPECT_EQ(kept(*manager, 41), 60u);
  const auto other = make("watermark", {{"high", "50"}, {"low", "40"}});
  Archive saved;
  manager->serialize(saved);
  Archive loaded(saved.bytes());
  other->serialize(loaded);
  EXPECT_EQ(kept(*other, 45), 60u);
  EXPECT_EQ(kept(*manager, 40), 0u);
  EXPECT_EQ(kept(*manager, 45), 0u);
  EXPECT_FALSE(manager->prefetch(kRoom));
  EXPECT_EQ(make("watermark", {{"high", "30"}})->check().size(), 1u) << "below the low mark";
}

}  // namespace
}  // namespace hmsim
