// SPDX-License-Identifier: BSD-3-Clause
// Do the walks of decoding visit the extents that a step reads, writes or trims, in order, and in
// the time of their lines? All expected steps are computed by hand.
#include "agents/llm/decode_loops.h"
#include "agents/llm/lane.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

std::string text(std::uint64_t stage, std::uint64_t offset, std::uint64_t bytes) {
  return std::to_string(stage) + ":" + std::to_string(offset) + "+" + std::to_string(bytes) + " ";
}

template <class Loops>
std::string rest_of(Walk<Loops> walk) {
  std::string steps;
  for (Extent each; walk.next(each);) {
    steps += text(each.stage, each.offset, each.bytes);
  }
  return steps;
}

// A model of one word. A token's keys, or its values, take 64 bytes, those of a page 128. A layer
// takes 8,384 bytes of weights (3 pages of 4 KiB), the head 64 (1) and the row 64 (1): 20,480 in
// all. Sequence 0 has 3 tokens; sequence 1 has generated one of its two tokens and has 4.
struct Decoding {
  Decoding(Tier weights, Tier kv, std::int64_t layers = 1, bool prefill = false, int seed = 1) {
    keys.model.shape = {layers, 32, 1, 32, 1, 1};
    keys.batch = 2;
    keys.context = 3;
    keys.output = 2;
    keys.page_tokens = 2;
    keys.prefill = prefill;
    keys.weights = weights;
    keys.kv = kv;
    layout = DecodeLayout(keys);
    sequences = Sequences(keys, Random(static_cast<std::uint64_t>(seed)), Random(2));
    sequences.begin_step();
  }

  Walk<StepLoops> walk(Tier tier, bool write) {
    return Walk<StepLoops>({{&keys, &layout, &sequences}, tier, write});
  }
  std::string reads(Tier tier) { return rest_of(walk(tier, false)); }
  std::string writes(Tier tier) { return rest_of(walk(tier, true)); }
  std::string trims() { return rest_of(Walk(TrimLoops({&keys, &layout, &sequences}))); }
  // Returns keys and values of a page, if keys of the pages begin at `base`, and values at
  // `values`.
  std::string page(std::uint64_t base, std::uint64_t values, std::uint32_t sequence,
                   std::uint32_t index, std::uint64_t first = 0, std::uint64_t bytes = 128) const {
    const std::uint64_t at = 128 * std::uint64_t{sequences.page(sequence, index)} + first;
    return text(1, base + at, bytes) + text(1, values + at, bytes);
  }

  DecodeKeys keys;
  DecodeLayout layout;
  Sequences sequences;
};

TEST(LlmWalk, AStepInDramReadsWeightsAndPagesAndWritesTokens) {
  Decoding step(Tier::fast, Tier::fast);
  const auto page = [&](auto... part) { return step.page(20'480, 20'480 + 6 * 128, part...); };
  EXPECT_EQ(step.reads(Tier::fast), "0:16384+64 0:16384+64 1:0+8384 " + page(0, 0) +
                                        page(0, 1, 0, 64) + page(1, 0) + page(1, 1) +
                                        "2:12288+64 ");
  EXPECT_EQ(step.writes(Tier::fast), page(0, 1, 64, 64) + page(1, 2, 0, 64));
  EXPECT_EQ(step.reads(Tier::slow) + step.writes(Tier::slow) + step.trims(), "");
}

TEST(LlmWalk, IncompletePagesOfSlowKeysAreGatheredInDram) {
  Decoding step(Tier::fast, Tier::slow);
  const auto page = [&](auto... part) { return step.page(0, 4 * 128, part...); };
  EXPECT_EQ(step.reads(Tier::fast),
            "0:16384+64 0:16384+64 1:0+8384 1:20480+64 1:20736+64 2:12288+64 ");
  EXPECT_EQ(step.reads(Tier::slow), page(0, 0) + page(1, 0) + page(1, 1));
  EXPECT_EQ(step.writes(Tier::fast), "1:20544+64 1:20800+64 1:20608+64 1:20864+64 ");
  EXPECT_EQ(step.writes(Tier::slow), page(0, 1));  // which the token of sequence 0 completes
}

TEST(LlmWalk, APrefillReadsARowForEachTokenAndWritesThePagesOfNewSequences) {
  Decoding step(Tier::slow, Tier::slow, 1, true);
  const auto page = [&](auto... part) { return step.page(20'480, 20'480 + 4 * 128, part...); };
  std::string rows;
  for (int i = 0; i < 7; ++i) {
    rows += "0:16384+64 ";
  }
  EXPECT_EQ(step.reads(Tier::slow), rows + "1:0+8384 2:12288+64 ");
  EXPECT_EQ(step.reads(Tier::fast), "");
  EXPECT_EQ(step.writes(Tier::slow), page(0, 0) + page(1, 0) + page(1, 1));
  EXPECT_EQ(step.writes(Tier::fast), "1:0+64 1:256+64 ");
  step.sequences.end_step();
  step.sequences.begin_step();
  step.sequences.end_step();
  EXPECT_EQ(step.sequences.replace_ended(), 1);
  step.sequences.begin_step();
  EXPECT_EQ(step.writes(Tier::slow), page(1, 0));
}

