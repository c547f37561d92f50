// SPDX-License-Identifier: BSD-3-Clause
// Does the buffer at the start of a simulation have the right contents, and behave like one filled
// by traffic?
#include "nvdimm/buffer/untimed_fill.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "nvdimm/flash_shape.h"
#include "nvdimm/precondition.h"
#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {
namespace {

// Returns an NVDIMM with four frames in each buffer part, and data in the first half of its logical
// pages.
NvdimmParameters dirty_nvdimm() {
  NvdimmParameters parameters = small_nvdimm();
  parameters.precondition.fill = 0.5;
  parameters.precondition.pattern = PreconditionPattern::sequential;
  parameters.precondition.buffer = PreconditionBuffer::dirty;
  EXPECT_TRUE(parameters.check().empty());
  return parameters;
}

std::vector<LogicalPage> pages(std::initializer_list<std::int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

using Keys = std::vector<std::int64_t>;

Keys written_next(const PreconditionParameters& parameters, std::uint64_t logical_pages,
                  std::uint64_t seed, std::uint64_t count) {
  Keys keys;
  for (const LogicalPage page : next_writes(parameters, logical_pages, seed, count)) {
    keys.push_back(page.value());
  }
  return keys;
}

// Finds each next write by one more overwrite: the written page is the one whose place in flash has
// changed.
TEST(UntimedFill, DirtyPagesAreThoseThatPreconditioningWouldWriteNext) {
  NvdimmParameters nvdimm = small_nvdimm();
  nvdimm.ftl.over_provisioning = 150;  // so that no collection runs meanwhile
  nvdimm.precondition.fill = 0.3;
  const FtlShape shape = ftl_shape(nvdimm);
  const auto logical_pages = static_cast<double>(shape.logical_pages);
  for (const PreconditionPattern pattern :
       {PreconditionPattern::uniform, PreconditionPattern::sequential, PreconditionPattern::zipf}) {
    nvdimm.precondition.pattern = pattern;
    const auto places_after = [&](int overwrites) {
      PreconditionParameters parameters = nvdimm.precondition;
      parameters.overwrite = overwrites / logical_pages;
      Ftl ftl(shape, {victim_selector("greedy", {})}, 7);
      EXPECT_EQ(precondition(ftl, parameters, 7).collected_blocks, 0u);
      std::vector<PhysicalPage> places;
      for (std::uint64_t page = 0; page < shape.logical_pages; ++page) {
        places.push_back(ftl.pages().place(LogicalPage(static_cast<std::int64_t>(page))));
      }
      return places;
    };
    constexpr int kBefore = 5;
    Keys expected;
    for (int i = kBefore; expected.size() < 10; ++i) {
      const auto before = places_after(i);
      const auto after = places_after(i + 1);
      for (std::size_t page = 0; page < before.size(); ++page) {
        const auto number = static_cast<std::int64_t>(page);
        if (before[page] != after[page] &&
            std::find(expected.begin(), expected.end(), number) == expected.end()) {
          expected.push_back(number);
        }
      }
    }
    PreconditionParameters parameters = nvdimm.precondition;
    parameters.overwrite = kBefore / logical_pages;
    EXPECT_EQ(written_next(parameters, shape.logical_pages, 7, 10), expected);
  }
}

TEST(UntimedFill, EachFilledPageIsDirtyOnceAtMost) {
  PreconditionParameters parameters;
  parameters.fill = 0.1;
  for (const PreconditionPattern pattern :
       {PreconditionPattern::uniform, PreconditionPattern::sequential, PreconditionPattern::zipf}) {
    parameters.pattern = pattern;
    const Keys all = written_next(parameters, 500, 1, 1'000);
    EXPECT_EQ(all.size(), 50u);
    EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()).size(), 50u);
    EXPECT_EQ(*std::max_element(all.begin(), all.end()), 49);
    EXPECT_EQ(written_next(parameters, 500, 1, 9), Keys(all.begin(), all.begin() + 9));
  }
  EXPECT_NE(written_next(parameters, 500, 1, 50), written_next(parameters, 500, 2, 50));
}

TEST(UntimedFill, AFullWritePartIsListedOldestFirst) {
  NvdimmParameters parameters = dirty_nvdimm();
  parameters.precondition.overwrite = 2 / static_cast<double>(ftl_shape(parameters).logical_pages);
  EXPECT_EQ(NvdimmFaults::listed(Rig(parameters).nvdimm(), true), (Keys{2, 3, 4, 5}));
  EXPECT_TRUE(NvdimmFaults::listed(Rig(parameters).nvdimm(), false).empty());
  parameters.buffer.granularity = BufferGranularity::item;
  parameters.buffer.write_size = kPageBytes + 2 * kLineBytes;
  const Keys items = NvdimmFaults::listed(Rig(parameters).nvdimm(), true);
  ASSERT_EQ(items.size(), 66u);
  EXPECT_EQ(items.front(), 2 * kLinesPerPage);
  EXPECT_EQ(items.back(), 3 * kLinesPerPage + 1);
}

// The read part holds no page of the write part.
TEST(UntimedFill, AShareOfTheWritePartStartsDirty) {
  NvdimmParameters parameters = dirty_nvdimm();
  for (const std::int64_t frames : {0, 1, 2, 4}) {
    parameters.precondition.dirty = static_cast<double>(frames) / 4;
    for (const auto buffer : {PreconditionBuffer::dirty, PreconditionBuffer::resident_dirty}) {
      parameters.precondition.buffer = buffer;
      Rig rig(parameters);
      rig.nvdimm().hold_read(pages({1, 30, 0}));
      Keys dirty{0, 1, 2, 3};
      dirty.resize(static_cast<std::size_t>(frames));
      EXPECT_EQ(NvdimmFaults::listed(rig.nvdimm(), true), dirty);
      Keys clean{0, 30, 1};
      clean.erase(std::remove_if(clean.begin(), clean.end(),
                                 [&](std::int64_t page) { return page < frames; }),
                  clean.end());
      EXPECT_EQ(NvdimmFaults::listed(rig.nvdimm(), false), clean);
    }
  }
}

TEST(UntimedFill, TheStateAtTimeZeroIsSavedAndLoaded) {
  for (const BufferGranularity granularity : {BufferGranularity::page, BufferGranularity::item}) {
    for (const char* const manager : {"on_demand", "prefetch_preevict"}) {
      for (const char* const replacement : {"lru", "lirs"}) {
        for (const bool store_data : {false, true}) {
          NvdimmParameters parameters = dirty_nvdimm();
          parameters.buffer.granularity = granularity;
          parameters.buffer.manager = manager;
          parameters.buffer.replacement = replacement;
          parameters.capacity = Bytes(8 << 20);
          parameters.store_data = store_data;
          ASSERT_EQ(join_errors(parameters.check()), "");
          Rig rig(parameters);
          rig.nvdimm().hold_read(pages({30, 31, 32, 33, 34}));
          const std::string saved = rig.saved();
          Rig other(parameters);
          Archive archive(saved);
          ASSERT_NO_THROW(other.serialize(archive));
          EXPECT_EQ(other.saved(), saved);
          rig.drain();
          Rig third(parameters);
          Archive later(rig.saved());
          ASSERT_NO_THROW(third.serialize(later));
        }
      }
    }
  }
}

TEST(UntimedFill, AWriteOfANewPageWaitsForAnEviction) {
  Rig rig(dirty_nvdimm());
  const NvdimmParameters& parameters = rig.nvdimm().parameters();
  EXPECT_EQ(rig.write(2, 5), parameters.buffer.lookup) << "a dirty page takes it at once";
  EXPECT_EQ(rig.statistics().buffer.write_hits, 1u);
  EXPECT_GT(rig.write(40), parameters.nand.program_time);
  EXPECT_EQ(rig.statistics().buffer.evictions, 1u);
  EXPECT_EQ(rig.statistics().buffer.eviction_reads, 0u) << "frames are whole";
  EXPECT_EQ(NvdimmFaults::listed(rig.nvdimm(), true).front(), 1) << "page 0 went first";
  EXPECT_EQ(rig.read(3), parameters.buffer.lookup);
  EXPECT_GT(rig.read(0), parameters.nand.read_time);
}

TEST(UntimedFill, FramesAreKeptFreeFromTheFirstMoment) {
  NvdimmParameters parameters = dirty_nvdimm();
  parameters.buffer.write_size = 64 * kPageBytes;
  Rig on_demand(parameters);
  on_demand.drain();
  EXPECT_EQ(on_demand.statistics().buffer.evictions, 0u);
  parameters.buffer.manager = "prefetch_preevict";
  Rig rig(parameters);
  rig.drain();
  EXPECT_GT(rig.statistics().buffer.preevictions, 0u);
  EXPECT_EQ(rig.write(60), parameters.buffer.lookup) << "a frame is free";
}

TEST(UntimedFill, AFlushWritesBackAllPages) {
  NvdimmParameters parameters = dirty_nvdimm();
  parameters.buffer.flush = BufferFlush::writeback;
  Rig rig(parameters);
  rig.nvdimm().flush(0, rig.now());
  rig.drain();
  ASSERT_EQ(rig.acks.size(), 1u);
  EXPECT_EQ(rig.acks[0].time, rig.now());
  EXPECT_EQ(rig.statistics().buffer.evictions, 4u);
  EXPECT_TRUE(NvdimmFaults::listed(rig.nvdimm(), true).empty());
}

TEST(UntimedFill, APowerFailureSavesAllDirtyFrames) {
  NvdimmParameters parameters = dirty_nvdimm();
  parameters.store_data = true;
  parameters.ftl.over_provisioning = 80;
  parameters.buffer.write_size = 13 * kPageBytes;
  ASSERT_TRUE(parameters.check().empty());
  Rig rig(parameters);
  const PowerRecord record = rig.nvdimm().power_fail(rig.now());
  EXPECT_EQ(record.flushed_pages, 13u);
  EXPECT_EQ(record.merged_pages, 0u);
  EXPECT_EQ(record.hold_up, flush_time(parameters, 13, 0));
  parameters.precondition = PreconditionParameters();
  Rig after(parameters);
  ASSERT_TRUE(after.nvdimm().restore(rig.nvdimm(), after.now()));
  EXPECT_EQ(after.nvdimm().peek(line_address(12)), LineBytes{});
}

TEST(UntimedFill, ResidentPagesAreHeldAsFarAsTheyFit) {
  NvdimmParameters parameters = small_nvdimm();
  Rig rig(parameters);
  rig.nvdimm().hold_read(pages({7, 3, 9, 1, 8}));
  EXPECT_EQ(NvdimmFaults::listed(rig.nvdimm(), false), (Keys{1, 9, 3, 7}));
  for (const std::int64_t page : {7, 3, 9, 1}) {
    EXPECT_EQ(rig.read(page, 63), parameters.buffer.lookup);
  }
  EXPECT_EQ(rig.statistics().buffer.read_hits, 4u);
  EXPECT_GT(rig.read(8), parameters.nand.read_time);
  EXPECT_EQ(NvdimmFaults::listed(rig.nvdimm(), false), (Keys{3, 9, 1, 8}));
}

TEST(UntimedFill, AResidentPageIsWrittenAsAnyOther) {
  Rig rig(small_nvdimm());
  rig.nvdimm().hold_read(pages({5}));
  rig.write(5, 2);
  EXPECT_EQ(rig.read(5, 2), rig.nvdimm().parameters().buffer.lookup);
  EXPECT_EQ(rig.read(5, 3), rig.nvdimm().parameters().buffer.lookup);
  Archive archive(rig.saved());
  Rig other(small_nvdimm());
  ASSERT_NO_THROW(other.serialize(archive));
}

TEST(UntimedFill, ItemsOfResidentPagesFillTheLastFrames) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.buffer.granularity = BufferGranularity::item;
  parameters.buffer.read_size = kPageBytes + 3 * kLineBytes;
  Rig rig(parameters);
  rig.nvdimm().hold_read(pages({4, 2, 6}));
  const Keys keys = NvdimmFaults::listed(rig.nvdimm(), false);
  ASSERT_EQ(keys.size(), 67u);
  EXPECT_EQ(keys.front(), 2 * kLinesPerPage + 2);
  EXPECT_EQ(keys.back(), 4 * kLinesPerPage);
}

// The five pages fill a flash page and one part of a second one, whose other parts are padded.
TEST(UntimedFill, EvenFewPagesWrittenBeforeAreInFlash) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.nand.page_size = 4 * kPageBytes;
  parameters.nand.pages_per_block = 4;
  Rig rig(parameters);
  rig.nvdimm().write_before(pages({3, 5, 9, 4, 8}));
  EXPECT_EQ(rig.census().valid, 5);
  EXPECT_EQ(rig.census().invalid, 3);
}

}  // namespace
}  // namespace hmsim
