// SPDX-License-Identifier: BSD-3-Clause
// Properties of random traffic and configurations: every request completes exactly once, no rule is
// broken (the harness checks every command), lines stay in order, and no wake-up is missed.
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
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
       with(kSmallNvdimm, {{"nvdimm.count", "4"},
                           {"nvdimm.interleave", "device"},
                           {"controller.queues", "split"},
                           {"controller.ack", "auto"}})},
      {"flash, PCM and more flash, writes on credit",
       with(kSmallNvdimm, {{"nvdimm.count", "3"},
                           {"nvdimm.devices", "1: kind=pcm, capacity=1MiB; 2: buffer.lookup=7ns"},
                           {"nvdimm.interleave", "device"},
                           {"controller.ack", "nvdimm_p"}})},
      {"split, DRAM first",
       with(kSmallNvdimm, {{"controller.queues", "split"}, {"controller.arbiter", "dram_first"}})},
      {"round robin, auto ack",
       with(kSmallNvdimm, {{"controller.arbiter", "round_robin"}, {"controller.ack", "auto"}})},
      {"legal commands only contest", with(kSmallNvdimm, {{"controller.queues", "split"},
                                                          {"controller.contest", "legal"},
                                                          {"controller.arbiter", "round_robin"}})},
      {"blocking device", with(kSmallNvdimm, {{"controller.outstanding", "1"}})},
      {"fcfs, paper's precharge delay",
       with(kSmallNvdimm, {{"controller.scheduler", "fcfs"}, {"dram.precharge_delay", "paper"}})},
      {"drained writes", with(kSmallNvdimm, {{"controller.writes", "drained"},
                                             {"controller.drain_high", "12"},
                                             {"controller.drain_low", "3"}})},
      {"drained writes, frequent refreshes",
       {{"nvdimm.present", "false"},
        {"dram.ranks", "4"},
        {"dram.timing.tREFI", "700"},
        {"controller.writes", "drained"},
        {"controller.drain_high", "6"},
        {"controller.drain_low", "3"}}},
      {"two level", with(kSmallNvdimm, {{"controller.structure", "two_level"}})},
      {"shallow queue, xor hash, other part",
       with(kSmallNvdimm, {{"controller.queue_depth", "4"},
                           {"controller.bank_hash", "xor"},
                           {"dram.preset", "ddr3_1600_8gb_x8"}})},
      {"DDR4 with bank groups, 2 ranks",
       with(kSmallNvdimm, {{"dram.preset", "ddr4_2400r_8gb_x8"}, {"dram.ranks", "2"}})},
      {"DDR5, same-bank refreshes",
       with(kSmallNvdimm, {{"dram.preset", "ddr5_4800b_16gb_x8"},
                           {"dram.refresh_mode", "same_bank"},
                           {"dram.ranks", "2"},
                           {"controller.address_map", "row|group|bank|rank|column|channel"}})},
      {"power-down",
       with(kSmallNvdimm,
            {{"dram.ranks", "2"}, {"dram.power_down", "fast"}, {"dram.power_down_idle", "20ns"}})},
      {"power-down and self-refresh, refreshes put off and made ahead, drained writes",
       {{"nvdimm.present", "false"},
        {"dram.ranks", "4"},
        {"dram.power_down", "fast"},
        {"dram.self_refresh", "true"},
        {"dram.self_refresh_idle", "1us"},
        {"dram.timing.tREFI", "700"},
        {"dram.refresh_postpone", "3"},
        {"dram.refresh_pull_in", "2"},
        {"controller.writes", "drained"},
        {"controller.drain_high", "6"},
        {"controller.drain_low", "3"}}},
      {"self-refresh, closed page, two level",
       with(kSmallNvdimm, {{"dram.self_refresh", "true"},
                           {"dram.self_refresh_idle", "500ns"},
                           {"controller.page_policy", "closed_page"},
                           {"controller.structure", "two_level"}})},
      {"DDR5, power-down, same-bank refreshes",
       {{"nvdimm.present", "false"},
        {"dram.preset", "ddr5_4800b_16gb_x8"},
        {"dram.refresh_mode", "same_bank"},
        {"dram.power_down", "fast"},
        {"dram.ranks", "2"},
        {"controller.address_map", "row|group|bank|rank|column|channel"}}},
      {"LPDDR5, 2 ranks, drained writes",
       {{"nvdimm.present", "false"},
        {"dram.preset", "lpddr5_6400_16gb_x16"},
        {"dram.refresh_mode", "same_bank"},
        {"dram.ranks", "2"},
        {"controller.writes", "drained"},
        {"controller.drain_high", "6"},
        {"controller.drain_low", "3"}}},
      {"LPDDR5, closed page, refreshes put off and made ahead",
       {{"nvdimm.present", "false"},
        {"dram.preset", "lpddr5_5500_8gb_x16"},
        {"dram.timing.tREFI", "1600"},
        {"dram.refresh_postpone", "8"},
        {"dram.refresh_pull_in", "8"},
        {"controller.page_policy", "closed_page"},
        {"controller.scheduler", "bliss"}}},
      {"HBM3, per-bank refreshes",
       {{"nvdimm.present", "false"},
        {"dram.preset", "hbm3_6400_8h_4gb_x32"},
        {"dram.ranks", "2"},
        {"dram.refresh_mode", "same_bank"},
        {"controller.scheduler", "tcm"}}},
      {"HBM3, drained writes, timeout page, two level",
       {{"nvdimm.present", "false"},
        {"dram.preset", "hbm3_4800_4h_2gb_x32"},
        {"dram.ranks", "2"},
        {"dram.refresh_postpone", "4"},
        {"controller.structure", "two_level"},
        {"controller.page_policy", "timeout_page"},
        {"controller.writes", "drained"},
        {"controller.drain_high", "6"},
        {"controller.drain_low", "3"}}},
      {"closed page, drained writes", with(kSmallNvdimm, {{"controller.page_policy", "closed_page"},
                                                          {"controller.writes", "drained"},
                                                          {"controller.drain_high", "12"},
                                                          {"controller.drain_low", "3"}})},
      {"timeout page, DDR4, refreshes put off",
       {{"nvdimm.present", "false"},
        {"dram.ranks", "2"},
        {"dram.preset", "ddr4_3200aa_16gb_x16"},
        {"controller.address_map", "row|group|bank|rank|column|channel"},
        {"controller.page_policy", "timeout_page"},
        {"dram.refresh_postpone", "8"}}},
      {"capped page, refreshes made ahead and put off",
       with(kSmallNvdimm, {{"controller.page_policy", "capped_page"},
                           {"policies.capped_page.cap", "2"},
                           {"dram.ranks", "2"},
                           {"dram.refresh_postpone", "8"},
                           {"dram.refresh_pull_in", "8"}})},
      {"fcfs, capped page, two level",
       with(kSmallNvdimm, {{"controller.page_policy", "capped_page"},
                           {"controller.scheduler", "fcfs"},
                           {"controller.structure", "two_level"}})},
      {"page-aware", with(kSmallNvdimm, {{"controller.queues", "split"},
                                         {"controller.nvdimm_scheduler", "pas"},
                                         {"controller.arbiter", "oldest_first"},
                                         {"controller.outstanding", "24"},
                                         {"nvdimm.buffer.read_size", "64KiB"}})},
      {"page-aware, any miss, one queue", with(kSmallNvdimm, {{"controller.scheduler", "pas"},
                                                              {"controller.ack", "auto"},
                                                              {"policies.pas.trigger", "any_miss"},
                                                              {"controller.outstanding", "24"}})},
      {"writes on credit", with(kSmallNvdimm, {{"controller.ack", "nvdimm_p"}})},
      {"writes on few credits, page-aware, slow responses",
       with(kSmallNvdimm, {{"controller.ack", "nvdimm_p"},
                           {"controller.nvdimm_p.credits", "2"},
                           {"controller.nvdimm_p.response_cycles", "9"},
                           {"controller.scheduler", "pas"},
                           {"controller.starvation_limit", "3us"}})},
      {"writes on credit to PCM", with(kSmallNvdimm, {{"controller.ack", "nvdimm_p"},
                                                      {"nvdimm.kind", "pcm"},
                                                      {"nvdimm.media.write_queue", "4"},
                                                      {"nvdimm.media.banks", "2"}})},
      {"writes on one credit, two queues, epochs",
       with(kSmallNvdimm, {{"controller.ack", "nvdimm_p"},
                           {"controller.nvdimm_p.credits", "1"},
                           {"controller.queues", "split"},
                           {"controller.structure", "two_level"},
                           {"controller.scheduler", "nvm_duet"},
                           {"controller.nvdimm_scheduler", "nvm_duet"}})},
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

