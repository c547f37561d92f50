// SPDX-License-Identifier: BSD-3-Clause
// Properties of random traffic and configurations: every request completes exactly once, no rule is
// broken (the harness checks every command), lines stay in order, and no wake-up is missed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_system.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

struct Case {
  const char* name;
  Assignments assignments;
};

std::vector<Case> cases() {
  return {
      {"unified", kSmallNvdimm},
      {"dram only, 4 ranks", {{"nvdimm.present", "false"}, {"dram.ranks", "4"}}},
      {"split", with(kSmallNvdimm, {{"controller.queues", "split"}})},
      {"three NVDIMMs, page by page, two level",
       with(kSmallNvdimm, {{"nvdimm.count", "3"}, {"controller.structure", "two_level"}})},
      {"four NVDIMMs, one behind the other, split, auto ack",
       with(kSmallNvdimm, keys_from("nvdimm.count=4 nvdimm.interleave=device "
                                    "controller.queues=split controller.ack=auto"))},
      {"flash, PCM and more flash, writes on credit",
       with(kSmallNvdimm, {{"nvdimm.count", "3"},
                           {"nvdimm.devices", "1: kind=pcm, capacity=1MiB; 2: buffer.lookup=7ns"},
                           {"nvdimm.interleave", "device"},
                           {"controller.ack", "nvdimm_p"}})},
      {"split, DRAM first",
       with(kSmallNvdimm, {{"controller.queues", "split"}, {"controller.arbiter", "dram_first"}})},
      {"round robin, auto ack",
       with(kSmallNvdimm, {{"controller.arbiter", "round_robin"}, {"controller.ack", "auto"}})},
      {"legal commands only contest",
       with(
           kSmallNvdimm,
           keys_from(
               "controller.queues=split controller.contest=legal controller.arbiter=round_robin"))},
      {"blocking device", with(kSmallNvdimm, {{"controller.outstanding", "1"}})},
      {"fcfs, paper's precharge delay",
       with(kSmallNvdimm, {{"controller.scheduler", "fcfs"}, {"dram.precharge_delay", "paper"}})},
      {"drained writes",
       with(
           kSmallNvdimm,
           keys_from("controller.writes=drained controller.drain_high=12 controller.drain_low=3"))},
      {"drained writes, frequent refreshes",
       keys_from("nvdimm.present=false dram.ranks=4 dram.timing.tREFI=700 "
                 "controller.writes=drained controller.drain_high=6 controller.drain_low=3")},
      {"two level", with(kSmallNvdimm, {{"controller.structure", "two_level"}})},
      {"shallow queue, xor hash, other part",
       with(kSmallNvdimm,
            keys_from(
                "controller.queue_depth=4 controller.bank_hash=xor dram.preset=ddr3_1600_8gb_x8"))},
      {"DDR4 with bank groups, 2 ranks",
       with(kSmallNvdimm, {{"dram.preset", "ddr4_2400r_8gb_x8"}, {"dram.ranks", "2"}})},
      {"DDR5, same-bank refreshes",
       with(kSmallNvdimm,
            keys_from("dram.preset=ddr5_4800b_16gb_x8 dram.refresh_mode=same_bank dram.ranks=4 "
                      "controller.address_map=row|group|bank|rank|column|channel"))},
      {"DDR4 with 32 bank groups",
       keys_from("nvdimm.present=false dram.preset=ddr4_2400r_8gb_x8 dram.ranks=8")},
      {"power-down",
       with(kSmallNvdimm,
            {{"dram.ranks", "2"}, {"dram.power_down", "fast"}, {"dram.power_down_idle", "20ns"}})},
      {"power-down and self-refresh, refreshes put off and made ahead, drained writes",
       keys_from("nvdimm.present=false dram.ranks=4 dram.power_down=fast dram.self_refresh=true "
                 "dram.self_refresh_idle=1us dram.timing.tREFI=700 dram.refresh_postpone=3 "
                 "dram.refresh_pull_in=2 controller.writes=drained controller.drain_high=6 "
                 "controller.drain_low=3")},
      {"self-refresh, closed page, two level",
       with(kSmallNvdimm,
            keys_from("dram.self_refresh=true dram.self_refresh_idle=500ns "
                      "controller.page_policy=closed_page controller.structure=two_level"))},
      {"DDR5, power-down, same-bank refreshes",
       keys_from("nvdimm.present=false dram.preset=ddr5_4800b_16gb_x8 dram.refresh_mode=same_bank "
                 "dram.power_down=fast dram.ranks=2 "
                 "controller.address_map=row|group|bank|rank|column|channel")},
      {"LPDDR5, 2 ranks, drained writes",
       keys_from("nvdimm.present=false dram.preset=lpddr5_6400_16gb_x16 "
                 "dram.refresh_mode=same_bank dram.ranks=2 controller.writes=drained "
                 "controller.drain_high=6 controller.drain_low=3")},
      {"LPDDR5, closed page, refreshes put off and made ahead",
       keys_from("nvdimm.present=false dram.preset=lpddr5_5500_8gb_x16 dram.timing.tREFI=1600 "
                 "dram.refresh_postpone=8 dram.refresh_pull_in=8 "
                 "controller.page_policy=closed_page controller.scheduler=bliss")},
      {"HBM3, per-bank refreshes",
       keys_from("nvdimm.present=false dram.preset=hbm3_6400_8h_4gb_x32 dram.ranks=2 "
                 "dram.refresh_mode=same_bank controller.scheduler=tcm")},
      {"HBM3, drained writes, timeout page, two level",
       keys_from("nvdimm.present=false dram.preset=hbm3_4800_4h_2gb_x32 dram.ranks=2 "
                 "dram.refresh_postpone=4 controller.structure=two_level "
                 "controller.page_policy=timeout_page controller.writes=drained "
                 "controller.drain_high=6 controller.drain_low=3")},
      {"2N, closed page, power-down, refreshes put off",
       with(kSmallNvdimm,
            keys_from(
                "dram.command_rate=2N dram.ranks=2 dram.power_down=fast dram.power_down_idle=20ns "
                "dram.refresh_postpone=3 controller.page_policy=closed_page"))},
      {"closed page, drained writes",
       with(kSmallNvdimm, keys_from("controller.page_policy=closed_page controller.writes=drained "
                                    "controller.drain_high=12 controller.drain_low=3"))},
      {"timeout page, DDR4, refreshes put off",
       keys_from("nvdimm.present=false dram.ranks=2 dram.preset=ddr4_3200aa_16gb_x16 "
                 "controller.address_map=row|group|bank|rank|column|channel "
                 "controller.page_policy=timeout_page dram.refresh_postpone=8")},
      {"capped page, refreshes made ahead and put off",
       with(kSmallNvdimm,
            keys_from("controller.page_policy=capped_page policies.capped_page.cap=2 dram.ranks=2 "
                      "dram.refresh_postpone=8 dram.refresh_pull_in=8"))},
      {"fcfs, capped page, two level",
       with(kSmallNvdimm, keys_from("controller.page_policy=capped_page controller.scheduler=fcfs "
                                    "controller.structure=two_level"))},
      {"page-aware",
       with(kSmallNvdimm, keys_from("controller.queues=split controller.nvdimm_scheduler=pas "
                                    "controller.arbiter=oldest_first controller.outstanding=24 "
                                    "nvdimm.buffer.read_size=64KiB"))},
      {"page-aware, any miss, one queue",
       with(kSmallNvdimm, keys_from("controller.scheduler=pas controller.ack=auto "
                                    "policies.pas.trigger=any_miss controller.outstanding=24"))},
      {"writes on credit", with(kSmallNvdimm, {{"controller.ack", "nvdimm_p"}})},
      {"blocks", with(kSmallNvdimm, {{"nvdimm.access", "block"}})},
      {"blocks of two NVDIMMs, auto ack, overdue ones first",
       with(kSmallNvdimm, keys_from("nvdimm.access=block nvdimm.count=2 controller.ack=auto "
                                    "controller.starvation_limit=2us"))},
      {"writes on few credits, page-aware, slow responses",
       with(kSmallNvdimm, keys_from("controller.ack=nvdimm_p controller.nvdimm_p.credits=2 "
                                    "controller.nvdimm_p.response_cycles=9 "
                                    "controller.scheduler=pas controller.starvation_limit=3us"))},
      {"writes on credit to PCM",
       with(kSmallNvdimm, keys_from("controller.ack=nvdimm_p nvdimm.kind=pcm "
                                    "nvdimm.media.write_queue=4 nvdimm.media.banks=2"))},
      {"writes on one credit, two queues, epochs",
       with(kSmallNvdimm,
            keys_from("controller.ack=nvdimm_p controller.nvdimm_p.credits=1 "
                      "controller.queues=split controller.structure=two_level "
                      "controller.scheduler=nvm_duet controller.nvdimm_scheduler=nvm_duet"))},
  };
}

