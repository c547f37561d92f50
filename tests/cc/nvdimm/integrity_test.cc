// SPDX-License-Identifier: BSD-3-Clause
// Does every read return the last completed write, whatever happens in between?
#include <gtest/gtest.h>

#include "core/errors.h"
#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {
namespace {

NvdimmParameters data_nvdimm() {
  NvdimmParameters parameters = small_nvdimm();
  parameters.store_data = true;
  parameters.ftl.over_provisioning = 80;
  return parameters;
}

NvdimmParameters any_nvdimm(Random& random) {
  const auto below = [&random](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  NvdimmParameters p = data_nvdimm();
  const std::vector<std::string> victims = policy_names(PolicyKind::victim_selector);
  const std::vector<std::string> managers = policy_names(PolicyKind::buffer_manager);
  const std::vector<std::string> replacements = policy_names(PolicyKind::buffer_replacement);
  p.command_queue = 4 + below(12);
  p.unmapped_read = below(2) != 0 ? UnmappedRead::zero : UnmappedRead::flash;
  p.nand.channels = 1 + below(2);
  p.nand.chips = 1 + below(2);
  p.nand.pages_per_block = 4;
  p.ftl.over_provisioning = static_cast<double>(60 + below(60));
  p.ftl.allocation = below(2) != 0 ? PageAllocation::dynamic : PageAllocation::fixed;
  p.ftl.frontier = below(2) != 0 ? WriteFrontier::separate : WriteFrontier::shared;
  p.ftl.victim = victims[static_cast<std::size_t>(below(5))];
  p.ftl.reserve_blocks = 2 + below(6);
  p.ftl.wear_gap = below(2) != 0 ? 0 : 3;
  p.buffer.granularity = below(2) != 0 ? BufferGranularity::item : BufferGranularity::page;
  p.buffer.release = below(2) != 0 ? FrameRelease::program : FrameRelease::datain;
  p.buffer.read_size = (1 + below(3)) * kPageBytes;
  p.buffer.write_size = p.buffer.granularity == BufferGranularity::page
                            ? (1 + below(3)) * kPageBytes
                            : (1 + below(8)) * kLineBytes;
  const std::vector<std::string> schedulers = policy_names(PolicyKind::gc_scheduler);
  p.gc.scheduler = schedulers[static_cast<std::size_t>(below(5))];
  p.buffer.manager = managers[random.below(managers.size())];
  p.buffer.replacement = replacements[random.below(replacements.size())];
  p.buffer.port = below(2) != 0 ? BufferPort::serial : BufferPort::pipelined;
  if (below(2) != 0) {
    p.ftl.map = MapPlace::cached;
    p.ftl.map_entry = Bytes(256);
    p.ftl.map_cache = (40 + below(200)) * kCachedEntryBytes;
  }
  p.precondition.fill = static_cast<double>(below(2));
  p.precondition.overwrite = p.precondition.fill;
  p.nand.page_size = (std::int64_t{1} << below(3)) * kPageBytes;
  p.capacity = p.nand.parts() * p.capacity;
  p.ftl.partial_writes = static_cast<PartialWrites>(below(3));
  p.buffer.item_reads = below(2) != 0 ? ItemReads::shared : ItemReads::own;
  return p;
}

struct Outcome {
  int built = 0;
  std::uint64_t reads = 0;
  std::uint64_t trims = 0;
  std::uint64_t failures = 0;
  std::uint64_t torn = 0;
  std::uint64_t flushed = 0;
  std::uint64_t interrupted = 0;
  Counter collections = 0;
  Counter map_pages = 0;
};

void drive(std::uint64_t seed, Outcome& outcome) {
  Random random(seed, 5);
  const NvdimmParameters parameters = any_nvdimm(random);
  if (!parameters.check().empty()) {
    return;
  }
  ++outcome.built;
  Shadow shadow(parameters, seed);
  const std::int64_t footprint = random.below(2) != 0 ? shadow.pages() : 8;
  PowerRecord record;
  for (int action = 0; action < 3000; ++action) {
    shadow.send(footprint, 6);
    if (random.below(2) != 0) {
      shadow.finish_one();
    }
    if (random.below(16) == 0) {
      shadow.trim(footprint);
    }
    for (std::uint64_t steps = random.below(6); steps > 0; --steps) {
      shadow.step();
    }
    switch (random.below(600)) {
      case 0:
        outcome.collections += shadow.nvdimm().statistics().ftl.gc_count;
        outcome.map_pages += shadow.nvdimm().statistics().ftl.map_pages;
        record = shadow.rough_power_cycle(static_cast<int>(random.below(3)));
        break;
      case 1:
        shadow.save_and_load();
        break;
      case 2:
        shadow.settle();
        break;
      default:
        break;
    }
    ASSERT_EQ(shadow.mismatches(), 0u) << "seed " << seed << " action " << action;
  }
  shadow.settle();
  shadow.check_all();
  ASSERT_EQ(shadow.mismatches(), 0u) << "seed " << seed;
  outcome.reads += shadow.reads();
  outcome.trims += shadow.trims();
  outcome.failures += record.failures;
  outcome.torn += record.torn_pages;
  outcome.flushed += record.flushed_pages;
  outcome.interrupted += shadow.interrupted();
  outcome.collections += shadow.nvdimm().statistics().ftl.gc_count;
  outcome.map_pages += shadow.nvdimm().statistics().ftl.map_pages;
  if (parameters.ftl.map == MapPlace::cached) {
    EXPECT_EQ(NvdimmFaults::lost_entries(shadow.nvdimm()), 0u) << "seed " << seed;
  }
}

TEST(Integrity, EveryReadReturnsTheLastCompletedWrite) {
  Outcome outcome;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ASSERT_NO_FATAL_FAILURE(drive(seed, outcome));
  }
  EXPECT_GT(outcome.built, 100);
  EXPECT_GT(outcome.reads, 10'000u);
  EXPECT_GT(outcome.trims, 5'000u);
  EXPECT_GT(outcome.failures, 300u);
  EXPECT_GT(outcome.torn, 30u);
  EXPECT_GT(outcome.flushed, 300u);
  EXPECT_GT(outcome.interrupted, 100u);
  EXPECT_GT(outcome.collections, 1'000u);
  EXPECT_GT(outcome.map_pages, 500u);
}

TEST(Integrity, ASkippedMapUpdateIsCaught) {
  Shadow shadow(data_nvdimm(), 1);
  std::uint64_t caught = 0;
  for (int i = 0; i < 20'000 && caught == 0; ++i) {
    const LogicalPage page(static_cast<std::int64_t>(shadow.below(16)));
    const PhysicalPage old = shadow.nvdimm().ftl().pages().place(page);
    shadow.send(16, 6);
    shadow.finish_one();
    shadow.step();
    if (i > 1000 && old != kNowhere && shadow.nvdimm().ftl().pages().place(page) != old) {
      NvdimmFaults::skip_map_update(shadow.nvdimm(), page, old);
      shadow.check_all();
      caught = shadow.mismatches();
    }
    ASSERT_TRUE(caught > 0 || shadow.mismatches() == 0);
  }
  EXPECT_GT(caught, 0u);
}

TEST(Integrity, ADroppedDirtyFrameIsCaught) {
  Shadow shadow(data_nvdimm(), 1);
  for (int i = 0; i < 200; ++i) {
    shadow.send(3, 8);
    shadow.finish_one();
    shadow.step();
  }
  shadow.settle();
  shadow.check_all();
  ASSERT_EQ(shadow.mismatches(), 0u);
  ASSERT_TRUE(NvdimmFaults::drop_dirty_frame(shadow.nvdimm()));
  shadow.check_all();
  EXPECT_GT(shadow.mismatches(), 0u);
}

TEST(Integrity, NothingIsKeptOutsideDataMode) {
  Rig rig(small_nvdimm());
  EXPECT_THROW(rig.nvdimm().power_fail(rig.now()), Fault);
}

}  // namespace
}  // namespace hmsim
