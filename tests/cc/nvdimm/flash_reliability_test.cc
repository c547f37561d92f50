// SPDX-License-Identifier: BSD-3-Clause
// How much do wear and failures cost, and is any data lost?
// Do cells fail exactly with the given probability, up to the last random number?
#include <gtest/gtest.h>

#include <set>

#include "core/errors.h"
#include "nvdimm/nand/cell_failures.h"
#include "nvdimm/nand/nand_statistics.h"
#include "simulation/rigs/flash_bench.h"
#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {
namespace {

constexpr std::int64_t kCommand = 300'000;
constexpr std::int64_t kReadTime = 50'000'000;
constexpr std::int64_t kTransfer = 20'480'000;

FlashTask task(FlashOperation operation, std::uint32_t page) {
  FlashTask made;
  made.operation = operation;
  made.page = page;
  return made;
}

TEST(FlashReliability, ErrorCorrectionDelaysThePageAndNothingElse) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.ecc_time = Tick(40'000'000);
  FlashBench bench(parameters);
  const std::vector<Tick> done =
      bench.run({task(FlashOperation::read, 0), task(FlashOperation::read, 1)});
  const std::int64_t one = kCommand + kReadTime + kTransfer;
  EXPECT_EQ(done[0], Tick(one + 40'000'000));
  EXPECT_EQ(done[1], Tick(2 * one + 40'000'000));
}

TEST(FlashReliability, ReadsAreRepeatedInProportionToWear) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.read_retry = 1;
  parameters.nand.read_retry_limit = 3;
  parameters.nand.endurance = 1000;
  const std::int64_t one = kCommand + kReadTime + kTransfer;
  for (const std::uint32_t wear : {0u, 1000u, 5000u}) {
    FlashBench bench(parameters);
    bench.set_wear(wear);
    const std::int64_t expected = one + (wear == 0 ? 0 : 3 * kReadTime);
    EXPECT_EQ(bench.run({task(FlashOperation::read, 0)})[0], Tick(expected));
  }
  // One repetition with p = 1/2, a second with p^2, and so on: p + p^2 + p^3 on average.
  FlashBench bench(parameters);
  bench.set_wear(500);
  constexpr int kReads = 8000;
  bench.run(std::vector<FlashTask>(kReads, task(FlashOperation::read, 0)));
  const double mean = static_cast<double>(bench.statistics().read_retries) / kReads;
  EXPECT_NEAR(mean, 0.875, 0.04);
}

TEST(FlashReliability, ErasesFailBeyondTheEnduranceOnly) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.endurance = 100;
  parameters.nand.wear_failure = 0.25;
  FlashBench bench(parameters);
  bench.set_wear(99);
  bench.run(std::vector<FlashTask>(4000, task(FlashOperation::erase, 0)));
  EXPECT_EQ(bench.failed(), 0);
  FlashBench worn(parameters);
  worn.set_wear(100);
  worn.run(std::vector<FlashTask>(4000, task(FlashOperation::erase, 0)));
  EXPECT_NEAR(static_cast<double>(worn.failed()), 1000, 110);
}

TEST(FlashReliability, EachFailureIsCountedOnce) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.program_failure = 1;
  parameters.nand.wear_failure = 1;
  parameters.nand.endurance = 1;
  FlashBench bench(parameters);
  bench.set_wear(1);
  std::vector<FlashTask> tasks;
  for (std::uint32_t page = 0; page < 5; ++page) {
    tasks.push_back(task(FlashOperation::program, page));
  }
  tasks.insert(tasks.end(), 3, task(FlashOperation::erase, 0));
  bench.run(tasks);
  EXPECT_EQ(bench.statistics().program_failures, 5u);
  EXPECT_EQ(bench.statistics().erase_failures, 3u);
  EXPECT_EQ(bench.failed(), 8);
}

struct ToldOfBadBlocks final : FlashObserver {
  void on_flash(const FlashRecord&) override {}
  void on_programmed(std::uint64_t, std::uint32_t) override {}
  void on_bad(std::uint64_t block) override { EXPECT_TRUE(blocks.insert(block).second) << block; }
  std::set<std::uint64_t> blocks;
};

