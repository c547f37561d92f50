// SPDX-License-Identifier: BSD-3-Clause
// Do stages begin one after another, and does a checkpoint keep their place?
#include "agents/stages.h"

#include <gtest/gtest.h>

#include "core/errors.h"

namespace hmsim::testing {
namespace {

struct Member final : Stages::Member {
  void begin_stage(Tick now) override { begun = now; }
  Tick begun = kNever;
};

struct Three {
  Three() {
    stages.join(7, last);
    stages.join(2, first);
    stages.join(2, second);
  }
  Stages stages;
  Member first;
  Member second;
  Member last;
};

TEST(Stages, BeginWhenThePreviousStageHasEnded) {
  Three three;
  three.stages.begin(Tick(0));
  EXPECT_EQ(three.first.begun, Tick(0));
  EXPECT_EQ(three.second.begun, Tick(0));
  three.stages.ended(Tick(5));
  EXPECT_EQ(three.last.begun, kNever);
  three.stages.ended(Tick(9));
  EXPECT_EQ(three.last.begun, Tick(9));
  three.stages.ended(Tick(11));  // nothing follows
}

TEST(Stages, ACheckpointKeepsTheirPlace) {
  Three three;
  three.stages.begin(Tick(0));
  three.stages.ended(Tick(5));
  Archive saved;
  saved(three.stages);
  Three loaded;
  Archive archive(saved.bytes());
  archive(loaded.stages);
  loaded.stages.ended(Tick(9));
  EXPECT_EQ(loaded.last.begun, Tick(9));
}

TEST(Stages, ADamagedCheckpointIsRejected) {
  for (const auto& [begun, left] : {std::pair<std::size_t, std::size_t>{3, 0}, {1, 3}, {0, 1}}) {
    std::size_t values[] = {begun, left};
    Archive saved;
    saved(values[0], values[1]);
    Archive archive(saved.bytes());
    Three three;
    EXPECT_THROW(archive(three.stages), InputError);
  }
}

}  // namespace
}  // namespace hmsim::testing
