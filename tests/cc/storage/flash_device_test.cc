// SPDX-License-Identifier: BSD-3-Clause
// Does a flash device take the times of its driver, link and flash, and does its FTL work for it?
#include "storage/flash_device.h"

#include <gtest/gtest.h>

#include <memory>

#include "nvdimm/nvdimm.h"
#include "tests/cc/nvdimm/flash_watch.h"
#include "tests/cc/statistic.h"
#include "tests/cc/storage/device_rig.h"

namespace hmsim {
namespace {

using Kind = IoRequest::Kind;

constexpr Bytes kCapacity{4 << 20};

// Lookup, command cycles, cells, 4 KiB on the flash channel.
Tick page_read(const FlashParameters& parameters) {
  const NandParameters& nand = parameters.inside.nand;
  return parameters.inside.buffer.lookup + nand.command_time + nand.read_time +
         Tick(4096 * kSecond.value() / nand.bus_rate);
}

TEST(FlashDevice, OneReadTakesDriverCommandFlashAndLink) {
  const FlashParameters parameters = small_flash();
  FlashDevice device(parameters, kCapacity, 1);
  DeviceRig rig(device);
  EXPECT_EQ(rig.read(8192), Tick(4'000'000 + 4 * 1'000'000) + parameters.command +
                                page_read(parameters) + Tick(4 * 2'000'000));
  // The page is in the buffer now; a sector crosses the link in half a KiB's time.
  EXPECT_EQ(rig.read(8192, 512), Tick(4'500'000) + parameters.command +
                                     parameters.inside.buffer.lookup + Tick(1'000'000));
}

TEST(FlashDevice, OneWriteTakesDriverCommandLinkAndBuffer) {
  const FlashParameters parameters = small_flash();
  FlashDevice device(parameters, kCapacity, 1);
  DeviceRig rig(device);
  EXPECT_EQ(rig.write(8192), Tick(7'000'000 + 4 * 500'000) + parameters.command +
                                 Tick(4 * 3'000'000) + parameters.inside.buffer.lookup);
  EXPECT_EQ(rig.alone(Kind::flush, 0, 0),
            parameters.write_driver.request + parameters.command + Tick(1));
}

// The slowest of driver, link and flash sets the rate: within 2 % of its closed form.
TEST(FlashDevice, RunsAsFastAsItsNarrowestPart) {
  const auto rate_of = [](const FlashParameters& parameters, std::uint64_t bytes, Kind kind) {
    FlashDevice device(parameters, kCapacity, 1);
    DeviceRig rig(device);
    constexpr std::uint64_t kCount = 4000;
    const Tick took = rig.run(kCount, 32, [&](std::uint64_t i) {
      IoRequest request;
      request.kind = kind;
      request.bytes = bytes;
      request.offset = i * bytes % static_cast<std::uint64_t>(kCapacity.value());
      return request;
    });
    return static_cast<double>(took.value()) / kCount;
  };
  FlashParameters driver = small_flash();
  driver.read_driver = {100 * kMicrosecond, Tick(0)};
  EXPECT_NEAR(rate_of(driver, 4096, Kind::read) / 100e6, 1, 0.02);
  FlashParameters link = small_flash();
  link.to_host = 25 * kMicrosecond;
  EXPECT_NEAR(rate_of(link, 4096, Kind::read) / 100e6, 1, 0.02);
  // Four LUNs in turn: the limit is the cells plus the part that does not overlap with them on a
  // LUN.
  const FlashParameters plain = small_flash();
  const double cells = static_cast<double>((page_read(plain) - plain.inside.buffer.lookup).value());
  EXPECT_NEAR(rate_of(plain, 4096, Kind::read) / (cells / 4), 1, 0.02);
}

TEST(FlashDevice, ADuplexLinkMovesBothWaysAtOnce) {
  const auto took = [](bool duplex) {
    FlashParameters parameters = small_flash();
    parameters.duplex = duplex;
    parameters.to_host = parameters.from_host = 100 * kMicrosecond;
    parameters.read_driver = parameters.write_driver = {};
    FlashDevice device(parameters, kCapacity, 1);
    DeviceRig rig(device);
    rig.read(0);
    return rig.run(200, 8, [](std::uint64_t i) {
      IoRequest request;
      request.kind = i % 2 == 0 ? Kind::read : Kind::write;
      request.offset = i % 2 == 0 ? 0 : 8192;
      request.bytes = 4096;
      return request;
    });
  };
  EXPECT_NEAR(static_cast<double>(took(false).value()) / 200 / 400e6, 1, 0.02);
  EXPECT_NEAR(static_cast<double>(took(true).value()) / 100 / 400e6, 1, 0.06);
}

// Counts the chips' operations, independent of the FTL.
class Programs final : public FlashObserver {
 public:
  void on_flash(const FlashRecord& record) override {
    if (record.stage == FlashStage::cells && record.operation == FlashOperation::program) {
      ++programs;
    } else if (record.stage == FlashStage::cells && record.operation == FlashOperation::erase) {
      ++erases;
    }
  }
  void on_collection(const CollectionRecord& record) override { collections += record.begins; }
  void on_programmed(std::uint64_t /*block*/, std::uint32_t /*pages*/) override {}
  void on_bad(std::uint64_t /*block*/) override {}

  std::uint64_t programs = 0;
  std::uint64_t erases = 0;
  std::uint64_t collections = 0;
};

// Pages are overwritten at random. The buffer writes back all writes except those overwritten in it
// or still held. All other programs are amplification.
TEST(FlashDevice, RandomOverwritesAreCollectedAndAmplified) {
  FlashParameters parameters = small_flash();
  FlashDevice device(parameters, kCapacity, 1);
  const FlashWatch watch(static_cast<Nvdimm&>(device.module()));
  Programs seen;
  device.module().add_flash_observer(seen);
  DeviceRig rig(device);
  Random random(31);
  const std::uint64_t pages = static_cast<std::uint64_t>(kCapacity.value()) / 4096;
  constexpr std::uint64_t kWrites = 12'000;
  rig.run(kWrites, 16, [&](std::uint64_t) {
    IoRequest request;
    request.kind = Kind::write;
    request.offset = 4096 * random.below(pages);
    request.bytes = 4096;
    return request;
  });
  const NvdimmStatistics counts = static_cast<Nvdimm&>(device.module()).statistics();
  EXPECT_GT(seen.collections, 100u);
  EXPECT_EQ(device.module().collections_ended(), seen.collections);
  EXPECT_EQ(seen.programs, counts.ftl.host_pages + counts.ftl.gc_pages);
  const std::uint64_t hits = counts.buffer.write_hits / kLinesPerPage;  // overwritten in the buffer
  EXPECT_NEAR(static_cast<double>(counts.ftl.host_pages), static_cast<double>(kWrites - hits),
              0.02 * kWrites);
  EXPECT_EQ(counts.buffer.eviction_reads, 0u) << "whole pages need no reading before";
  // Erases: the programs minus the blocks that hold pages now.
  EXPECT_NEAR(static_cast<double>(seen.erases), static_cast<double>(seen.programs) / 16, 4 * 32.0);
  StatisticRegistry registry;
  device.register_statistics(registry, "storage");
  const double waf = testing::statistic_of(registry, "storage.flash.ftl.waf").value;
  EXPECT_DOUBLE_EQ(waf,
                   static_cast<double>(seen.programs) / static_cast<double>(counts.ftl.host_pages));
  EXPECT_GT(waf, 1.2);
}

TEST(FlashDevice, APartOfAPageIsWrittenBackWithTheRestOfIt) {
  FlashParameters parameters = small_flash();
  FlashDevice device(parameters, kCapacity, 1);
  DeviceRig rig(device);
  const auto page = [](std::uint64_t i) { return 4096 * (i % 100); };
  for (std::uint64_t i = 0; i < 200; ++i) {
    rig.write(page(i) + (i < 100 ? 0 : 1024), i < 100 ? 4096 : 512);
  }
  const NvdimmStatistics counts = static_cast<Nvdimm&>(device.module()).statistics();
  EXPECT_GE(counts.buffer.eviction_reads, 80u) << "but for those in the buffer";
}

TEST(FlashDevice, AFlushMayWriteBackAllThatTheBufferHolds) {
  FlashParameters parameters = small_flash();
  parameters.inside.buffer.flush = BufferFlush::writeback;
  FlashDevice device(parameters, kCapacity, 1);
  DeviceRig rig(device);
  for (std::uint64_t i = 0; i < 8; ++i) {
    rig.send(Kind::write, 4096 * i, 4096);
  }
  const std::uint32_t flush = rig.send(Kind::flush, 0, 0);
  const std::uint32_t behind = rig.send(Kind::read, 0, 512);
  rig.drain();
  const NvdimmStatistics counts = static_cast<Nvdimm&>(device.module()).statistics();
  EXPECT_EQ(counts.ftl.host_pages, 8u);
  EXPECT_GE(rig.took(flush), parameters.inside.nand.program_time);
  EXPECT_GT(rig.ended.at(behind), rig.ended.at(flush));
}

TEST(FlashDevice, ContinuesFromACheckpoint) {
  for (const BufferFlush flush : {BufferFlush::none, BufferFlush::writeback}) {
    FlashParameters parameters = small_flash();
    parameters.inside.buffer.flush = flush;
    parameters.duplex = flush == BufferFlush::none;
    parameters.queue_depth = 6;
    parameters.pages = 8;
    const auto make = [&] { return std::make_unique<FlashDevice>(parameters, kCapacity, 1); };
    expect_exact_resume(make, 40, 16384);
  }
}

}  // namespace
}  // namespace hmsim
