// SPDX-License-Identifier: BSD-3-Clause
// Does every read return the last completed write, whatever happens in between, from flash and from
// byte-addressable media? Are the FTL's records consistent after random traffic?
#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/random.h"
#include "tests/cc/nvdimm/media_rig.h"
#include "tests/cc/nvdimm/rig.h"
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

using MediaShadow = ShadowOf<MediaModule, MediaWatch>;

NvdimmParameters any_media(Random& random) {
  const auto below = [&random](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  NvdimmParameters p = small_media();
  p.store_data = true;
  p.command_queue = 4 + below(12);
  p.media.command_time = Tick(below(2) * 5'000);
  p.media.banks = std::int64_t{1} << below(4);
  p.media.interleave = Bytes(64LL << below(3));
  p.media.write_queue = 1 + below(8);
  p.media.start_gap.psi = below(5);
  p.media.start_gap.regions = std::int64_t{1} << below(3);
  p.media.start_gap.randomised = below(2) != 0;
  return p;
}

TEST(MediaIntegrity, EveryReadReturnsTheLastCompletedWrite) {
  std::uint64_t reads = 0;
  std::uint64_t saved = 0;
  std::uint64_t failures = 0;
  Counter moves = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed, 5);
    const NvdimmParameters parameters = any_media(random);
    ASSERT_TRUE(parameters.check().empty()) << parameters.check().front().message;
    MediaShadow shadow(parameters, seed);
    PowerRecord record;
    for (int action = 0; action < 2000; ++action) {
      shadow.send(shadow.pages(), 5);
      if (random.below(2) != 0) {
        shadow.finish_one();
      }
      if (random.below(64) == 0) {
        shadow.trim(shadow.pages());
      }
      for (std::uint64_t steps = random.below(4); steps > 0; --steps) {
        shadow.step();
      }
      switch (random.below(400)) {
        case 0:
          moves += shadow.nvdimm().statistics().gap_moves;
          record = shadow.rough_power_cycle(static_cast<int>(random.below(3)));
          break;
        case 1:
          shadow.save_and_load();
          break;
        default:
          break;
      }
      ASSERT_EQ(shadow.mismatches(), 0u) << "seed " << seed << " action " << action;
    }
    shadow.settle();
    shadow.check_all();
    ASSERT_EQ(shadow.mismatches(), 0u) << "seed " << seed;
    reads += shadow.reads();
    saved += record.saved_lines;
    failures += record.failures;
    moves += shadow.nvdimm().statistics().gap_moves;
  }
  EXPECT_GT(reads, 10'000u);
  EXPECT_GT(failures, 300u);
  EXPECT_GT(saved, 100u);
  EXPECT_GT(moves, 10'000u);
}

TEST(MediaIntegrity, ASkippedCopyAndALostEntryAreCaught) {
  for (const bool copy : {true, false}) {
    NvdimmParameters parameters = small_media();
    parameters.store_data = true;
    parameters.media.start_gap.psi = 0;
    MediaShadow shadow(parameters, 1);
    for (int i = 0; i < 4000; ++i) {
      shadow.send(shadow.pages(), 8);
      shadow.step();
      if (i % 2 == 0) {
        shadow.finish_one();
      }
    }
    shadow.check_all();
    ASSERT_EQ(shadow.mismatches(), 0u);
    if (copy) {
      MediaFaults::skip_copy(shadow.nvdimm(), 2);
    } else {
      while (!MediaFaults::drop_entry(shadow.nvdimm())) {
        shadow.send(shadow.pages(), 8);
        shadow.finish_one();
        shadow.step();
      }
    }
    shadow.check_all();
    EXPECT_GT(shadow.mismatches(), 0u);
  }
}

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
