// SPDX-License-Identifier: BSD-3-Clause
// Does every victim selector choose as its literature defines, and never run out of blocks?
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "nvdimm/precondition.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

double amplification(const char* victim, std::uint64_t over_provisioning,
                     const Assignments& assignments = {}) {
  return untimed_amplification(one_lun(512, 128, over_provisioning), victim, assignments, {});
}

// Closed forms for infinitely many blocks; 512 blocks are within 5 %.
TEST(Victims, UniformOverwritesAmplifyByTheFormulas) {
  EXPECT_NEAR(amplification("greedy", 28), 2.444, 0.05 * 2.444);
  EXPECT_NEAR(amplification("fifo", 28), 2.481, 0.05 * 2.481);
  EXPECT_NEAR(amplification("random_victim", 28), 128.0 / 28, 0.05 * 128 / 28);
  EXPECT_NEAR(amplification("d_choices", 28, {{"policies.d_choices.d", "2"}}), 3.26, 0.05 * 3.26);
  EXPECT_NEAR(amplification("d_choices", 28), 2.503, 0.05 * 2.503);
  EXPECT_NEAR(amplification("d_choices", 28, {{"policies.d_choices.d", "1"}}),
              amplification("random_victim", 28), 0.02 * 128 / 28);
}

// Full blocks of 8 pages, listed in the order of filling; the oldest changes come first.
class Listed final : public FullBlocks {
 public:
  explicit Listed(std::vector<BlockView> blocks) : blocks_(std::move(blocks)) {}

  std::uint32_t count() const override { return static_cast<std::uint32_t>(blocks_.size()); }
  BlockView at(std::uint32_t index) const override { return blocks_[index]; }
  std::uint32_t oldest() const override { return blocks_.front().block; }
  std::uint32_t pages() const override { return 8; }
  std::uint32_t fewest() const override {
    const auto fewer = [](const BlockView& a, const BlockView& b) { return a.valid < b.valid; };
    return std::min_element(blocks_.begin(), blocks_.end(), fewer)->valid;
  }
  bool any_with(std::uint32_t valid) const override { return !alike(valid).empty(); }
  BlockView first_with(std::uint32_t valid) const override { return alike(valid).front(); }
  bool next_alike(BlockView& view) const override {
    const std::vector<BlockView> same = alike(view.valid);
    const auto after =
        std::find_if(same.begin(), same.end(),
                     [&view](const BlockView& other) { return other.block == view.block; }) +
        1;
    if (after != same.end()) {
      view = *after;
      return true;
    }
    return false;
  }
  std::uint32_t least_worn(std::uint32_t /*erases*/) const override { return kNoIndex; }

 private:
  std::vector<BlockView> alike(std::uint32_t valid) const {
    std::vector<BlockView> found;
    std::copy_if(blocks_.begin(), blocks_.end(), std::back_inserter(found),
                 [valid](const BlockView& view) { return view.valid == valid; });
    return found;
  }

  std::vector<BlockView> blocks_;
};

std::uint32_t chosen(const char* victim, std::vector<BlockView> blocks) {
  Random random(1);
  return victim_selector(victim, {})->choose(Listed(std::move(blocks)), random);
}

// Fields of each block: number, pages, valid pages, erases, age.
TEST(Victims, GreedyTakesTheLeastWornOfEqualsThenTheOneUnchangedForLongest) {
  EXPECT_EQ(chosen("greedy", {{0, 8, 3, 0, 9}, {1, 8, 2, 7, 5}}), 1u) << "fewest valid pages first";
  EXPECT_EQ(chosen("greedy", {{0, 8, 2, 5, 9}, {1, 8, 2, 4, 8}, {2, 8, 2, 6, 7}}), 1u);
  EXPECT_EQ(chosen("greedy", {{0, 8, 2, 5, 9}, {1, 8, 2, 4, 8}, {2, 8, 2, 4, 7}}), 1u);
}

