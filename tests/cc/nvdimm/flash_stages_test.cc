// SPDX-License-Identifier: BSD-3-Clause
// How long do the stages of flash operations take, and which of them overlap?
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "simulation/rigs/flash_bench.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

using O = FlashOperation;

constexpr std::int64_t kReadTime = 50'000'000;
constexpr std::int64_t kProgramTime = 650'000'000;
constexpr std::int64_t kCommand = 300'000;
constexpr std::int64_t kTransfer = 20'480'000;
constexpr std::int64_t kPlaneBusy = 500'000;
constexpr std::int64_t kCacheBusy = 3'000'000;

FlashTask task(O operation, std::uint32_t page, Tick at = Tick(0), std::uint32_t superblock = 0) {
  FlashTask made;
  made.at = at;
  made.operation = operation;
  made.page = page;
  made.superblock = superblock;
  return made;
}

std::vector<std::int64_t> done(const NvdimmParameters& parameters,
                               const std::vector<FlashTask>& tasks) {
  std::vector<ParameterError> errors;
  parameters.nand.check(errors);
  EXPECT_TRUE(errors.empty());
  FlashBench bench(parameters);
  std::vector<std::int64_t> times;
  for (const Tick time : bench.run(tasks)) {
    times.push_back(time.value());
  }
  return times;
}

using Times = std::vector<std::int64_t>;

TEST(FlashStages, CopybackMovesNoDataOverTheBus) {
  std::vector<FlashTask> tasks{task(O::read, 0), task(O::program, 0, Tick(0), 1)};
  tasks[0].transfer = tasks[1].transfer = false;
  const std::int64_t read = kCommand + kReadTime;
  EXPECT_EQ(done(large_lun(), tasks), (Times{read, read + kCommand + kProgramTime}));
}

TEST(FlashStages, TwoDiesShareTheBusAndNothingElse) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.dies = 2;
  std::vector<FlashTask> tasks{task(O::read, 0), task(O::read, 0)};
  tasks[1].lun = 1;
  // The second command follows the first; its transfer follows the first's transfer.
  const std::int64_t first = kCommand + kReadTime + kTransfer;
  EXPECT_EQ(done(parameters, tasks), (Times{first, first + kTransfer}));
}

TEST(FlashStages, AProgramsStatusNeedsTheBus) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.interface = NandInterface::sdr;
  parameters.nand.mode = 0;
  FlashBench bench(parameters);
  bench.run({task(O::program, 0)});
  // CLE 110 + ALE 30 + 5 x 60, data 4096 x 100, CLE 110; status 40 + 120 + 40 + 100 (ns)
  ASSERT_EQ(bench.log().size(), 4u);
  EXPECT_EQ(bench.log()[0].end, Tick(410'150'000));
  EXPECT_EQ(bench.log()[2].stage, FlashStage::done);
  EXPECT_EQ(bench.log()[3].stage, FlashStage::status);
  EXPECT_EQ(bench.log()[3].end - bench.log()[3].start, Tick(300'000));
}

TEST(FlashStages, PlanesAtTheSamePageWorkAsOne) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.planes = 2;
  parameters.nand.multi_plane = true;
  // While page 0 is read, two pages of another superblock gather.
  const std::vector<FlashTask> reads{task(O::read, 0), task(O::read, 4, Tick(1), 1),
                                     task(O::read, 5, Tick(1), 1)};
  const std::int64_t first = kCommand + kReadTime + kTransfer;
  const std::int64_t both = first + 2 * kCommand + kPlaneBusy + kReadTime;
  EXPECT_EQ(done(parameters, reads), (Times{first, both + kTransfer, both + 2 * kTransfer}));

  const std::vector<FlashTask> programs{task(O::erase, 0), task(O::program, 0, Tick(1)),
                                        task(O::program, 1, Tick(1))};
  const std::int64_t erased = 2 * kCommand + kPlaneBusy + 2'000'000'000;
  const std::int64_t in = erased + 2 * (kCommand + kTransfer) + kPlaneBusy;
  EXPECT_EQ(done(parameters, programs), (Times{erased, in + kProgramTime, in + kProgramTime}));
}

