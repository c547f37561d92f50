// SPDX-License-Identifier: BSD-3-Clause
// Which reads share the sense of a flash page of 16 KiB, and when does each of them end?
#include "nvdimm/nand/page_senses.h"

#include <gtest/gtest.h>

#include "check/flash_checker.h"
#include "core/random.h"
#include "simulation/rigs/flash_bench.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

using O = FlashOperation;
using Times = std::vector<std::int64_t>;

constexpr std::int64_t kCommand = 300'000;
constexpr std::int64_t kSense = 50'000'000;
constexpr std::int64_t kPart = 20'480'000;  // transfer of 4 KiB
constexpr std::int64_t kColumn = 300'000;   // change of column
constexpr std::int64_t kProgram = 650'000'000;
constexpr std::int64_t kFirst = kCommand + kSense + kPart;

NvdimmParameters one_lun() {
  NvdimmParameters parameters = large_lun();
  parameters.nand.page_size = 4 * kPageBytes;
  return parameters;
}

FlashTask read(std::uint32_t page, PartMask parts, std::int64_t at = 0,
               FlashPriority priority = FlashPriority::demand) {
  FlashTask made;
  made.at = Tick(at);
  made.page = page;
  made.parts = parts;
  made.priority = priority;
  return made;
}

struct Outcome {
  Times done;
  Counter senses = 0;
  Counter shared = 0;
};

// Runs the tasks under the checker.
Outcome outcome(const NvdimmParameters& parameters, const std::vector<FlashTask>& tasks) {
  std::vector<ParameterError> errors;
  parameters.nand.check(errors);
  EXPECT_TRUE(errors.empty());
  ViolationLog violations;
  FlashChecker checker(parameters.nand,
                       parameters.nand.superblocks(parameters.capacity) * parameters.nand.planes, 0,
                       Tick(1250), violations);
  FlashBench bench(parameters);
  bench.array().add_observer(checker);
  Outcome result;
  for (const Tick time : bench.run(tasks)) {
    result.done.push_back(time.value());
  }
  result.senses = bench.statistics().page_reads;
  result.shared = bench.statistics().shared_reads;
  for (const Violation& violation : violations.first()) {
    ADD_FAILURE() << violation.describe();
  }
  EXPECT_EQ(checker.unfinished(), 0);
  return result;
}

TEST(PageSenses, PartsOfAPageTakeOneSenseAndATransferEach) {
  const Outcome all = outcome(one_lun(), {read(0, 1), read(0, 2), read(0, 4), read(0, 8)});
  EXPECT_EQ(all.done, (Times{kFirst, kFirst + kPart, kFirst + 2 * kPart, kFirst + 3 * kPart}));
  EXPECT_EQ(all.senses, 1u);
  EXPECT_EQ(all.shared, 3u);
  // Parts out of order need a change of column each.
  EXPECT_EQ(outcome(one_lun(), {read(0, 4), read(0, 1), read(0, 8)}).done,
            (Times{kFirst, kFirst + kColumn + kPart, kFirst + 2 * (kColumn + kPart)}));
}

TEST(PageSenses, APartJoinsUntilTheLastTransferEnds) {
  for (const std::int64_t at : {kCommand / 2, kCommand + 1, kFirst - 1}) {
    EXPECT_EQ(outcome(one_lun(), {read(0, 1), read(0, 2, at)}).done,
              (Times{kFirst, kFirst + kPart}))
        << at;
  }
  const Outcome late = outcome(one_lun(), {read(0, 1), read(0, 2, kFirst + 1)});
  EXPECT_EQ(late.done, (Times{kFirst, 2 * kFirst + 1}));
  EXPECT_EQ(late.senses, 2u);
}

TEST(PageSenses, ASenseBringsAPartOnce) {
  const Outcome twice = outcome(one_lun(), {read(0, 1), read(0, 2), read(0, 1, 1)});
  EXPECT_EQ(twice.done, (Times{kFirst, kFirst + kPart, 2 * kFirst + kPart}));
  EXPECT_EQ(twice.senses, 2u);
}

// The LUN reads another page first. Parts that wait begin together, ahead of what came between.
TEST(PageSenses, WaitingPartsBeginTogether) {
  const Outcome waiting =
      outcome(one_lun(), {read(9, 1), read(0, 1, 1), read(5, 1, 1), read(0, 2, 1)});
  const std::int64_t pair = kFirst + kPart;
  EXPECT_EQ(waiting.done, (Times{kFirst, kFirst + kFirst, kFirst + pair + kFirst, kFirst + pair}));
  EXPECT_EQ(waiting.senses, 3u);
}

TEST(PageSenses, ADemandedPartDoesNotWaitWithAPrefetch) {
  const Outcome mixed = outcome(one_lun(), {read(9, 1), read(0, 1, 1, FlashPriority::prefetch),
                                            read(5, 1, 1), read(0, 2, 1)});
  EXPECT_EQ(mixed.done, (Times{kFirst, 4 * kFirst, 2 * kFirst, 3 * kFirst}));
  // A prefetch does wait with a demanded part.
  const Outcome same = outcome(one_lun(), {read(9, 1), read(0, 1, 1), read(5, 1, 1),
                                           read(0, 2, 1, FlashPriority::prefetch)});
  EXPECT_EQ(same.done[3], 2 * kFirst + kPart);
}

