// SPDX-License-Identifier: BSD-3-Clause
// Does a page of the second level cross the memory bus as lines, with no other traffic?
#include "storage/device_mover.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/event_queue.h"
#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

// Random pages of four times the capacity of both levels, half of them written.
std::unique_ptr<Simulation> simulation(const Assignments& more = {}) {
  Assignments config = with(
      keys_from("nvdimm.kind=sttram nvdimm.capacity=1GiB storage.kind=table storage.capacity=64MiB "
                "storage.cache.first=1MiB storage.cache.second=4MiB storage.cache.mover=lines"),
      more);
  const Assignments agent = keys_from(
      "kind=io_pattern access=random size=4KiB read_share=0.5 footprint=20MiB threads=4 "
      "requests=3000");
  return std::make_unique<Simulation>(config, std::vector<Assignments>{agent}, RunOptions(),
                                      text_source(""));
}

std::unique_ptr<Simulation> run(const Assignments& more = {}) {
  auto made = simulation(more);
  run_to_end(*made);
  return made;
}

TEST(DeviceMover, EveryMoveIs64LinesAndNoOtherLinesMove) {
  for (const char* window : {"1", "10", "64"}) {
    const auto done = run({{"storage.cache.window", window}});
    const double promoted = value_of(*done, "storage.device.cache.second_hits");
    const double demoted = value_of(*done, "storage.device.cache.demotions");
    EXPECT_GT(promoted, 100);
    EXPECT_GT(demoted, 1'000);
    // A run ends in the middle of a few moves: some lines of one, and those that wait for it.
    EXPECT_NEAR(value_of(*done, "nvdimm.reads"), 64 * promoted, 64 * 8) << window;
    EXPECT_NEAR(value_of(*done, "nvdimm.writes"), 64 * demoted, 64 * 8) << window;
  }
}

TEST(DeviceMover, OneLineAtATimeTakesTheTimesOfTheLines) {
  const auto one = run({{"storage.cache.window", "1"}});
  const auto many = run({{"storage.cache.window", "16"}});
  EXPECT_EQ(value_of(*one, "storage.device.cache.lookups"),
            value_of(*many, "storage.device.cache.lookups"));
  EXPECT_GT(value_of(*one, "storage.device.cache.second.busy"),
            value_of(*many, "storage.device.cache.second.busy"));
}

TEST(DeviceMover, ASavedRunContinuesExactly) {
  expect_exact_continuation([] { return simulation(); }, 100'000, 7, 3, 10);
}

TEST(DeviceMover, ASecondLevelThatTheNvdimmCannotHoldIsAnError) {
  const auto error = [](const Assignments& more) -> std::string {
    return error_from([&] { simulation(more); });
  };
  EXPECT_TRUE(names(error({{"storage.cache.second", "2GiB"}}), {"storage.cache.second: ", "2GiB"}));
  EXPECT_TRUE(names(error({{"nvdimm.present", "false"}}), {"storage.cache.second: ", " 0B"}));
  EXPECT_NE(error({{"storage.cache.second", "0B"}}).find("storage.cache.mover"), std::string::npos);
}

}  // namespace
}  // namespace hmsim::testing
