// SPDX-License-Identifier: BSD-3-Clause
// How long does one command take?
#include <gtest/gtest.h>

#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};
constexpr Tick kPageRead{300'000 + 50'000'000 + 20'480'000};
constexpr Tick kPageProgram{300'000 + 20'480'000 + 650'000'000};

TEST(Latency, ReadMissIsLookupCommandCellReadAndTransfer) {
  Rig rig{plain_nvdimm()};
  EXPECT_EQ(rig.read(17).value(), 70'832'000);
}

TEST(Latency, ReadHitIsTheLookup) {
  Rig rig{plain_nvdimm()};
  rig.read(17, 3);
  EXPECT_EQ(rig.read(17, 60), kLookup);
  EXPECT_EQ(rig.read(17, 3), kLookup);
}

TEST(Latency, LookupsOverlapUnlessThePortIsSerial) {
  for (const bool serial : {false, true}) {
    NvdimmParameters parameters = plain_nvdimm();
    parameters.buffer.port = serial ? BufferPort::serial : BufferPort::pipelined;
    Rig rig(parameters);
    rig.read(5);
    const Tick start = rig.now();
    rig.acks.clear();
    rig.nvdimm().command(0, line_address(5, 1), false, start);
    rig.nvdimm().command(1, line_address(5, 2), false, start);
    rig.drain();
    ASSERT_EQ(rig.acks.size(), 2u);
    EXPECT_EQ(rig.acks[0].time - start, kLookup);
    EXPECT_EQ(rig.acks[1].time - start, serial ? 2 * kLookup : kLookup);
  }
}

// Pages 0 and 1 are on different channels. With acks in order, a hit and a later page wait for the
// first page, and flash reads both at once.
TEST(Latency, AcksFollowReadinessOrTheOrderOfCommands) {
  for (const AckOrder order : {AckOrder::ready, AckOrder::command}) {
    NvdimmParameters parameters = plain_nvdimm();
    parameters.ack_order = order;
    Rig rig(parameters);
    rig.read(9);
    const Tick start = rig.now();
    rig.acks.clear();
    rig.nvdimm().command(7, line_address(0), false, start);
    rig.nvdimm().command(3, line_address(9, 1), false, start);
    rig.nvdimm().command(5, line_address(1), false, start);
    rig.drain();
    const Tick page = start + kLookup + kPageRead;
    const std::vector<Ack> expected =
        order == AckOrder::ready ? std::vector<Ack>{{3, start + kLookup}, {7, page}, {5, page}}
                                 : std::vector<Ack>{{7, page}, {3, page}, {5, page}};
    EXPECT_EQ(rig.acks, expected);
  }
}

TEST(Latency, RequestsThatEndTogetherEndInTheOrderOfCommands) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.flush = BufferFlush::writeback;
  Rig rig(parameters);
  for (std::uint32_t round = 1; round < 4; ++round) {
    rig.acks.clear();
    const Tick start = rig.now();
    rig.nvdimm().flush(0, start);
    rig.nvdimm().command(round, line_address(0), true, start);
    rig.kernel().run_until(start + kLookup);
    ASSERT_EQ(rig.acks.size(), 2u) << "the flush finds nothing to write back";
    EXPECT_EQ(rig.acks[0], (Ack{0, start + kLookup})) << round;
    EXPECT_EQ(rig.acks[1], (Ack{round, start + kLookup})) << round;
    rig.nvdimm().finish(0, rig.now());
    rig.nvdimm().finish(round, rig.now());
    rig.nvdimm().trim(line_address(0), kPageBytes, rig.now());
    rig.drain();
  }
}

TEST(Latency, SpareBytesAndBusRateStretchTheTransfer) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.nand.transfer_spare = true;
  parameters.nand.bus_rate = 50'000'000;
  Rig rig(parameters);
  EXPECT_EQ(rig.read(0), kLookup + Tick(300'000 + 50'000'000 + 4320 * 20'000));
}

TEST(Latency, NeverWrittenPagesMayBeAnsweredWithoutFlash) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.unmapped_read = UnmappedRead::zero;
  Rig rig(parameters);
  EXPECT_EQ(rig.read(3), kLookup);
  EXPECT_EQ(rig.statistics().nand.page_reads, 0u);
  EXPECT_EQ(rig.statistics().buffer.unmapped_reads, 1u);
  EXPECT_EQ(rig.statistics().buffer.read_lookups, 0u);
  for (std::int64_t page = 3; page < 8; ++page) {  // one page more than the write part holds
    rig.write_page(page);
  }
  rig.drain();
  EXPECT_EQ(rig.read(3), kLookup + kPageRead) << "page 3 has been evicted to flash";
}

TEST(Latency, WriteTakesTheLookupWhileThereIsRoom) {
  Rig rig(small_nvdimm());
  for (std::int64_t page = 0; page < 4; ++page) {
    EXPECT_EQ(rig.write(page), kLookup);
    EXPECT_EQ(rig.write(page, 9), kLookup);
  }
  EXPECT_EQ(rig.read(2, 9), kLookup) << "a read finds the line in the write part";
}

TEST(Latency, WriteToAFullBufferWaitsForOneProgram) {
  Rig rig(small_nvdimm());
  for (std::int64_t page = 0; page < 4; ++page) {
    rig.write(page);
  }
  EXPECT_EQ(rig.write(4), kLookup + kPageProgram);
  EXPECT_EQ(rig.statistics().buffer.evictions, 1u);
  EXPECT_EQ(rig.statistics().buffer.eviction_reads, 0u) << "the page was never written";
}

TEST(Latency, FrameIsFreeAfterTheTransferWithReleaseDatain) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.release = FrameRelease::datain;
  Rig rig(parameters);
  for (std::int64_t page = 0; page < 4; ++page) {
    rig.write(page);
  }
  EXPECT_EQ(rig.write(4), kLookup + Tick(300'000 + 20'480'000));
  // Page 0 is still being programmed; a read of it waits for its LUN.
  EXPECT_EQ(rig.read(0), Tick(650'000'000) + kPageRead);
}

TEST(Latency, EvictingPartOfAWrittenPageReadsItFirst) {
  Rig rig(small_nvdimm());
  rig.write_pages(0, 5);  // page 0 goes to flash
  rig.drain();
  rig.write(0);  // evicts page 1 and waits for that
  rig.write_pages(5, 8);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.eviction_reads, 0u);
  EXPECT_EQ(rig.write(8), kLookup + kPageRead + kPageProgram);
  EXPECT_EQ(rig.statistics().buffer.eviction_reads, 1u);
}

TEST(Latency, WriteToAPageUnderEvictionWaitsForItsProgram) {
  Rig rig(small_nvdimm());
  for (std::int64_t page = 0; page < 4; ++page) {
    rig.write(page);
  }
  const Tick start = rig.now();
  rig.acks.clear();
  rig.nvdimm().command(1, line_address(4), true, start);
  rig.kernel().run_until(start + kLookup);
  rig.nvdimm().command(2, line_address(0, 7), true, rig.now());  // page 0 is on its way to flash
  rig.drain();
  // The frame stays with page 0; page 4 gets the frame of page 1, evicted after page 0.
  ASSERT_EQ(rig.acks.size(), 2u);
  EXPECT_EQ(rig.acks[0], (Ack{2, start + kLookup + kPageProgram}));
  EXPECT_EQ(rig.acks[1], (Ack{1, start + kLookup + 2 * kPageProgram}));
}

}  // namespace
}  // namespace hmsim