// Factory-bad blocks are reported when the observer is added, because no operation reports them.
TEST(FlashReliability, AnObserverReceivesEachPlanesBadBlocks) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.capacity = Bytes(4 << 20);
  parameters.nand.planes = 2;
  parameters.nand.factory_bad = 0.1;
  parameters.ftl.over_provisioning = 200;
  ASSERT_TRUE(parameters.check().empty()) << join_errors(parameters.check());
  Rig rig(parameters);
  ToldOfBadBlocks told;
  rig.nvdimm().add_flash_observer(told);
  const Ftl& ftl = rig.nvdimm().ftl();
  ASSERT_GT(bad_blocks(ftl), 0u);
  EXPECT_EQ(told.blocks.size(), 2 * bad_blocks(ftl));
  for (const std::uint64_t block : told.blocks) {
    EXPECT_TRUE(ftl.blocks(0)[static_cast<std::uint32_t>(block / 2)].bad()) << block;
  }
}

TEST(FlashReliability, AnObserverReceivesAlsoTheVeryFirstBlock) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.nand.factory_bad = 0.1;
  parameters.ftl.over_provisioning = 200;
  int first_is_bad = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    Rig rig(parameters, seed);
    ToldOfBadBlocks told;
    rig.nvdimm().add_flash_observer(told);
    const bool bad = rig.nvdimm().ftl().blocks(0)[0].bad();
    EXPECT_EQ(told.blocks.count(0) != 0, bad) << seed;
    first_is_bad += bad ? 1 : 0;
  }
  EXPECT_GT(first_is_bad, 0);
}

TEST(FlashReliability, EnergyIsCurrentTimesSupplyTimesTime) {
  NvdimmParameters parameters = large_lun();
  parameters.nand.planes = 2;
  parameters.nand.multi_plane = true;
  NandEnergyParameters& e = parameters.nand.energy;
  e = {2000, 10'000, 20'000, 30'000, 5'000, 100};
  FlashBench bench(parameters);
  bench.run({task(FlashOperation::erase, 0), task(FlashOperation::program, 0),
             task(FlashOperation::program, 1), task(FlashOperation::read, 0)});
  const Tick now(10'000'000'000);  // 10 ms
  const NandEnergy energy =
      nand_energy(parameters.nand.energy, parameters.luns(), bench.statistics(), now);
  EXPECT_NEAR(energy.read, 10e-3 * 2 * 50e-6, 1e-12);
  EXPECT_NEAR(energy.program, 20e-3 * 2 * 2 * 650e-6, 1e-12);
  EXPECT_NEAR(energy.erase, 30e-3 * 2 * 2 * 2e-3, 1e-12);
  EXPECT_NEAR(energy.bus, 5e-3 * 2 * (5 * 0.3e-6 + 3 * 20.48e-6), 1e-12);
  EXPECT_NEAR(energy.standby, 100e-6 * 2 * 10e-3, 1e-12);
}

NvdimmParameters failing(std::uint64_t seed) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.capacity = Bytes(4 << 20);
  parameters.store_data = true;
  parameters.command_queue = 16;
  parameters.nand.planes = 1 + static_cast<std::int64_t>(seed % 2);
  parameters.nand.multi_plane = parameters.nand.planes > 1;
  parameters.nand.cache = seed / 2 % 2 == 1;
  parameters.nand.pages_per_block = 8;
  parameters.ftl.over_provisioning = 200;
  parameters.nand.factory_bad = 0.03;
  parameters.nand.program_failure = 0.01;
  parameters.nand.endurance = 1;
  parameters.nand.wear_failure = 0.2;
  parameters.nand.read_retry = 0.1;
  parameters.nand.ecc_time = Tick(3'000'000);
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 3;
  return parameters;
}

TEST(FlashReliability, NothingIsLostWhenBlocksFail) {
  std::uint64_t program_failures = 0;
  std::uint64_t erase_failures = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const NvdimmParameters parameters = failing(seed);
    ASSERT_TRUE(parameters.check().empty()) << join_errors(parameters.check());
    Shadow shadow(parameters, seed);
    const std::uint64_t bad = bad_blocks(shadow.nvdimm().ftl());
    EXPECT_GT(bad, 0u);
    for (int i = 0; i < 4000; ++i) {
      shadow.send(60, 6);
      shadow.finish_one();
      shadow.step();
      if (i % 1000 == 600) {
        shadow.save_and_load();
      }
    }
    program_failures += shadow.nvdimm().statistics().nand.program_failures;
    erase_failures += shadow.nvdimm().statistics().nand.erase_failures;
    shadow.power_cycle();
    for (int i = 0; i < 200; ++i) {
      shadow.send(60, 6);
      shadow.finish_one();
      shadow.step();
    }
    shadow.check_all();
    EXPECT_EQ(shadow.mismatches(), 0u) << "seed " << seed;
    for (std::uint32_t lun = 0; lun < shadow.nvdimm().ftl().shape().luns; ++lun) {
      count_pages(shadow.nvdimm().ftl(), lun);
    }
  }
  EXPECT_GT(program_failures, 5u);
  EXPECT_GT(erase_failures, 5u);
}

