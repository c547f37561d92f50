// SPDX-License-Identifier: BSD-3-Clause
// Does a flush of several NVDIMMs end when its parts on all channels are done?
#include "controller/flush_join.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/errors.h"

namespace hmsim {
namespace {

struct Gate final : FlushGate {
  void pass_flush(Tick) override { ++passed; }
  int passed = 0;
};

struct Ended final : Requester {
  void on_complete(const Request&, Tick) override { ++flushes; }
  int flushes = 0;
};

// Three channels, with a flush in progress on the last two.
struct Rig {
  std::array<Gate, 3> channels;
  Ended ended;
  const std::vector<Requester*> requesters{&ended};
  FlushJoin join{requesters};
  Request begin() {
    for (Gate& channel : channels) join.add(channel);
    return join.begin(Request(), 1, 3);
  }
  Request part = begin();
};

TEST(FlushJoin, PassesOnAllItsChannelsOnceTheLastPartIsDone) {
  Rig rig;
  rig.join.on_complete(rig.part, Tick(1));
  EXPECT_EQ(rig.channels[1].passed + rig.channels[2].passed + rig.ended.flushes, 0);
  rig.join.on_complete(rig.part, Tick(2));
  EXPECT_EQ(rig.channels[0].passed, 0);
  EXPECT_EQ(rig.channels[1].passed, 1);
  EXPECT_EQ(rig.channels[2].passed, 1);
  EXPECT_EQ(rig.ended.flushes, 1);
}

TEST(FlushJoin, APartWithoutAFlushIsAFault) {
  Rig rig;
  rig.part.tag = 7;
  EXPECT_THROW(rig.join.on_complete(rig.part, Tick(1)), Fault);
}

}  // namespace
}  // namespace hmsim
