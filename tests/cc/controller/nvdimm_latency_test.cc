// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of one NVDIMM transaction on an idle channel (spec 3.2), ack protocol included.
#include <gtest/gtest.h>

#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

constexpr auto kNvdimm = MemoryClass::nvdimm;
constexpr Cycle kLongAfter{100'000};  // 125 us: past a flash read

const Assignments kSmall;  // the default device costs next to nothing until it is touched

Assignments with(Assignments base, const Assignments& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

Cycle latency_of(ChannelUnderTest& channel, Address address, bool write) {
  const Cycle sent(channel.kernel_.now() / channel.channel_.clock_period());
  const std::uint64_t id = channel.send(kNvdimm, address, write);
  channel.run_to(sent + kLongAfter);
  return channel.finished_.at(id) - sent;
}

TEST(NvdimmLatency, ReadHitWithGrant) {
  ChannelUnderTest channel(kSmall);
  latency_of(channel, Address(0), false);
  // Command 1, lookup 42 (52 ns), ack 1, grant, CL 11, burst 4: 59 in all.
  EXPECT_EQ(latency_of(channel, Address(64), false), Cycle(59));
}

TEST(NvdimmLatency, ReadHitWithoutGrant) {
  ChannelUnderTest channel(with(kSmall, {{"controller.ack", "auto"}}));
  latency_of(channel, Address(0), false);
  EXPECT_EQ(latency_of(channel, Address(64), false), Cycle(58));
}

TEST(NvdimmLatency, WriteHit) {
  const Assignments jedec{{"dram.preset", "ddr3_1600_8gb_x8"}};  // CWL 8
  ChannelUnderTest grant(with(kSmall, jedec));
  EXPECT_EQ(latency_of(grant, Address(0), true), Cycle(56));
  ChannelUnderTest automatic(with(with(kSmall, jedec), {{"controller.ack", "auto"}}));
  EXPECT_EQ(latency_of(automatic, Address(0), true), Cycle(55));
}

TEST(NvdimmLatency, ReadMiss) {
  // 1.25 + 52 + 300 + 50 000 + 20 480 ns, then the ack on the next edge, grant, CL and burst.
  constexpr Tick kReady{1'250 + 52'000 + 300'000 + 50'000'000 + 20'480'000};
  const Cycle ack((kReady.value() + 1249) / 1250);
  ChannelUnderTest grant(kSmall);
  EXPECT_EQ(latency_of(grant, Address(0), false), ack + Cycle(1 + 11 + 4));
  ChannelUnderTest automatic(with(kSmall, {{"controller.ack", "auto"}}));
  EXPECT_EQ(latency_of(automatic, Address(0), false), ack + Cycle(11 + 4));
  EXPECT_NEAR(static_cast<double>((ack + Cycle(15)).value()) * 1.25e-3, 70.85, 0.005);  // us
}

TEST(NvdimmLatency, CommandsOfAReadInOrder) {
  ChannelUnderTest channel(kSmall);
  latency_of(channel, Address(0), false);
  channel.log_.clear();
  const Cycle sent(channel.kernel_.now() / channel.channel_.clock_period());
  latency_of(channel, Address(64), false);
  std::vector<std::pair<ChannelCommand, std::int64_t>> seen;
  for (const CommandRecord& record : channel.log_) {
    if (record.command != ChannelCommand::refresh) {
      seen.emplace_back(record.command, (record.cycle - sent).value());
    }
  }
  const std::vector<std::pair<ChannelCommand, std::int64_t>> expected{
      {ChannelCommand::nvdimm_read_command, 0},
      {ChannelCommand::nvdimm_ack, 43},
      {ChannelCommand::nvdimm_read, 44}};
  EXPECT_EQ(seen, expected);
}

TEST(NvdimmAck, TakesACommandBusSlotUnlessASideBandCarriesIt) {
  for (const auto& [slots, expected] : {std::pair("1", 44), std::pair("0", 43)}) {
    ChannelUnderTest channel(
        with(kSmall, {{"controller.ack_slots", slots}, {"dram.refresh", "false"}}));
    latency_of(channel, Address(0), false);
    channel.log_.clear();
    const Cycle sent(channel.kernel_.now() / channel.channel_.clock_period());
    channel.send(kNvdimm, Address(64));
    channel.run_to(sent + Cycle(43) - Cycle(1));
    channel.kernel_.run_until((sent + Cycle(42)).value() * Tick(1250) + Tick(1));
    channel.send(MemoryClass::dram, channel.dram(0, 0, 0));  // wants edge 43
    channel.run_to(sent + kLongAfter);
    for (const CommandRecord& record : channel.log_) {
      if (record.command == ChannelCommand::activate) {
        // With an ack slot the grant, which reserves the data bus, goes before the activate too.
        EXPECT_EQ((record.cycle - sent).value(), expected + (slots[0] == '1' ? 1 : 0));
      }
    }
  }
}

TEST(NvdimmAck, LinesOfOnePageAreAcknowledgedOnePerCycle) {
  ChannelUnderTest channel(kSmall);
  for (int line = 0; line < 64; ++line) {
    channel.send(kNvdimm, Address(line * 64));
  }
  channel.run_to(kLongAfter);
  std::vector<Cycle> acks;
  for (const CommandRecord& record : channel.log_) {
    if (record.command == ChannelCommand::nvdimm_ack) {
      acks.push_back(record.cycle);
    }
  }
  ASSERT_EQ(acks.size(), 64u);
  EXPECT_EQ(acks.back() - acks.front(), Cycle(63));
}

}  // namespace
}  // namespace hmsim::testing
