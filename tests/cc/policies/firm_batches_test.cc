// SPDX-License-Identifier: BSD-3-Clause
// FIRM's count of what its batches hold: when writes are due, and whose batch a saved request is
// in.
#include <gtest/gtest.h>

#include "core/archive.h"
#include "core/errors.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

// 12 of 24 entries, with groups too short for a turn to be worth it.
TEST(Firm, WritesAreDueFromTheirMarkOn) {
  const auto direction = [](int writes) {
    ChannelShape shape = kShape;
    shape.dram_slots = 24;
    Rehearsal queue("firm",
                    {{"policies.firm.turnaround_share", "1"}, {"policies.firm.write_mark", "50"}},
                    shape);
    const std::uint32_t first = queue.enqueue(dram(0, 7, 0));
    queue.enqueue(dram(0, 6, 0));
    for (int i = 0; i < writes; ++i) {
      queue.enqueue(dram(0, 0, 0, true));
    }
    queue.issue(first, false);
    return queue.policy().direction();
  };
  EXPECT_EQ(direction(11), Direction::reads);
  EXPECT_EQ(direction(12), Direction::writes);
}

// A request's batch is one of its own source.
TEST(Firm, ASavedRequestInAnothersBatchIsRefused) {
  const auto take = [](std::uint16_t first, std::uint16_t second) {
    Rehearsal saved("firm", {}, kShape);
    saved.enqueue(dram(0, 1, 3));
    saved.enqueue(dram(1, 2, 4));
    Archive archive;
    saved.policy().serialize(archive);
    Rehearsal loaded("firm", {}, kShape);
    Archive loading(archive.bytes());
    loaded.policy().serialize(loading);
    HeldRequests held{{dram(first, 1, 3)}, {dram(second, 2, 4)}};
    held[1].view.slot = 1;
    held[1].view.id = 1;
    loaded.policy().check_held(loading, held);
  };
  take(0, 1);
  EXPECT_THROW(take(1, 0), InputError);
}

}  // namespace
}  // namespace hmsim::testing
