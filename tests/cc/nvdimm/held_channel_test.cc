// SPDX-License-Identifier: BSD-3-Clause
// Times for which a page copy of garbage collection blocks its channel (nvdimm.gc.hold_channel).
#include <gtest/gtest.h>

#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};
constexpr Tick kCommand{300'000};
constexpr Tick kCells{50'000'000};
constexpr Tick kTransfer{20'480'000};
constexpr Tick kProgram{650'000'000};
constexpr Tick kPageRead = kCommand + kCells + kTransfer;
constexpr Tick kCopy = kPageRead + kCommand + kTransfer + kProgram;

// Observer that records the time at which the garbage collector's first read takes the channel.
struct FirstCopy final : FlashObserver {
  void on_flash(const FlashRecord& record) override {
    if (record.priority == FlashPriority::collection && begin == kNever) {
      begin = record.start;
    }
  }
  void on_programmed(std::uint64_t, std::uint32_t) override {}
  void on_bad(std::uint64_t) override {}

  Tick begin = kNever;
};

struct Outcome {
  Tick begin;         // of the first copy
  Tick sent;          // of both reads
  Tick same_channel;  // when the read of the other LUN of the channel is acknowledged
  Tick other_channel;
  Tick blocked;  // wait of the read of the same channel for collections
};

// Two channels of two LUNs.
NvdimmParameters two_channels(bool hold) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.gc.hold_channel = hold;
  parameters.nand.channels = 2;
  parameters.nand.chips = 2;
  parameters.nand.pages_per_block = 8;
  parameters.ftl.allocation = PageAllocation::fixed;
  return parameters;
}

std::int64_t page_of_lun_0(std::int64_t number) { return 4 * number; }

// Writes pages of LUN 0, on channel 0, until it collects a block with `cold` valid pages. Each
// block gets `cold` pages that are written once; the others are overwritten.
void start_collection(Rig& rig, std::int64_t cold) {
  std::int64_t next_cold = 8;
  for (std::int64_t i = 0; rig.statistics().ftl.gc_valid_pages.count() == 0; ++i) {
    rig.write_page(page_of_lun_0(i % 8 < cold ? next_cold++ : i % 8));
  }
  EXPECT_EQ(rig.statistics().ftl.gc_valid_pages.max(), cold);
}

// Reads a page of LUN 1, on the same channel, and one of LUN 2, on the other channel, just after
// the first copy has begun.
Outcome collect(bool hold, std::int64_t cold) {
  Rig rig(two_channels(hold));
  FirstCopy copy;
  rig.nvdimm().add_flash_observer(copy);
  start_collection(rig, cold);
  rig.acks.clear();
  Outcome outcome{copy.begin, rig.now(), kNever, kNever, kNever};
  EXPECT_GT(outcome.sent, outcome.begin + kCommand);
  EXPECT_LT(outcome.sent, outcome.begin + 10 * kMicrosecond);
  rig.nvdimm().command(1, line_address(2), false, outcome.sent);
  rig.nvdimm().command(2, line_address(1), false, outcome.sent);
  EXPECT_EQ(rig.nvdimm().ftl().pages().read_lun(LogicalPage(2)), 1u);
  EXPECT_EQ(rig.nvdimm().ftl().pages().read_lun(LogicalPage(1)), 2u);
  while (rig.acks.size() < 2 && rig.kernel().step(kNever)) {
  }
  for (const Ack& ack : rig.acks) {
    (ack.tag == 1 ? outcome.same_channel : outcome.other_channel) = ack.time;
  }
  outcome.blocked = rig.nvdimm().gc_blocked(1);
  EXPECT_EQ(rig.nvdimm().gc_blocked(2), Tick(0));
  return outcome;
}

TEST(HeldChannel, ACopyBlocksAllLunsOfItsChannelToItsEnd) {
  const Outcome outcome = collect(true, 1);
  EXPECT_EQ(outcome.same_channel, outcome.begin + kCopy + kPageRead);
  EXPECT_EQ(outcome.blocked, outcome.begin + kCopy - outcome.sent - kLookup);
  EXPECT_EQ(outcome.other_channel, outcome.sent + kLookup + kPageRead);
}

// Between two copies the channel takes waiting commands, then the next copy. The read's page stays
// in its LUN's register until that copy has ended. The erase command precedes the transfer.
TEST(HeldChannel, ItIsFreeBetweenTwoCopies) {
  const Outcome outcome = collect(true, 2);
  const Tick second = outcome.begin + kCopy + kCommand;
  EXPECT_EQ(outcome.same_channel, second + kCopy + kCommand + kTransfer);
  // The read waits for the first copy, then its page for the second one, but not for the erase.
  const Tick ready = outcome.begin + kCopy + kPageRead - kTransfer;
  EXPECT_EQ(outcome.blocked,
            (outcome.begin + kCopy - outcome.sent - kLookup) + (second + kCopy - ready));
  EXPECT_EQ(outcome.other_channel, outcome.sent + kLookup + kPageRead);
}

// A copy that does not hold the channel uses it only for its commands and transfers. The cells of
// the read finish while the copied page is on the channel; the read's page is next.
TEST(HeldChannel, WithoutItACopyBlocksTheChannelForItsTransfersOnly) {
  for (const std::int64_t cold : {1, 2}) {
    const Outcome outcome = collect(false, cold);
    EXPECT_EQ(outcome.same_channel, outcome.begin + kPageRead + kTransfer);
    EXPECT_EQ(outcome.blocked, Tick(0));
    EXPECT_EQ(outcome.other_channel, outcome.sent + kLookup + kPageRead);
  }
}

// Equation 7 allows a copy while the other channel has more work than the time for which the copy
// blocks this one. A read waits for LUN 0. When the first of two copies ends, three of 13 reads of
// LUN 2 are left: 3 x 70.48 us is more than 41.56 us and less than 741.56 us.
TEST(HeldChannel, ProactiveCollectionWeighsTheTimeThatItIsHeld) {
  for (const bool hold : {false, true}) {
    NvdimmParameters parameters = two_channels(hold);
    parameters.gc.scheduler = "proactive";
    parameters.buffer.read_size = 16 * kPageBytes;
    parameters.capacity = 2 * parameters.capacity;
    parameters.ftl.reserve_blocks = 4;  // so that collection is not urgent
    Rig rig(parameters);
    start_collection(rig, 2);
    const Counter deferred = rig.statistics().ftl.gc_deferred;
    rig.nvdimm().command(1, line_address(page_of_lun_0(30)), false, rig.now());
    for (std::uint32_t tag = 2; tag < 15; ++tag) {
      rig.nvdimm().command(tag, line_address(4 * tag + 1), false, rig.now());
    }
    while (rig.statistics().ftl.gc_pages == 0) {
      ASSERT_TRUE(rig.kernel().step(kNever));
    }
    EXPECT_EQ(rig.nvdimm().pending().all().read_pages, 4u);
    EXPECT_EQ(rig.statistics().ftl.gc_deferred - deferred, hold ? 1u : 0u);
  }
}

}  // namespace
}  // namespace hmsim