TEST(FlashStages, PagesOfOtherNumbersOrTheSamePlaneGoAlone) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.planes = 2;
  parameters.nand.multi_plane = true;
  const std::int64_t one = kCommand + kReadTime + kTransfer;
  for (const std::uint32_t other : {2u, 3u}) {  // the same plane; another page of the other plane
    const std::vector<FlashTask> reads{task(O::read, 9), task(O::read, 0, Tick(1)),
                                       task(O::read, other, Tick(1))};
    EXPECT_EQ(done(parameters, reads), (Times{one, 2 * one, 3 * one}));
  }
}

// The 16th waiting command is considered, the next one is not.
TEST(FlashStages, SearchesPlanesAmongSixteenCommands) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.planes = 2;
  parameters.nand.multi_plane = true;
  for (const std::uint32_t between : {15u, 16u}) {
    std::vector<FlashTask> reads{task(O::read, 9), task(O::read, 0, Tick(1), 1)};
    for (std::uint32_t i = 0; i < between; ++i) {
      reads.push_back(task(O::read, 2 * i, Tick(1), 2 + i));  // in the same plane
    }
    reads.push_back(task(O::read, 1, Tick(1), 1));
    const std::vector<std::int64_t> times = done(parameters, reads);
    EXPECT_EQ(times.back() < times[2], between == 15) << between;
  }
}

TEST(FlashStages, WithoutMultiPlaneOperationsPlanesAreErasedInTurn) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.planes = 2;
  EXPECT_EQ(done(parameters, {task(O::erase, 0)}), (Times{2 * kCommand + 4'000'000'000}));
}

// Each erases a complete superblock, whichever of its pages names it.
TEST(FlashStages, TwoSuperblocksAreErasedOneAfterTheOther) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.planes = 2;
  parameters.nand.multi_plane = true;
  const std::int64_t read = kCommand + kReadTime + kTransfer;  // both erases wait for it
  const std::vector<std::int64_t> alone = done(parameters, {task(O::erase, 0)});
  EXPECT_EQ(done(parameters, {task(O::read, 0, Tick(0), 7), task(O::erase, 0, Tick(1), 0),
                              task(O::erase, 1, Tick(1), 1)}),
            (Times{read, read + alone[0], read + 2 * alone[0]}));
}

TEST(FlashStages, EachPlaneIsErasedInItsOwnTime) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.planes = 2;
  parameters.nand.variation = 20;
  for (const std::uint32_t superblock : {0u, 3u}) {
    const NandTiming timing(parameters.nand);
    const Tick one = timing.erase(2 * superblock);
    const Tick other = timing.erase(2 * superblock + 1);
    ASSERT_NE(one, other);
    EXPECT_EQ(done(parameters, {task(O::erase, 0, Tick(0), superblock)}),
              (Times{2 * kCommand + (one + other).value()}));
  }
}

TEST(FlashStages, PagesOfACellWithFourBitsAreFastThenTwiceMiddleThenSlow) {
  using S = PageSpeed;
  std::vector<S> speeds;
  for (std::int64_t page = 0; page < 6; ++page) {
    speeds.push_back(page_speed(ProgramModel::qlc, page, 64));
  }
  EXPECT_EQ(speeds, (std::vector<S>{S::fast, S::middle, S::middle, S::slow, S::fast, S::middle}));
}

// Includes a block with an odd number of pages.
TEST(FlashStages, FirstAndLastTwoPagesOfAConventionalBlockAreFast) {
  for (const std::int64_t pages : {9, 10}) {
    for (std::int64_t page = 0; page < pages; ++page) {
      const bool fast = page < 2 || page > pages - 3 || page % 2 == 0;
      EXPECT_EQ(page_speed(ProgramModel::cmlc, page, pages),
                fast ? PageSpeed::fast : PageSpeed::slow)
          << page << " of " << pages;
    }
  }
}

TEST(FlashStages, CacheReadSendsTheNextCommandBeforeTheFirstPageGoesOut) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.cache = true;
  const std::vector<FlashTask> reads{task(O::read, 0), task(O::read, 1), task(O::read, 2)};
  // The cells are free for the second page once its command has arrived, and for the third as soon
  // as they are done. The last page needs tCBSY to reach the cache register.
  const std::int64_t second = kCommand + kReadTime + kCommand;
  EXPECT_EQ(done(parameters, reads),
            (Times{second + kCacheBusy + kTransfer, second + kReadTime + kCacheBusy + kTransfer,
                   second + 2 * kReadTime + kCacheBusy + kTransfer}));
}