// (8 - valid) / (2 valid) x age: 1/2 x 27 against 3/2 x 8, 9 and 10.
TEST(Victims, CostBenefitWeighsAgeAgainstValidPages) {
  const auto against = [](std::uint64_t age) {
    return chosen("cost_benefit", {{0, 8, 4, 0, 27}, {1, 8, 2, 0, age}});
  };
  EXPECT_EQ(against(8), 0u);
  EXPECT_EQ(against(9), 1u) << "of equals the one with fewer valid pages";
  EXPECT_EQ(against(10), 1u);
  EXPECT_EQ(chosen("cost_benefit", {{0, 8, 1, 0, 900}, {1, 8, 0, 0, 1}}), 1u)
      << "no valid page: it costs nothing";
}

TEST(Victims, EveryDrawOfDChoicesCounts) {
  Random random(1);
  const Listed blocks({{0, 8, 5, 0, 9}, {1, 8, 4, 0, 8}, {2, 8, 3, 0, 7}, {3, 8, 2, 0, 6}});
  const auto selector = victim_selector("d_choices", {{"policies.d_choices.d", "200"}});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(selector->choose(blocks, random), 3u);
  }
}

// The selector draws exactly the configured number of blocks. If several of them have the fewest
// valid pages, it chooses the block drawn first.
TEST(Victims, DChoicesDrawsTheConfiguredNumberOfBlocks) {
  const std::vector<BlockView> all{{0, 8, 5, 0, 9}, {1, 8, 2, 0, 8}, {2, 8, 2, 0, 7},
                                   {3, 8, 7, 0, 6}, {4, 8, 6, 0, 5}, {5, 8, 6, 0, 4}};
  for (const int draws : {1, 2, 3, 10}) {
    const auto selector =
        draws == 10
            ? victim_selector("d_choices", {})
            : victim_selector("d_choices", {{"policies.d_choices.d", std::to_string(draws)}});
    Random random(4);
    Random expected(4);
    for (int i = 0; i < 50; ++i) {
      std::size_t best = static_cast<std::size_t>(expected.below(all.size()));
      for (int draw = 1; draw < draws; ++draw) {
        const auto other = static_cast<std::size_t>(expected.below(all.size()));
        best = all[other].valid < all[best].valid ? other : best;
      }
      ASSERT_EQ(selector->choose(Listed(all), random), best) << draws << " draws, choice " << i;
    }
  }
}

// A selector that checks its view block by block and otherwise chooses at random.
class Inspector final : public VictimSelector {
 public:
  explicit Inspector(int& calls) : calls_(calls) {}

  std::uint32_t choose(const FullBlocks& blocks, Random& random) const override {
    ++calls_;
    std::vector<BlockView> all;
    for (std::uint32_t i = 0; i < blocks.count(); ++i) {
      all.push_back(blocks.at(i));
    }
    std::uint32_t listed = 0;
    for (std::uint32_t valid = 0; valid <= blocks.pages(); ++valid) {
      if (!blocks.any_with(valid)) {
        EXPECT_TRUE(std::none_of(all.begin(), all.end(),
                                 [valid](const BlockView& view) { return view.valid == valid; }));
        continue;
      }
      BlockView view = blocks.first_with(valid);
      EXPECT_GE(valid, blocks.fewest());
      std::uint64_t age = view.age;
      do {
        EXPECT_EQ(view.valid, valid);
        EXPECT_LE(view.age, age) << "the one that changed longest ago comes first";
        age = view.age;
        ++listed;
      } while (blocks.next_alike(view));
    }
    EXPECT_EQ(listed, blocks.count());
    EXPECT_TRUE(blocks.any_with(blocks.fewest()));
    return blocks.at(static_cast<std::uint32_t>(random.below(blocks.count()))).block;
  }

 private:
  int& calls_;
};

TEST(Victims, SelectorsSeeEveryFullBlockAsItIs) {
  int calls = 0;
  const FtlShape shape = one_lun(24, 8, 30);
  Ftl ftl(shape, {std::make_unique<Inspector>(calls)});
  Random random(3);
  UntimedWork work;
  for (int i = 0; i < 3000; ++i) {
    write_untimed(ftl, LogicalPage(static_cast<std::int64_t>(random.below(shape.logical_pages))),
                  work);
  }
  EXPECT_GT(calls, 100);
}

