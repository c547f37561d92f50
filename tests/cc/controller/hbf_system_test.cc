// SPDX-License-Identifier: BSD-3-Clause
// Does high bandwidth flash leave the HBM beside it alone, and does the host's FTL write what the
// same FTL writes on DDR?
#include "tests/cc/controller/hbf_system.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/hbf/hbf_status.h"
#include "nvdimm/precondition.h"
#include "policies/monitors/performance_table.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

std::string dram_statistics(const HbfSystem& system) {
  std::string text;
  for (const Statistic& statistic : system.registry.read()) {
    if (statistic.path.rfind("dram.", 0) == 0 || statistic.path.rfind("bus.", 0) == 0) {
      text += statistic.path + " " + std::to_string(statistic.count) + " " +
              std::to_string(statistic.value);
      for (const auto& [name, number] : statistic.summary) {
        text += " " + name + " " + std::to_string(number);
      }
      text += "\n";
    }
  }
  return text;
}

// Random lines of HBM, with flash beside them or not; the flash is idle, or busy.
TEST(HbfSystem, LeavesTheHbmAlone) {
  const auto run = [](const Assignments& more, bool flash) {
    HbfSystem system(
        with(kHbf, with({{"dram.refresh", "true"}, {"controller.channels", "2"}}, more)));
    Random random(9);
    for (int i = 0; i < 4000; ++i) {
      const auto line = static_cast<std::int64_t>(random.below(1U << 20));
      system.send(MemoryClass::dram, line * 64, random.below(3) == 0);
      if (flash && i % 4 == 0) {
        system.read_page(i);
      }
      if (i % 8 == 0) {
        system.kernel.run_until(system.kernel.now() + Tick(20'000));
      }
    }
    system.kernel.run_until(Tick(50'000'000));
    return dram_statistics(system);
  };
  const std::string alone = run({{"nvdimm.present", "false"}, {"nvdimm.attach", "ddr"}}, false);
  EXPECT_NE(alone.find("dram.reads 26"), std::string::npos) << alone;
  EXPECT_EQ(run({}, false), alone);
  EXPECT_EQ(run({}, true), alone);
  EXPECT_EQ(run({{"hbf.grade", "3"}, {"hbf.ftl", "host"}, {"nvdimm.ftl.over_provisioning", "200"}},
                false),
            alone);
}

// HBM and HBF have queues and links of their own, so there is no contest to decide: the weight of
// the harmonic arbiter, and the arbiter itself, change no time.
TEST(HbfSystem, ArbitersHaveNothingToDecide) {
  std::string table = "version 1 dram";
  for (std::size_t cell = 0; cell < kDramCells; ++cell) {
    table += ' ' + std::to_string(20'000 + 7'919 * (cell % 6) + 613 * (cell / 6));
  }
  table += " nvdimm";
  for (std::size_t cell = 0; cell < kNvdimmCells; ++cell) {
    table += ' ' + std::to_string(900 + 331 * (cell % 6) + 17 * (cell / 6));
  }
  const auto run = [&](const Assignments& more) {
    HbfSystem system(with(kHbf, with(kHostFtl, with({{"hbf.map_in", "hbm"}}, more))));
    Random random(2);
    for (int i = 0; i < 4000; ++i) {
      const auto page = static_cast<std::int64_t>(random.below(500));
      if (i % 3 == 0) {
        random.below(2) == 0 ? system.write_page(page) : system.read_page(page);
      } else {
        system.send(MemoryClass::dram, static_cast<std::int64_t>(random.below(1U << 20)) * 64,
                    random.below(3) == 0);
      }
      if (i % 16 == 0) {
        system.kernel.run_until(system.kernel.now() + Tick(2'000'000));
      }
    }
    system.drain();
    return system.done;
  };
  const std::vector<Tick> oldest = run({{"controller.arbiter", "oldest_first"}});
  EXPECT_EQ(run({{"controller.arbiter", "dram_first"}}), oldest);
  for (const char* weight : {"0.1", "0.5", "0.9"}) {
    EXPECT_EQ(run({{"controller.arbiter", "harmonic"},
                   {"policies.harmonic.table", table},
                   {"policies.harmonic.weight", weight}}),
              oldest)
        << weight;
  }
}

// The same pages in the same order, one after another: the FTL writes as many pages as on DDR,
// where preconditioning takes its steps without time.
TEST(HbfSystem, AmplifiesWritesAsTheSameFtlOnDdr) {
  for (const std::string victim : {"greedy", "cost_benefit"}) {
    for (const char* copies : {"1", "4"}) {
      const Assignments more{{"nvdimm.ftl.victim", victim}, {"hbf.copies", copies}};
      HbfSystem system(with(kHbf, with(kHostFtl, more)));
      const NvdimmParameters& nvdimm = system.memory.config().nvdimm;
      Ftl reference(ftl_shape(nvdimm), {victim_selector(victim, {})}, 5);
      UntimedWriter writer(reference);
      Random random(3);
      const auto pages = static_cast<std::uint64_t>(reference.shape().logical_pages);
      for (std::uint64_t i = 0; i < 4 * pages; ++i) {
        const auto page = static_cast<std::int64_t>(i < pages ? i : random.below(pages));
        system.write_page(page);
        system.drain();
        writer.write(LogicalPage(page));
      }
      const UntimedWork work = writer.finish();
      EXPECT_EQ(system.value("nvdimm.ftl.host_pages"), static_cast<double>(work.host_pages));
      EXPECT_EQ(system.value("nvdimm.ftl.gc_pages"), static_cast<double>(work.gc_pages)) << victim;
      EXPECT_EQ(system.value("nvdimm.gc.count"), static_cast<double>(work.collected_blocks));
      EXPECT_GT(work.gc_pages, work.host_pages / 10);
    }
  }
}

// Preconditioning leaves map and flash as writes in time do: all pages can be read, and further
// writes go on in open blocks and collect what the same FTL collects.
TEST(HbfSystem, ContinuesAfterPreconditioning) {
  HbfSystem system(with(kHbf, with(kHostFtl, {{"nvdimm.precondition.fill", "1"},
                                              {"nvdimm.precondition.overwrite", "0.7"}})));
  const NvdimmParameters& nvdimm = system.memory.config().nvdimm;
  Ftl reference(ftl_shape(nvdimm), {victim_selector("greedy", {})}, 5);
  precondition(reference, nvdimm.precondition, 5);
  UntimedWriter writer(reference);
  Random random(3);
  const auto pages = static_cast<std::int64_t>(reference.shape().logical_pages);
  for (std::int64_t page = 0; page < pages; ++page) {
    system.read_page(page);
  }
  system.drain();
  EXPECT_EQ(system.statuses, (std::map<HbfStatus, int>{{HbfStatus::done, pages}}));
  for (std::int64_t i = 0; i < 2 * pages; ++i) {
    const auto page = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(pages)));
    system.write_page(page);
    system.drain();
    writer.write(LogicalPage(page));
  }
  const UntimedWork work = writer.finish();
  EXPECT_EQ(system.value("nvdimm.ftl.gc_pages"), static_cast<double>(work.gc_pages));
  EXPECT_EQ(system.value("nvdimm.gc.count"), static_cast<double>(work.collected_blocks));
  EXPECT_EQ(system.value("hbf.status.out_of_order"), 0);
  EXPECT_GT(work.gc_pages, work.host_pages / 10);
}

