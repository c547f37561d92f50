// SPDX-License-Identifier: BSD-3-Clause
// Do the links between transactions survive a checkpoint, and is one to no slot refused?
#include <gtest/gtest.h>

#include "controller/transaction.h"
#include "core/errors.h"

namespace hmsim::testing {
namespace {

TEST(TransactionPool, KeepsLinksInACheckpoint) {
  TransactionPool pool(4);
  Transaction& one = pool.take();
  Transaction& other = pool.take();
  one.successor = &other;
  other.predecessor = &one;
  Archive saved;
  saved(pool);

  TransactionPool again(4);
  Archive loaded(saved.bytes());
  loaded(again);
  EXPECT_TRUE(loaded.at_end());
  EXPECT_EQ(again[one.slot].successor, &again[other.slot]);
  EXPECT_EQ(again[other.slot].predecessor, &again[one.slot]);
  EXPECT_EQ(again[one.slot].chained, nullptr);
  EXPECT_EQ(again.taken(), 2U);
  EXPECT_EQ(again.take().slot, pool.take().slot);
  EXPECT_EQ(again.take().slot, pool.take().slot);
}

TEST(TransactionPool, RefusesALinkToNoSlot) {
  TransactionPool larger(5);
  Transaction* last = &larger[4];
  Archive saved;
  larger.serialize_links(saved, last);

  TransactionPool pool(4);
  Transaction* link = nullptr;
  Archive loaded(saved.bytes());
  EXPECT_THROW(pool.serialize_links(loaded, link), InputError);
}

}  // namespace
}  // namespace hmsim::testing