TEST(Victims, FifoCleansInTheOrderOfFilling) {
  const FtlShape shape = one_lun(16, 4, 100);
  Ftl ftl(shape, {victim_selector("fifo", {})});
  UntimedWork work;
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    write_untimed(ftl, LogicalPage(static_cast<std::int64_t>(random.below(shape.logical_pages))),
                  work);
  }
  std::uint32_t least = ftl.blocks(0)[0].erases;
  std::uint32_t most = least;
  for (std::uint32_t block = 0; block < shape.blocks; ++block) {
    least = std::min(least, ftl.blocks(0)[block].erases);
    most = std::max(most, ftl.blocks(0)[block].erases);
  }
  EXPECT_LE(most - least, 3u) << "every block has its turn";
}

// Nearly all pages are never written again, so most blocks that these selectors take free nothing.
TEST(Victims, ColdDataNeverExhaustTheFreeBlocks) {
  for (const char* victim : {"fifo", "random_victim", "d_choices", "greedy", "cost_benefit"}) {
    for (const bool shared : {false, true}) {
      FtlShape shape = one_lun(64, 16, 20);
      shape.shared_frontier = shared;
      Ftl ftl(shape, {victim_selector(victim, {})}, 5);
      UntimedWork work;
      for (std::uint64_t page = 0; page < shape.logical_pages; ++page) {
        write_untimed(ftl, LogicalPage(static_cast<std::int64_t>(page)), work);
      }
      for (std::int64_t i = 0; i < 20'000; ++i) {
        write_untimed(ftl, LogicalPage(i % 7), work);
      }
      EXPECT_EQ(count_pages(ftl, 0).in_flight, 0u) << victim;
    }
  }
}

// Fills a LUN, then overwrites its first `hot` pages in order. Returns the erases of the most worn
// block beyond those of the least worn one.
std::uint32_t wear_spread(Ftl& ftl, std::uint64_t hot, std::uint64_t writes, UntimedWork& work) {
  const FtlShape& shape = ftl.shape();
  for (std::uint64_t page = 0; page < shape.logical_pages; ++page) {
    write_untimed(ftl, LogicalPage(static_cast<std::int64_t>(page)), work);
  }
  for (std::uint64_t i = 0; i < writes; ++i) {
    write_untimed(ftl, LogicalPage(static_cast<std::int64_t>(i % hot)), work);
  }
  std::uint32_t least = ~0u;
  std::uint32_t most = 0;
  for (std::uint32_t block = 0; block < shape.blocks; ++block) {
    least = std::min(least, ftl.blocks(0)[block].erases);
    most = std::max(most, ftl.blocks(0)[block].erases);
  }
  EXPECT_EQ(count_pages(ftl, 0).valid, shape.logical_pages);
  return most - least;
}

std::uint32_t wear_spread(const FtlShape& shape, std::uint64_t writes, UntimedWork& work) {
  Ftl ftl(shape);
  return wear_spread(ftl, shape.logical_pages / 8, writes, work);
}