// Programs = pages of users and of the collector; a copy is 64 reads and 64 writes of HBM lines, an
// HBF read and an HBF write; the map costs a line for each read, write and copy.
TEST(HbfSystem, CollectionIsMadeOfCountedRequests) {
  for (const char* scheduler : {"reactive", "preemptive", "proactive", "background"}) {
    for (const char* map : {"none", "hbm"}) {
      for (const char* queue : {"none", "shared"}) {
        HbfSystem system(with(kHbf, with(kHostFtl, {{"nvdimm.gc.scheduler", scheduler},
                                                    {"hbf.map_in", map},
                                                    {"host.queue", queue},
                                                    {"nvdimm.ftl.allocation",
                                                     queue[0] == 'n' ? "dynamic" : "static"}})));
        Random random(7);
        constexpr std::uint64_t kPages = 512;
        std::map<std::int64_t, int> written;
        int reads = 0;
        for (int i = 0; i < 2500; ++i) {
          const auto page = static_cast<std::int64_t>(random.below(kPages));
          if (random.below(3) == 0 && written[page] > 0) {
            system.read_page(page);
            ++reads;
          } else {
            system.write_page(page);
            ++written[page];
          }
          if (i % 50 == 0) {
            system.drain();
          }
        }
        system.drain();
        SCOPED_TRACE(std::string(scheduler) + " " + map + " " + queue);
        const double host = system.value("nvdimm.ftl.host_pages");
        const double copies = system.value("nvdimm.ftl.gc_pages");
        EXPECT_GT(copies, 20);
        EXPECT_EQ(system.value("nvdimm.nand.programs"), host + copies);
        EXPECT_EQ(system.value("hbf.gc.flash_reads"), copies);
        EXPECT_EQ(system.value("hbf.gc.flash_writes"), copies);
        EXPECT_EQ(system.value("hbf.gc.hbm_reads"), 64 * copies);
        EXPECT_EQ(system.value("hbf.gc.hbm_writes"), 64 * copies);
        EXPECT_EQ(system.value("hbf.requests.user"), host + reads);
        EXPECT_EQ(system.value("hbf.requests.collection"), 2 * copies);
        EXPECT_EQ(system.value("dram.reads"), 64 * copies + system.value("hbf.map.hbm_reads"));
        EXPECT_EQ(system.value("dram.writes"), 64 * copies + system.value("hbf.map.hbm_writes"));
        EXPECT_EQ(system.value("hbf.map.hbm_reads"), map[0] == 'h' ? reads : 0);
        if (map[0] == 'h') {
          EXPECT_GE(system.value("hbf.map.hbm_writes"), host);
          EXPECT_LE(system.value("hbf.map.hbm_writes"), host + copies);
        }
        EXPECT_EQ(system.statuses[HbfStatus::done], reads) << "no read of an erased page";
      }
    }
  }
}

