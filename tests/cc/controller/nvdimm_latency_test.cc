// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of one NVDIMM transaction on an idle channel (docs/inside-the-channel.md), including
// the ack protocol.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {

constexpr auto kNvdimm = MemoryClass::nvdimm;
constexpr Cycle kLongAfter{100'000};  // 125 us: longer than a flash read

const Assignments kSmall;  // default size: the device costs almost nothing until it is used

Cycle latency_of(ChannelUnderTest& channel, Address address, bool write, std::uint8_t lines = 1) {
  const Cycle sent(channel.kernel_.now() / channel.channel_.clock_period());
  const std::uint64_t id = channel.send(kNvdimm, address, write, 0, 0, lines);
  channel.run_to(sent + kLongAfter);
  return channel.finished_.at(id) - sent;
}

TEST(NvdimmLatency, ReadHitWithGrant) {
  ChannelUnderTest channel(kSmall);
  latency_of(channel, Address(0), false);
  // Command 1, lookup 42 (52 ns), ack 1, grant, CL 11, burst 4: 59 in total.
  EXPECT_EQ(latency_of(channel, Address(64), false), Cycle(59));
}

// With 2N the command ends one cycle later, the grant follows the two cycles of the ack, and the
// data are one cycle later.
TEST(NvdimmLatency, ReadHitWithTwoCyclesACommand) {
  ChannelUnderTest channel(Assignments{{"dram.command_rate", "2N"}});
  latency_of(channel, Address(0), false);
  EXPECT_EQ(latency_of(channel, Address(64), false), Cycle(59 + 3));
}

// Two lines of one page, item frames. Commands on edges 0 and 1; the first ends at 1.25 ns. Lookup
// 52 ns, command 0.3 us, tR 50 us and transfer 20.48 us end at 70,833.25 ns, before edge 56,667.
// With a shared read both are ready then: acks on edges 56,667 and 56,668, the first grant on the
// next one, CL 11 and a burst of 4. The second burst follows at once. With separate reads the
// second line needs another page read of 70.78 us, 56,624 cycles.
TEST(NvdimmLatency, LinesOfAPageThatShareItsReadEndOneBurstApart) {
  for (const char* const reads : {"shared", "own"}) {
    ChannelUnderTest channel({{"nvdimm.buffer.granularity", "item"},
                              {"nvdimm.buffer.item_reads", reads},
                              {"dram.refresh", "false"}});
    const std::uint64_t first = channel.send(kNvdimm, Address(0));
    const std::uint64_t second = channel.send(kNvdimm, Address(64));
    channel.drain();
    const bool shared = std::string_view(reads) == "shared";
    // Alone, the first grant follows its own ack.
    EXPECT_EQ(channel.finished_.at(first), Cycle(56'667 + (shared ? 2 : 1) + 11 + 4)) << reads;
    EXPECT_EQ(channel.finished_.at(second),
              shared ? Cycle(56'684 + 4) : Cycle(56'667 + 56'624 + 1 + 11 + 4))
        << reads;
  }
}

// There are at most 64 pseudo-banks, whatever the number of LUNs.
TEST(NvdimmLatency, PagesOfADeviceOf128Luns) {
  ChannelUnderTest channel(with(
      kSmall,
      keys_from("nvdimm.nand.channels=16 nvdimm.nand.chips=8 nvdimm.ftl.over_provisioning=15")));
  for (const std::int64_t page : {0, 63, 64, 127, 1000}) {
    latency_of(channel, Address(page * kPageBytes.value()), false);
    EXPECT_EQ(latency_of(channel, Address(page * kPageBytes.value() + 64), false), Cycle(59));
  }
}

// Without refreshes an uncontended window has no end.
TEST(NvdimmLatency, ReadsWithoutRefreshes) {
  ChannelUnderTest channel(with(kSmall, {{"dram.refresh", "false"}}));
  latency_of(channel, Address(0), false);
  EXPECT_EQ(channel.channel_.next_event(), kNever);
  const Cycle sent(channel.kernel_.now() / channel.channel_.clock_period());
  const std::uint64_t first = channel.send(kNvdimm, Address(64));
  const std::uint64_t second = channel.send(kNvdimm, Address(128));
  channel.drain();
  // The first one's grant is delayed by the second one's ack; then the bursts follow one another.
  EXPECT_EQ(channel.finished_.at(first) - sent, Cycle(59 + 1));
  EXPECT_EQ(channel.finished_.at(second) - sent, Cycle(59 + 1 + 4));
  EXPECT_EQ(channel.channel_.next_event(), kNever);
}

TEST(NvdimmLatency, ReadHitWithoutGrant) {
  ChannelUnderTest channel(with(kSmall, {{"controller.ack", "auto"}}));
  latency_of(channel, Address(0), false);
  EXPECT_EQ(latency_of(channel, Address(64), false), Cycle(58));
}

const Assignments kNvdimmP{{"controller.ack", "nvdimm_p"}, {"dram.refresh", "false"}};

TEST(NvdimmLatency, ReadHitWithReadReadyAndSend) {
  for (const auto& [response, expected] : {std::pair("1", 59), std::pair("7", 65)}) {
    ChannelUnderTest channel(with(kNvdimmP, {{"controller.nvdimm_p.response_cycles", response}}));
    latency_of(channel, Address(0), false);
    // Command 1, lookup 42, read ready 1 (or 7), SEND, CL 11, burst 4.
    EXPECT_EQ(latency_of(channel, Address(64), false), Cycle(expected));
  }
}

// A write on credit is a burst without command and ack.
TEST(NvdimmLatency, WriteOnCredit) {
  ChannelUnderTest channel(with(kNvdimmP, {{"dram.preset", "ddr3_1600_8gb_x8"}}));
  EXPECT_EQ(latency_of(channel, Address(0), true), Cycle(8 + 4));
}

// Two credits: the third write waits until the first line has its frame.
TEST(NvdimmLatency, AWriteWaitsForItsCredit) {
  for (const auto& [response, arrival] : {std::pair("1", 1), std::pair("7", 7)}) {
    ChannelUnderTest channel(with(kNvdimmP, {{"dram.preset", "ddr3_1600_8gb_x8"},
                                             {"controller.nvdimm_p.credits", "2"},
                                             {"controller.nvdimm_p.response_cycles", response}}));
    for (const int page : {0, 1, 2}) {
      channel.send(kNvdimm, Address(page * 4096), true);
    }
    channel.run_to(kLongAfter);
    EXPECT_EQ(channel.finished_.at(0), Cycle(12));
    EXPECT_EQ(channel.finished_.at(1), Cycle(16));
    // 12: the first line has arrived; lookup 42, response, burst 12.
    EXPECT_EQ(channel.finished_.at(2), Cycle(12 + 42 + arrival + 12));
  }
}

// The line written is on its way to a frame. The read waits for it and returns the written data.
TEST(NvdimmLatency, AReadAfterAWriteOnCreditWaitsForIt) {
  ChannelUnderTest channel(with(kNvdimmP, {{"dram.preset", "ddr3_1600_8gb_x8"}}));
  channel.send(kNvdimm, Address(0), true);
  const std::uint64_t read = channel.send(kNvdimm, Address(0), false);
  channel.run_to(kLongAfter);
  // The read's command is sent in cycle 1 and looked up at 44; the line has its frame at 54.
  EXPECT_EQ(channel.finished_.at(read), Cycle(54 + 1 + 11 + 4));
}

// While the write part is full of pages being written back, the host runs out of credits. It never
// sends a write that the NVDIMM cannot take (that would be a fault).
TEST(NvdimmLatency, CreditsHoldTheHostBack) {
  ChannelUnderTest channel(
      with(kNvdimmP, keys_from("nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=28 "
                               "nvdimm.buffer.write_size=8KiB controller.nvdimm_p.credits=3")));
  for (int page = 0; page < 20; ++page) {
    channel.send(kNvdimm, Address(page * 4096), true);
  }
  channel.run_to(kLongAfter);  // 125 us: before the first program ends
  // Two have frames, three are on their way.
  EXPECT_EQ(channel.finished_.size(), 5u);
  channel.drain(Cycle(100'000'000));
  EXPECT_EQ(channel.finished_.size(), 20u);
}

// PCM has as many credits as write-queue entries. A credit returns when a line is in its cells or
// has merged with its entry.
TEST(NvdimmLatency, CreditsOfPcmAreThoseOfItsWriteQueue) {
  ChannelUnderTest channel(
      with(kNvdimmP, keys_from("dram.preset=ddr3_1600_8gb_x8 nvdimm.kind=pcm nvdimm.media.banks=1 "
                               "nvdimm.media.write_queue=2")));
  for (const int line : {0, 1, 1, 2}) {
    channel.send(kNvdimm, Address(line * 64), true);
  }
  channel.run_to(kLongAfter);
  EXPECT_EQ(channel.finished_.at(0), Cycle(12));
  EXPECT_EQ(channel.finished_.at(1), Cycle(16));
  // The first line is in its cells 215 ns (172 cycles) after its burst.
  EXPECT_EQ(channel.finished_.at(2), Cycle(12 + 172 + 1 + 12));
  // The second write to line 1 merged with the first one's entry; its credit returns on the next
  // edge.
  EXPECT_EQ(channel.finished_.at(3), channel.finished_.at(2) + Cycle(1 + 1 + 12));
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

// A page has one command and one ack; each line after the first adds a burst of 4 cycles.
TEST(NvdimmLatency, ABlockAddsABurstForEachFurtherLine) {
  for (const auto& [ack, grant] : {std::pair("grant", 1), std::pair("auto", 0)}) {
    const Assignments blocks = keys_from("nvdimm.access=block dram.refresh=false");
    ChannelUnderTest channel(with(blocks, {{"controller.ack", ack}}));
    constexpr Tick kReady{1'250 + 52'000 + 300'000 + 50'000'000 + 20'480'000};
    const Cycle miss((kReady.value() + 1249) / 1250);
    EXPECT_EQ(latency_of(channel, Address(0), false, 64), miss + Cycle(grant + 11 + 64 * 4));
    EXPECT_EQ(latency_of(channel, Address(256), false, 3), Cycle(58 + grant + 2 * 4));
    EXPECT_EQ(only(channel.log_, ChannelCommand::nvdimm_ack).size(), 2u);
    EXPECT_EQ(only(channel.log_, ChannelCommand::nvdimm_read).size(), 67u);
    EXPECT_EQ(channel.channel_.statistics().nvdimm_reads, 67u);
    ChannelUnderTest writes(
        with(with(blocks, {{"dram.preset", "ddr3_1600_8gb_x8"}}), {{"controller.ack", ack}}));
    EXPECT_EQ(latency_of(writes, Address(0), true, 64), Cycle(55 + grant + 63 * 4));
  }
}

// DRAM has its turn between the bursts of a block, and a line of the page waits only for a block
// that has it.
TEST(NvdimmLatency, BurstsOfABlockAreArbitrated) {
  ChannelUnderTest channel(
      keys_from("nvdimm.access=block dram.refresh=false controller.arbiter=round_robin "
                "controller.queues=split"));
  latency_of(channel, Address(0), false);
  const std::uint64_t block = channel.send(kNvdimm, Address(0), false, 0, 0, 32);
  const std::uint64_t inside = channel.send(kNvdimm, Address(31 * 64));
  const std::uint64_t outside = channel.send(kNvdimm, Address(32 * 64));
  for (int column = 0; column < 32; ++column) {
    channel.send(MemoryClass::dram, channel.dram(0, 0, column));
  }
  channel.drain();
  EXPECT_LT(channel.finished_.at(outside), channel.finished_.at(inside));
  EXPECT_GT(channel.finished_.at(inside), channel.finished_.at(block) + Cycle(40));
  const auto bursts = only(channel.log_, ChannelCommand::nvdimm_read);
  EXPECT_GT((bursts.back().cycle - bursts[1].cycle).value(), 64 * 4);
}

TEST(NvdimmLatency, CommandsOfAReadInOrder) {
  ChannelUnderTest channel(with(kSmall, {{"dram.refresh", "false"}}));
  latency_of(channel, Address(0), false);
  channel.log_.clear();
  const Cycle sent(channel.kernel_.now() / channel.channel_.clock_period());
  latency_of(channel, Address(64), false);
  assert_commands(channel.log_,
                  {{ChannelCommand::nvdimm_read_command, 0},
                   {ChannelCommand::nvdimm_ack, 43},
                   {ChannelCommand::nvdimm_read, 44}},
                  sent);
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
    channel.send(MemoryClass::dram, channel.dram(0, 0, 0));  // could use edge 43
    channel.run_to(sent + kLongAfter);
    const auto activates = only(channel.log_, ChannelCommand::activate);
    ASSERT_EQ(activates.size(), 1u);
    // With an ack slot the grant, which reserves the data bus, also goes before the activate.
    EXPECT_EQ((activates[0].cycle - sent).value(), expected + (slots[0] == '1' ? 1 : 0));
  }
}

TEST(NvdimmAck, LinesOfOnePageAreAcknowledgedOnePerCycle) {
  ChannelUnderTest channel(kSmall);
  for (int line = 0; line < 64; ++line) {
    channel.send(kNvdimm, Address(line * 64));
  }
  channel.run_to(kLongAfter);
  const auto acks = only(channel.log_, ChannelCommand::nvdimm_ack);
  ASSERT_EQ(acks.size(), 64u);
  assert_gap(acks, 0, 63, 63);
}

}  // namespace
}  // namespace hmsim::testing