UntimedWork levelled(const char* policy, const Assignments& assignments, std::uint32_t& spread) {
  FtlPolicies policies;
  policies.wear = create_policy<WearLeveler>(PolicyKind::wear_leveler, policy, assignments);
  Ftl ftl(one_lun(256, 32, 28), std::move(policies), 3);
  UntimedWork work;
  spread = wear_spread(ftl, 50 * 32, 400'000, work);
  return work;
}

// 150 of 256 blocks hold pages that are never written again, and victims have no valid page. In the
// time in which each block is erased, which is threshold x 256 erases, each of the 150 moves once.
TEST(WearLevelling, ATableOfErasesMovesEachColdBlockOnce) {
  for (const int threshold : {3, 8}) {
    std::uint32_t spread = 0;
    const UntimedWork work = levelled(
        "erase_table", {{"policies.erase_table.threshold", std::to_string(threshold)}}, spread);
    const auto moved = static_cast<double>(work.levelled_blocks);
    const double erases = static_cast<double>(work.collected_blocks) + moved;
    EXPECT_NEAR(moved / erases, 150.0 / (256 * threshold), 0.05 * 150 / (256 * threshold));
    EXPECT_EQ(work.gc_pages, work.levelled_blocks * 32);
    EXPECT_LT(spread, 12u * static_cast<unsigned>(threshold));
  }
}

TEST(WearLevelling, ARandomBlockMovesOncePerPeriod) {
  std::uint32_t spread = 0;
  const UntimedWork work =
      levelled("random_block", {{"policies.random_block.period", "10"}}, spread);
  const auto moved = static_cast<double>(work.levelled_blocks);
  EXPECT_NEAR(moved / static_cast<double>(work.collected_blocks), 0.1, 0.01);  // 4 sigma
}

// Seven eighths of the pages are cold. Without static levelling their blocks are never erased.
TEST(WearLevelling, ColdBlocksAreMovedOnceTheGapIsReached) {
  FtlShape shape = one_lun(64, 16, 20);
  UntimedWork uneven;
  EXPECT_GT(wear_spread(shape, 200'000, uneven), 400u);
  EXPECT_EQ(uneven.levelled_blocks, 0u);
  shape.wear_gap = 20;
  UntimedWork even;
  EXPECT_LE(wear_spread(shape, 200'000, even), 40u);
  EXPECT_GT(even.levelled_blocks, 0u);
  EXPECT_LT(even.gc_pages, even.host_pages / 10) << "a cold block moves once for many erases";
}

TEST(WearLevelling, HappensInTimedRunsToo) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.ftl.wear_gap = 5;
  parameters.precondition.fill = 1;
  Rig rig(parameters);
  rig.run(8 * 64 * 100, 16, [](std::int64_t i, Address& address, bool& write) {
    address = line_address(0, i % (64 * 8));
    write = true;
  });
  rig.drain();
  EXPECT_GT(rig.statistics().ftl.levelled_blocks, 0u);
  EXPECT_EQ(rig.census().in_flight, 0u);
}

// Large enough that nothing is collected: a page that was never overwritten has kept its place.
TEST(Precondition, ZipfOverwritesFavourFewPages) {
  const FtlShape shape = one_lun(640, 32, 900);
  PreconditionParameters parameters;
  parameters.fill = 1;
  parameters.overwrite = 4;
  const auto never_overwritten = [&](PreconditionPattern pattern) {
    parameters.pattern = pattern;
    Ftl ftl(shape);
    EXPECT_EQ(precondition(ftl, parameters, 1).gc_pages, 0u);
    double count = 0;
    for (std::uint64_t page = 0; page < shape.logical_pages; ++page) {
      count += ftl.pages().place(LogicalPage(static_cast<std::int64_t>(page))).value() ==
                       static_cast<std::int64_t>(page)
                   ? 1
                   : 0;
    }
    return count / static_cast<double>(shape.logical_pages);
  };
  EXPECT_EQ(never_overwritten(PreconditionPattern::sequential), 0);
  EXPECT_NEAR(never_overwritten(PreconditionPattern::uniform), 0.0183, 0.01);  // e^-4
  // The mean over n = 1 .. N of e^(-4 N / (n H_N)), N = 2048, H_N = 8.2.
  EXPECT_NEAR(never_overwritten(PreconditionPattern::zipf), 0.334, 0.03);
}

TEST(Precondition, DependsOnTheRunsSeedAlone) {
  const auto state = [](std::uint64_t seed) {
    Ftl ftl(one_lun(64, 16, 50));
    PreconditionParameters parameters;
    parameters.fill = 0.9;
    parameters.overwrite = 1;
    parameters.pattern = PreconditionPattern::zipf;
    precondition(ftl, parameters, seed);
    Archive archive;
    ftl.serialize(archive);
    return archive.bytes();
  };
  EXPECT_EQ(state(1), state(1));
  EXPECT_NE(state(1), state(2));
}

}  // namespace
}  // namespace hmsim
