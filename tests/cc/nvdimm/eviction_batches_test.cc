// SPDX-License-Identifier: BSD-3-Clause
// Which pages do evictions that share a flash page read, and which pages may join them?
#include <gtest/gtest.h>

#include <vector>

#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};

// One LUN with flash pages of four parts.
NvdimmParameters of_one_lun(std::int64_t frames) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.nand.page_size = 4 * kPageBytes;
  parameters.nand.pages_per_block = 4;
  parameters.ftl.over_provisioning = 150;
  parameters.ftl.allocation = PageAllocation::fixed;
  parameters.buffer.write_size = frames * kPageBytes;
  parameters.command_queue = 128;
  EXPECT_EQ(join_errors(parameters.check()), "");
  return parameters;
}

void send_write(Rig& rig, std::uint32_t tag, std::int64_t page, std::int64_t line = 0) {
  rig.nvdimm().command(tag, line_address(page, line), true, rig.now());
}

// Pages 0 .. 3 share one flash page, and all are evicted at once. One command reads exactly those
// with missing lines.
TEST(EvictionBatches, OneReadFetchesExactlyTheMissingParts) {
  struct Reads final : FlashObserver {
    void on_flash(const FlashRecord& record) override {
      if (record.operation == FlashOperation::read && record.stage == FlashStage::data_out) {
        parts.push_back(record.parts);
      }
    }
    void on_programmed(std::uint64_t, std::uint32_t) override {}
    void on_bad(std::uint64_t) override {}
    std::vector<PartMask> parts;
  };
  for (PartMask missing = 0; missing < 16; ++missing) {
    NvdimmParameters parameters = of_one_lun(4);
    parameters.precondition.fill = 1;
    Rig rig(parameters);
    const Ftl& ftl = rig.nvdimm().ftl();
    ASSERT_TRUE(ftl.shape().same_flash_page(ftl.pages().place(LogicalPage(0)),
                                            ftl.pages().place(LogicalPage(3))));
    for (std::int64_t page = 0; page < 4; ++page) {
      if ((missing >> page & 1) != 0) {
        rig.write(page, 5);
      } else {
        rig.write_page(page);
      }
    }
    Reads reads;
    rig.nvdimm().add_flash_observer(reads);
    const PhysicalPage before = ftl.pages().place(LogicalPage(0));
    send_write(rig, 0, 9);
    rig.drain();
    EXPECT_EQ(rig.statistics().buffer.evictions, 4u);
    EXPECT_EQ(rig.statistics().buffer.eviction_reads, missing == 0 ? 0u : 1u);
    EXPECT_EQ(reads.parts, missing == 0 ? std::vector<PartMask>() : std::vector<PartMask>{missing});
    EXPECT_EQ(rig.statistics().nand.page_programs, 1u);
    EXPECT_NE(ftl.pages().place(LogicalPage(0)), before);
    EXPECT_EQ(rig.acks.back().tag, 0u) << "a frame is free";
  }
}

// An item of a page being written back is newer than the data in flight and must not overtake them.
// Pages 0 and 8 are on one LUN, page 4 on the other.
TEST(EvictionBatches, APageThatIsWrittenBackJoinsNoOtherBatch) {
  NvdimmParameters parameters = of_one_lun(1);
  parameters.capacity = Bytes(2 << 20);
  parameters.nand.channels = 2;
  parameters.buffer.granularity = BufferGranularity::item;
  Rig rig(parameters);
  send_write(rig, 0, 0, 0);
  send_write(rig, 1, 0, 1);
  send_write(rig, 2, 8);
  send_write(rig, 3, 4);
  for (std::uint32_t tag = 4; tag < 64; ++tag) {
    send_write(rig, tag, 16 + tag);
  }
  rig.kernel().run_until(rig.now() + kLookup);
  ASSERT_EQ(rig.acks.size(), 64u);
  rig.nvdimm().finish(1, rig.now());
  send_write(rig, 64, 100);
  rig.kernel().run_until(rig.now() + kLookup);
  EXPECT_EQ(rig.statistics().buffer.evictions, 1u) << "page 0, without the item that is used";
  for (const std::uint32_t tag : {2, 3, 0}) {
    rig.nvdimm().finish(tag, rig.now());
  }
  send_write(rig, 65, 101);
  rig.kernel().run_until(rig.now() + kLookup);
  EXPECT_EQ(rig.statistics().buffer.evictions, 2u) << "page 8, without page 0";
  EXPECT_EQ(NvdimmFaults::listed(rig.nvdimm(), true),
            (std::vector<std::int64_t>{4 * kLinesPerPage, 0}));
}