// 40 blocks of data that nobody writes, each to be rewritten in every 100 ms. A refresh is counted
// apart from collections, and costs the HBM 64 lines each way for a page.
std::vector<double> refreshed_blocks(const Assignments& more) {
  HbfSystem system(with(kHbf, with(kHostFtl, with({{"hbf.refresh_every", "100ms"}}, more))));
  for (int page = 0; page < 640; ++page) {
    system.write_page(page);
  }
  std::vector<double> blocks;  // in each 10 ms
  double before = 0;
  for (int step = 1; step <= 40; ++step) {
    system.kernel.run_until(step * 10 * kMillisecond);
    blocks.push_back(system.value("hbf.refresh.blocks") - before);
    before += blocks.back();
  }
  EXPECT_EQ(system.value("dram.reads"), system.value("dram.writes"));
  EXPECT_EQ(system.value("nvdimm.ftl.gc_pages") + system.value("hbf.refresh.pages"),
            system.value("nvdimm.nand.programs") - 640);
  EXPECT_NEAR(system.value("dram.reads"), 64 * (system.value("nvdimm.nand.programs") - 640),
              64 * 16);
  return blocks;
}

TEST(HbfSystem, RefreshesAreIssuedInBurstsOrPaced) {
  const auto sum = [](const std::vector<double>& blocks) {
    double total = 0;
    for (const double each : blocks) {
      total += each;
    }
    return total;
  };
  EXPECT_EQ(sum(refreshed_blocks({})), 0);
  const std::vector<double> deadline = refreshed_blocks({{"hbf.refresh", "deadline_refresh"}});
  const std::vector<double> paced = refreshed_blocks({{"hbf.refresh", "paced_refresh"}});
  // At 0.9 of the period: 3 or 4 rounds of 40 blocks in 400 ms.
  EXPECT_GE(sum(deadline), 120);
  EXPECT_LE(sum(deadline), 180);
  EXPECT_GE(std::count(deadline.begin(), deadline.end(), 0), 16);
  // One block in 100 ms / 41 or somewhat later.
  EXPECT_GE(sum(paced), 140);
  EXPECT_LE(sum(paced), 164);
  EXPECT_LE(*std::max_element(paced.begin() + 2, paced.end()), 6);
  EXPECT_GE(*std::min_element(paced.begin() + 2, paced.end()), 2);
}