TEST(PageSenses, CollectionsSenseForThemselves) {
  EXPECT_EQ(outcome(one_lun(), {read(0, 1), read(0, 2, 0, FlashPriority::collection)}).senses, 2u);
}

TEST(PageSenses, EachPlaneHasItsSharers) {
  NvdimmParameters parameters = one_lun();
  parameters.nand.planes = 2;
  parameters.nand.multi_plane = true;
  // Pages 0 and 1 are the same page of both planes; they wait for page 9.
  const Outcome both =
      outcome(parameters, {read(9, 1), read(0, 1, 1), read(1, 1, 1), read(0, 2, 1), read(1, 2, 1)});
  const std::int64_t sensed =
      kFirst + 2 * kCommand + parameters.nand.plane_busy_time.value() + kSense;
  EXPECT_EQ(both.done, (Times{kFirst, sensed + kPart, sensed + 3 * kPart, sensed + 2 * kPart,
                              sensed + 4 * kPart}));
  EXPECT_EQ(both.senses, 3u);
}

// While page 1 is sensed, the cache register still moves the parts of page 0.
TEST(PageSenses, PartsMoveFromTheCacheRegister) {
  NvdimmParameters parameters = one_lun();
  parameters.nand.cache = true;
  const Outcome cached = outcome(parameters, {read(0, 1), read(1, 1, 1), read(0, 2, 2)});
  const std::int64_t busy = parameters.nand.cache_busy_time.value();
  const std::int64_t first = 2 * kCommand + kSense + busy + kPart;
  EXPECT_EQ(cached.done[0], first);
  EXPECT_EQ(cached.done[2], first + kPart);
  EXPECT_EQ(cached.senses, 2u);
}

TEST(PageSenses, RegisterHitsNeedNoSense) {
  NvdimmParameters parameters = one_lun();
  parameters.nand.register_hits = true;
  constexpr std::int64_t kLater = 1'000'000'000;
  const Outcome hit = outcome(parameters, {read(0, 1), read(0, 2, kLater), read(0, 2, 2 * kLater)});
  EXPECT_EQ(hit.done, (Times{kFirst, kLater + kColumn + kPart, 2 * kLater + kColumn + kPart}));
  EXPECT_EQ(hit.senses, 1u);
  EXPECT_EQ(hit.shared, 2u);
  FlashTask program = read(0, 15, kLater);
  program.operation = O::program;
  program.superblock = 1;
  const Outcome lost = outcome(parameters, {read(0, 1), program, read(0, 2, 3 * kLater)});
  EXPECT_EQ(lost.done[1], kLater + kCommand + 4 * kPart + kProgram);
  EXPECT_EQ(lost.done[2], 3 * kLater + kFirst);
  parameters.nand.cache = true;
  std::vector<ParameterError> errors;
  parameters.nand.check(errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].name, "nvdimm.nand.register_hits");
}

TEST(PageSenses, FailedReadsAreRepeatedOnceForAllParts) {
  NvdimmParameters parameters = one_lun();
  parameters.nand.read_retry = 1;
  parameters.nand.read_retry_limit = 1;
  FlashBench bench(parameters);
  bench.set_wear(static_cast<std::uint32_t>(parameters.nand.endurance));
  const std::vector<Tick> done = bench.run({read(0, 1), read(0, 2)});
  EXPECT_EQ(done[1].value(), kFirst + kSense + kPart);
  EXPECT_EQ(bench.statistics().read_retries, 1u);
}

// Under the checker: no read is lost, and no part crosses the bus twice in a sense.
TEST(PageSenses, RandomReadsEndAndObeyTheProtocol) {
  Random random(7);
  for (int run = 0; run < 60; ++run) {
    NvdimmParameters parameters = one_lun();
    parameters.nand.chips = 2;
    parameters.nand.planes = run % 2 + 1;
    parameters.nand.multi_plane = run % 4 == 1;
    parameters.nand.cache = run % 3 == 0;
    parameters.nand.register_hits = run % 3 == 1;
    parameters.nand.ecc_time = Tick(run % 5 * 1'000'000);
    std::vector<FlashTask> tasks;
    std::int64_t at = 0;
    for (int i = 0; i < 400; ++i) {
      at += static_cast<std::int64_t>(random.below(40'000'000));
      FlashTask task = read(static_cast<std::uint32_t>(random.below(6)),
                            static_cast<PartMask>(1u << random.below(4)), at,
                            random.below(4) == 0 ? FlashPriority::prefetch : FlashPriority::demand);
      task.lun = static_cast<std::uint32_t>(random.below(2));
      tasks.push_back(task);
    }
    SCOPED_TRACE(run);
    const Outcome all = outcome(parameters, tasks);
    EXPECT_EQ(all.senses + all.shared, tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      EXPECT_GE(all.done[i], tasks[i].at.value() + kPart) << i;
    }
  }
}

}  // namespace
}  // namespace hmsim
