// SPDX-License-Identifier: BSD-3-Clause
// Are the FTL's records of pages and blocks consistent after random traffic on random small
// NVDIMMs?
#include "core/random.h"

#include <gtest/gtest.h>

#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

NvdimmParameters random_nvdimm(Random& random) {
  const auto below = [&random](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  NvdimmParameters p = small_nvdimm();
  p.command_queue = 4 + below(12);
  p.unmapped_read = below(2) != 0 ? UnmappedRead::zero : UnmappedRead::flash;
  p.nand.channels = 1 + below(2);
  p.nand.chips = 1 + below(2);
  p.nand.pages_per_block = 4;
  p.ftl.over_provisioning = static_cast<double>(40 + below(60));
  p.ftl.reserve_blocks = 2 + below(4);
  p.ftl.allocation = below(2) != 0 ? PageAllocation::dynamic : PageAllocation::fixed;
  p.ftl.frontier = below(2) != 0 ? WriteFrontier::separate : WriteFrontier::shared;
  p.buffer.granularity = below(2) != 0 ? BufferGranularity::item : BufferGranularity::page;
  p.buffer.release = below(2) != 0 ? FrameRelease::program : FrameRelease::datain;
  p.buffer.port = below(2) != 0 ? BufferPort::serial : BufferPort::pipelined;
  p.buffer.read_size = (1 + below(3)) * kPageBytes;
  p.buffer.write_size = (1 + below(3)) * kPageBytes;
  const std::vector<std::string> schedulers = policy_names(PolicyKind::gc_scheduler);
  p.gc.scheduler = schedulers[static_cast<std::size_t>(below(5))];
  p.gc.hold_channel = below(2) != 0;
  const std::vector<std::string> victims = policy_names(PolicyKind::victim_selector);
  p.ftl.victim = victims[static_cast<std::size_t>(below(5))];
  p.ftl.wear_gap = below(2) != 0 ? 0 : 3;
  p.precondition.fill = static_cast<double>(below(2));
  p.precondition.overwrite = p.precondition.fill;
  p.nand.page_size = (std::int64_t{1} << below(3)) * kPageBytes;
  p.capacity = p.nand.parts() * p.capacity;
  p.ftl.partial_writes = static_cast<PartialWrites>(below(3));
  p.buffer.item_reads = below(2) != 0 ? ItemReads::shared : ItemReads::own;
  return p;
}

TEST(RandomNvdimm, EveryCommandIsAcknowledgedOnceAndNoPageIsLost) {
  int built = 0;
  Counter collections = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const NvdimmParameters parameters = random_nvdimm(random);
    if (!parameters.check().empty()) {
      continue;
    }
    ++built;
    Rig rig(parameters, seed);
    const auto pages =
        static_cast<std::uint64_t>(Nvdimm::logical_capacity(parameters) / kPageBytes);
    const std::uint64_t footprint = random.below(2) != 0 ? pages : 8;
    const std::uint64_t write_quarters = random.below(5);
    constexpr std::int64_t kCommands = 2000;
    rig.run(kCommands, parameters.command_queue, [&](std::int64_t, Address& address, bool& write) {
      const std::uint64_t lines = random.below(2) != 0 ? 64 : 4;
      address = line_address(static_cast<std::int64_t>(random.below(footprint)),
                             static_cast<std::int64_t>(random.below(lines)));
      write = random.below(4) < write_quarters;
    });
    ASSERT_EQ(rig.acks.size(), std::size_t{kCommands}) << "seed " << seed;
    rig.drain();
    ASSERT_TRUE(rig.nvdimm().idle()) << "seed " << seed;
    const FtlCensus census = rig.census();
    ASSERT_EQ(census.in_flight, 0u) << "seed " << seed;
    ASSERT_EQ(census.free + census.valid + census.invalid,
              static_cast<std::uint64_t>(parameters.capacity / kPageBytes))
        << "seed " << seed;
    collections += rig.statistics().ftl.gc_count;
  }
  EXPECT_GT(built, 250);
  EXPECT_GT(collections, 10000u);
}

}  // namespace
}  // namespace hmsim