constexpr int kBursts = 400;

TEST(ChannelProperties, EveryRequestOnceInLineOrderAndByTheRules) {
  for (const Case& tried : cases()) {
    SCOPED_TRACE(tried.name);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      ChannelUnderTest channel(tried.assignments);
      RandomTraffic traffic(channel, seed);
      traffic.run(kBursts);
      channel.drain();
      traffic.expect_all_done();
      EXPECT_EQ(channel.checker_.commands(), static_cast<std::int64_t>(channel.log_.size()));
    }
  }
}

// Number of random systems; HMSIM_SYSTEMS sets another.
int systems() {
  const char* const text = std::getenv("HMSIM_SYSTEMS");
  return text == nullptr ? 300 : std::stoi(text);
}

// A system is a function of its number. Every second one has random times, so that each rule in
// turn is the binding one.
RandomSystem system_of(int number) {
  Random random(static_cast<std::uint64_t>(number));
  RandomSystem system = draw_system(random, false);
  if (number % 2 == 0) {
    draw_times(random, system);
  }
  return system;
}

TEST(RandomSystems, BreakNoRuleAndKeepEveryRequest) {
  for (int number = 0; number < systems() && !HasFailure(); ++number) {
    const RandomSystem system = system_of(number);
    SCOPED_TRACE(std::to_string(number) + ": " + text_of(system.assignments));
    const auto seed = static_cast<std::uint64_t>(number);
    ChannelUnderTest channel(system.config);
    RandomTraffic traffic(channel, seed, system.config.nvdimm.present ? 20 * (seed % 3) : 0);
    traffic.run(130);
    channel.drain(Cycle(100'000'000));
    traffic.expect_all_done();
  }
}

