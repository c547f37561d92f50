// SPDX-License-Identifier: BSD-3-Clause
// Is pending flash work counted for the LUN, its channel and in total?
// Is the time that commands wait at locked LUNs counted exactly?
#include "nvdimm/ftl/pending_work.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "nvdimm/nand/lun_locks.h"

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

TEST(PendingWork, IsTheAddedWorkLessTheRemoved) {
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

TEST(PendingWork, CountsAFlashCommandAsAPageReadOrProgram) {
  EXPECT_EQ(page_work(FlashOperation::read), (PendingFlash{1, 0, 0}));
  EXPECT_EQ(page_work(FlashOperation::program), (PendingFlash{0, 0, 1}));
}

TEST(LunLocks, CountTheTimeThatCommandsWaitAtLockedLuns) {
  Counter blocked = 0;
  LunLocks locks(2, blocked);
  locks.begin_wait(0, Tick(4));  // before the lock
  locks.lock(0, Tick(10));
  locks.begin_wait(1, Tick(12));  // at the other LUN
  locks.begin_wait(0, Tick(15));
  locks.end_wait(0, Tick(20));
  locks.unlock(0, Tick(30));
  locks.end_wait(0, Tick(99));
  EXPECT_EQ(blocked, 20u + 5u);
  EXPECT_EQ(locks.waiting(0), 0u);
  EXPECT_EQ(locks.waiting(1), 1u);
}

TEST(LunLocks, ReportTheCostOfSeveralLocks) {
  Counter blocked = 0;
  LunLocks locks(1, blocked);
  locks.lock(0, Tick(10));
  locks.unlock(0, Tick(30));
  const Tick before = locks.total(0, Tick(35));
  EXPECT_EQ(before, Tick(20));
  locks.lock(0, Tick(40));
  EXPECT_EQ(locks.lock_of(0, Tick(47)).blocked, Tick(7));
  locks.unlock(0, Tick(50));
  locks.lock(0, Tick(60));
  const GcWait cost = locks.cost_since(0, before, Tick(65));
  EXPECT_EQ(cost.blocked, Tick(15));
  EXPECT_EQ(cost.until, Tick(65)) << "it is locked";
  locks.unlock(0, Tick(70));
  EXPECT_EQ(locks.lock_of(0, Tick(80)).blocked, Tick(10)) << "the last one";
  EXPECT_EQ(locks.cost_since(0, before, Tick(80)).until, Tick(70));
}

TEST(LunLocks, ALunIsLockedOnceAtATime) {
  Counter blocked = 0;
  LunLocks locks(1, blocked);
  locks.lock(0, Tick(1));
  EXPECT_THROW(locks.lock(0, Tick(2)), Fault);
}

}  // namespace
}  // namespace hmsim
