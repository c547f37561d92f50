// SPDX-License-Identifier: BSD-3-Clause
// Does each command get the correct time for which garbage collection delayed it?
#include <gtest/gtest.h>

#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};
constexpr Tick kPageRead{70'780'000};

// One LUN, just locked by a collection.
NvdimmParameters one_lun() {
  NvdimmParameters parameters = small_nvdimm();
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 2;
  return parameters;
}

void write_until_collection(Rig& rig) {
  for (std::int64_t next = 0; rig.statistics().ftl.gc_valid_pages.count() == 0; ++next) {
    rig.write_page(next * 7 % 90);
  }
  rig.acks.clear();
}

TEST(GcWait, ARequestThatJoinsAReadLaterWaitsForTheRestOfTheCollection) {
  Rig rig(one_lun());
  write_until_collection(rig);
  const Tick start = rig.now();
  const Tick later_by(300'000'000);
  rig.nvdimm().command(1, line_address(99), false, start);
  rig.kernel().run_until(start + later_by);
  rig.nvdimm().command(2, line_address(99, 1), false, start + later_by);
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 2u);
  // Collection continues to the end of the lock; then the page is read at once.
  const Tick blocked = rig.acks[0].time - kPageRead - start - kLookup;
  EXPECT_EQ(rig.nvdimm().gc_blocked(1), blocked);
  EXPECT_EQ(rig.nvdimm().gc_blocked(2), blocked - later_by);
}

TEST(GcWait, ARequestThatJoinsAfterTheCollectionDoesNotWaitForIt) {
  Rig rig(one_lun());
  write_until_collection(rig);
  const Tick start = rig.now();
  rig.nvdimm().command(1, line_address(99), false, start);
  while (rig.statistics().ftl.gc_count == 0) {
    rig.kernel().step(kNever);
  }
  rig.nvdimm().command(2, line_address(99, 1), false, rig.now());
  rig.drain();
  EXPECT_GT(rig.nvdimm().gc_blocked(1), Tick(0));
  EXPECT_EQ(rig.nvdimm().gc_blocked(2), Tick(0));
}

// The only LUN is locked, so no eviction can be placed before it is unlocked.
TEST(GcWait, AWriteWaitsForTheCollectionThatHoldsUpItsEviction) {
  Rig rig(one_lun());
  write_until_collection(rig);
  const Tick start = rig.now();
  const Counter collected = rig.statistics().ftl.gc_count;
  Tick end{0};
  for (std::uint32_t tag = 1; tag < 8; ++tag) {
    rig.nvdimm().command(tag, line_address(90 + tag), true, start);
  }
  while (rig.acks.empty()) {
    rig.kernel().step(kNever);
    if (end == Tick(0) && rig.statistics().ftl.gc_count > collected) {
      end = rig.now();
    }
  }
  // One frame becomes free when its page's program and the collection that it triggers have ended.
  // The evicted page is incomplete, so the next write waits for the lock, a page read and a
  // program.
  for (const Ack& ack : rig.acks) {
    EXPECT_LE(rig.nvdimm().gc_blocked(ack.tag), ack.time - start - kLookup);
  }
  EXPECT_EQ(rig.nvdimm().gc_blocked(rig.acks.back().tag), end - start - kLookup);
}

TEST(GcWait, WithoutCollectionsNoTimeIsBlocked) {
  Rig rig(small_nvdimm());
  for (std::int64_t page = 0; page < 40; ++page) {
    rig.write(page);
    EXPECT_EQ(rig.nvdimm().gc_blocked(0), Tick(0));
    rig.read(page + 40);
    EXPECT_EQ(rig.nvdimm().gc_blocked(0), Tick(0));
  }
  EXPECT_GT(rig.statistics().nand.page_programs, 0u);
}

}  // namespace
}  // namespace hmsim
