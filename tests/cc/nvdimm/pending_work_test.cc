// SPDX-License-Identifier: BSD-3-Clause
// Is pending flash work counted for the LUN, its channel and in total?
#include "nvdimm/ftl/pending_work.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"

namespace hmsim {
namespace {

constexpr std::int64_t kChannels = 3;
constexpr std::int64_t kLuns = 6;

struct Owed {
  std::uint32_t lun;
  PendingFlash work;
};

PendingFlash some_work(Random& random) {
  const auto number = [&] { return static_cast<std::uint32_t>(random.below(4)); };
  PendingFlash work;
  work.read_pages = number();
  work.fetchable = number();
  work.writes = number();
  return work;
}

PendingFlash sum(const std::vector<Owed>& owed, std::uint32_t first, std::uint32_t end) {
  PendingFlash all;
  for (const Owed& each : owed) {
    all += first <= each.lun && each.lun < end ? each.work : PendingFlash();
  }
  return all;
}

TEST(PendingWork, IsWhatWasAddedAndNotRemoved) {
  PendingWork pending(kChannels, kLuns);
  Random random(1);
  std::vector<Owed> owed;
  std::uint32_t unplaced = 0;
  std::uint32_t buffered = 0;
  EXPECT_EQ(pending.channels(), 3u);
  EXPECT_EQ(pending.luns_per_channel(), 2u);
  for (int i = 0; i < 500; ++i) {
    if (random.below(2) == 0 || owed.empty()) {
      owed.push_back({static_cast<std::uint32_t>(random.below(kLuns)), some_work(random)});
      pending.add(owed.back().lun, owed.back().work);
    } else {
      const std::size_t which = random.below(owed.size());
      pending.remove(owed[which].lun, owed[which].work);
      owed.erase(owed.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (random.below(2) == 0) {
      pending.add_unplaced();
      ++unplaced;
    } else if (unplaced > 0) {
      pending.remove_unplaced();
      --unplaced;
    }
    if (random.below(2) == 0) {
      random.below(2) == 0 ? pending.begin() : pending.resume();
      ++buffered;
    } else if (buffered > 0) {
      random.below(2) == 0 ? pending.wait() : pending.end();
      --buffered;
    }
    for (std::uint32_t lun = 0; lun < kLuns; ++lun) {
      ASSERT_EQ(pending.lun(lun), sum(owed, lun, lun + 1));
      ASSERT_EQ(pending.channel(lun), sum(owed, lun / 2 * 2, lun / 2 * 2 + 2));
    }
    PendingFlash all = sum(owed, 0, kLuns);
    all.writes += unplaced;
    ASSERT_EQ(pending.all(), all);
    ASSERT_EQ(pending.unplaced(), unplaced);
    ASSERT_EQ(pending.buffered(), buffered);
  }
}

TEST(PendingWork, OfAFlashCommandIsAPageReadOrAPageToProgram) {
  EXPECT_EQ(page_work(FlashOperation::read), (PendingFlash{1, 0, 0}));
  EXPECT_EQ(page_work(FlashOperation::program), (PendingFlash{0, 0, 1}));
}

}  // namespace
}  // namespace hmsim
