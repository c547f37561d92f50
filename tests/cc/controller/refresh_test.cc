// SPDX-License-Identifier: BSD-3-Clause
// Refreshes that are postponed and pulled in: how many there are, and when.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/archive.h"
#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

constexpr auto kDram = MemoryClass::dram;
constexpr std::int64_t kInterval = 6240;

Assignments elastic(const char* postpone, const char* pull_in, const char* ranks = "1") {
  return {{"nvdimm.present", "false"},
          {"dram.ranks", ranks},
          {"dram.refresh_postpone", postpone},
          {"dram.refresh_pull_in", pull_in}};
}

// Keeps 16 reads to the rank outstanding until `end`.
void keep_busy(ChannelUnderTest& channel, Cycle end) {
  std::int64_t column = 0;
  const auto next = [&] {
    if (channel.kernel_.now() < end.value() * channel.channel_.clock_period()) {
      channel.send(kDram, channel.dram(1, 0, column++ % 256));
    }
  };
  channel.on_done = [&](const Request&) { next(); };
  for (int i = 0; i < 16; ++i) {
    next();
  }
  channel.run_to(end + Cycle(1000));
}

std::size_t refreshes_before(const ChannelUnderTest& channel, std::int64_t cycle, int rank = 0) {
  std::size_t count = 0;
  for (const CommandRecord& record : only(channel.log_, ChannelCommand::refresh, rank)) {
    count += record.cycle <= Cycle(cycle) ? 1 : 0;
  }
  return count;
}

TEST(Refresh, PutOffWhileRequestsWaitAndMadeUpWhenIdle) {
  for (const int postpone : {1, 4, 7}) {
    SCOPED_TRACE(postpone);
    ChannelUnderTest channel(elastic(std::to_string(postpone).c_str(), "0"));
    keep_busy(channel, Cycle(kInterval * 20 + 3000));
    const auto refreshes = only(channel.log_, ChannelCommand::refresh);
    // Busy: the first waits `postpone` intervals longer, and so does each later one.
    EXPECT_GE(refreshes[0].cycle, Cycle(kInterval * (1 + postpone)));
    EXPECT_LT(refreshes[0].cycle, Cycle(kInterval * (1 + postpone) + 100));
    EXPECT_EQ(refreshes_before(channel, kInterval * 20 + 3000),
              static_cast<std::size_t>(20 - postpone));
    // Idle: all postponed refreshes are made up, one tRFC apart.
    EXPECT_EQ(refreshes.size(), 20u);
    for (std::size_t i = 20 - static_cast<std::size_t>(postpone); i + 1 < 20; ++i) {
      EXPECT_EQ(refreshes[i + 1].cycle - refreshes[i].cycle, Cycle(88));
    }
    channel.run_to(Cycle(kInterval * 40 + 100));
    EXPECT_EQ(only(channel.log_, ChannelCommand::refresh).size(), 40u);
  }
}

TEST(Refresh, MadeAheadWhileIdle) {
  for (const int pull_in : {1, 8}) {
    SCOPED_TRACE(pull_in);
    ChannelUnderTest channel(elastic("0", std::to_string(pull_in).c_str()));
    channel.run_to(Cycle(kInterval * 30 + 100));
    EXPECT_EQ(refreshes_before(channel, kInterval * 30 + 100),
              static_cast<std::size_t>(30 + pull_in));
    EXPECT_EQ(refreshes_before(channel, 1000), static_cast<std::size_t>(pull_in == 1 ? 1 : 8));
  }
}

TEST(Refresh, RefreshesMadeAheadAreSavedWhenBusy) {
  ChannelUnderTest channel(elastic("0", "8"));
  channel.run_to(Cycle(2000));
  EXPECT_EQ(only(channel.log_, ChannelCommand::refresh).size(), 8u);
  keep_busy(channel, Cycle(kInterval * 10 + 3000));
  EXPECT_EQ(refreshes_before(channel, kInterval * 9 - 1), 8u);
  EXPECT_EQ(refreshes_before(channel, kInterval * 9 + 100), 9u);
  EXPECT_EQ(refreshes_before(channel, kInterval * 10 + 100), 10u);
}

