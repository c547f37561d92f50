// SPDX-License-Identifier: BSD-3-Clause
// How many NVDIMM commands are outstanding, and when is the next one sent: at an ack
// (controller.outstanding), or at the end of a transaction (two_level)?
//
// Every read misses and has its own LUN; all LUNs share one flash channel. The page of read k thus
// follows that of read k - 1 by one transfer, and so do the acks.
#include <gtest/gtest.h>

#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/command_log.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

constexpr auto kNvdimm = MemoryClass::nvdimm;
constexpr int kReads = 40;
// In cycles of 1.25 ns. The first command ends after 1.25 ns; lookup 52 ns, tR 50 us, transfer
// 20.48 us: 70,533.25 ns. (Latch cycles take no time here.)
constexpr std::int64_t kFirstAck = 56'427;
constexpr std::int64_t kTransfer = 16'384;
constexpr std::int64_t kGrant = 1;      // after the ack
constexpr std::int64_t kData = 11 + 4;  // from the grant to the last beat

const Assignments kLuns = keys_from(
    "nvdimm.nand.channels=1 nvdimm.nand.chips=8 nvdimm.nand.dies=8 nvdimm.nand.command_time=0s "
    "nvdimm.capacity=256MiB nvdimm.nand.pages_per_block=16 nvdimm.ftl.over_provisioning=28 "
    "dram.refresh=false");

// Returns the cycles at which the commands are sent.
std::vector<std::int64_t> commands(const Assignments& keys) {
  ChannelUnderTest channel(with(kLuns, keys));
  for (int page = 0; page < kReads; ++page) {
    channel.send(kNvdimm, Address(page * kPageBytes.value()));
  }
  channel.drain();
  EXPECT_EQ(channel.finished_.size(), std::size_t{kReads});
  std::vector<std::int64_t> sent;
  for (const CommandRecord& record : only(channel.log_, ChannelCommand::nvdimm_read_command)) {
    sent.push_back(record.cycle.value());
  }
  return sent;
}

// Returns the cycles of `many` commands, one per cycle, then of one command `delay` after each ack.
std::vector<std::int64_t> limited_to(int many, std::int64_t delay) {
  std::vector<std::int64_t> sent;
  for (int i = 0; i < kReads; ++i) {
    sent.push_back(i < many ? i : kFirstAck + (i - many) * kTransfer + delay);
  }
  return sent;
}

TEST(Outstanding, AllReadsAreSentAtOnceWithoutALimit) {
  EXPECT_EQ(commands({}), limited_to(kReads, 0));
  EXPECT_EQ(commands({{"controller.outstanding", "40"}}), limited_to(kReads, 0));
}

// The first ack uses the command bus on its edge, the first grant on the next one.
TEST(Outstanding, The33rdCommandIsSentAfterTheFirstAck) {
  EXPECT_EQ(commands({{"controller.outstanding", "32"}}), limited_to(32, kGrant + 1));
  EXPECT_EQ(commands({{"controller.outstanding", "16"}}), limited_to(16, kGrant + 1));
  // An ack without a command-bus slot: the command is sent on the same edge.
  EXPECT_EQ(commands({{"controller.outstanding", "32"}, {"controller.ack_slots", "0"}}),
            limited_to(32, 0));
}

const Assignments kTwoLevel{{"controller.structure", "two_level"}};

// Each transaction takes two entries until its last beat.
TEST(Outstanding, TwoLevelBoundsThemByTheCommandQueueOfTheNvdimm) {
  EXPECT_EQ(commands(kTwoLevel), limited_to(16, kGrant + kData));
  const Assignments dram = with(kTwoLevel, {{"controller.nvdimm_command_queue_depth", "64"}});
  EXPECT_EQ(commands(dram), limited_to(32, kGrant + kData));
  EXPECT_EQ(commands(with(dram, {{"controller.command_queue_depth", "8"}})),
            limited_to(32, kGrant + kData))
      << "the ranks' depth is that of DRAM alone";
  EXPECT_EQ(commands(with(kTwoLevel, {{"controller.nvdimm_command_queue_depth", "4096"}})),
            limited_to(kReads, 0));
}

TEST(Outstanding, FlatHasNoCommandQueueOfTheNvdimm) {
  EXPECT_EQ(commands({{"controller.nvdimm_command_queue_depth", "2"}}), limited_to(kReads, 0));
}

// The transaction queue of 24 entries does not limit transactions that have moved on.
TEST(Outstanding, TwoLevelIsNotLimitedByTheTransactionQueue) {
  const Assignments keys = with(kTwoLevel, {{"controller.queue_depth", "24"},
                                            {"controller.nvdimm_command_queue_depth", "64"}});
  EXPECT_EQ(commands(keys), limited_to(32, kGrant + kData));
  EXPECT_EQ(commands(with(keys, {{"controller.outstanding", "28"}})), limited_to(28, kGrant + 1));
}

// Even pages are on the first NVDIMM, odd ones on the second.
TEST(Outstanding, EachNvdimmHasItsOwnCommandQueue) {
  const std::vector<std::int64_t> sent =
      commands(with(kTwoLevel, {{"nvdimm.count", "2"}, {"nvdimm.nand.dies", "4"}}));
  for (int i = 0; i < kReads; ++i) {
    if (i < 32) {
      EXPECT_EQ(sent[static_cast<std::size_t>(i)], i);
    } else {
      EXPECT_GT(sent[static_cast<std::size_t>(i)], kFirstAck);
    }
  }
}

TEST(Outstanding, TheNvdimmMustTakeAllCommandsThatTheQueuesHold) {
  const Assignments keys = keys_from(
      "controller.structure=two_level controller.nvdimm_command_queue_depth=4096 "
      "nvdimm.command_queue=2000");
  // The queues hold 128 (transactions) and 2048 (NVDIMM) commands. DRAM's 128 entries of a split
  // queue do not count, so that the NVDIMM's may be as many as Table III gives it.
  EXPECT_TRUE(names(error_from([&] { make_config(keys); }), {"nvdimm.command_queue", "2176"}));
  EXPECT_EQ(make_config(keys_from("controller.queues=split controller.nvdimm_queue_depth=4096"))
                .nvdimm_slots(),
            4096);
}

}  // namespace
}  // namespace hmsim::testing