TEST(FlashReliability, WornOutFlashIsReported) {
  NvdimmParameters parameters = failing(0);
  parameters.nand.endurance = 1;
  parameters.nand.wear_failure = 1;
  Shadow shadow(parameters, 1);
  const auto wear_out = [&shadow] {
    for (int i = 0; i < 100'000; ++i) {
      shadow.send(60, 8);
      shadow.finish_one();
      shadow.step();
    }
  };
  EXPECT_THROW(wear_out(), InputError);
}

TEST(FlashReliability, BadBlocksDependOnTheSeed) {
  const auto bad = [](std::uint64_t seed) {
    FtlShape shape;
    shape.blocks = 1000;
    shape.pages = 4;
    shape.logical_pages = 1000;
    shape.stripe = {0};
    shape.bad_blocks = 20;
    const Ftl ftl(shape, {}, seed);
    std::set<std::uint32_t> blocks;
    for (std::uint32_t block = 0; block < shape.blocks; ++block) {
      if (ftl.blocks(0)[block].bad()) {
        blocks.insert(block);
      }
    }
    return blocks;
  };
  EXPECT_EQ(bad(1).size(), 20u);
  EXPECT_EQ(bad(1), bad(1));
  EXPECT_NE(bad(1), bad(2));
}

// Returns cells whose next random number is `number` of 2^32, set through a saved state: the
// generator's second word x yields rotate_left(5 x, 7) * 9 first.
CellFailures cells_that_draw(const NandParameters& nand, std::uint64_t number) {
  constexpr std::uint64_t kNinth = 0x8E38E38E38E38E39;  // modulo 2^64
  constexpr std::uint64_t kFifth = 0xCCCCCCCCCCCCCCCD;
  const std::uint64_t rotated = (number << 32) * kNinth;
  std::uint64_t second = (rotated >> 7 | rotated << 57) * kFifth;
  std::uint64_t other = 1;
  Archive saved;
  saved(other, second, other, other);
  CellFailures cells(nand, 1);
  Archive loaded(saved.bytes());
  cells.serialize(loaded);
  return cells;
}

constexpr double kChances = 4294967296.0;

TEST(CellFailures, ProbabilitiesAreRoundedToTheNearestOfTheNumbersDrawn) {
  const auto fails = [](double probability, std::uint64_t number) {
    NandParameters nand;
    nand.program_failure = probability;
    return cells_that_draw(nand, number).program_fails();
  };
  EXPECT_FALSE(fails(0.4 / kChances, 0));
  EXPECT_TRUE(fails(0.6 / kChances, 0));
  EXPECT_FALSE(fails(0.6 / kChances, 1));
  EXPECT_TRUE(fails(0.5, (1ull << 31) - 1));
  EXPECT_FALSE(fails(0.5, 1ull << 31));
  EXPECT_FALSE(fails(1 - 1 / kChances, (1ull << 32) - 1));
  EXPECT_TRUE(fails(1, (1ull << 32) - 1)) << "what is certain";
}

TEST(CellFailures, ErasesFailFromTheEnduranceOn) {
  NandParameters nand;
  nand.endurance = 7;
  nand.wear_failure = 1;
  const auto fails = [&nand](std::uint32_t wear) {
    return cells_that_draw(nand, (1ull << 32) - 1).erase_fails([wear] { return wear; });
  };
  EXPECT_FALSE(fails(6));
  EXPECT_TRUE(fails(7));
  EXPECT_TRUE(fails(8));
}

// The probability grows with wear, up to its value at the end of the endurance.
TEST(CellFailures, ReadsAreRepeatedInProportionToWear) {
  NandParameters nand;
  nand.endurance = 8;
  nand.read_retry = 0.5;
  nand.read_retry_limit = 1;
  const auto retries = [&nand](std::uint32_t wear, std::uint64_t number) {
    return cells_that_draw(nand, number).retries([wear] { return wear; });
  };
  constexpr std::uint64_t kQuarter = 1ull << 30;
  EXPECT_EQ(retries(0, 0), 0);
  EXPECT_EQ(retries(4, kQuarter - 1), 1);
  EXPECT_EQ(retries(4, kQuarter), 0);
  for (const std::uint32_t wear : {8, 9, 1000}) {
    EXPECT_EQ(retries(wear, 2 * kQuarter - 1), 1) << wear;
    EXPECT_EQ(retries(wear, 2 * kQuarter), 0) << wear;
  }
}

}  // namespace
}  // namespace hmsim