// Random timings, so that each rule in turn is the binding one.
TEST(ChannelProperties, NoRuleIsBrokenWhateverTheTimings) {
  Random random(1);
  const auto between = [&random](std::uint64_t low, std::uint64_t high) {
    return std::to_string(low + random.below(high - low + 1));
  };
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    ChannelUnderTest channel(
        with(kSmallNvdimm, {{"dram.ranks", i % 2 == 0 ? "2" : "4"},
                            {"nvdimm.unmapped_read", "zero"},
                            {"controller.ack", i % 3 == 0   ? "auto"
                                               : i % 7 == 1 ? "nvdimm_p"
                                                            : "grant"},
                            {"controller.ack_slots", between(0, 1)},
                            {"nvdimm.buffer.port", i % 5 == 0 ? "serial" : "pipelined"},
                            {"nvdimm.buffer.lookup", between(0, 60) + "ns"},
                            {"dram.refresh_postpone", between(0, 8)},
                            {"dram.refresh_pull_in", between(0, 8)},
                            {"dram.timing.CL", between(6, 20)},
                            {"dram.timing.CWL", between(1, 10)},
                            {"dram.timing.tRCD", between(1, 20)},
                            {"dram.timing.tRP", between(1, 20)},
                            {"dram.timing.tRAS", between(1, 30)},
                            {"dram.timing.tRC", between(30, 60)},
                            {"dram.timing.tRRD", between(1, 12)},
                            {"dram.timing.tFAW", between(1, 60)},
                            {"dram.timing.tWR", between(1, 20)},
                            {"dram.timing.tWTR", between(0, 12)},
                            {"dram.timing.tRTP", between(1, 12)},
                            {"dram.timing.tCCD", between(5, 12)},
                            {"dram.timing.burst", between(1, 5)},
                            {"dram.timing.tRTRS", between(0, 5)},
                            {"dram.timing.tREFI", between(900, 2000)},
                            {"dram.timing.tRFC", between(1, 150)}}));
    RandomTraffic traffic(channel, static_cast<std::uint64_t>(i));
    traffic.run(kBursts);
    channel.drain();
    EXPECT_TRUE(channel.channel_.idle());
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
