// SPDX-License-Identifier: BSD-3-Clause
// How long must the ultracapacitors last, and which pages do they save?
#include "nvdimm/power.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "nvdimm/flash_shape.h"
#include "tests/cc/names.h"
#include "tests/cc/nvdimm/busy.h"
#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {
namespace {

// 8 LUNs, 650 us per page: 1024 pages (4 MB) 83 ms, 102,400 (400 MB) 8.3 s, 131,072 (512 MB) 10.7
// s.
TEST(Power, HoldUpTimeIsThatOfTheDirtyPagesOverAllLuns) {
  const NvdimmParameters parameters;
  EXPECT_EQ(flush_time(parameters, 1024, 0), Tick(83'200'000'000));
  EXPECT_EQ(flush_time(parameters, 102'400, 0), Tick(8'320'000'000'000));
  EXPECT_EQ(flush_time(parameters, 131'072, 0), Tick(10'649'600'000'000));
  EXPECT_EQ(flush_time(parameters, 1, 0), parameters.nand.program_time);
  EXPECT_EQ(flush_time(parameters, 9, 8),
            2 * parameters.nand.program_time + 8 * parameters.nand.read_time);
}

TEST(Power, EnergyIsDrawTimesHoldUp) {
  PowerParameters power;
  power.draw = 2000;
  EXPECT_EQ(flush_energy(power, 83'200 * kMicrosecond), 166'400);
  EXPECT_EQ(flush_energy(power, Tick(1)), 2) << "rounded up";
}

// The worst case: one frame per LUN, with a program each and a read, or two with a cached map, all
// on one LUN; writes on credit; spared writes of the host's queue; and programs whose frames are
// already released.
TEST(Power, TheWorstCaseIncludesAllWritesInFlight) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.buffer.write_size = 8 * kPageBytes;
  const Tick program = parameters.nand.program_time;
  const Tick read = parameters.nand.read_time;
  EXPECT_EQ(worst_hold_up(parameters), program + 8 * read);
  parameters.posted_writes = 1;
  EXPECT_EQ(worst_hold_up(parameters), 2 * program + 9 * read);
  parameters.ftl.map = MapPlace::cached;
  EXPECT_EQ(worst_hold_up(parameters), 2 * program + 9 * 2 * read);
  parameters.buffer.release = FrameRelease::datain;
  EXPECT_EQ(worst_hold_up(parameters), 3 * program + 9 * 2 * read);
  parameters.nand.cache = true;
  EXPECT_EQ(worst_hold_up(parameters), 4 * program + 9 * 2 * read);
  parameters.spared_writes = 7;
  EXPECT_EQ(worst_hold_up(parameters), 4 * program + 16 * 2 * read);
  parameters.spared_writes = 8;
  EXPECT_EQ(worst_hold_up(parameters), 5 * program + 17 * 2 * read);
}

TEST(Power, TheLongestSaveAndRecoveryAreKept) {
  PowerRecord record;
  const PowerParameters power;
  record.fail(power, Tick(9));
  record.recover(Tick(8));
  record.fail(power, Tick(2));
  record.recover(Tick(1));
  EXPECT_EQ(record.hold_up, Tick(9));
  EXPECT_EQ(record.recovery, Tick(8));
  EXPECT_EQ(record.failures, 2u);
}

TEST(Power, AFullWriteBufferTakesThatLong) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.store_data = true;
  parameters.capacity = Bytes(256LL << 20);
  parameters.buffer.read_size = Bytes(1 << 20);
  parameters.buffer.write_size = Bytes(4 << 20);
  parameters.ftl.over_provisioning = 30;
  parameters.ftl.gc_threshold = 0;
  ASSERT_TRUE(parameters.check().empty());
  Rig rig(parameters);
  for (std::int64_t page = 0; page < 1024; ++page) {
    for (std::int64_t line = 0; line < kLinesPerPage; ++line) {
      rig.nvdimm().command(0, line_address(page, line), true, rig.now());
      while (rig.acks.empty()) {
        ASSERT_TRUE(rig.kernel().step(kNever));
      }
      rig.acks.clear();
      rig.nvdimm().write_line(0, LineData());
      rig.nvdimm().finish(0, rig.now());
    }
  }
  const PowerRecord record = rig.nvdimm().power_fail(rig.now());
  EXPECT_EQ(record.failures, 1u);
  EXPECT_EQ(record.flushed_pages, 1024u);
  EXPECT_EQ(record.merged_pages, 0u);
  EXPECT_EQ(record.hold_up, Tick(83'200'000'000));
  EXPECT_EQ(record.energy, 83'200 * 5 / 2);
}

std::string energy_error(std::int64_t millijoules, std::int64_t draw = 2500) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.buffer.write_size = 1024 * kPageBytes;
  parameters.power.energy = millijoules;
  parameters.power.draw = draw;
  const std::vector<ParameterError> errors = parameters.check();
  EXPECT_LE(errors.size(), 1u);
  return errors.empty() ? "" : errors[0].name + ": " + errors[0].message;
}

// The worst case: 128 x 650 us + 1024 x 50 us = 134.4 ms, 336 mJ at 2.5 W. 100 mJ last 40 ms: 38
// rounds of 650 us and eight reads.
TEST(Power, TooSmallABudgetReportsTheLoss) {
  EXPECT_EQ(energy_error(kEnoughEnergy), "");
  EXPECT_EQ(energy_error(336), "");
  EXPECT_TRUE(testing::names(energy_error(335), {"nvdimm.power.energy: ", "335 mJ", "1024",
                                                 "134400us", "336 mJ", "2500 mW", " 8 of"}));
  EXPECT_TRUE(testing::names(energy_error(100), {"nvdimm.power.energy: ", " 720 of"}));
  EXPECT_EQ(energy_error(135, 1000), "");
}

NvdimmParameters filled(FrameRelease release) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.store_data = true;
  parameters.ftl.over_provisioning = 80;
  parameters.buffer.release = release;
  parameters.precondition.fill = 1;
  return parameters;
}

// Power fails in the middle of a program of the only LUN.
PowerRecord fail_during_a_program(FrameRelease release) {
  EXPECT_TRUE(filled(release).check().empty());
  Shadow shadow(filled(release), 3);
  while (shadow.nvdimm().statistics().buffer.evictions == 0) {
    shadow.send(20, 8);
    shadow.finish_one();
    shadow.step();
  }
  const auto programs = [&shadow] {
    bool begun = false;
    shadow.nvdimm().flash().in_flight(
        0, [&](const FlashCommand& command, PhysicalPage, bool in_cells, bool) {
          begun = begun || (in_cells && command.operation == FlashOperation::program);
        });
    return begun;
  };
  while (!programs()) {
    if (!shadow.step()) {
      ADD_FAILURE() << "nothing is programmed";
      return {};
    }
  }
  const PowerRecord record = shadow.power_cycle();
  EXPECT_EQ(shadow.mismatches(), 0u);
  return record;
}

TEST(Power, AnInterruptedProgramIsTornAndItsFrameSaved) {
  EXPECT_EQ(fail_during_a_program(FrameRelease::program).torn_pages, 1u);
}

TEST(Power, AProgramWithAReleasedFrameIsFinished) {
  const PowerRecord record = fail_during_a_program(FrameRelease::datain);
  EXPECT_EQ(record.torn_pages, 0u);
  EXPECT_GE(record.hold_up, NvdimmParameters().nand.program_time);
}

// In a multi-plane operation only the first plane counts for the time. The last two of four pages
// are programmed together.
TEST(Power, ProgramsOfPlanesAreFinishedTogether) {
  for (const std::int64_t planes : {1, 2}) {
    NvdimmParameters parameters = filled(FrameRelease::datain);
    parameters.precondition.fill = 0;
    parameters.capacity = planes * parameters.capacity;
    parameters.nand.planes = planes;
    parameters.nand.multi_plane = planes > 1;
    parameters.buffer.flush = BufferFlush::writeback;
    ASSERT_EQ(join_errors(parameters.check()), "");
    Rig rig(parameters);
    for (std::int64_t line = 0; line < 4 * kLinesPerPage; ++line) {
      rig.nvdimm().command(0, line_address(0, line), true, rig.now());
      rig.drain();
      rig.nvdimm().write_line(0, LineData());
      rig.nvdimm().finish(0, rig.now());
    }
    rig.nvdimm().flush(0, rig.now());
    const auto programs = [&rig] {
      std::int64_t in_cells = 0;
      rig.nvdimm().flash().in_flight(
          0, [&](const FlashCommand&, PhysicalPage, bool begun, bool) { in_cells += begun; });
      return in_cells;
    };
    while (rig.nvdimm().ftl().frontiers().written_pages(0, 0) < 4 || programs() < planes) {
      ASSERT_TRUE(rig.kernel().step(kNever));
    }
    const PowerRecord record = rig.nvdimm().power_fail(rig.now());
    EXPECT_EQ(record.flushed_pages, 0u);
    EXPECT_EQ(record.torn_pages, 0u);
    EXPECT_EQ(record.hold_up, parameters.nand.program_time);
  }
}

TEST(Power, TwoFailuresInARowLoseNothing) {
  Shadow shadow(filled(FrameRelease::program), 4);
  for (int i = 0; i < 5000; ++i) {
    shadow.send(shadow.pages(), 7);
    shadow.finish_one();
    shadow.step();
    if (i % 500 == 499) {
      shadow.power_cycle();
      const PowerRecord again = shadow.power_cycle();
      EXPECT_GT(again.recovery, Tick(0));
    }
  }
  shadow.settle();
  shadow.check_all();
  EXPECT_EQ(shadow.mismatches(), 0u);
}

TEST(Power, CopiesOfRowsOfPlanesLoseNothing) {
  for (const std::int64_t planes : {1, 2, 4}) {
    NvdimmParameters parameters = filled(FrameRelease::program);
    parameters.capacity = planes * parameters.capacity;
    parameters.nand.planes = planes;
    parameters.nand.multi_plane = planes > 1;
    parameters.precondition.overwrite = 2;
    Shadow shadow(parameters, 4);
    const auto copied = [&shadow] {
      std::int64_t pages = 0;
      shadow.nvdimm().flash().in_flight(
          0, [&](const FlashCommand& command, PhysicalPage, bool begun, bool) {
            pages += begun && command.priority == FlashPriority::collection;
          });
      return pages;
    };
    int failures = 0;
    for (int i = 0; i < 100'000 && failures < 20; ++i) {
      shadow.send(shadow.pages(), 7);
      shadow.finish_one();
      shadow.step();
      if (copied() == planes && i % 7 == 0) {
        shadow.power_cycle();
        ++failures;
      }
    }
    shadow.settle();
    shadow.check_all();
    EXPECT_EQ(shadow.mismatches(), 0u) << planes;
    EXPECT_EQ(failures, 20) << planes;
  }
}

// Eight LUNs with the maximum number of valid pages, minus one page in total.
NvdimmParameters full_luns(PageAllocation allocation) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.store_data = true;
  parameters.capacity = 8 * 32 * 4 * kPageBytes;
  parameters.command_queue = 1;
  parameters.nand.channels = 8;
  parameters.nand.pages_per_block = 4;
  parameters.buffer.write_size = 32 * kPageBytes;
  parameters.ftl.over_provisioning = 23.225;
  parameters.ftl.allocation = allocation;
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 3;
  EXPECT_EQ(join_errors(parameters.check()), "");
  return parameters;
}

TEST(Power, ADirtyPageIsSavedWhereThereIsRoom) {
  Rig rig(full_luns(PageAllocation::dynamic));
  Ftl& ftl = rig.nvdimm().ftl();
  std::vector<std::uint32_t> roomy;
  for (std::uint32_t lun = 0; lun < ftl.shape().luns; ++lun) {
    if (ftl.claims().has_room(lun)) {
      roomy.push_back(lun);
    }
  }
  ASSERT_EQ(roomy.size(), 1u);
  ASSERT_NE(roomy[0], 0u) << "which is the first in turn";
  LogicalPage page(0);
  while (ftl.shape().lun_of(ftl.pages().place(page)) == roomy[0]) {
    ++page;
  }
  rig.nvdimm().command(0, line_address(page.value()), true, rig.now());
  rig.drain();
  rig.nvdimm().write_line(0, LineData());
  rig.nvdimm().finish(0, rig.now());
  EXPECT_EQ(rig.nvdimm().power_fail(rig.now()).flushed_pages, 1u);
  EXPECT_EQ(ftl.shape().lun_of(ftl.pages().place(page)), roomy[0]);
}

std::vector<std::uint64_t> free_pages(const Ftl& ftl) {
  std::vector<std::uint64_t> all;
  for (std::uint32_t lun = 0; lun < ftl.shape().luns; ++lun) {
    all.push_back(ftl.frontiers().free_pages(lun));
  }
  return all;
}

// While a LUN can program and keep the pages of a block to collect with, no other one gives up its
// own. `before`: free pages before the save.
void expect_blocks_are_kept(const Ftl& ftl, const std::vector<std::uint64_t>& before) {
  const std::vector<std::uint64_t> after = free_pages(ftl);
  if (*std::max_element(after.begin(), after.end()) < ftl.shape().pages + ftl.shape().parts()) {
    return;
  }
  for (std::size_t lun = 0; lun < after.size(); ++lun) {
    EXPECT_TRUE(after[lun] == before[lun] || after[lun] >= ftl.shape().pages)
        << "LUN " << lun << ": " << after[lun];
  }
}

// All dirty pages were on one LUN and are more than its free pages.
void save_what_one_lun_held(PageAllocation allocation) {
  NvdimmParameters parameters = full_luns(allocation);
  const FtlShape shape = ftl_shape(parameters);
  auto bare = std::make_unique<Bare>(parameters);
  auto watch = std::make_unique<FlashWatch>(bare->nvdimm);
  parameters.precondition = PreconditionParameters();
  std::map<std::int64_t, std::uint8_t> first_bytes;  // by page
  const auto write = [&](std::int64_t page, std::uint8_t byte) {
    first_bytes[page] = byte;
    bare->nvdimm.command(0, line_address(page), true, bare->kernel.now());
    while (bare->acks.empty()) {
      ASSERT_TRUE(bare->kernel.step(kNever));
    }
    bare->acks.clear();
    bare->nvdimm.write_line(0, LineData{{byte}});
    bare->nvdimm.finish(0, bare->kernel.now());
  };
  Random random(1);
  int failures = 0;
  for (const std::uint32_t lun : {5, 5, 2, 2, 7, 7, 1, 1}) {
    const Ftl& ftl = bare->nvdimm.ftl();
    int dirty = 0;
    for (std::int64_t page = 0; dirty < 32; ++page) {
      ASSERT_LT(static_cast<std::uint64_t>(page), shape.logical_pages);
      if (ftl.shape().lun_of(ftl.pages().place(LogicalPage(page))) == lun) {
        write(page, static_cast<std::uint8_t>(random.next()));
        ++dirty;
      }
    }
    ASSERT_EQ(bare->nvdimm.statistics().buffer.evictions, 0u);
    const std::vector<std::uint64_t> before = free_pages(ftl);
    const PowerRecord record = bare->nvdimm.power_fail(bare->kernel.now());
    expect_blocks_are_kept(ftl, before);
    if (++failures <= 3) {  // later, other LUNs are too full to take their shares
      EXPECT_LE(record.hold_up, worst_hold_up(parameters));
    }
    watch = nullptr;
    auto after = std::make_unique<Bare>(parameters);
    ASSERT_TRUE(after->nvdimm.restore(bare->nvdimm, after->kernel.now()));
    bare = std::move(after);
    watch = std::make_unique<FlashWatch>(bare->nvdimm);
  }
  for (int i = 0; i < 5'000; ++i) {
    write(static_cast<std::int64_t>(random.below(shape.logical_pages)),
          static_cast<std::uint8_t>(random.next()));
  }
  EXPECT_GT(bare->nvdimm.statistics().ftl.gc_count, 0u);
  for (const auto& [page, byte] : first_bytes) {
    EXPECT_EQ(bare->nvdimm.peek(line_address(page))[0], byte) << page;
  }
}

TEST(Power, DirtyPagesOfOneLunAreSavedByAllInTheReportedTime) {
  save_what_one_lun_held(PageAllocation::dynamic);
  save_what_one_lun_held(PageAllocation::fixed);
}

TEST(Power, ReserveForAFlushIsKeptFree) {
  NvdimmParameters parameters = small_nvdimm();
  EXPECT_EQ(ftl_shape(parameters).gc_threshold, 3u);
  parameters.store_data = true;
  EXPECT_EQ(ftl_shape(parameters).gc_threshold, 4u);
  parameters.buffer.write_size = 17 * kPageBytes;
  EXPECT_EQ(ftl_shape(parameters).gc_threshold, 5u);
  parameters.buffer.write_size = 4096 * kPageBytes;
  EXPECT_EQ(parameters.check().size(), 1u);
}

}  // namespace
}  // namespace hmsim
