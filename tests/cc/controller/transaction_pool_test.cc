// SPDX-License-Identifier: BSD-3-Clause
// Does loading restore which slots are held and which are free, and reject impossible states?
#include <gtest/gtest.h>

#include "controller/layout/transaction.h"
#include "core/errors.h"

namespace hmsim::testing {
namespace {

Transaction& take(TransactionPool& pool, std::uint64_t request) {
  Request sent;
  sent.id = request;
  Transaction& taken = pool.take();
  taken.begin(sent, Cycle(3));
  return taken;
}

TEST(TransactionPool, KeepsSlotsInACheckpoint) {
  TransactionPool pool(4);
  const Transaction& one = take(pool, 8);
  Transaction& other = take(pool, 7);
  take(pool, 9);
  pool.release(other);
  Archive saved;
  saved(pool);

  TransactionPool again(4);
  Archive loaded(saved.bytes());
  loaded(again);
  EXPECT_TRUE(loaded.at_end());
  EXPECT_EQ(again.taken(), 2U);
  ASSERT_EQ(again.held().size(), 2U);
  EXPECT_EQ(again.held()[0], &again[one.slot]);
  EXPECT_EQ(again.held()[0]->request.id, 8U);
  EXPECT_EQ(again.held()[1]->request.id, 9U);
  EXPECT_EQ(again.take().slot, pool.take().slot);
  EXPECT_EQ(again.take().slot, pool.take().slot);
}

void expect_refused(const std::vector<std::uint32_t>& free) {
  Archive saved;
  std::vector<std::uint32_t> slots = free;
  saved(slots);
  Archive loaded(saved.bytes());
  TransactionPool pool(4);
  EXPECT_THROW(loaded(pool), InputError);
}

TEST(TransactionPool, RejectsInvalidAndTwiceFreeSlots) {
  expect_refused({0, 1, 2, 4});
  expect_refused({0, 1, 2, 2});
  expect_refused({0, 1, 2});  // the transaction in the other slot is missing
}

}  // namespace
}  // namespace hmsim::testing
