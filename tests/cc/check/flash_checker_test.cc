// SPDX-License-Identifier: BSD-3-Clause
// Does the flash protocol checker accept the operations of real arrays, and detect each kind of
// error?
#include "check/flash_checker.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "core/random.h"
#include "simulation/rigs/flash_bench.h"

namespace hmsim {
namespace {

using O = FlashOperation;
using S = FlashStage;
using Log = std::vector<FlashRecord>;
using Rules = std::set<std::string>;

NvdimmParameters small_array() {
  NvdimmParameters parameters;
  parameters.capacity = Bytes(4 << 20);
  parameters.nand.channels = 1;
  parameters.nand.chips = 2;
  parameters.nand.pages_per_block = 16;
  return parameters;
}

FlashTask task(O operation, std::uint32_t lun, std::uint32_t superblock, std::uint32_t page,
               Tick at = Tick(0)) {
  FlashTask made;
  made.at = at;
  made.operation = operation;
  made.lun = lun;
  made.superblock = superblock;
  made.page = page;
  return made;
}

Log log_of(const NvdimmParameters& parameters, const std::vector<FlashTask>& tasks) {
  FlashBench bench(parameters);
  bench.run(tasks);
  return bench.log();
}

// Returns the rules that the log breaks; "unfinished" if an operation does not end.
Rules broken(const NvdimmParameters& parameters, const Log& log) {
  ViolationLog violations;
  FlashChecker checker(parameters.nand,
                       parameters.nand.superblocks(parameters.capacity) * parameters.nand.planes, 0,
                       Tick(1250), violations);
  for (const FlashRecord& record : log) {
    checker.on_flash(record);
  }
  Rules rules;
  for (const Violation& violation : violations.first()) {
    rules.insert(violation.rule);
  }
  if (checker.unfinished() > 0) {
    rules.insert("unfinished");
  }
  return rules;
}

// Returns tasks for two LUNs that erase, program and read, then consecutive reads of LUN 0.
std::vector<FlashTask> mixed_tasks() {
  std::vector<FlashTask> tasks;
  for (std::uint32_t lun = 0; lun < 2; ++lun) {
    tasks.push_back(task(O::erase, lun, 0, 0));
    for (std::uint32_t page = 0; page < 8; ++page) {
      tasks.push_back(task(O::program, lun, 0, page));
    }
    for (std::uint32_t page = 0; page < 8; ++page) {
      tasks.push_back(task(O::read, lun, 0, page));
    }
  }
  return tasks;
}

// Returns the rules broken by the log of mixed_tasks() with one change.
Rules broken_by(const NvdimmParameters& parameters, const std::function<void(Log&)>& change) {
  const Log good = log_of(parameters, mixed_tasks());
  EXPECT_EQ(broken(parameters, good), Rules());
  Log bad = good;
  change(bad);
  return broken(parameters, bad);
}

FlashRecord& nth(Log& log, S stage, O operation, int n = 0) {
  for (FlashRecord& record : log) {
    if (record.stage == stage && record.operation == operation && n-- == 0) {
      return record;
    }
  }
  throw std::logic_error("no such record");
}

void drop(Log& log, const FlashRecord& record) { log.erase(log.begin() + (&record - log.data())); }

TEST(FlashChecker, FindsABusWithTwoOwners) {
  EXPECT_EQ(broken_by(small_array(),
                      [](Log& log) {
                        FlashRecord& second = nth(log, S::data_out, O::read, 1);
                        const Tick early =
                            second.start - nth(log, S::data_out, O::read).end + Tick(1);
                        second.start -= early;
                        second.end -= early;
                      })
                .count("flash bus"),
            1u);
}

TEST(FlashChecker, FindsAOneBitProgramWithoutAnSlcCache) {
  EXPECT_EQ(
      broken_by(small_array(), [](Log& log) { nth(log, S::command, O::program).one_bit = true; }),
      Rules{"cell mode"});
}

TEST(FlashChecker, FindsATransferThatIsTooShort) {
  EXPECT_EQ(
      broken_by(small_array(), [](Log& log) { nth(log, S::data_out, O::read).end -= Tick(1); }),
      Rules{"flash bus time"});
  for (const NandInterface interface :
       {NandInterface::sdr, NandInterface::nv_ddr, NandInterface::nv_ddr2}) {
    NvdimmParameters parameters = small_array();
    parameters.nand.interface = interface;
    const Rules rules = broken_by(parameters, [](Log& log) {
      FlashRecord& record = nth(log, S::command, O::program);
      record.end = record.start + Tick(10'000'000);
    });
    EXPECT_EQ(rules, Rules{"flash bus time"});
  }
}

TEST(FlashChecker, FindsACommandToABusyLun) {
  EXPECT_EQ(broken_by(small_array(),
                      [](Log& log) {
                        FlashRecord extra = nth(log, S::command, O::read);
                        const FlashRecord& cells = nth(log, S::cells, O::program);
                        extra.start = cells.start + Tick(100'000'000);
                        extra.end = extra.start + Tick(300'000);
                        log.insert(log.begin() + (&cells - log.data()) + 1, extra);
                      })
                .count("busy LUN"),
            1u);
}

TEST(FlashChecker, FindsCellsThatAreTooFast) {
  for (const O operation : {O::read, O::program, O::erase}) {
    EXPECT_EQ(broken_by(small_array(),
                        [operation](Log& log) { nth(log, S::done, operation).start -= Tick(1); }),
              Rules{"cell time"});
  }
  NvdimmParameters slow = small_array();
  slow.nand.program_model = ProgramModel::mlc;
  const Log log = log_of(slow, mixed_tasks());
  EXPECT_EQ(broken(slow, log), Rules());
  slow.nand.fast_program_time -= Tick(1);  // makes slow pages take longer
  EXPECT_EQ(broken(slow, log), Rules{"cell time"});
}

TEST(FlashChecker, FindsPagesOutOfOrderAndAProgramWithoutErase) {
  const auto moved_to = [](std::uint32_t page) {
    return broken_by(small_array(), [page](Log& log) {
      for (FlashRecord& record : log) {
        if (record.operation == O::program && record.lun == 0 && record.page == 7) {
          record.page = page;
        }
      }
    });
  };
  EXPECT_EQ(moved_to(8), Rules{"page order"});
  EXPECT_EQ(moved_to(6), Rules{"erase before program"});
}

TEST(FlashChecker, FindsStagesThatAreMissing) {
  EXPECT_EQ(broken_by(small_array(), [](Log& log) { drop(log, nth(log, S::done, O::read)); })
                .count("data without read"),
            1u);
  EXPECT_EQ(broken_by(small_array(), [](Log& log) { drop(log, nth(log, S::cells, O::erase)); })
                .count("done without cells"),
            1u);
  EXPECT_EQ(broken_by(small_array(), [](Log& log) { drop(log, nth(log, S::command, O::erase)); })
                .count("cells without command"),
            1u);
  EXPECT_EQ(broken_by(small_array(), [](Log& log) { log.pop_back(); }), Rules{"unfinished"});
  NvdimmParameters sdr = small_array();
  sdr.nand.interface = NandInterface::sdr;
  EXPECT_EQ(broken_by(sdr, [](Log& log) { drop(log, nth(log, S::status, O::program)); })
                .count("busy LUN"),
            1u);
  EXPECT_EQ(
      broken_by(sdr, [](Log& log) { drop(log, nth(log, S::done, O::program)); }).count("status"),
      1u);
}

TEST(FlashChecker, FindsCellsThatBeginBeforeTheirCommandEnds) {
  EXPECT_EQ(
      broken_by(small_array(), [](Log& log) { nth(log, S::cells, O::read).start -= Tick(1); }),
      Rules{"cells before command"});
}

TEST(FlashChecker, FindsPlacesThatDoNotExist) {
  EXPECT_EQ(broken_by(small_array(), [](Log& log) { log.front().lun = 2; }).count("flash place"),
            1u);
  EXPECT_EQ(broken_by(small_array(), [](Log& log) { log.front().page = 16; }).count("flash place"),
            1u);
}

TEST(FlashChecker, FindsPlanesThatDoNotFit) {
  NvdimmParameters parameters = small_array();
  parameters.nand.planes = 2;
  parameters.nand.multi_plane = true;
  const auto second = [](Log& log) -> FlashRecord& {
    const FlashRecord* first = nullptr;
    for (FlashRecord& record : log) {
      if (record.stage != S::command || record.operation != O::program) {
        continue;
      }
      if (first != nullptr && record.lun == first->lun) {
        return record;
      }
      first = first == nullptr && record.more ? &record : first;
    }
    throw std::logic_error("no multi-plane operation");
  };
  EXPECT_EQ(broken_by(parameters, [&](Log& log) { second(log).page += 1; }).count("multi-plane"),
            1u);
  EXPECT_EQ(broken_by(parameters, [&](Log& log) { second(log).block -= 1; }).count("multi-plane"),
            1u);
  parameters.nand.channels = 2;  // so that the bus is free between the commands
  parameters.nand.chips = 1;
  EXPECT_EQ(broken_by(parameters, [&](Log& log) { second(log).start -= Tick(1); }), Rules{"tDBSY"});
  const Log log = log_of(parameters, mixed_tasks());
  parameters.nand.multi_plane = false;
  EXPECT_EQ(broken(parameters, log).count("multi-plane"), 1u);
}

TEST(FlashChecker, FindsCacheOperationsOfFlashWithoutACache) {
  NvdimmParameters parameters = small_array();
  parameters.nand.cache = true;
  const Log log = log_of(parameters, mixed_tasks());
  EXPECT_EQ(broken(parameters, log), Rules());
  parameters.nand.cache_busy_time += Tick(1);
  EXPECT_EQ(broken(parameters, log), Rules{"tCBSY"});
  parameters.nand.cache = false;
  EXPECT_EQ(broken(parameters, log).count("busy LUN"), 1u);
}

TEST(FlashChecker, FindsSuspensionsThatAreNotAllowed) {
  NvdimmParameters parameters = small_array();
  parameters.nand.suspend = SuspendMode::both;
  const Log log =
      log_of(parameters, {task(O::erase, 0, 0, 0), task(O::read, 0, 1, 0, Tick(500'000'000)),
                          task(O::read, 0, 1, 1, Tick(500'000'000))});
  EXPECT_EQ(broken(parameters, log), Rules());
  NvdimmParameters other = parameters;
  other.nand.suspend_limit = 1;
  EXPECT_EQ(broken(other, log), Rules{"suspend limit"});
  other = parameters;
  other.nand.suspend_time = Tick(1'000'000'000);
  EXPECT_EQ(broken(other, log), Rules{"suspend time"});
  other = parameters;
  other.nand.resume_time += Tick(1);
  EXPECT_EQ(broken(other, log), Rules{"cell time"});
  other = parameters;
  other.nand.suspend = SuspendMode::program;
  EXPECT_EQ(broken(other, log).count("suspend"), 1u);
}

TEST(FlashChecker, FindsTransfersOfPartsThatHaveLeftTheRegister) {
  NvdimmParameters parameters = small_array();
  parameters.nand.page_size = 4 * kPageBytes;
  std::vector<FlashTask> tasks{task(O::read, 0, 0, 0), task(O::read, 0, 0, 0),
                               task(O::read, 0, 0, 1)};
  tasks[0].parts = 1;
  tasks[1].parts = 4;
  const Log log = log_of(parameters, tasks);
  EXPECT_EQ(broken(parameters, log), Rules());
  const auto second = std::find_if(log.begin(), log.end(), [](const FlashRecord& record) {
    return record.stage == S::data_out && record.parts == 4;
  });
  ASSERT_NE(second, log.end());
  Log late = log;  // after the command of the next read
  late.push_back(*second);
  EXPECT_EQ(broken(parameters, late), (Rules{"data without read", "flash bus"}));
  Log quick = log;
  quick[static_cast<std::size_t>(second - log.begin())].end -= Tick(1);
  EXPECT_EQ(broken(parameters, quick), Rules{"column change"});
}

TEST(FlashChecker, FindsWorkOnBadBlocks) {
  const auto insert_failure = [](Log& log, O operation, int n) {
    const FlashRecord& done = nth(log, S::done, operation, n);
    FlashRecord failure = done;
    failure.stage = S::fail;
    log.insert(log.begin() + (&done - log.data()) + 1, failure);
  };
  EXPECT_EQ(broken_by(small_array(), [&](Log& log) { insert_failure(log, O::erase, 0); }),
            Rules{"bad block"});
  EXPECT_EQ(broken_by(small_array(), [&](Log& log) { insert_failure(log, O::program, 3); }),
            Rules{"bad block"});
}

// Random operations under every combination of features: pages are programmed in order, complete
// superblocks erased, any page read.
TEST(FlashChecker, FindsNothingWrongWithRandomOperations) {
  for (std::uint64_t seed = 0; seed < 96; ++seed) {
    NvdimmParameters parameters = small_array();
    NandParameters& nand = parameters.nand;
    nand.planes = 1 + static_cast<std::int64_t>(seed % 2);
    nand.multi_plane = nand.planes > 1 && seed % 4 > 1;
    nand.cache = seed / 4 % 2 == 1;
    nand.suspend = static_cast<SuspendMode>(seed / 8 % 4);
    nand.suspend_limit = 3;
    nand.interface = static_cast<NandInterface>(seed / 3 % 4);
    nand.program_model = static_cast<ProgramModel>(seed / 5 % 4);
    nand.middle_program_time = nand.program_time;
    nand.variation = seed % 7 == 0 ? 5 : 0;
    const auto pages = static_cast<std::uint64_t>(nand.superblock_pages());
    Random random(seed);
    std::array<std::uint32_t, 2> programmed{};
    std::vector<FlashTask> tasks;
    Tick at{0};
    for (int i = 0; i < 200; ++i) {
      const auto lun = static_cast<std::uint32_t>(random.below(2));
      at += Tick(static_cast<std::int64_t>(random.below(400'000'000)));
      FlashTask made = task(O::read, lun, static_cast<std::uint32_t>(random.below(4)),
                            static_cast<std::uint32_t>(random.below(pages)), at);
      const std::uint64_t kind = random.below(8);
      if (kind < 4) {
        made.operation = O::program;
        made.priority = FlashPriority::eviction;
        made.superblock = 0;
        made.page = programmed[lun];
        if (++programmed[lun] > pages) {
          made.operation = O::erase;
          made.page = 0;
          programmed[lun] = 0;
        }
      } else if (kind == 4) {
        made.transfer = false;
      }
      tasks.push_back(made);
    }
    EXPECT_EQ(broken(parameters, log_of(parameters, tasks)), Rules()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hmsim
