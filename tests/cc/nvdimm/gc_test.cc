// SPDX-License-Identifier: BSD-3-Clause
// How do garbage collection and the commands of its LUN affect each other?
#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/random.h"
#include "tests/cc/nvdimm/continuation.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr Tick kPageRead{70'780'000};
constexpr Tick kPageProgram{670'780'000};
constexpr Tick kErase{300'000 + 2'000'000'000};

// Writes complete pages in rounds until a collection has begun.
std::int64_t write_until_collection(Rig& rig, std::int64_t pages) {
  std::int64_t next = 0;
  while (rig.statistics().ftl.gc_valid_pages.count() == 0) {
    rig.write_page(next++ % pages);
  }
  return next;
}

NvdimmParameters filled_nvdimm() {
  NvdimmParameters parameters = small_nvdimm();
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 2;
  return parameters;
}

Tick duration_of_one_collection(const NvdimmParameters& parameters, Tick a_copy) {
  Rig rig(parameters);
  rig.run(4, 4, [](std::int64_t i, Address& address, bool& write) {
    address = line_address(i);
    write = true;
  });
  while (rig.statistics().ftl.gc_count == 0) {
    rig.write(static_cast<std::int64_t>(5 + rig.acks.size() % 90));
  }
  EXPECT_EQ(rig.statistics().ftl.gc_duration.max(),
            (static_cast<std::int64_t>(rig.statistics().ftl.gc_pages) * a_copy + kErase).value());
  EXPECT_GT(rig.statistics().ftl.gc_pages, 0u);
  return Tick(rig.statistics().ftl.gc_duration.max());
}

TEST(Gc, LastsForItsCopiesAndTheErase) {
  NvdimmParameters parameters = filled_nvdimm();
  duration_of_one_collection(parameters, kPageRead + kPageProgram);
  parameters.gc.hold_channel = true;
  duration_of_one_collection(parameters, kPageRead + kPageProgram);
  parameters.gc.hold_channel = false;
  parameters.gc.scheduler = "reactive_copyback";
  duration_of_one_collection(parameters, Tick(300'000 + 50'000'000 + 300'000 + 650'000'000));
}

