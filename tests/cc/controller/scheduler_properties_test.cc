// SPDX-License-Identifier: BSD-3-Clause
// Every scheduler under every arbiter: each request completes exactly once, lines stay in order, no
// rule is broken (the harness checks every command), no wake-up is missed, and checkpoints are
// exact.
#include <gtest/gtest.h>

#include <string>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/policies/rig.h"

namespace hmsim::testing {
namespace {

// Short times, so that a short run has many quanta, shuffles and batches.
Assignments eager() {
  return {{"policies.tcm.quantum", "3us"},
          {"policies.tcm.shuffle_interval", "100ns"},
          {"policies.atlas.quantum", "3us"},
          {"policies.atlas.threshold", "2us"},
          {"policies.firm.interval", "3us"},
          {"policies.nvm_duet.write_high", "12"},
          {"policies.nvm_duet.write_low", "3"},
          {"controller.drain_high", "12"},
          {"controller.drain_low", "3"},
          {"policies.harmonic.table", table_text([](std::size_t cell) { return cell + 1; },
                                                 [](std::size_t cell) { return 576 - cell; })}};
}

// A parameter holds only the differing values, because each start of the program prints all
// parameters.
class Scheduler : public ::testing::TestWithParam<Assignments> {
 protected:
  static Assignments settings() { return with(with(kSmallNvdimm, eager()), GetParam()); }
};

void drive(ChannelUnderTest& channel, RandomTraffic& traffic, int bursts) {
  Cycle now{0};
  for (int i = 0; i < bursts; ++i) {
    traffic.burst();
    now += traffic.pause();
    channel.instructions_.assign(4, now.value());
    channel.run_to(now);
  }
  channel.drain();
  traffic.expect_all_done();
}

TEST_P(Scheduler, EveryRequestOnceInLineOrderAndByTheRules) {
  ChannelUnderTest channel(settings());
  RandomTraffic traffic(channel, 5);
  drive(channel, traffic, 300);
}

TEST_P(Scheduler, BarriersHold) {
  ChannelUnderTest channel(settings());
  RandomTraffic traffic(channel, 9, 12);
  drive(channel, traffic, 200);
  traffic.expect_barriers();
  EXPECT_GT(traffic.flushes().size(), 20u);
}

TEST_P(Scheduler, NoWakeUpIsMissed) { expect_no_missed_wake_up(settings(), 100); }

// Transactions become overdue at once or soon.
TEST(Schedulers, WithoutPatienceMissNoWakeUp) {
  for (const char* threshold : {"0s", "1ns", "30ns"}) {
    for (const char* depth : {"2", "4", "8"}) {
      SCOPED_TRACE(std::string(threshold) + ", " + depth);
      expect_no_missed_wake_up({{"nvdimm.present", "false"},
                                {"controller.queue_depth", depth},
                                {"controller.scheduler", "atlas"},
                                {"policies.atlas.threshold", threshold}},
                               400);
    }
  }
}

TEST(Schedulers, WithAShortLimitMissNoWakeUp) {
  for (const std::string& scheduler : policy_names(PolicyKind::transaction_scheduler)) {
    for (const char* queues : {"unified", "split"}) {
      for (const char* limit : {"20ns", "75ns", "400ns"}) {
        SCOPED_TRACE(scheduler + ", " + queues + ", " + limit);
        expect_no_missed_wake_up(with(kSmallNvdimm, {{"controller.scheduler", scheduler},
                                                     {"controller.nvdimm_scheduler", scheduler},
                                                     {"controller.queues", queues},
                                                     {"controller.starvation_limit", limit}}),
                                 150);
      }
    }
  }
}

TEST_P(Scheduler, CheckpointContinuesExactly) { expect_exact_resume(settings()); }

INSTANTIATE_TEST_SUITE_P(All, Scheduler, ::testing::ValuesIn(combinations()), [](const auto& test) {
  std::string name;
  for (std::size_t i = 1; i < test.param.size(); ++i) {
    name += test.param[i].second + "_";
  }
  return name + std::to_string(test.index);
});

}  // namespace
}  // namespace hmsim::testing