// After X senses a block's reads report that a refresh is due: P pages are written for X reads.
TEST(HbfSystem, ReadsOfABlockRefreshIt) {
  HbfSystem system(
      with(kHbf, with(kHostFtl, {{"hbf.refresh_reads", "50"}, {"hbf.cache_pages", "0"}})));
  for (int page = 0; page < 640; ++page) {
    system.write_page(page);
  }
  system.drain();
  for (int i = 0; i < 1000; ++i) {
    system.read_page(0);
    system.drain();
  }
  // The copies of a refresh sense its block as well: 16 of the next 50.
  EXPECT_GE(system.value("hbf.refresh.blocks"), 1000 / 50 - 2);
  EXPECT_LE(system.value("hbf.refresh.blocks"), 1000 / 50 + 1);
  EXPECT_EQ(system.value("hbf.refresh.pages"), 16 * system.value("hbf.refresh.blocks"));
}

TEST(HbfSystem, AFlushWaitsForAllEarlierWrites) {
  HbfSystem system(with(kHbf, kHostFtl));
  for (int page = 0; page < 8; ++page) {
    system.write_page(page);
  }
  Request flush;
  flush.flush = true;
  flush.tag = static_cast<std::uint32_t>(system.done.size());
  system.done.push_back(kNever);
  system.memory.send(flush, system.kernel.now());
  system.write_page(9);
  system.drain();
  for (int page = 0; page < 8; ++page) {
    EXPECT_LE(system.done[static_cast<std::size_t>(page)], system.done[8]);
  }
  EXPECT_GT(system.done[9], system.done[8] + 75 * kMicrosecond);
}

// A run that is saved and loaded at any time ends like one that is not, by request and statistic.
TEST(HbfSystem, ResumesExactly) {
  for (const char* ftl : {"raw", "host"}) {
    for (const char* scheduler : {"fr_fcfs", "atlas"}) {
      const Assignments more{{"hbf.ftl", ftl},
                             {"hbf.map_in", ftl[0] == 'h' ? "hbm" : "none"},
                             {"hbf.outstanding", "3"},
                             {"controller.nvdimm_scheduler", scheduler}};
      HbfSystem whole(with(kHbf, with(kHostFtl, more)));
      Random random(4);
      for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 40; ++i) {
          const auto page = static_cast<std::int64_t>(random.below(300));
          random.below(2) == 0 ? whole.write_page(page) : whole.read_page(page);
        }
        whole.kernel.run_until(whole.kernel.now() +
                               Tick(static_cast<std::int64_t>(random.below(400'000'000))));
      }
      HbfSystem resumed(with(kHbf, with(kHostFtl, more)));
      resumed.load(whole.saved());
      resumed.expect_end_of(whole);
      for (const char* path : {"hbf.misses", "hbf.hits", "nvdimm.nand.programs",
                               "hbf.to_host.bytes", "nvdimm.reads", "nvdimm.writes"}) {
        EXPECT_EQ(whole.value(path), resumed.value(path)) << path;
      }
    }
  }
}

// 40 blocks of 16 pages need 13 ms to be programmed by 4 banks.
TEST(HbfSystem, CountsRefreshesThatAreLate) {
  for (const auto& [every, late] : {std::pair{"100ms", false}, {"5ms", true}}) {
    HbfSystem system(with(
        kHbf, with(kHostFtl, {{"hbf.refresh_every", every}, {"hbf.refresh", "paced_refresh"}})));
    for (int page = 0; page < 640; ++page) {
      system.write_page(page);
    }
    system.kernel.run_until(250 * kMillisecond);
    EXPECT_GT(system.value("hbf.refresh.blocks"), 40) << every;
    EXPECT_EQ(system.value("hbf.refresh.late") > 0, late) << every;
  }
}

TEST(HbfSystem, RejectsParametersThatTheHostCannotSupport) {
  for (const auto& [name, value] :
       keys_from("nvdimm.gc.scheduler=reactive_copyback nvdimm.ftl.map=cached "
                 "nvdimm.ftl.over_provisioning=0")) {
    EXPECT_THROW(make_config(with(kHbf, with(kHostFtl, {{name, value}}))), InputError) << name;
  }
  for (const auto& [name, value] : keys_from(
           "hbf.refresh=paced_refresh hbf.map_in=hbm nvdimm.nand.suspend=both hbf.streams=2")) {
    EXPECT_THROW(make_config(with(kHbf, {{name, value}})), InputError) << name << ", raw";
  }
}

}  // namespace
}  // namespace hmsim::testing