TEST(FlashStages, CacheProgramTakesTheNextPageInWhileTheCellsWork) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.cache = true;
  const std::int64_t in = kCommand + kTransfer;
  EXPECT_EQ(done(parameters, {task(O::program, 0), task(O::program, 1), task(O::program, 2)}),
            (Times{in + kProgramTime, in + 2 * kProgramTime, in + 3 * kProgramTime}));
  // Without a cache register, the second page enters after the first program.
  parameters.nand.cache = false;
  EXPECT_EQ(done(parameters, {task(O::program, 0), task(O::program, 1)}),
            (Times{in + kProgramTime, 2 * (in + kProgramTime)}));
}

TEST(FlashStages, CacheProgramKeepsTheCellsOfAllPlanesBusy) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.planes = 2;
  parameters.nand.multi_plane = true;
  parameters.nand.cache = true;
  std::vector<FlashTask> programs{task(O::erase, 0)};  // occupies the LUN until all have arrived
  for (std::uint32_t page = 0; page < 12; ++page) {
    programs.push_back(task(O::program, page, Tick(1)));
  }
  const std::vector<std::int64_t> times = done(parameters, programs);
  for (std::size_t pair = 2; pair < times.size() / 2; ++pair) {
    EXPECT_EQ(times[2 * pair + 2] - times[2 * pair], kProgramTime) << pair;
    EXPECT_EQ(times[2 * pair + 1], times[2 * pair + 2]) << pair;
  }
}

// The cells finish the first page before the cache register is ready, so the second page waits
// until the status is read.
TEST(FlashStages, AStatusGoesBeforeTheNextPageThatTheCacheTakes) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.cache = true;
  parameters.nand.interface = NandInterface::sdr;
  parameters.nand.mode = 0;
  parameters.nand.program_time = Tick(kCacheBusy / 3);
  FlashBench bench(parameters);
  bench.run({task(O::program, 0), task(O::program, 1)});
  std::vector<FlashStage> stages;
  for (const FlashRecord& record : bench.log()) {
    stages.push_back(record.stage);
  }
  const std::vector<FlashStage> one{FlashStage::command, FlashStage::cells, FlashStage::done,
                                    FlashStage::status};
  std::vector<FlashStage> both = one;
  both.insert(both.end(), one.begin(), one.end());
  EXPECT_EQ(stages, both);
}

TEST(FlashStages, CachesDoNotHelpErasesAndReadsThatStayInTheChip) {
  std::vector<FlashTask> stays{task(O::read, 0), task(O::read, 1), task(O::read, 2)};
  stays[1].transfer = false;
  const std::vector<FlashTask> erases{task(O::erase, 0), task(O::erase, 0, Tick(0), 1)};
  const std::int64_t read = kCommand + kReadTime;
  const std::int64_t erase = kCommand + 2'000'000'000;
  for (const bool cache : {false, true}) {
    NvdimmParameters parameters = large_lun();
    parameters.nand.cache = cache;
    EXPECT_EQ(done(parameters, erases), (Times{erase, 2 * erase}));
    EXPECT_EQ(done(parameters, stays),
              (Times{read + kTransfer, 2 * read + kTransfer, 3 * read + 2 * kTransfer}));
  }
}

TEST(FlashStages, AReadSuspendsAnErase) {
  NvdimmParameters parameters = large_lun();
  const std::int64_t asked = 1'000'000'000;
  const std::vector<FlashTask> tasks{task(O::erase, 0), task(O::read, 0, Tick(asked), 1)};
  const std::int64_t erased = kCommand + 2'000'000'000;
  const std::int64_t read = kCommand + kReadTime + kTransfer;
  EXPECT_EQ(done(parameters, tasks), (Times{erased, erased + read}));
  parameters.nand.suspend = SuspendMode::program;
  EXPECT_EQ(done(parameters, tasks), (Times{erased, erased + read}));
  parameters.nand.suspend = SuspendMode::erase;
  const std::int64_t stop = 50'000'000;
  const std::int64_t resume = 5'000'000;
  EXPECT_EQ(done(parameters, tasks), (Times{erased + stop + read + resume, asked + stop + read}));
}

