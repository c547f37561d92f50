// SPDX-License-Identifier: BSD-3-Clause
// Is the time that commands wait at locked LUNs counted exactly?
#include "nvdimm/nand/lun_locks.h"

#include <gtest/gtest.h>

#include "core/errors.h"

namespace hmsim {
namespace {

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

TEST(LunLocks, TellTheCostOfSeveralLocks) {
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
