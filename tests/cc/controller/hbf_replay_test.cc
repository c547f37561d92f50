// SPDX-License-Identifier: BSD-3-Clause
// Does the host write again what the flash beside HBM failed to program, and nothing else?
#include <map>
#include <string>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_system.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

Assignments failing(const char* share, const Assignments& more = {}) {
  return with(kHbf, with(kHostFtl, with({{"nvdimm.nand.program_failure", share},
                                         {"nvdimm.ftl.over_provisioning", "120"}},
                                        more)));
}

// Every accepted write ends once and is done; every page that was written can be read. Programs are
// those of users, collections, replays and refreshes, the failed ones, and at most one for each of
// these whose data was on the bus before. Each failed program costs one replay of its block.
TEST(HbfReplay, LosesNothingAndCountsEveryProgram) {
  for (const char* scheduler : {"reactive", "preemptive", "proactive"}) {
    for (const Assignments& more :
         {Assignments{}, Assignments{{"nvdimm.ftl.frontier", "shared"}},
          Assignments{{"nvdimm.ftl.allocation", "static"}, {"hbf.map_in", "hbm"}},
          Assignments{{"hbf.refresh", "paced_refresh"}, {"hbf.refresh_every", "20ms"}},
          Assignments{{"hbf.pending_writes", "2"}, {"host.queue", "shared"}}}) {
      HbfSystem system(failing("0.01", with({{"nvdimm.gc.scheduler", scheduler}}, more)));
      SCOPED_TRACE(std::string(scheduler) + (more.empty() ? "" : " " + more.front().second));
      Random random(17);
      std::map<std::int64_t, int> written;
      int writes = 0;
      int reads = 0;
      for (int i = 0; i < 4000; ++i) {
        const auto page = static_cast<std::int64_t>(random.below(400));
        if (random.below(3) == 0 && written[page] > 0) {
          system.read_page(page);
          ++reads;
        } else {
          system.write_page(page);
          ++written[page];
          ++writes;
        }
        if (i % 60 == 0) {
          system.drain();
        }
      }
      system.drain();
      EXPECT_EQ(system.statuses[HbfStatus::done], reads);
      EXPECT_EQ(system.value("nvdimm.ftl.host_pages"), writes);
      const double failed = system.value("hbf.status.program_failed");
      EXPECT_GT(failed, 20);
      EXPECT_EQ(system.value("hbf.replay.blocks"), failed);
      EXPECT_EQ(system.value("hbf.replay.writes") + system.value("hbf.replay.copies"),
                failed + system.value("hbf.status.out_of_order"));
      const double programs = writes + system.value("nvdimm.ftl.gc_pages") +
                              system.value("hbf.replay.pages") + system.value("hbf.refresh.pages") +
                              failed;
      EXPECT_GE(system.value("nvdimm.nand.programs"), programs);
      EXPECT_LE(system.value("nvdimm.nand.programs"), programs + failed);
    }
  }
}

// A block of 256 pages, filled from page 0 on. The pages before the failed one are copied; it and
// the pages after it are written again.
TEST(HbfReplay, CopiesThePagesBeforeTheFailedOne) {
  HbfSystem system(failing(
      "0.01",
      {{"hbf.banks", "1"}, {"nvdimm.capacity", "16MiB"}, {"nvdimm.nand.pages_per_block", "256"}}));
  std::int64_t page = 0;
  while (system.value("hbf.status.program_failed") == 0) {
    system.write_page(page++);
    system.drain();
  }
  EXPECT_EQ(system.value("hbf.status.program_failed"), 1);
  EXPECT_EQ(system.value("hbf.replay.pages"), static_cast<double>(page - 1));
  EXPECT_EQ(system.value("hbf.replay.writes"), 1);
  EXPECT_EQ(system.value("nvdimm.nand.programs"), static_cast<double>(2 * page));
  for (std::int64_t each = 0; each < page; ++each) {
    system.read_page(each);
  }
  system.drain();
  EXPECT_EQ(system.statuses[HbfStatus::done], page);
}

// Most blocks of 256 pages have a failed one, so soon all spare blocks wait for a replay.
TEST(HbfReplay, ReportsFailuresBeyondTheSpareBlocks) {
  HbfSystem system(with(kHbf, with(kHostFtl, {{"nvdimm.nand.program_failure", "0.01"},
                                              {"nvdimm.capacity", "64MiB"},
                                              {"nvdimm.nand.pages_per_block", "256"},
                                              {"nvdimm.precondition.fill", "1"}})));
  const std::string error = error_from([&] {
    for (int page = 0; page < 3000; ++page) {
      system.write_page(page * 3);
    }
    system.drain();
  });
  EXPECT_TRUE(names(error, {"wait for their replay"}));
}

TEST(HbfReplay, ResumesExactly) {
  const Assignments config = failing("0.01", {{"hbf.map_in", "hbm"}});
  HbfSystem whole(config);
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 40; ++i) {
      const auto page = static_cast<std::int64_t>(random.below(300));
      random.below(2) == 0 ? whole.write_page(page) : whole.read_page(page);
    }
    whole.kernel.run_until(whole.kernel.now() +
                           Tick(static_cast<std::int64_t>(random.below(600'000'000))));
    HbfSystem resumed(config);
    const std::string bytes = whole.saved();
    resumed.load(bytes);
    ASSERT_TRUE(bytes == resumed.saved()) << "round " << round;
    if (round < 59) {
      continue;
    }
    resumed.expect_end_of(whole);
    EXPECT_EQ(whole.value("nvdimm.nand.programs"), resumed.value("nvdimm.nand.programs"));
  }
  EXPECT_GT(whole.value("hbf.replay.blocks"), 5);
}

}  // namespace
}  // namespace hmsim::testing