TEST(FlashStages, ASuspendedOperationEnds) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.suspend = SuspendMode::both;
  parameters.nand.suspend_limit = 2;
  std::vector<FlashTask> tasks{task(O::program, 0)};
  for (std::uint32_t i = 0; i < 100; ++i) {
    tasks.push_back(task(O::read, i, Tick(100'000'000 + i), 1));
  }
  const std::vector<std::int64_t> times = done(parameters, tasks);
  EXPECT_EQ(std::count_if(times.begin() + 1, times.end(),
                          [&times](std::int64_t time) { return time < times[0]; }),
            2);
}

// The cells of the read finish first, then the cache register.
TEST(FlashStages, ASuspendedOperationContinuesAfterAReadShorterThanACacheOperation) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.suspend = SuspendMode::program;
  parameters.nand.cache = true;
  parameters.nand.read_time = Tick(kCacheBusy / 3);
  const std::int64_t asked = 100'000'000;
  std::vector<FlashTask> tasks{task(O::program, 0), task(O::read, 0, Tick(asked), 1)};
  tasks[1].transfer = false;
  const std::int64_t stop = 50'000'000;
  const std::int64_t resume = 5'000'000;
  const std::int64_t away = stop + kCommand + kCacheBusy + resume;
  EXPECT_EQ(done(parameters, tasks), (Times{kCommand + kTransfer + kProgramTime + away,
                                            asked + stop + kCommand + kCacheBusy / 3}));
}

TEST(FlashStages, ReadsOfTheSameBlocksDoNotSuspend) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.suspend = SuspendMode::both;
  const std::vector<FlashTask> tasks{task(O::program, 0), task(O::read, 0, Tick(100'000'000))};
  const std::int64_t programmed = kCommand + kTransfer + kProgramTime;
  EXPECT_EQ(done(parameters, tasks),
            (Times{programmed, programmed + kCommand + kReadTime + kTransfer}));
}

TEST(FlashStages, VariationStaysWithinItsBoundsAndIsTheSameAgain) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.variation = 5;
  const NandTiming timing(parameters.nand, 3);
  const NandTiming same(parameters.nand, 3);
  const NandTiming other(parameters.nand, 4);
  std::int64_t low = kProgramTime;
  std::int64_t high = 0;
  int different = 0;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const Tick time = timing.program(i / 128, i % 128);
    EXPECT_EQ(time, same.program(i / 128, i % 128));
    different += time == other.program(i / 128, i % 128) ? 0 : 1;
    low = std::min(low, time.value());
    high = std::max(high, time.value());
  }
  EXPECT_GE(low, kProgramTime * 95 / 100);
  EXPECT_LE(high, kProgramTime * 105 / 100);
  EXPECT_LT(low, kProgramTime * 951 / 1000);
  EXPECT_GT(high, kProgramTime * 1049 / 1000);
  EXPECT_GT(different, 4000);
}

TEST(FlashStages, PageModelsKeepTheMean) {
  for (const ProgramModel model : {ProgramModel::cmlc, ProgramModel::mlc, ProgramModel::tlc}) {
    NandParameters nand;
    nand.program_model = model;
    nand.middle_program_time = Tick(500'000'000);
    const NandTiming timing(nand);
    Tick sum{0};
    int fast = 0;
    for (std::uint32_t page = 0; page < 128; ++page) {
      sum += timing.program(0, page);
      fast += timing.program(0, page) == nand.fast_program_time ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(sum.value()), 128.0 * kProgramTime, 128);
    EXPECT_EQ(fast, model == ProgramModel::tlc ? 43 : 66);
  }
}

TEST(FlashStages, RulesOfProgrammingAreEnforced) {
  const auto message = [](const std::vector<FlashTask>& tasks) -> std::string {
    FlashBench bench(large_lun());
    try {
      bench.run(tasks);
    } catch (const std::logic_error& fault) {
      return fault.what();
    }
    return "";
  };
  EXPECT_EQ(message({task(O::program, 0), task(O::program, 1)}), "");
  EXPECT_NE(message({task(O::program, 1)}).find("out of order"), std::string::npos);
  EXPECT_NE(message({task(O::program, 0), task(O::program, 0)}).find("without an erase"),
            std::string::npos);
  EXPECT_EQ(message({task(O::program, 0), task(O::erase, 0), task(O::program, 0)}), "");
}

}  // namespace
}  // namespace hmsim
