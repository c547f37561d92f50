// SPDX-License-Identifier: BSD-3-Clause
// Does each observer get each command once, with no, one or several observers?
#include "controller/accounts/observer_list.h"

#include <gtest/gtest.h>

namespace hmsim::testing {
namespace {

struct Counting final : CommandObserver {
  void on_command(const CommandRecord&) override { ++commands; }
  int commands = 0;
};

TEST(ObserverList, AChannelTellsNobodyTheOnlyOneOrTheList) {
  ObserverList list;
  EXPECT_EQ(list.target(), nullptr);
  Counting one;
  list.add(one);
  EXPECT_EQ(list.target(), &one);
  Counting other;
  list.add(other);
  ASSERT_EQ(list.target(), &list);
  list.target()->on_command(CommandRecord());
  EXPECT_EQ(one.commands, 1);
  EXPECT_EQ(other.commands, 1);
}

}  // namespace
}  // namespace hmsim::testing