TEST(RandomSystems, MissNoWakeUpAndResumeExactly) {
  for (int number = 0; number < systems() / 10 && !HasFailure(); ++number) {
    const RandomSystem system = system_of(number);
    SCOPED_TRACE(std::to_string(number) + ": " + text_of(system.assignments));
    expect_no_missed_wake_up(system.assignments, 40);
    expect_exact_resume(system.assignments);
  }
}

using Setting = std::pair<std::string, std::string>;

// Returns whether some part has both settings.
bool possible(const Choice& choice, const Setting& one, const Setting& other) {
  return std::any_of(kChoices.front().values.begin(), kChoices.front().values.end(),
                     [&](const char* part) {
                       SystemConfig config;
                       return configure(config, with(choice.of_nvdimm ? kSmallNvdimm : kDramOnly,
                                                     {{kChoices.front().name, part}, one, other}))
                           .empty();
                     });
}

// A misspelt value would leave every system.
TEST(RandomSystems, HaveEveryFeatureBesideEveryPagePolicyRefreshModeAndPowerMode) {
  const std::set<std::string> modes{"controller.page_policy", "dram.refresh",
                                    "dram.refresh_mode",      "dram.refresh_management",
                                    "dram.refresh_postpone",  "dram.refresh_pull_in",
                                    "dram.power_down",        "dram.self_refresh"};
  const std::set<std::string> policies{"controller.scheduler", "controller.nvdimm_scheduler",
                                       "controller.arbiter"};
  std::map<Setting, int> single;
  std::set<std::pair<Setting, Setting>> pairs;
  for (int number = 0; number < systems(); ++number) {
    const RandomSystem system = system_of(number);
    for (const Setting& one : system.assignments) {
      ++single[one];
      for (const Setting& other : system.assignments) {
        pairs.emplace(one, other);
      }
    }
  }
  for (const Choice& choice : kChoices) {
    for (const char* const value : choice.values) {
      const Setting one(choice.name, value);
      EXPECT_GE(single[one], 5) << one.first << '=' << one.second;
      for (const Choice& mode : kChoices) {
        if (modes.count(mode.name) == 0 || mode.name == one.first ||
            policies.count(one.first) != 0) {
          continue;
        }
        for (const char* const mode_value : mode.values) {
          const Setting other(mode.name, mode_value);
          EXPECT_TRUE(pairs.count({one, other}) != 0 || !possible(choice, one, other))
              << one.first << '=' << one.second << " beside " << other.first << '=' << other.second;
        }
      }
    }
  }
}

// A new feature of controller or DRAM must be drawn, with each of its values.
TEST(RandomSystems, DrawEveryFeature) {
  // Not of one channel with hmsim's DRAM; or drawn in full by other tests.
  const std::set<std::string> others{"controller.bus",
                                     "controller.channel_hash",
                                     "dram.backend",
                                     "dram.dramsim3_mend_ini",
                                     "dram.dramsim3_mend_timing",
                                     "dram.dramsim3_unified_queue",
                                     "dram.preset",
                                     "controller.scheduler",
                                     "controller.nvdimm_scheduler",
                                     "controller.arbiter"};
  SystemConfig config;
  ParameterSet parameters;
  config.declare(parameters);
  for (const ParameterInfo& info : parameters.describe()) {
    const bool feature = info.type == "choice" || info.type == "boolean";
    const bool here = info.name.rfind("controller.", 0) == 0 || info.name.rfind("dram.", 0) == 0;
    if (!feature || !here || others.count(info.name) != 0) {
      continue;
    }
    std::set<std::string> drawn;
    for (const Choice& choice : kChoices) {
      if (choice.name == info.name) {
        drawn.insert(choice.values.begin(), choice.values.end());
      }
    }
    std::istringstream words(info.type == "boolean" ? "true false" : info.range);
    for (std::string word; words >> word;) {
      EXPECT_TRUE(word == "|" || drawn.count(word) != 0) << info.name << '=' << word;
    }
  }
}

TEST(ChannelProperties, NoWakeUpIsMissed) {
  for (const Case& tried : cases()) {
    SCOPED_TRACE(tried.name);
    expect_no_missed_wake_up(tried.assignments, kBursts);
  }
}

TEST(ChannelProperties, CheckpointContinuesExactly) {
  for (const Case& tried : cases()) {
    SCOPED_TRACE(tried.name);
    expect_exact_resume(tried.assignments);
  }
}

}  // namespace
}  // namespace hmsim::testing
