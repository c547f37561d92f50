// SPDX-License-Identifier: BSD-3-Clause
// Fences by page: their positions, and the writes they wait for.
#include "agents/core/page_fences.h"

#include <gtest/gtest.h>

namespace hmsim::testing {

namespace {

Miss store(std::uint64_t address, bool non_temporal, MemoryClass memory = MemoryClass::nvdimm) {
  Miss miss;
  miss.write = true;
  miss.write_address = address;
  miss.non_temporal = non_temporal;
  miss.memory = memory;
  return miss;
}

TEST(PageFences, AFencePrecedesTheFirstWriteToAnotherPage) {
  PageFences fences;
  fences.open(true, Persistence::module);
  EXPECT_TRUE(fences.write(store(0, true)));
  EXPECT_FALSE(fences.due_before(store(64, true)));
  EXPECT_FALSE(fences.due_before(store(4096, false))) << "only non-temporal writes close a run";
  EXPECT_TRUE(fences.due_before(store(0, true, MemoryClass::dram))) << "a page of another memory";
  EXPECT_TRUE(fences.block(store(4096, true)));
  fences.safe();
  EXPECT_FALSE(fences.block(store(4096, true)));
  fences.dispatched(store(4096, true));
  EXPECT_EQ(fences.fences(), 1u);
}

TEST(PageFences, AFenceFollowsTheLastLineOfAPage) {
  PageFences fences;
  fences.open(true, Persistence::controller);
  EXPECT_TRUE(fences.write(store(4096 - 64, true)));
  EXPECT_TRUE(fences.due_before(store(1 << 20, false))) << "before any record";
  fences.dispatched(store(1 << 20, false));
  EXPECT_FALSE(fences.due_before(store(1 << 20, false)));
  EXPECT_EQ(fences.fences(), 1u);
}

TEST(PageFences, WithoutFencesNothingWaitsForWrites) {
  PageFences fences;
  fences.open(false, Persistence::module);
  EXPECT_FALSE(fences.write(store(4096 - 64, true)));
  EXPECT_FALSE(fences.due_before(store(8192, true)));
}

TEST(PageFences, LinesOfDramAreSafeAtTheController) {
  PageFences fences;
  fences.open(true, Persistence::module);
  Request request;
  request.memory = MemoryClass::dram;
  EXPECT_EQ(fences.safe_at(request), Persistence::controller);
  request.memory = MemoryClass::nvdimm;
  EXPECT_EQ(fences.safe_at(request), Persistence::module);
}

}  // namespace

}  // namespace hmsim::testing
