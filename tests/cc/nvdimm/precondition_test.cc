// SPDX-License-Identifier: BSD-3-Clause
// Does preconditioning account for all its work, and report it?
#include "nvdimm/precondition.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace hmsim {
namespace {

struct Choice {
  std::uint32_t luns;
  std::uint32_t part_bits;
  bool dynamic;
  PartialWrites partial_writes;
  bool cached;
};

FtlShape shape_of(const Choice& choice) {
  FtlShape shape;
  shape.luns = choice.luns;
  shape.part_bits = choice.part_bits;
  shape.blocks = 32;
  shape.pages = 16;
  shape.logical_pages = std::uint64_t{choice.luns} * 32 * 16 / 2;
  shape.dynamic = choice.dynamic;
  shape.combine = choice.partial_writes == PartialWrites::combine;
  shape.merge = choice.partial_writes == PartialWrites::merge && choice.part_bits > 0;
  if (choice.cached) {
    shape.map_entries = 16;
    shape.cached_entries = shape.logical_pages / 4;
  }
  shape.stripe.resize(choice.luns);
  std::iota(shape.stripe.begin(), shape.stripe.end(), 0);
  return shape;
}

std::vector<Choice> all_choices() {
  std::vector<Choice> choices;
  for (const std::uint32_t luns : {1, 3}) {
    for (const std::uint32_t part_bits : {0, 1, 2}) {
      for (const bool dynamic : {false, true}) {
        for (const PartialWrites partial_writes :
             {PartialWrites::combine, PartialWrites::pad, PartialWrites::merge}) {
          for (const bool cached : {false, true}) {
            choices.push_back({luns, part_bits, dynamic, partial_writes, cached});
          }
        }
      }
    }
  }
  return choices;
}

std::string name_of(const Choice& choice) {
  return std::to_string(choice.luns) + " LUNs, " + std::to_string(1 << choice.part_bits) +
         " parts, " + (choice.dynamic ? "dynamic" : "static") + ", partial writes " +
         std::to_string(static_cast<int>(choice.partial_writes)) +
         (choice.cached ? ", cached map" : "");
}

PreconditionParameters filled_and_overwritten(PreconditionPattern pattern) {
  PreconditionParameters parameters;
  parameters.fill = 1;
  parameters.overwrite = 2;
  parameters.pattern = pattern;
  return parameters;
}

// Returns the pages programmed, derived from the blocks: erased blocks were full.
std::uint64_t programmed_pages(const Ftl& ftl) {
  const FtlShape& shape = ftl.shape();
  std::uint64_t pages = 0;
  for (std::uint32_t lun = 0; lun < shape.luns; ++lun) {
    pages += std::uint64_t{shape.blocks} * shape.pages - ftl.frontiers().free_pages(lun);
    for (std::uint32_t block = 0; block < shape.blocks; ++block) {
      pages += std::uint64_t{ftl.blocks(lun)[block].erases} * shape.pages;
    }
  }
  return pages;
}

TEST(Preconditioning, EveryProgrammedPageIsCountedOnce) {
  std::uint64_t collected = 0;
  std::uint64_t padded = 0;
  std::uint64_t merged = 0;
  std::uint64_t of_map = 0;
  for (const Choice& choice : all_choices()) {
    for (const PreconditionPattern pattern :
         {PreconditionPattern::uniform, PreconditionPattern::sequential}) {
      const FtlShape shape = shape_of(choice);
      Ftl ftl(shape);
      const UntimedWork work = precondition(ftl, filled_and_overwritten(pattern), 5);
      EXPECT_EQ(
          work.host_pages + work.gc_pages + work.map_pages + work.merged_pages + work.padded_pages,
          programmed_pages(ftl))
          << name_of(choice);
      if (!shape.merge) {
        EXPECT_EQ(work.host_pages, 3 * shape.logical_pages) << name_of(choice);
      }
      collected += work.gc_pages;
      padded += work.padded_pages;
      merged += work.merged_pages;
      of_map += work.map_pages;
    }
  }
  EXPECT_GT(collected, 0u);
  EXPECT_GT(padded, 0u);
  EXPECT_GT(merged, 0u);
  EXPECT_GT(of_map, 0u);
}

TEST(Preconditioning, EachPageThatIsWrittenIsLookedUpInACachedMap) {
  for (const Choice& choice : all_choices()) {
    if (choice.cached) {
      Ftl ftl(shape_of(choice));
      const UntimedWork work =
          precondition(ftl, filled_and_overwritten(PreconditionPattern::uniform), 5);
      const MapCounts& counts = ftl.map()->counts();
      EXPECT_EQ(counts.hits + counts.misses, work.host_pages + work.merged_pages)
          << name_of(choice);
      EXPECT_GT(counts.hits, 0u) << name_of(choice);
      EXPECT_GT(counts.misses, ftl.shape().logical_pages) << name_of(choice);
    }
  }
}

std::vector<std::uint64_t> reports(std::uint64_t blocks, double fill, double overwrite) {
  FtlShape shape;
  shape.blocks = static_cast<std::uint32_t>(blocks);
  shape.pages = 64;
  shape.logical_pages = blocks * 32;
  shape.stripe = {0};
  std::vector<std::uint64_t> told;
  PreconditionParameters parameters;
  parameters.fill = fill;
  parameters.overwrite = overwrite;
  parameters.report = [&told](std::uint64_t pages) { told.push_back(pages); };
  Ftl ftl(shape);
  const UntimedWork work = precondition(ftl, parameters, 1);
  EXPECT_EQ(work.host_pages, precondition_pages(parameters, shape.logical_pages));
  return told;
}

// Preconditioning reports its progress every 262,144 pages and at the end, or never if it writes no
// page.
TEST(Preconditioning, ReportsProgressEvery262144PagesAndAtTheEnd) {
  using Reports = std::vector<std::uint64_t>;
  EXPECT_EQ(reports(32, 0, 0), Reports());
  EXPECT_EQ(reports(32, 0.5, 0), Reports{512});
  EXPECT_EQ(reports(32, 1, 2), Reports{3 * 1024});
  EXPECT_EQ(reports(9'000, 1, 0), (Reports{(1 << 18) + 1, 9'000 * 32 - (1 << 18) - 1}));
}

// One write of every page causes no write amplification in an empty module. Amplification above 1.3
// thus shows that the module was filled first.
TEST(Preconditioning, AModuleIsFullBeforeItsAmplificationIsMeasured) {
  FtlShape shape;
  shape.blocks = 128;
  shape.pages = 32;
  shape.logical_pages = 128 * 32 * 100 / 128;
  shape.stripe = {0};
  UntimedRun run;
  run.settle = 0;
  run.measure = 1;
  EXPECT_GT(untimed_amplification(shape, "greedy", {}, run), 1.3);
  run.pattern = PreconditionPattern::sequential;
  EXPECT_EQ(untimed_amplification(shape, "greedy", {}, run), 1);
}

}  // namespace
}  // namespace hmsim
