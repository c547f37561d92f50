// SPDX-License-Identifier: BSD-3-Clause
// Which pages does the lookahead offer to fetch, with an inactive buffer and flash?
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "nvdimm/buffer/lookahead.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

// Fetches as much as permitted, and has state to save.
struct Greedy final : BufferManager {
  bool prefetch(const PrefetchView& /*view*/) const override { return true; }
  void serialize(Archive& archive) override { archive(state); }
  std::int64_t state = 0;
};

// Two LUNs, with even and odd pages.
struct Alone {
  explicit Alone(std::int64_t frames, UnmappedRead unmapped = UnmappedRead::flash)
      : rig(of_two_luns()) {
    BufferParameters parameters;
    parameters.read_size = frames * kPageBytes;
    parameters.write_size = kPageBytes;
    buffer = std::make_unique<SyncBuffer>(parameters, Assignments());
    auto made = std::make_unique<Greedy>();
    manager = made.get();
    lookahead = std::make_unique<Lookahead>(std::move(made), unmapped, *buffer, rig.nvdimm().ftl(),
                                            rig.nvdimm().flash());
  }
  static NvdimmParameters of_two_luns() {
    NvdimmParameters parameters = small_nvdimm();
    parameters.capacity = Bytes(2 << 20);
    parameters.nand.channels = 2;
    return parameters;
  }
  // Returns the next offered page, or -1.
  std::int64_t next() {
    std::int64_t key = -1;
    return lookahead->next_prefetch(key) ? key : -1;
  }
  std::uint32_t hold(std::int64_t page) {
    buffer->read.add(page);
    const std::uint32_t frame = buffer->read.admit();
    buffer->read[frame].state = FrameState::clean;
    return frame;
  }

  Rig rig;
  std::unique_ptr<SyncBuffer> buffer;
  Greedy* manager = nullptr;
  std::unique_ptr<Lookahead> lookahead;
};

TEST(LookaheadLists, ThePagesOfALunAreOfferedInOrder) {
  Alone alone(8);
  for (const std::int64_t page : {2, 1, 0, 3}) {
    alone.lookahead->sent(line_address(page), false);
  }
  EXPECT_EQ(alone.next(), 2);
  EXPECT_EQ(alone.next(), 0);
  EXPECT_EQ(alone.next(), 1);
  EXPECT_EQ(alone.next(), 3);
  EXPECT_EQ(alone.next(), -1);
}

TEST(LookaheadLists, WithoutAFrameNoPageIsOfferedToAnyManager) {
  Alone alone(1);
  const std::uint32_t frame = alone.hold(7);
  alone.lookahead->sent(line_address(0), false);
  EXPECT_EQ(alone.next(), -1);
  alone.buffer->read.list(frame, true);
  EXPECT_EQ(alone.next(), -1) << "a queued command asks for it";
  alone.buffer->read.unlist(frame);
  alone.buffer->read.list(frame, false);
  EXPECT_EQ(alone.next(), 0);
}

TEST(LookaheadLists, FramesBelongToLookupsThatWait) {
  Alone alone(2);
  alone.buffer->read.add(7);
  alone.lookahead->sent(line_address(0), false);
  EXPECT_EQ(alone.next(), -1);
  alone.buffer->read.admit();
  EXPECT_EQ(alone.next(), 0);
}

TEST(LookaheadLists, APageInTheBufferIsNotOffered) {
  Alone alone(8);
  for (const std::int64_t page : {0, 2, 4}) {
    alone.lookahead->sent(line_address(page), false);
  }
  alone.hold(0);
  alone.hold(4);
  EXPECT_EQ(alone.next(), 2);
  EXPECT_EQ(alone.next(), -1);
}

TEST(LookaheadLists, APageThatWasNeverWrittenIsOfferedIfFlashIsRead) {
  for (const UnmappedRead unmapped : {UnmappedRead::flash, UnmappedRead::zero}) {
    Alone alone(8, unmapped);
    alone.rig.nvdimm().write_before({LogicalPage(3)});
    alone.lookahead->sent(line_address(0), false);
    alone.lookahead->sent(line_address(3), false);
    if (unmapped == UnmappedRead::flash) {
      EXPECT_EQ(alone.next(), 0);
    }
    EXPECT_EQ(alone.next(), 3);
    EXPECT_EQ(alone.next(), -1);
  }
}

TEST(LookaheadLists, TheManagersStateIsSaved) {
  Alone one(8);
  one.manager->state = 5;
  Archive saved;
  one.lookahead->serialize(saved);
  Alone other(8);
  Archive archive(saved.bytes());
  other.lookahead->serialize(archive);
  EXPECT_TRUE(archive.at_end());
  EXPECT_EQ(other.manager->state, 5);
}

}  // namespace
}  // namespace hmsim