// Whole rows of two planes are valid. Each is read and programmed at once: two transfers and a gap.
TEST(Gc, CopiesOfARowOfPlanesShareTheirCells) {
  for (const bool together : {false, true}) {
    NvdimmParameters parameters = filled_nvdimm();
    parameters.capacity = 2 * parameters.capacity;
    parameters.nand.planes = 2;
    parameters.nand.multi_plane = together;
    parameters.precondition.overwrite = 0;
    Rig rig(parameters);
    for (std::int64_t i = 0; rig.statistics().ftl.gc_count == 0; ++i) {
      rig.write_page((i / 2 * 4 + i % 2) % 320);
    }
    const auto pages = static_cast<std::int64_t>(rig.statistics().ftl.gc_pages);
    const Tick row = 2 * Tick(2 * 20'780'000 + 500'000) + Tick(50'000'000 + 650'000'000);
    const Tick copies = together ? pages / 2 * row : pages * (kPageRead + kPageProgram);
    EXPECT_GT(pages, 0);
    EXPECT_EQ(Tick(rig.statistics().ftl.gc_duration.max()),
              copies + kErase + Tick(together ? 800'000 : 2'000'300'000));
  }
}

TEST(Gc, PagesAreGatheredUntilTheyFillAFlashPage) {
  NvdimmParameters parameters = filled_nvdimm();
  parameters.nand.page_size = 4 * kPageBytes;
  parameters.capacity = 4 * parameters.capacity;
  Rig rig(parameters);
  const Ftl& ftl = rig.nvdimm().ftl();
  GatheredCopies copies;
  std::uint32_t count = 0;
  bool partly = false;
  for (std::int64_t page = 0; page < 64; page += 4) {
    const bool fills = copies.would_fill(ftl, PhysicalPage(page), false);
    const std::uint32_t valid = count_parts(copies.gather(ftl, PhysicalPage(page)));
    partly = partly || (valid > 0 && valid < 4);
    count += valid;
    EXPECT_EQ(fills, count >= 4) << page;
    EXPECT_EQ(copies.fill_page(ftl), fills) << page;
    count -= fills ? copies.take(ftl).count : 0;
  }
  EXPECT_TRUE(partly);
}

// Valid parts of flash pages are gathered in the controller; completely valid flash pages stay in
// the chip.
TEST(Gc, CopybackIsForWholeFlashPages) {
  struct Copies final : FlashObserver {
    void on_flash(const FlashRecord& record) override {
      if (record.priority != FlashPriority::collection) {
        return;
      }
      if (record.stage == FlashStage::command && record.operation == FlashOperation::read) {
        (record.transfer ? moved : stayed) += count_parts(record.parts);
        whole_moved += record.transfer && count_parts(record.parts) == 4 ? 1 : 0;
      } else if (record.stage == FlashStage::data_out) {
        came += count_parts(record.parts);
      } else if (record.stage == FlashStage::command &&
                 record.operation == FlashOperation::program && record.transfer) {
        went += count_parts(record.parts);
      }
    }
    void on_programmed(std::uint64_t, std::uint32_t) override {}
    void on_bad(std::uint64_t) override {}
    std::uint64_t moved = 0;  // parts read to the controller
    std::uint64_t whole_moved = 0;
    std::uint64_t stayed = 0;
    std::uint64_t came = 0;
    std::uint64_t went = 0;
  };
  NvdimmParameters parameters = filled_nvdimm();
  parameters.gc.scheduler = "reactive_copyback";
  parameters.nand.page_size = 4 * kPageBytes;
  parameters.capacity = 4 * parameters.capacity;
  Rig rig(parameters);
  Copies copies;
  rig.nvdimm().add_flash_observer(copies);
  Random random(4);
  rig.run(600, 8, [&](std::int64_t, Address& address, bool& write) {
    address = line_address(static_cast<std::int64_t>(random.below(600)));
    write = true;
  });
  rig.drain();
  EXPECT_GT(copies.moved, 0u);
  EXPECT_EQ(copies.whole_moved, 0u);
  EXPECT_GT(copies.stayed, 0u);
  EXPECT_EQ(copies.came, copies.moved);
  EXPECT_EQ(copies.went, copies.moved);
}

TEST(Gc, CopiesShareAFrontierWithTheHostIfConfigured) {
  for (const bool shared : {false, true}) {
    NvdimmParameters parameters = small_nvdimm();
    parameters.ftl.frontier = shared ? WriteFrontier::shared : WriteFrontier::separate;
    Rig rig(parameters);
    EXPECT_EQ(rig.nvdimm().ftl().shape().shared_frontier, shared);
  }
}

TEST(Gc, SequentialOverwriteCopiesNothing) {
  Rig rig(small_nvdimm());
  const std::int64_t pages = Nvdimm::logical_capacity(small_nvdimm()) / kPageBytes;
  rig.run(5 * pages * kLinesPerPage, 32, [pages](std::int64_t i, Address& address, bool& write) {
    address = line_address(0, i % (pages * kLinesPerPage));
    write = true;
  });
  EXPECT_GT(rig.statistics().ftl.gc_count, 0u);
  EXPECT_EQ(rig.statistics().ftl.gc_pages, 0u) << "write amplification is exactly 1";
  EXPECT_GT(rig.statistics().ftl.host_pages, 4u * static_cast<Counter>(pages));
}

TEST(Gc, OnlyCommandsOfItsLunWait) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.nand.chips = 2;
  parameters.nand.pages_per_block = 8;
  parameters.ftl.allocation = PageAllocation::fixed;
  Rig rig(parameters);
  std::int64_t next = 0;
  while (rig.statistics().ftl.gc_valid_pages.count() == 0) {
    rig.write_page(2 * (next++ % 20));  // even pages: LUN 0
  }
  rig.acks.clear();
  const Tick start = rig.now();
  rig.nvdimm().command(1, line_address(101), false, start);
  rig.nvdimm().command(2, line_address(100), false, start);
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 2u);
  EXPECT_EQ(rig.acks[0], (Ack{1, start + Tick(52'000) + kPageRead}));
  EXPECT_EQ(rig.acks[1].tag, 2u);
  EXPECT_GE(rig.acks[1].time - start, Tick(rig.statistics().ftl.gc_duration.max()));
  EXPECT_EQ(static_cast<std::int64_t>(rig.statistics().nand.gc_blocked_ps),
            (rig.acks[1].time - kPageRead - start - Tick(52'000)).value());
  EXPECT_EQ(rig.nvdimm().gc_blocked(1), Tick(0));
  EXPECT_EQ(rig.nvdimm().gc_blocked(2),
            Tick(static_cast<std::int64_t>(rig.statistics().nand.gc_blocked_ps)));
}

TEST(Gc, ItsErasesAreSuspendedForReads) {
  for (const char* scheduler : {"reactive", "proactive", "preemptive", "background"}) {
    for (const bool suspends : {false, true}) {
      NvdimmParameters parameters = small_nvdimm();
      parameters.gc.scheduler = scheduler;
      parameters.nand.suspend = suspends ? SuspendMode::erase : SuspendMode::none;
      Rig rig(parameters);
      const std::int64_t pages = Nvdimm::logical_capacity(parameters) / kPageBytes;
      // In order, in rounds: victims have no valid pages and are erased at once.
      write_until_collection(rig, pages);
      rig.kernel().run_until(rig.now() + 500 * kMicrosecond);
      const Tick waited = rig.read(pages - 1) - Tick(52'000);
      const Tick suspended = parameters.nand.suspend_time + kPageRead;
      EXPECT_EQ(rig.statistics().nand.gc_suspensions, suspends ? 1u : 0u) << scheduler;
      EXPECT_EQ(rig.statistics().nand.suspensions, rig.statistics().nand.gc_suspensions)
          << scheduler;
      if (suspends) {
        EXPECT_EQ(waited, suspended) << scheduler;
      } else {
        EXPECT_GT(waited, 10 * suspended) << scheduler;
      }
      rig.drain();
      EXPECT_EQ(rig.statistics().ftl.gc_count, 1u) << scheduler;
    }
  }
}

TEST(Gc, HeldChannelBlocksItsOtherLuns) {
  for (const bool hold : {false, true}) {
    NvdimmParameters parameters = filled_nvdimm();
    parameters.gc.hold_channel = hold;
    parameters.nand.chips = 2;
    parameters.nand.pages_per_block = 8;
    parameters.ftl.allocation = PageAllocation::fixed;
    Rig rig(parameters);
    std::int64_t next = 0;
    while (rig.statistics().nand.page_reads == 0) {  // the first copy of a collection is in flight
      if (rig.statistics().ftl.gc_valid_pages.count() > 0) {
        rig.kernel().step(kNever);
      } else {
        rig.write_page(2 * (next++ * 7 % 45));
      }
    }
    const Tick latency = rig.read(1);
    EXPECT_EQ(latency > kPageProgram, hold) << latency.value();
  }
}

TEST(Gc, APageOverwrittenDuringItsCopyKeepsTheNewPlace) {
  Ftl ftl([] {
    FtlShape shape;
    shape.blocks = 8;
    shape.pages = 4;
    shape.logical_pages = 12;
    shape.stripe = {0};
    return shape;
  }());
  const auto write = [&ftl](std::int64_t page) {
    ftl.claims().claim(LogicalPage(page), [](std::uint32_t) { return true; });
    ftl.commit(LogicalPage(page), ftl.allocate(0, WriteStream::host));
  };
  for (std::int64_t i = 0; i < 24; ++i) {
    write(i < 4 ? i : 4 + i % 8);  // block 0 keeps pages 0 .. 3
  }
  write(0);
  ASSERT_TRUE(ftl.victims().due(0));
  // By hand: page 1 is being copied while the host writes it again.
  const PhysicalPage source = ftl.pages().place(LogicalPage(1));
  const PhysicalPage copy = ftl.allocate(0, WriteStream::collection);
  EXPECT_EQ(count_pages(ftl, 0).in_flight, 1u);
  write(1);
  const PhysicalPage newest = ftl.pages().place(LogicalPage(1));
  EXPECT_FALSE(ftl.commit_copy(LogicalPage(1), source, copy));
  EXPECT_EQ(ftl.pages().place(LogicalPage(1)), newest);
  EXPECT_EQ(ftl.pages().owner(copy), std::nullopt);
  EXPECT_EQ(ftl.pages().owner(source), std::nullopt);
  const FtlCensus census = count_pages(ftl, 0);
  EXPECT_EQ(census.in_flight, 0u);
  EXPECT_EQ(census.free + census.valid + census.invalid, 32u);
}

// With several LUNs, a page being collected on one is written to another.
TEST(Gc, CountsAreConsistentAfterEveryStepOfRandomTraffic) {
  for (const PageAllocation allocation : {PageAllocation::dynamic, PageAllocation::fixed}) {
    for (const FrameRelease release : {FrameRelease::program, FrameRelease::datain}) {
      NvdimmParameters parameters = filled_nvdimm();
      parameters.nand.channels = 2;
      parameters.nand.pages_per_block = 8;
      parameters.command_queue = 8;
      parameters.ftl.allocation = allocation;
      parameters.ftl.over_provisioning = 70;
      parameters.buffer.release = release;
      ASSERT_TRUE(parameters.check().empty()) << parameters.check()[0].message;
      Rig rig(parameters);
      Random random(21);
      const auto pages =
          static_cast<std::uint64_t>(Nvdimm::logical_capacity(parameters) / kPageBytes);
      rig.run(
          1500, 8,
          [&](std::int64_t, Address& address, bool& write) {
            address = line_address(static_cast<std::int64_t>(random.below(pages)),
                                   static_cast<std::int64_t>(random.below(64)));
            write = random.below(4) != 0;
          },
          [&rig] {
            const FtlCensus census = rig.census();
            ASSERT_EQ(census.free + census.valid + census.invalid + census.in_flight, 256u);
          });
      EXPECT_GT(rig.statistics().ftl.gc_count, 10u);
      rig.drain();
      EXPECT_EQ(rig.census().in_flight, 0u);
      EXPECT_TRUE(rig.nvdimm().idle());
    }
  }
}

TEST(Gc, CheckpointInTheMiddleOfACollectionContinuesBitForBit) {
  const NvdimmParameters parameters = filled_nvdimm();
  Rig first(parameters);
  write_until_collection(first, 90);
  first.nvdimm().command(1, line_address(3), false, first.now());
  first.nvdimm().command(2, line_address(70), true, first.now());
  first.kernel().run_until(first.now() + 400 * kMicrosecond);
  ASSERT_EQ(first.statistics().ftl.gc_count, 0u) << "still collecting";

  const std::string middle = first.saved();
  Rig second(parameters);
  Archive load(middle);
  second.serialize(load);
  EXPECT_TRUE(load.at_end());
  EXPECT_EQ(second.saved(), middle);

  first.acks.clear();
  for (Rig* rig : {&first, &second}) {
    Random random(8);
    rig->drain();
    rig->nvdimm().finish(1, rig->now());
    rig->nvdimm().finish(2, rig->now());
    rig->run(2000, 16, [&random](std::int64_t, Address& address, bool& write) {
      address = line_address(static_cast<std::int64_t>(random.below(100)),
                             static_cast<std::int64_t>(random.below(64)));
      write = random.below(2) == 0;
    });
  }
  EXPECT_EQ(first.acks, second.acks);
  EXPECT_EQ(first.now(), second.now());
  EXPECT_EQ(first.saved(), second.saved());

  NvdimmParameters other = parameters;
  other.nand.pages_per_block = 8;
  Rig third(other);
  Archive wrong(middle);
  EXPECT_THROW(third.serialize(wrong), InputError);
}

// Saved at every ack, with all operations in flight.
TEST(Gc, CheckpointsDuringRandomTrafficContinueBitForBit) {
  for (const bool variant : {false, true}) {
    NvdimmParameters parameters = filled_nvdimm();
    parameters.nand.channels = 2;
    parameters.nand.pages_per_block = 8;
    parameters.ftl.over_provisioning = 70;
    parameters.command_queue = 8;
    parameters.buffer.granularity = variant ? BufferGranularity::item : BufferGranularity::page;
    parameters.buffer.release = variant ? FrameRelease::datain : FrameRelease::program;
    parameters.buffer.port = variant ? BufferPort::serial : BufferPort::pipelined;
    parameters.gc.hold_channel = variant;
    ASSERT_TRUE(parameters.check().empty());
    expect_exact_continuation(parameters, {31, 60, 8, 140, Tick(2'000'000'000)});
  }
}

}  // namespace
}  // namespace hmsim
