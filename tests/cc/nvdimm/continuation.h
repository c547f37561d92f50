// SPDX-License-Identifier: BSD-3-Clause
// Does an NVDIMM that collects continue from a checkpoint as if nothing had happened?
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/random.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {

struct RandomRounds {
  std::uint64_t seed;
  int rounds;
  std::uint32_t tags;   // commands of a round
  std::uint64_t pages;  // accessed
  Tick pause;           // most after the commands of a round
};

// In each round, an NVDIMM takes random commands and is saved after a random time. It and a copy
// that loads the state must then end the commands alike.
inline void expect_exact_continuation(const NvdimmParameters& parameters,
                                      const RandomRounds& traffic) {
  Random random(traffic.seed);
  Rig rig(parameters);
  for (int round = 0; round < traffic.rounds; ++round) {
    for (std::uint32_t tag = 0; tag < traffic.tags; ++tag) {
      rig.nvdimm().command(tag,
                           line_address(static_cast<std::int64_t>(random.below(traffic.pages)),
                                        static_cast<std::int64_t>(random.below(64))),
                           random.below(4) != 0, rig.now());
    }
    rig.acks.clear();
    const auto most = static_cast<std::uint64_t>(traffic.pause.value());
    rig.kernel().run_until(rig.now() + Tick(static_cast<std::int64_t>(random.below(most))));
    const std::string middle = rig.saved();
    Rig other(parameters);
    Archive load(middle);
    other.serialize(load);
    ASSERT_EQ(other.saved(), middle);
    other.acks = rig.acks;
    for (Rig* each : {&rig, &other}) {
      for (std::size_t i = 0; i < traffic.tags;) {
        if (i < each->acks.size()) {
          each->nvdimm().finish(each->acks[i++].tag, each->now());
        } else {
          ASSERT_TRUE(each->kernel().step(kNever)) << "a command is stuck";
        }
      }
    }
    ASSERT_EQ(rig.acks, other.acks);
    ASSERT_EQ(rig.saved(), other.saved());
  }
  EXPECT_GT(rig.statistics().ftl.gc_count, 0u);
}

}  // namespace hmsim