// With a cache register, data arrive while the LUN's cells still program others.
TEST(EvictionBatches, ALunWithACacheTakesAPageWhileItPrograms) {
  struct Programs final : FlashObserver {
    void on_flash(const FlashRecord& record) override {
      if (record.operation == FlashOperation::program && record.stage == FlashStage::command) {
        starts.push_back(record.start);
      }
    }
    void on_programmed(std::uint64_t, std::uint32_t) override {}
    void on_bad(std::uint64_t) override {}
    std::vector<Tick> starts;
  };
  for (const bool cache : {true, false}) {
    NvdimmParameters parameters = small_nvdimm();
    parameters.nand.cache = cache;
    parameters.buffer.write_size = 2 * kPageBytes;
    Rig rig(parameters);
    Programs programs;
    rig.nvdimm().add_flash_observer(programs);
    rig.nvdimm().hold_written({LogicalPage(0), LogicalPage(1)});
    send_write(rig, 0, 10);
    const Tick second = 100 * kMicrosecond;
    rig.kernel().run_until(second);
    send_write(rig, 1, 11);
    rig.drain();
    ASSERT_EQ(programs.starts.size(), 2u);
    EXPECT_EQ(programs.starts[0], kLookup);
    if (cache) {
      EXPECT_EQ(programs.starts[1], second + kLookup);
    } else {
      EXPECT_GT(programs.starts[1], parameters.nand.program_time);
    }
  }
}

// LUNs that program pages of several planes together get them in turn, busy or not.
TEST(EvictionBatches, BusyLunsOfSeveralPlanesTakePagesInTurn) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.capacity = Bytes(2 << 20);
  parameters.nand.channels = 2;
  parameters.nand.planes = 2;
  parameters.nand.pages_per_block = 8;
  parameters.nand.multi_plane = true;
  ASSERT_EQ(join_errors(parameters.check()), "");
  Rig rig(parameters);
  rig.nvdimm().hold_written({LogicalPage(3), LogicalPage(2), LogicalPage(1), LogicalPage(0)});
  for (std::uint32_t tag = 0; tag < 4; ++tag) {
    send_write(rig, tag, 10 + tag);
    rig.kernel().run_until(rig.now() + 50 * kMicrosecond);
  }
  rig.drain();
  const Ftl& ftl = rig.nvdimm().ftl();
  for (std::int64_t page = 0; page < 4; ++page) {
    EXPECT_EQ(ftl.shape().lun_of(ftl.pages().place(LogicalPage(page))), page % 2) << page;
  }
}

// A LUN that holds its maximum number of pages still accepts a rewrite of one of these pages. An
// early eviction therefore does not wait for the LUN.
TEST(EvictionBatches, AnEarlyEvictionDoesNotWaitForAFullLun) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.ftl.allocation = PageAllocation::fixed;
  parameters.ftl.over_provisioning = 45.45;
  parameters.precondition.fill = 1;
  parameters.buffer.manager = "preevict";
  ASSERT_EQ(join_errors(parameters.check()), "");
  Rig rig(parameters, 1, {{"policies.preevict.low_water", "25"}});
  Ftl& ftl = rig.nvdimm().ftl();
  ASSERT_FALSE(ftl.claims().has_room(0));
  for (std::int64_t page = 0; page < 4; ++page) {
    rig.write(page);
  }
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.preevictions, 1u);
}

}  // namespace
}  // namespace hmsim
