// SPDX-License-Identifier: BSD-3-Clause
// Which frame is given up next?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "core/random.h"
#include "policies/buffer_replacement.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

// LIRS as in its paper, on plain lists, for a cache whose pages are never in use. A ghost is a page
// of the stack without a frame.
class PlainLirs {
 public:
  PlainLirs(std::size_t frames, std::size_t high, std::size_t ghosts)
      : low_limit_(frames - high), frames_(frames), ghosts_(ghosts) {}

  // Accesses a page. Returns whether it has a frame.
  bool access(int page) {
    const bool hit = has(low_, page) || has(queue_, page);
    if (!hit && low_.size() + queue_.size() == frames_) {
      const int victim = queue_.front();
      queue_.pop_front();
      if (has(stack_, victim)) {
        gone_.push_back(victim);
        if (gone_.size() > ghosts_) {
          drop(stack_, gone_.front());
          gone_.pop_front();
        }
      }
    }
    const bool again = has(stack_, page);
    drop(stack_, page);
    drop(queue_, page);
    drop(gone_, page);
    stack_.push_back(page);
    if (has(low_, page)) {
    } else if (again || low_.size() < low_limit_) {
      low_.push_back(page);
    } else {
      queue_.push_back(page);
    }
    prune();
    if (low_.size() > low_limit_) {
      const int bottom = stack_.front();
      drop(low_, bottom);
      queue_.push_back(bottom);
      prune();
    }
    return hit;
  }

 private:
  using Pages = std::deque<int>;
  static bool has(const Pages& pages, int page) {
    return std::find(pages.begin(), pages.end(), page) != pages.end();
  }
  static void drop(Pages& pages, int page) {
    pages.erase(std::remove(pages.begin(), pages.end(), page), pages.end());
  }
  void prune() {
    while (!stack_.empty() && !has(low_, stack_.front())) {
      drop(gone_, stack_.front());
      stack_.pop_front();
    }
  }

  std::size_t low_limit_;
  std::size_t frames_;
  std::size_t ghosts_;
  Pages stack_;
  Pages low_;
  Pages queue_;
  Pages gone_;
};

NvdimmParameters eight_frames(const char* replacement) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.read_size = 8 * kPageBytes;
  parameters.buffer.replacement = replacement;
  return parameters;
}

bool hits(Rig& rig, std::int64_t page) { return rig.read(page) == Tick(52'000); }

TEST(Replacement, LirsMatchesThePaperOnOneAccessAtATime) {
  for (const char* ghosts : {"0", "50", "200"}) {
    Rig rig(eight_frames("lirs"), 1,
            {{"policies.lirs.high_share", "25"}, {"policies.lirs.ghosts", ghosts}});
    PlainLirs plain(8, 2, static_cast<std::size_t>(std::stoi(ghosts)) * 8 / 100);
    Random random(5);
    for (int i = 0; i < 3000; ++i) {
      const int page = static_cast<int>(random.below(2) == 0 ? random.below(6) : random.below(20));
      ASSERT_EQ(hits(rig, page), plain.access(page)) << "access " << i << ", ghosts " << ghosts;
    }
  }
}

TEST(Replacement, LirsKeepsPartOfALoopThatLruLoses) {
  const auto share = [](const char* replacement) {
    Rig rig(eight_frames(replacement), 1, {{"policies.lirs.high_share", "12.5"}});
    int found = 0;
    for (int i = 0; i < 12 * 20; ++i) {
      found += hits(rig, i % 12) ? 1 : 0;
    }
    return found;
  };
  EXPECT_EQ(share("lru"), 0) << "a loop over more pages than frames";
  EXPECT_EQ(share("lirs"), 7 * 19) << "seven of them stay";
}

TEST(Replacement, LirsKeepsItsPagesThroughAScan) {
  Rig rig(eight_frames("lirs"), 1, {{"policies.lirs.high_share", "25"}});
  for (int round = 0; round < 2; ++round) {
    for (int page = 0; page < 6; ++page) {
      hits(rig, page);
    }
  }
  for (int page = 20; page < 60; ++page) {
    EXPECT_FALSE(hits(rig, page));
  }
  for (int page = 0; page < 6; ++page) {
    EXPECT_TRUE(hits(rig, page)) << page;
  }
}

// Returns the number of low pages when all eight frames have been filled once: the low pages are
// first, the high ones follow, and the first high one is evicted first.
TEST(Replacement, TheShareOfHighPagesIsRoundedUpToFrames) {
  const auto low = [](const char* high_share) {
    const auto policy = create_policy(PolicyKind::buffer_replacement, "lirs",
                                      {{"policies.lirs.high_share", high_share}});
    auto& lirs = static_cast<BufferReplacement&>(*policy);
    lirs.connect(8);
    lirs.grow(8);
    for (std::uint32_t frame = 0; frame < 8; ++frame) {
      lirs.listed(frame, frame);
    }
    return lirs.victim();
  };
  EXPECT_EQ(low("0"), 7u) << "one at least is high";
  EXPECT_EQ(low("12.5"), 7u);
  EXPECT_EQ(low("12.5001"), 6u);
  EXPECT_EQ(low("25"), 6u);
}

TEST(Replacement, FramesInUseArePassedOver) {
  NvdimmParameters parameters = eight_frames("lirs");
  parameters.buffer.read_size = 2 * kPageBytes;
  Rig rig(parameters);
  rig.nvdimm().command(1, line_address(0), false, rig.now());
  rig.drain();  // page 0 stays in use
  for (int page = 1; page < 9; ++page) {
    EXPECT_FALSE(hits(rig, page));
    EXPECT_TRUE(hits(rig, page));
  }
  rig.nvdimm().finish(1, rig.now());
  EXPECT_TRUE(hits(rig, 0));
}

}  // namespace
}  // namespace hmsim