TEST(LlmWalk, EndedSequencesTrimTheirPagesInEachLayer) {
  Decoding step(Tier::fast, Tier::slow, 2);
  EXPECT_EQ(step.trims(), "");
  step.sequences.end_step();
  std::string expected;
  for (const std::uint32_t page : {step.sequences.page(1, 0), step.sequences.page(1, 1)}) {
    for (const std::uint64_t half : {0, 1, 2, 3}) {  // keys and values of both layers
      expected += text(0, 128 * (half * 4 + page), 128);
    }
  }
  EXPECT_EQ(step.trims(), expected);
}

TEST(LlmWalk, TheSeedDecidesTheBlockTables) {
  const auto reads = [](int seed) {
    return Decoding(Tier::fast, Tier::fast, 1, false, seed).reads(Tier::fast);
  };
  EXPECT_EQ(reads(1), reads(1));
  EXPECT_NE(reads(1), reads(2));
}

// Stage 0 takes 100 bytes from 1,000 on, stage 1 the next 100.
struct TwoStages {
  static std::uint64_t passes(std::size_t level, const Place&) { return level == 0 ? 2 : 1; }
  static Extent extent(const Place& place) { return {1'000 + 100ULL * place[0], 100, place[0]}; }
};

TEST(LlmLane, CutsExtentsAndLimitsThePiecesInFlight) {
  Lane<TwoStages> lane({}, 2, 2, 1'200);
  EXPECT_TRUE(lane.finished());
  lane.begin();
  EXPECT_FALSE(lane.ready(-1));
  ASSERT_TRUE(lane.ready(0));
  EXPECT_EQ(lane.take(64).offset, 1'000);
  ASSERT_TRUE(lane.ready(0));
  const auto last = lane.take(64);
  EXPECT_EQ(last.offset, 1'064);
  EXPECT_EQ(last.bytes, 36);
  EXPECT_TRUE(last.last);
  EXPECT_FALSE(lane.ready(1));  // two pieces are in flight
  lane.done(0, Tick(5));
  EXPECT_FALSE(lane.ready(0));
  EXPECT_TRUE(lane.ready(1));
  EXPECT_FALSE(lane.passed(0));
  lane.done(0, Tick(6));
  EXPECT_TRUE(lane.passed(0));
  EXPECT_FALSE(lane.passed(1));
  Lane<TwoStages> smaller({}, 2, 2, 1'199);
  EXPECT_THROW(copy_state(lane, smaller), InputError);
  EXPECT_EQ(lane.take(4'096).bytes, 100);
  EXPECT_FALSE(lane.finished());
  lane.done(1, Tick(7));
  EXPECT_TRUE(lane.finished());
  EXPECT_THROW(lane.done(1, Tick(8)), Fault);
}

// Lines take 100 ns, one after another: 2 of the row, 390 of the layer's weights, 6 of keys and
// values, 2 of the head. At 10^9 operations a second the layer takes 24,960 ns, the head 128 ns.
// The agent ends with the write of the token's keys and values, 200 ns after the layer.
TEST(LlmDecode, AStepTakesTheTimeOfItsLinesAndOfItsComputation) {
  const auto step = [](const std::string& more, std::int64_t computed, std::int64_t waited,
                       std::int64_t ends) {
    AgentUnderTest test({"llm_decode", keys_from("layers=1 width=64 kv_heads=1 head_size=32 "
                                                 "feed_forward=1 vocabulary=1 page_tokens=2 "
                                                 "context=3 steps=1 weights=dram kv=dram lines=1 " +
                                                 more)});
    ASSERT_TRUE(test.finish());
    EXPECT_EQ(test.port.log.size(), 402U);  // with keys and values of the token
    EXPECT_EQ(test.kernel.now(), ends * kNanosecond);
    std::map<std::string, double> found = statistics_of(*test.agent);
    const auto whole = static_cast<double>(computed + waited);
    EXPECT_EQ(found["core.0.bound.compute"], static_cast<double>(computed) / whole);
    EXPECT_EQ(found["core.0.bound.dram"], static_cast<double>(waited) / whole);
  };
  step("flops=0", 0, 40'000, 40'000);
  step("flops=1", 24'960 + 128, 39'800, 39'800 + 24'960 + 200);
  step("flops=1 prefetch=0", 24'960 + 128, 40'000, 40'000 + 24'960 + 128);
}

}  // namespace
}  // namespace hmsim::testing
