// SPDX-License-Identifier: BSD-3-Clause
// Refresh management of DDR5: does each bank get an RFM after RAAIMT activates, less those that
// refreshes take off?
#include <gtest/gtest.h>

#include <string>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

using C = ChannelCommand;
constexpr auto kDram = MemoryClass::dram;

const Assignments kManaged = keys_from(
    "nvdimm.present=false dram.preset=ddr5_4800b_16gb_x8 "
    "controller.address_map=row|group|bank|rank|column|channel dram.refresh_management=true");
// The first regular refresh is after the end of the test.
const Assignments kFarRefreshes{{"dram.timing.tREFI", "1000000"}};

// Reads two rows of a bank in turn, one at a time, so that each read needs an activate.
void read_in_turn(ChannelUnderTest& channel, int reads) {
  int sent = 0;
  const auto next = [&] {
    channel.send(kDram, channel.dram(sent % 2, 3, 0));
    ++sent;
  };
  channel.on_done = [&](const Request&) {
    if (sent < reads) {
      next();
    }
  };
  next();
  channel.drain();
  channel.run_to(Cycle(channel.kernel_.now() / channel.channel_.clock_period()) + Cycle(2'000));
  channel.on_done = nullptr;
}

TEST(RefreshManagement, SendsOneRfmForEachRaaimtActivates) {
  for (const int threshold : {16, 32, 80}) {
    for (const int reads : {threshold - 1, threshold, 100, 640}) {
      ChannelUnderTest channel(
          with(with(kManaged, kFarRefreshes), {{"dram.RAAIMT", std::to_string(threshold)}}));
      read_in_turn(channel, reads);
      EXPECT_EQ(only(channel.log_, C::activate).size(), static_cast<std::size_t>(reads));
      EXPECT_EQ(only(channel.log_, C::refresh_management).size(),
                static_cast<std::size_t>(reads / threshold))
          << threshold;
      EXPECT_TRUE(only(channel.log_, C::refresh).empty());
    }
  }
}

// The read after an RFM waits for it: activates on both sides are the RFM's wait for the row, tRP
// and tRFC apart.
TEST(RefreshManagement, AnRfmTakesTheTimeOfARefresh) {
  ChannelUnderTest channel(with(kManaged, kFarRefreshes));
  read_in_turn(channel, 33);
  const auto activates = only(channel.log_, C::activate);
  const auto managements = only(channel.log_, C::refresh_management);
  ASSERT_EQ(managements.size(), 1U);
  const DramTiming& t = channel.config_.dram.timing;
  EXPECT_EQ(managements[0].cycle - activates[31].cycle, Cycle(t.tras + t.trp));
  EXPECT_EQ(activates[32].cycle - managements[0].cycle, Cycle(t.trfc));
}

// A REF takes RAAIMT off as well. The count is never below 0, so RFMs are at least the rest.
TEST(RefreshManagement, RefreshesTakeActivatesOff) {
  ChannelUnderTest channel(kManaged);
  read_in_turn(channel, 2'000);
  const auto activates = static_cast<double>(only(channel.log_, C::activate).size());
  const auto refreshes = static_cast<double>(only(channel.log_, C::refresh).size());
  const auto managements = static_cast<double>(only(channel.log_, C::refresh_management).size());
  EXPECT_GE(refreshes, 20);
  EXPECT_GE(managements, (activates - 32 * (refreshes + 1)) / 32);
  EXPECT_LE(managements, activates / 32 - refreshes / 2);
}

// With many banks at their counts, and ranks that refresh at other times.
TEST(RefreshManagement, KeepsTheRulesUnderRandomTraffic) {
  for (const char* extra : {"0", "4"}) {
    const Assignments busy = with(kManaged, {{"dram.ranks", "2"},
                                             {"dram.RAAIMT", "16"},
                                             {"dram.timing.tREFI", "60000"},
                                             {"dram.refresh_postpone", extra},
                                             {"dram.refresh_pull_in", extra}});
    ChannelUnderTest channel(busy);
    RandomTraffic traffic(channel, 7);
    traffic.run(20'000);
    channel.drain(Cycle(10'000'000));
    traffic.expect_all_done();
    EXPECT_GT(only(channel.log_, C::refresh_management).size(), 20U);
  }
}

TEST(RefreshManagement, ContinuesExactlyFromACheckpoint) {
  const Assignments busy =
      with(with(kManaged, kFarRefreshes), {{"dram.RAAIMT", "16"}, {"nvdimm.present", "false"}});
  ChannelUnderTest whole(busy);
  ChannelUnderTest before(busy);
  read_in_turn(whole, 40);
  read_in_turn(before, 40);
  ChannelUnderTest after(busy);
  after.load(before.save());
  whole.log_.clear();
  for (ChannelUnderTest* const channel : {&whole, &after}) {
    channel->next_id_ = 40;
    read_in_turn(*channel, 30);
  }
  EXPECT_EQ(only(whole.log_, C::refresh_management).size(), 2U);  // 8 + 30 activates
  ASSERT_EQ(whole.log_.size(), after.log_.size());
  for (std::size_t i = 0; i < after.log_.size(); ++i) {
    EXPECT_TRUE(whole.log_[i] == after.log_[i]) << i;
  }
}

TEST(RefreshManagement, TheCheckerMissesNoneAndAllowsNoneTooEarly) {
  const Assignments far = with(kManaged, kFarRefreshes);
  ChannelUnderTest channel(far);
  read_in_turn(channel, 200);
  const auto broken = [&](auto edit) {
    std::vector<CommandRecord> log = channel.log_;
    edit(log);
    ProtocolChecker checker(make_config(far));
    for (const CommandRecord& command : log) {
      checker.on_command(command);
    }
    return checker.violations().total() == 0 ? std::string()
                                             : checker.violations().first().front().rule;
  };
  const auto is_rfm = [](const CommandRecord& each) {
    return each.command == C::refresh_management;
  };
  EXPECT_EQ(broken([](auto&) {}), "");
  EXPECT_EQ(broken([&](auto& log) {
              log.erase(std::remove_if(log.begin(), log.end(), is_rfm), log.end());
            }),
            "RAAMMT");
  EXPECT_EQ(broken([&](auto& log) {
              const auto first = std::find_if(log.begin(), log.end(), is_rfm);
              CommandRecord again = *first;
              again.cycle += Cycle(channel.config_.dram.timing.trfc);
              log.insert(first + 1, again);
            }),
            "RAAIMT");
}

TEST(RefreshManagement, IsOffByDefaultAndRejectedIfNotModelled) {
  ChannelUnderTest channel(with({kManaged.begin(), kManaged.end() - 1}, kFarRefreshes));
  read_in_turn(channel, 100);
  EXPECT_TRUE(only(channel.log_, C::refresh_management).empty());
  EXPECT_THROW(make_config({{"dram.refresh_management", "true"}}), InputError);
  for (const Assignment& wrong :
       keys_from("dram.preset=ddr4_2400r_8gb_x8 dram.refresh_mode=same_bank dram.self_refresh=true "
                 "dram.refresh=false")) {
    EXPECT_THROW(make_config(with(kManaged, {wrong})), InputError) << wrong.first;
  }
}

}  // namespace
}  // namespace hmsim::testing
