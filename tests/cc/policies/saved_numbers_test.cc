// SPDX-License-Identifier: BSD-3-Clause
// Are saved numbers refused that no scheduler, monitor or buffer could have come to?
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "policies/buffer_replacement.h"
#include "policies/monitors/batches.h"
#include "policies/monitors/parallelism.h"
#include "tests/cc/policies/rehearsed.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

constexpr Tick kThen{123'456'789};  // a time that nothing else has
constexpr auto kNoTime = static_cast<std::uint64_t>(kNever.value());

template <class Object>
std::string saved(Object& object) {
  Archive archive;
  object.serialize(archive);
  return archive.bytes();
}

// Where the state has this word, once.
std::size_t place_of(const std::string& state, std::uint64_t word) {
  std::size_t place = state.size();
  for (std::size_t at = 0; at + kWordBytes <= state.size(); at += kWordBytes) {
    if (word_at(state, at) == word) {
      EXPECT_EQ(place, state.size()) << "twice";
      place = at;
    }
  }
  EXPECT_NE(place, state.size()) << "not at all";
  return place;
}

TEST(SavedNumbers, ABatchBeganAtATime) {
  const auto make = [] {
    auto batches = std::make_unique<Batches>();
    batches->connect(kShape, 4, kMicrosecond);
    return batches;
  };
  const auto batches = make();
  batches->join(dram(0, 1, 3), 0, false, kThen);
  const std::string state = saved(*batches);
  const std::size_t began = place_of(state, static_cast<std::uint64_t>(kThen.value()));
  EXPECT_TRUE(takes_all_of(with_word(state, began, 5), *make()));
  EXPECT_FALSE(takes_all_of(with_word(state, began, kNoTime), *make()));
}

TEST(SavedNumbers, BanksAreCountedSinceATime) {
  Parallelism parallelism;
  parallelism.connect(kShape);
  parallelism.arrive(0, 1, kThen);
  const std::string state = saved(parallelism);
  const std::size_t since = place_of(state, static_cast<std::uint64_t>(kThen.value()));
  EXPECT_TRUE(takes_all_of(with_word(state, since, 5), parallelism));
  EXPECT_FALSE(takes_all_of(with_word(state, since, kNoTime), parallelism));
}

// In millionths of cycles; with one source the word before three numbers, of which two have a
// count before them.
TEST(SavedNumbers, AttainedServiceFitsItsSum) {
  Rehearsal queue("atlas", {{"policies.atlas.quantum", "10us"}}, kShape);
  queue.issue(queue.enqueue(dram(0, 0, 0)), false);
  queue.run_to(15 * kMicrosecond);
  const std::string state = saved(queue.policy());
  const std::size_t attained = state.size() - 6 * kWordBytes;
  ASSERT_EQ(word_at(state, attained - kWordBytes), 1u);
  ASSERT_GT(word_at(state, attained), 1'000u);
  constexpr std::uint64_t kMark = std::uint64_t{1} << 62;  // a number that stands for none
  EXPECT_TRUE(takes_all_of(with_word(state, attained, kMark / 2 - 1), queue.policy()));
  EXPECT_FALSE(takes_all_of(with_word(state, attained, kMark), queue.policy()));
}

// A name is a core and a class.
TEST(SavedNumbers, SourcesOfBothClustersHaveNames) {
  constexpr std::uint16_t kCore = 54'321;
  for (const std::int64_t instructions : {std::int64_t{1}, std::int64_t{1'000'000'000}}) {
    Rehearsal queue("tcm",
                    {{"policies.tcm.sources", "core"}, {"policies.tcm.cluster_threshold", "0.6"}},
                    kShape);
    for (const std::uint16_t core : {std::uint16_t{0}, kCore}) {
      queue.issue(queue.enqueue(dram(core, 0, 0)), false);
    }
    queue.retire(0, 1'000'000);
    queue.retire(kCore, instructions);
    queue.run_to(600 * kMicrosecond);
    const std::string state = saved(queue.policy());
    int names = 0;
    for (const std::size_t at : words_of(state)) {
      if (word_at(state, at) == kCore) {
        ++names;
        EXPECT_FALSE(takes_all_of(with_word(state, at, std::uint64_t{1} << 17), queue.policy()));
      }
    }
    EXPECT_EQ(names, 3) << "among all sources, of misses, and in its cluster";
  }
}

// One that is neither in the stack nor in the queue, and yet has a frame.
TEST(SavedNumbers, APageThatIsUsedAgainSoonIsInTheStack) {
  const auto make = [] {
    auto policy = create_policy(PolicyKind::buffer_replacement, "lirs",
                                {{"policies.lirs.high_share", "100"}});
    auto* const lirs = static_cast<BufferReplacement*>(policy.release());
    lirs->connect(4);
    lirs->grow(4);
    return std::unique_ptr<BufferReplacement>(lirs);
  };
  constexpr std::int64_t kKey = 987'654'321;
  const auto lirs = make();
  lirs->listed(0, kKey);
  std::string state = saved(*lirs);
  // Behind the key: frame, low, in the stack, waits.
  const std::size_t low = place_of(state, kKey) + 2 * kWordBytes;
  const std::size_t waits = low + 2 * kWordBytes;
  ASSERT_EQ(word_at(state, low), 0u);
  ASSERT_EQ(word_at(state, waits), 1u);
  // Behind its four links and the list of free pages: the stack, the queue, those that are gone.
  const std::size_t queue = waits + (1 + 4 + 1 + 1 + 2) * kWordBytes;
  ASSERT_EQ(word_at(state, queue), 0u);
  ASSERT_EQ(word_at(state, queue + kWordBytes), 0u);
  state = with_word(with_word(state, low, 1), waits, 0);
  for (const std::size_t end : {queue, queue + kWordBytes}) {
    state = with_word(state, end, kNoIndex);
  }
  EXPECT_FALSE(takes_all_of(state, *make()));
}

}  // namespace
}  // namespace hmsim::testing