// With random gaps in the traffic, the count always stays within the allowance, no two refreshes
// are more than 9 intervals apart, and no 17 fall within two intervals.
TEST(Refresh, NeverLeavesTheAllowance) {
  for (const auto& [postpone, pull_in] :
       std::vector<std::pair<int, int>>{{0, 0}, {8, 0}, {0, 8}, {8, 8}, {3, 2}}) {
    SCOPED_TRACE(std::to_string(postpone) + ", " + std::to_string(pull_in));
    ChannelUnderTest channel(
        elastic(std::to_string(postpone).c_str(), std::to_string(pull_in).c_str(), "2"));
    Random random(11);
    Cycle now{0};
    while (now < Cycle(kInterval * 100)) {
      const Cycle until = now + Cycle(static_cast<std::int64_t>(random.below(kInterval * 12)));
      const bool busy = random.below(2) == 0;
      while (now < until) {
        const auto rank = static_cast<std::int64_t>(random.below(2));
        const auto row = static_cast<std::int64_t>(random.below(64));
        const auto bank = static_cast<std::int64_t>(random.below(8));
        channel.send(kDram, channel.dram(row, bank, 0, rank));
        now += Cycle(busy ? 8 : 1500);
        channel.run_to(now);
      }
    }
    channel.drain(now + Cycle(100'000));
    constexpr std::int64_t kLate = 200;  // cycles to close the banks
    for (int rank = 0; rank < 2; ++rank) {
      const auto refreshes = only(channel.log_, ChannelCommand::refresh, rank);
      // Cycle at which the rank's first refresh is due.
      const std::int64_t offset = rank == 0 ? kInterval / 2 : kInterval;
      for (std::size_t i = 0; i < refreshes.size(); ++i) {
        const std::int64_t at = refreshes[i].cycle.value();
        const std::int64_t due = offset + static_cast<std::int64_t>(i) * kInterval;
        EXPECT_LE(at, due + postpone * kInterval + kLate);
        EXPECT_GE(at, due - pull_in * kInterval);
        if (i >= 1) {
          EXPECT_LE(at - refreshes[i - 1].cycle.value(), 9 * kInterval);
        }
        if (i >= 16) {
          EXPECT_GE(at - refreshes[i - 16].cycle.value(), 2 * kInterval);
        }
      }
      EXPECT_GE(refreshes.size(), 100u - static_cast<std::size_t>(postpone) - 1);
    }
  }
}

// JESD79-5B: 16 Gb x8, tREFI 9375 cycles of 416 ps; each of 4 bank numbers has a refresh every half
// tREFI.
const Assignments kSameBank = keys_from(
    "nvdimm.present=false dram.preset=ddr5_4800b_16gb_x8 dram.refresh_mode=same_bank dram.ranks=2 "
    "controller.address_map=row|group|bank|rank|column|channel");
constexpr std::int64_t kSameBankInterval = 9375 / 2 / 4;

TEST(SameBankRefresh, EachNumberInTurnAndInEachInterval) {
  ChannelUnderTest channel(kSameBank);
  channel.run_to(Cycle(kSameBankInterval * 40));
  EXPECT_TRUE(only(channel.log_, ChannelCommand::refresh).empty());
  for (int rank = 0; rank < 2; ++rank) {
    const auto refreshes = only(channel.log_, ChannelCommand::refresh_same_bank, rank);
    ASSERT_EQ(refreshes.size(), 40u);
    for (std::size_t i = 0; i < refreshes.size(); ++i) {
      EXPECT_EQ(refreshes[i].bank, static_cast<int>(i % 4));
      const auto due =
          static_cast<std::int64_t>(i) * kSameBankInterval + kSameBankInterval * (rank + 1) / 2;
      EXPECT_EQ(refreshes[i].cycle, Cycle(due));
    }
  }
}

// Returns the completion of a read of `bank` sent just before the first refresh of rank 0, which is
// for bank number 0.
Cycle read_beside_refresh(int bank) {
  ChannelUnderTest channel(kSameBank);
  channel.run_to(Cycle(kSameBankInterval / 2));
  const std::uint64_t id = channel.send(kDram, channel.dram(1, bank, 0));
  channel.run_to(Cycle(kSameBankInterval));
  return channel.finished_.at(id) - Cycle(kSameBankInterval / 2);
}

TEST(SameBankRefresh, HoldsUpItsBanksOnly) {
  const Cycle read(39 + 40 + 8);                         // tRCD + CL + BL/2
  EXPECT_EQ(read_beside_refresh(0), Cycle(312) + read);  // tRFCsb
  EXPECT_EQ(read_beside_refresh(4), Cycle(312) + read);  // in the next group, with the same number
  EXPECT_EQ(read_beside_refresh(1), Cycle(72) + read);   // tREFSBRD
  EXPECT_EQ(read_beside_refresh(7), Cycle(72) + read);
}

// Reads of open rows with other bank numbers continue while a bank is closed, refreshed and opened
// again.
TEST(SameBankRefresh, OtherBanksContinueReading) {
  ChannelUnderTest channel(kSameBank);
  std::int64_t column = 0;
  const auto next = [&] {
    channel.send(kDram, channel.dram(1, 1 + column % 2 * 4, column % 64));
    ++column;
  };
  channel.on_done = [&](const Request&) { next(); };
  for (int i = 0; i < 16; ++i) {
    next();
  }
  channel.run_to(Cycle(kSameBankInterval));
  const auto reads = only(channel.log_, ChannelCommand::read);
  for (std::size_t i = 1; i < reads.size(); ++i) {
    EXPECT_LE(reads[i].cycle - reads[i - 1].cycle, Cycle(9));
  }
  EXPECT_EQ(only(channel.log_, ChannelCommand::refresh_same_bank, 0).size(), 1u);
}

TEST(SameBankRefresh, RejectsStandardsWithoutItAndMovedRefreshes) {
  EXPECT_THROW(make_config({{"dram.refresh_mode", "same_bank"}}), InputError);
  EXPECT_THROW(
      make_config({{"dram.preset", "ddr4_2400t_8gb_x8"}, {"dram.refresh_mode", "same_bank"}}),
      InputError);
  for (const char* moved : {"dram.refresh_postpone", "dram.refresh_pull_in"}) {
    Assignments assignments = kSameBank;
    assignments.push_back({moved, "1"});
    EXPECT_THROW(make_config(assignments), InputError);
  }
}

std::string state_of(ChannelUnderTest& channel) {
  Archive archive;
  channel.channel_.serialize(archive);
  return archive.bytes();
}

// Refreshes of an idle channel are deferred if commands are not observed; nothing else may differ.
// Some requests arrive just before a refresh, so that their rows cannot be closed yet, others
// during and after one.
TEST(RefreshAtRest, LeavesTheChannelAsIfSeen) {
  const std::vector<Assignments> configs{
      {{"nvdimm.present", "false"}, {"dram.ranks", "4"}},
      {{"nvdimm.present", "false"}, {"dram.ranks", "4"}, {"dram.timing.tREFI", "700"}},
      {{"nvdimm.present", "false"},  // long precharges
       {"dram.ranks", "4"},
       {"dram.timing.tREFI", "1200"},
       {"dram.timing.tRFC", "20"},
       {"dram.timing.tRP", "250"}},
      {{"nvdimm.present", "false"}, {"dram.ranks", "2"}, {"dram.preset", "ddr4_2400t_8gb_x8"}},
      keys_from("nvdimm.present=false dram.preset=ddr5_4800b_16gb_x8 dram.refresh_mode=same_bank "
                "dram.ranks=2"),
      keys_from("nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=28 "
                "nvdimm.buffer.read_size=1MiB nvdimm.buffer.write_size=1MiB")};
  for (std::size_t which = 0; which < configs.size(); ++which) {
    SCOPED_TRACE(which);
    ChannelUnderTest seen(configs[which]);
    ChannelUnderTest unseen(configs[which]);
    unseen.channel_.set_observer(nullptr);
    unseen.violations_expected_ = true;  // the checker sees no commands
    Random random(which);
    Cycle now(0);
    for (int i = 0; i < 400; ++i) {
      const auto below = [&random](std::uint64_t bound) {
        return static_cast<std::int64_t>(random.below(bound));
      };
      if (i % 4 == 0) {
        const std::int64_t interval =
            seen.config_.dram.refresh_interval() / seen.config_.dram.ranks;
        const std::int64_t next = (now.value() / interval + below(4) + 1) * interval;
        now = later(now, Cycle(next - below(60)));
      } else {
        now += Cycle(below(i % 4 == 1 ? 1000 : 20));
      }
      const bool nvdimm = !unseen.nvdimms().empty() && random.below(4) == 0;
      const Address address(static_cast<std::int64_t>(random.below(1 << 20)) * kLineBytes.value());
      const bool write = random.below(3) == 0;
      for (ChannelUnderTest* const channel : {&seen, &unseen}) {
        channel->run_to(now);
        channel->send(nvdimm ? MemoryClass::nvdimm : kDram, address, write);
      }
      if (i % 10 == 9) {
        ASSERT_EQ(state_of(seen), state_of(unseen)) << "at cycle " << now.value();
      }
    }
    EXPECT_EQ(seen.finished_, unseen.finished_);
  }
}

TEST(RefreshAtRest, TakesNoSteps) {
  ChannelUnderTest channel(elastic("0", "0", "4"));
  channel.channel_.set_observer(nullptr);
  channel.violations_expected_ = true;
  constexpr std::uint64_t kSteps = 1000;
  std::uint64_t steps = kSteps;
  EXPECT_FALSE(channel.kernel_.run(1000 * kInterval * channel.channel_.clock_period(), steps));
  EXPECT_LE(kSteps - steps, 2u);
  EXPECT_EQ(channel.channel_.statistics().refreshes, 4000u);
}

}  // namespace
}  // namespace hmsim::testing
