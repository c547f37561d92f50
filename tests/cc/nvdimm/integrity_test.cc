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

// Draws what any NVDIMM of flash may have.
NvdimmParameters drawn(NvdimmParameters p, Random& random) {
  const auto below = [&random](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  p.command_queue = 4 + below(12);
  p.unmapped_read = below(2) != 0 ? UnmappedRead::zero : UnmappedRead::flash;
  p.nand.channels = 1 + below(2);
  p.nand.chips = 1 + below(2);
  p.nand.pages_per_block = 4;
  p.ftl.allocation = below(2) != 0 ? PageAllocation::dynamic : PageAllocation::fixed;
  p.ftl.frontier = below(2) != 0 ? WriteFrontier::separate : WriteFrontier::shared;
  p.ftl.victim = policy_names(PolicyKind::victim_selector)[random.below(5)];
  p.ftl.wear_gap = below(2) != 0 ? 0 : 3;
  p.buffer.granularity = below(2) != 0 ? BufferGranularity::item : BufferGranularity::page;
  p.buffer.release = below(2) != 0 ? FrameRelease::program : FrameRelease::datain;
  p.buffer.read_size = (1 + below(3)) * kPageBytes;
  p.buffer.write_size = (1 + below(3)) * kPageBytes;
  p.gc.scheduler = policy_names(PolicyKind::gc_scheduler)[random.below(5)];
  p.buffer.port = below(2) != 0 ? BufferPort::serial : BufferPort::pipelined;
  p.precondition.fill = static_cast<double>(below(2));
  p.precondition.overwrite = p.precondition.fill;
  p.nand.page_size = (std::int64_t{1} << below(3)) * kPageBytes;
  p.capacity = p.nand.parts() * p.capacity;
  p.ftl.partial_writes = static_cast<PartialWrites>(below(3));
  p.buffer.item_reads = below(2) != 0 ? ItemReads::shared : ItemReads::own;
  const bool blocks = below(2) != 0 && p.buffer.granularity == BufferGranularity::page;
  p.access = blocks ? NvdimmAccess::block : NvdimmAccess::line;
  p.nand.cell_bits = 2 + below(2);
  p.nand.slc_blocks = below(2) != 0 ? 0 : 1 + below(2);
  p.ftl.slc_size = below(2) != 0 ? CacheSize::fixed : CacheSize::dynamic;
  return p;
}

NvdimmParameters any_nvdimm(Random& random) {
  const auto below = [&random](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  NvdimmParameters p = drawn(data_nvdimm(), random);
  const std::vector<std::string> managers = policy_names(PolicyKind::buffer_manager);
  const std::vector<std::string> replacements = policy_names(PolicyKind::buffer_replacement);
  p.ftl.over_provisioning = static_cast<double>(60 + below(60));
  p.ftl.reserve_blocks = 2 + below(6);
  if (p.buffer.granularity == BufferGranularity::item) {
    p.buffer.write_size = (1 + below(8)) * kLineBytes;
  }
  p.buffer.manager = managers[random.below(managers.size())];
  p.buffer.replacement = replacements[random.below(replacements.size())];
  if (below(2) != 0) {
    p.ftl.map = MapPlace::cached;
    p.ftl.map_entry = Bytes(256);
    p.ftl.map_cache = (40 + below(200)) * kCachedEntryBytes;
  }
  return p;
}

NvdimmParameters random_nvdimm(Random& random) {
  NvdimmParameters p = drawn(small_nvdimm(), random);
  p.ftl.over_provisioning = static_cast<double>(40 + random.below(60));
  p.ftl.reserve_blocks = 2 + static_cast<std::int64_t>(random.below(4));
  p.gc.hold_channel = random.below(2) != 0;
  return p;
}

// Sends random commands, trims and power failures to a module and checks its reads. Calls `failing`
// before each failure. Returns the record of the last one.
template <class AnyShadow, class Failing>
PowerRecord act(AnyShadow& shadow, Random& random, std::int64_t footprint, int actions,
                std::uint64_t trim_odds, const Failing& failing) {
  PowerRecord record;
  for (int action = 0; action < actions; ++action) {
    shadow.send(footprint, 6);
    if (random.below(2) != 0) {
      shadow.finish_one();
    }
    if (random.below(trim_odds) == 0) {
      shadow.trim(footprint);
    }
    for (std::uint64_t steps = random.below(6); steps > 0; --steps) {
      shadow.step();
    }
    switch (random.below(600)) {
      case 0:
        failing();
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
    EXPECT_EQ(shadow.mismatches(), 0u) << "action " << action;
    if (shadow.mismatches() > 0) {
      return record;
    }
  }
  shadow.settle();
  shadow.check_all();
  EXPECT_EQ(shadow.mismatches(), 0u);
  return record;
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
  Counter cached_pages = 0;
  Counter folds = 0;
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
  const auto count = [&] {
    outcome.collections += shadow.nvdimm().statistics().ftl.gc_count;
    outcome.map_pages += shadow.nvdimm().statistics().ftl.map_pages;
    outcome.cached_pages += shadow.nvdimm().statistics().ftl.cached_pages;
    outcome.folds += shadow.nvdimm().statistics().ftl.folds;
  };
  const PowerRecord record = act(shadow, random, footprint, 3000, 16, count);
  count();
  outcome.reads += shadow.reads();
  outcome.trims += shadow.trims();
  outcome.failures += record.failures;
  outcome.torn += record.torn_pages;
  outcome.flushed += record.flushed_pages;
  outcome.interrupted += shadow.interrupted();
  if (parameters.ftl.map == MapPlace::cached) {
    EXPECT_EQ(NvdimmFaults::lost_entries(shadow.nvdimm()), 0u) << "seed " << seed;
  }
}

TEST(Integrity, EveryReadReturnsTheLastCompletedWrite) {
  Outcome outcome;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    drive(seed, outcome);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(outcome.built, 100);
  EXPECT_GT(outcome.reads, 10'000u);
  EXPECT_GT(outcome.trims, 5'000u);
  EXPECT_GT(outcome.failures, 300u);
  EXPECT_GT(outcome.cached_pages, 1'000u);
  EXPECT_GT(outcome.folds, 100u);
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
  p.media.line = Bytes(64LL << below(3));
  p.media.interleave = later(p.media.line, Bytes(64LL << below(3)));
  p.media.line_buffer = 1 + below(6);
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
  Counter updates = 0;
  Counter hits = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Random random(seed, 5);
    const NvdimmParameters parameters = any_media(random);
    ASSERT_TRUE(parameters.check().empty()) << parameters.check().front().message;
    SCOPED_TRACE("seed " + std::to_string(seed));
    MediaShadow shadow(parameters, seed);
    const auto count = [&] {
      const MediaStatistics& counts = shadow.nvdimm().statistics();
      moves += counts.gap_moves;
      updates += counts.updates;
      hits += counts.buffer_reads + counts.joined_reads;
    };
    const PowerRecord record = act(shadow, random, shadow.pages(), 3000, 64, count);
    count();
    ASSERT_FALSE(HasFailure());
    reads += shadow.reads();
    saved += record.saved_lines;
    failures += record.failures;
  }
  EXPECT_GT(reads, 10'000u);
  EXPECT_GT(failures, 300u);
  EXPECT_GT(saved, 100u);
  EXPECT_GT(moves, 10'000u);
  EXPECT_GT(updates, 10'000u);
  EXPECT_GT(hits, 1'000u);
}

TEST(MediaIntegrity, ASkippedCopyAndALostEntryAreCaught) {
  enum class Error { copy, entry, line };
  for (const Error error : {Error::copy, Error::entry, Error::line}) {
    NvdimmParameters parameters = error == Error::line ? wide_media(4) : small_media();
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
    if (error == Error::copy) {
      MediaFaults::skip_copy(shadow.nvdimm(), 2);
    } else {
      while (!(error == Error::line ? MediaFaults::lose_write(shadow.nvdimm())
                                    : MediaFaults::drop_entry(shadow.nvdimm()))) {
        shadow.send(shadow.pages(), 8);
        shadow.finish_one();
        shadow.step();
      }
    }
    shadow.check_all();
    EXPECT_GT(shadow.mismatches(), 0u);
  }
}

TEST(RandomNvdimm, EveryCommandIsAcknowledgedOnceAndNoPageIsLost) {
  int built = 0;
  Counter collections = 0;
  for (std::uint64_t seed = 1; seed <= 320; ++seed) {
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
      const std::uint64_t line = random.below(lines);
      address = line_address(static_cast<std::int64_t>(random.below(footprint)),
                             static_cast<std::int64_t>(line));
      const bool block = parameters.access == NvdimmAccess::block;
      rig.lines = static_cast<std::uint8_t>(1 + (block ? random.below(64 - line) : 0));
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
  EXPECT_GT(built, 230);
  EXPECT_GT(collections, 10000u);
}

}  // namespace
}  // namespace hmsim
